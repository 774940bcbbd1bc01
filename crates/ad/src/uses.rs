//! Use analysis of tangents in a linear part: which cotangents are accumulated, and which are parts of others.
//!
//! ```text
//! for i < n { e_dot = x_dot[i];  … }            x_bar is an accumulator, since elements of x_dot are read
//! b_dot = add(a_dot, c_dot);  yield b_dot       a_bar is a value
//! ```
//!
//! Input: a linear part and its parameters. Output: for each tangent whether its cotangent is an accumulator, and of
//! which other cotangent it is a part; and, for functions, which parameters are arrays that are only read.
//! Invariants: a tangent that is used inside a loop around which it is bound, and an array of which elements or
//! ranges are read, has its cotangent accumulated. All other cotangents are values.

use pullback_ir::{Atom, Block, FuncId, Loop, Op, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::Derived;
use pullback_analysis::access::only_looks;

/// How a tangent is a part of another one.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// `[i…]`
    At(VarId, Vec<Atom>),
    /// `[lo:hi]`
    Range(VarId, Atom, Atom),
}

#[derive(Debug, Default)]
pub(crate) struct Uses {
    accumulates: FxHashSet<VarId>,
    parts: FxHashMap<VarId, Part>,
    /// The number of the loop in which each tangent is bound; 0 is outside of all loops.
    loops: FxHashMap<VarId, usize>,
    count: usize,
}

impl Uses {
    /// The uses in a linear part with these parameters.
    pub(crate) fn of(
        program: &Program,
        calls: &FxHashMap<FuncId, Derived>,
        params: &[VarId],
        block: &Block,
    ) -> Self {
        let mut uses = Self::default();
        for param in params {
            uses.loops.insert(*param, 0);
        }
        let ctx = Ctx { program, calls };
        uses.block(&ctx, block, 0);
        // A part whose cotangent is not accumulated needs no part of an accumulator.
        let accumulates = &uses.accumulates;
        uses.parts.retain(|part, _| accumulates.contains(part) || program.vars[*part].ty.is_acc);
        uses
    }

    /// Whether a cotangent is accumulated.
    pub(crate) fn accumulates(&self, var: VarId) -> bool {
        self.accumulates.contains(&var)
    }

    /// Says that a cotangent is accumulated.
    pub(crate) fn set_accumulates(&mut self, var: VarId) {
        self.accumulates.insert(var);
    }

    /// Of which other cotangent this is a part.
    pub(crate) fn part(&self, var: VarId) -> Option<Part> {
        self.parts.get(&var).cloned()
    }

    /// Whether it is part of another.
    pub(crate) fn is_part(&self, var: VarId) -> bool {
        self.parts.contains_key(&var)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn block(&mut self, ctx: &Ctx<'_>, block: &Block, at: usize) {
        for stmt in &block.stmts {
            for var in &stmt.vars {
                self.loops.insert(*var, at);
            }
            stmt.op.for_each_atom(&mut |atom| self.use_(ctx, atom, at));
            for read in ctx.reads(&stmt.op) {
                self.accumulates.insert(read);
            }
            match &stmt.op {
                Op::Index(Atom::Var(a), i) | Op::AtAcc(Atom::Var(a), i) if ctx.linear(*a) => {
                    let out = stmt.vars[0];
                    if ctx.program.vars[out].ty.is_array() || ctx.program.vars[out].ty.is_acc {
                        self.parts.insert(out, Part::At(*a, i.clone()));
                    }
                }
                Op::Slice(Atom::Var(a), lo, hi) | Op::PartAcc(Atom::Var(a), lo, hi)
                    if ctx.linear(*a) =>
                {
                    self.parts.insert(stmt.vars[0], Part::Range(*a, *lo, *hi));
                }
                Op::Loop(Loop { states, body, .. }) => {
                    self.count += 1;
                    let inner = self.count;
                    for state in states {
                        self.loops.insert(*state, inner);
                    }
                    self.block(ctx, body, inner);
                    continue;
                }
                _ => {}
            }
            for inner in stmt.op.blocks() {
                self.block(ctx, inner, at);
            }
        }
        for result in &block.results {
            self.use_(ctx, *result, at);
        }
    }

    fn use_(&mut self, ctx: &Ctx<'_>, atom: Atom, at: usize) {
        if let Atom::Var(var) = atom
            && ctx.linear(var)
            && !ctx.program.vars[var].ty.is_acc
            && self.loops.get(&var).is_some_and(|bound| *bound != at)
        {
            self.accumulates.insert(var);
        }
    }
}

struct Ctx<'a> {
    program: &'a Program,
    calls: &'a FxHashMap<FuncId, Derived>,
}

impl Ctx<'_> {
    fn linear(&self, var: VarId) -> bool {
        self.program.vars[var].linear
    }

    /// The arrays of tangents of which an operation reads parts.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn reads(&self, op: &Op) -> Vec<VarId> {
        let read = match op {
            Op::Index(a, _) | Op::Slice(a, _, _) | Op::Flatten(a) => vec![*a],
            Op::Call(func, args) => match self.calls.get(func) {
                Some(derived) => {
                    let dots = &args[derived.residuals.len()..];
                    let pairs = dots.iter().zip(&derived.accs);
                    pairs.filter(|(_, is_acc)| **is_acc).map(|(dot, _)| *dot).collect()
                }
                None => vec![],
            },
            _ => vec![],
        };
        read.into_iter()
            .filter_map(Atom::var)
            .filter(|var| self.linear(*var) && !self.program.vars[*var].ty.is_acc)
            .collect()
    }
}

/// Whether a block passes a tangent on as a whole, rather than reading parts of it.
pub(crate) fn passes_on(
    program: &Program,
    calls: &FxHashMap<FuncId, Derived>,
    block: &Block,
    var: VarId,
) -> bool {
    let ctx = Ctx { program, calls };
    let is = |atom: &Atom| *atom == Atom::Var(var);
    block.results.iter().any(is)
        || block.stmts.iter().any(|stmt| {
            let mut uses = 0;
            stmt.op.for_each_atom(&mut |atom| uses += usize::from(is(&atom)));
            let reads = ctx.reads(&stmt.op).iter().filter(|read| **read == var).count();
            let sums = usize::from(matches!(&stmt.op, Op::Sum(a) if is(a)));
            uses > reads + sums
                || stmt.op.blocks().into_iter().any(|block| passes_on(program, calls, block, var))
        })
}

/// Which parameters of a function are arrays of which only parts are read: through calls too, as far as `known`
/// says.
pub(crate) fn only_read(
    program: &Program,
    func: FuncId,
    known: &FxHashMap<FuncId, Vec<bool>>,
) -> Vec<bool> {
    let source = &program.funcs[func];
    let mut only: FxHashMap<VarId, bool> =
        source.params.iter().map(|param| (*param, program.vars[*param].ty.is_array())).collect();
    read_block(&source.body, known, &mut only);
    source.params.iter().map(|param| only[param]).collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn read_block(
    block: &Block,
    known: &FxHashMap<FuncId, Vec<bool>>,
    only: &mut FxHashMap<VarId, bool>,
) {
    let passed = |atom: Atom, only: &mut FxHashMap<VarId, bool>| {
        if let Atom::Var(var) = atom
            && let Some(flag) = only.get_mut(&var)
        {
            *flag = false;
        }
    };
    for stmt in &block.stmts {
        match &stmt.op {
            Op::Argsort(_) => {}
            op if only_looks(op) => {}
            Op::Call(func, args) => {
                let flags = known.get(func);
                for (at, arg) in args.iter().enumerate() {
                    if !flags.is_some_and(|flags| flags[at]) {
                        passed(*arg, only);
                    }
                }
            }
            op => op.for_each_atom(&mut |atom| passed(atom, only)),
        }
        for inner in stmt.op.blocks() {
            read_block(inner, known, only);
        }
    }
    for result in &block.results {
        passed(*result, only);
    }
}
