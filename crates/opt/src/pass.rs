//! What a pass is: a name, a law, when it runs, which code it may change, and a function from programs to programs.
//!
//! Several passes also share the walks over all bodies and statements, and a few questions about statements, that
//! stand here.
//! Invariants: `run` says whether it changed anything, since the pipeline runs a phase until no pass does. A pass
//! keeps the parameters and results of the roots.

use pullback_analysis::{Analyses, Changed};
use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

/// When a pass runs: the phases follow each other in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Until no pass of the phase changes anything.
    Simplify,
    /// Once [`Phase::Simplify`] has come to its end, and with it from then on: these passes give residuals forms in which
    /// the two sweeps of a recursive function can no longer become one.
    Specialise,
    /// Once, in the order of the list: these passes choose an order of loops and a place in memory, which the earlier
    /// phases would undo, or could do less after.
    Schedule,
}

impl Phase {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simplify => "simplify",
            Self::Specialise => "specialise",
            Self::Schedule => "schedule",
        }
    }
    /// When that is, in words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Simplify => "in the optimiser, until nothing changes",
            Self::Specialise => {
                "in the optimiser, when the passes before change nothing more, and with them again until nothing changes"
            }
            Self::Schedule => "once, when the other passes of the optimiser change nothing more",
        }
    }
}

/// Which code a pass may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Any.
    Anywhere,
    /// Only code of which no derivative will be taken. The value stays, but not its derivative: such a pass computes what
    /// is not chosen, compares with an identity that may tie with an element, writes a power as what has more to derive,
    /// or is for residuals, which only derivatives have.
    Derived,
}

impl Scope {
    /// Which code that is, in words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Anywhere => "any code",
            Self::Derived => "code of which no derivative will be taken",
        }
    }
}

/// A pass: from programs to programs that mean the same.
#[derive(Debug)]
pub struct Pass {
    /// Its name, by which it is switched off and reported.
    pub name: &'static str,
    /// When it runs.
    pub phase: Phase,
    /// Which code it may change.
    pub scope: Scope,
    /// Whether it runs once more after all others, for what these leave.
    pub runs_last: bool,
    /// Whether it also runs on the body of two sweeps of which `fuse_recursive_sweeps` tries whether they become one.
    /// Such a pass draws no conclusion from all calls of a function, for the calls of that body are yet to be made.
    pub runs_in_trial: bool,
    /// What it does.
    pub about: &'static str,
    /// Why that changes nothing.
    pub law: &'static str,
    /// Changes a program, of which these functions are called from outside, and says what it changed. A pass
    /// that numbers functions anew says which the roots are. It asks for what is known of the program, which is
    /// as it was found when the pass began.
    pub run: Run,
}

/// What a pass does to a program with these roots.
pub(crate) type Run = fn(&mut Program, &mut [FuncId], &mut Analyses) -> Changed;

/// Runs over the body of every function; whether any changed. The body is taken out of the program meanwhile.
pub(crate) fn each_body(
    program: &mut Program,
    mut run: impl FnMut(&mut Program, &mut Block) -> bool,
) -> Changed {
    each_func(program, |program, _, body| run(program, body))
}

/// Runs over every function and its body, which stands apart from the program meanwhile; which changed.
pub(crate) fn each_func(
    program: &mut Program,
    mut run: impl FnMut(&mut Program, FuncId, &mut Block) -> bool,
) -> Changed {
    let mut changed = vec![];
    for func in program.funcs.ids() {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        if run(program, func, &mut body) {
            changed.push(func);
        }
        program.funcs[func].body = body;
    }
    bodies(changed)
}

/// What has become of a program in which these bodies have changed.
pub(crate) fn bodies(funcs: Vec<FuncId>) -> Changed {
    if funcs.is_empty() { Changed::Nothing } else { Changed::Bodies(funcs) }
}

/// Runs over every statement of every function, an outer statement before those inside it; whether any changed. A
/// statement may become another one, and others may be put before it.
pub(crate) fn each_stmt(
    program: &mut Program,
    mut run: impl FnMut(&mut Program, &mut Stmt, &mut Vec<Stmt>) -> bool,
) -> Changed {
    each_body(program, |program, body| in_block(program, body, &mut run))
}

fn in_block(
    program: &mut Program,
    block: &mut Block,
    run: &mut impl FnMut(&mut Program, &mut Stmt, &mut Vec<Stmt>) -> bool,
) -> bool {
    let mut changed = false;
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        changed |= run(program, &mut stmt, &mut stmts);
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, inner, run);
        }
        stmts.push(stmt);
    }
    block.stmts = stmts;
    changed
}

/// The statements of a block, which gets room for as many in their place: most passes put nearly all of them back.
pub(crate) fn take(block: &mut Block) -> Vec<Stmt> {
    let room = Vec::with_capacity(block.stmts.len());
    std::mem::replace(&mut block.stmts, room)
}

/// Redirects a read of an array at a place, or inside that place, to another variable that holds what is there.
pub(crate) fn read_from(op: &mut Op, array: VarId, place: &[Atom], other: VarId) {
    if let Op::Index(Atom::Var(of), at) = op
        && *of == array
        && at.starts_with(place)
    {
        let (rest, other) = (at[place.len()..].to_vec(), Atom::Var(other));
        *op = if rest.is_empty() { Op::Copy(other) } else { Op::Index(other, rest) };
    }
}

/// The backward slice of a value: the statements that it needs, in their order, and all variables that these mention.
pub(crate) fn slice<'s>(
    stmts: impl DoubleEndedIterator<Item = &'s Stmt>,
    value: Atom,
) -> (Vec<&'s Stmt>, FxHashSet<VarId>) {
    let mut needed: FxHashSet<VarId> = value.var().into_iter().collect();
    let mut slice = vec![];
    for stmt in stmts.rev() {
        if stmt.vars.iter().any(|var| needed.contains(var)) {
            stmt.op.for_each_atom(&mut |atom| needed.extend(atom.var()));
            for inner in stmt.op.blocks() {
                inner.visit_atoms(&mut |atom| needed.extend(atom.var()));
            }
            slice.push(stmt);
        }
    }
    slice.reverse();
    (slice, needed)
}
