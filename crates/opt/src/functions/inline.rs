//! Inlining (procedure integration): the body of a function comes in the place of a call.
//!
//! ```text
//! y = @square(x)                    z = mul(x, x)
//! fn @square(a) {             =>    y = z
//!   b = mul(a, a)
//!   yield b
//! }
//! ```
//!
//! It takes functions of at most 80 statements, those that are called once, those of numbers without loops of at most
//! 250 if a loop calls them, and constants of which only parts at known places are looked at. In the text of a routine,
//! which runs for small arguments, a loop counts as often as native code writes it. A program may gain only so much in
//! one run (`GROWTH`).
//!
//! Law: values and failures stay; what the body binds gets fresh names. Recursive functions and checkpoints stay
//! calls, and so do constants that are needed as a whole, which are evaluated once. An error inside the library is
//! told of the call from outside.

use pullback_base::{IdVec, Span};
use pullback_ir::{Atom, Block, Elem, Func, FuncId, Match, Op, Program, Stmt, VarId, rename};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::constants::is_plain;
use pullback_analysis::cost;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "inline",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "puts the bodies of small functions, and of those called once, in the place of calls, of larger ones without \
            loops inside loops, and of constants of which only parts are looked at",
    law: "f(a…) = body of f with a… for its parameters and fresh names for what it binds; checkpoints stay calls",
    run,
};

/// How many statements a small function has at most.
const SMALL: usize = 80;
/// How many statements a function of numbers without loops has at most to be inlined into a loop: native code runs a
/// loop in several lanes only if it has no call.
const STRAIGHT: usize = 250;
/// How many statements a program may gain in one run, beside as many as it has (up to `LARGE`).
const GROWTH: usize = 4000;
/// The most that its own size adds to `GROWTH`: else a large program could double in each run.
const LARGE: usize = 20_000;

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    let count = |funcs: &mut dyn Iterator<Item = FuncId>| {
        let mut uses: IdVec<FuncId, usize> = program.funcs.ids().map(|_| 0).collect();
        for func in funcs {
            for callee in &graph.named[func].calls {
                uses[*callee] += 1;
            }
        }
        uses
    };
    let uses = count(&mut graph.order.iter().copied());
    let all_uses = count(&mut program.funcs.ids());
    let sizes: IdVec<FuncId, usize> = program.funcs.iter().map(|func| func.body.size()).collect();
    let room = GROWTH + sizes.iter().sum::<usize>().min(LARGE);
    let mut ctx = Inline {
        program,
        graph: &graph,
        uses,
        all_uses,
        sizes,
        room,
        taken_apart: FxHashSet::default(),
        changed: false,
    };
    for func in &graph.order {
        let mut body = std::mem::take(&mut ctx.program.funcs[*func].body);
        ctx.taken_apart = taken_apart(ctx.program, &body);
        ctx.block((*func, false), &mut body);
        if !ctx.moves(*func) {
            ctx.put(&mut body, None);
        }
        ctx.program.funcs[*func].body = body;
    }
    ctx.changed.into()
}

struct Inline<'p> {
    program: &'p mut Program,
    graph: &'p CallGraph,
    /// How often each function is called by those that are reached.
    uses: IdVec<FuncId, usize>,
    /// The same by all functions.
    all_uses: IdVec<FuncId, usize>,
    /// The sizes of functions, with what will be inlined into them.
    sizes: IdVec<FuncId, usize>,
    /// How many statements may still be added.
    room: usize,
    /// The calls of constants that go where they are used, by what they bind.
    taken_apart: FxHashSet<VarId>,
    changed: bool,
}

/// A body that is being put in the place of a call.
struct Put {
    stmts: std::vec::IntoIter<Stmt>,
    /// The place of the call that its errors are reported at, if the call is outside of the library.
    outside: Option<Span>,
    /// What is bound to its results, and where.
    vars: Vec<VarId>,
    results: Vec<Atom>,
    span: Span,
}

impl Inline<'_> {
    /// Puts copies in the place of calls inside a function, and perhaps inside a loop.
    fn block(&mut self, within: (FuncId, bool), block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            let (caller, in_loop) = (within.0, within.1 || matches!(stmt.op, Op::Loop(_)));
            for inner in stmt.op.blocks_mut() {
                self.block((caller, in_loop), inner);
            }
            if let Op::Call(func, args) = &stmt.op
                && self.is_wanted(*func, &stmt.vars, (caller, in_loop))
            {
                self.changed = true;
                // The call goes, and its variables become copies.
                self.sizes[caller] += self.sizes[*func] + stmt.vars.len();
                self.sizes[caller] -= 1;
                if self.moves(*func) {
                    stmts.push(stmt);
                } else {
                    let body = body_for(self.program, *func, args, stmt.span);
                    put_for(stmt, body, &mut stmts);
                }
            } else {
                stmts.push(stmt);
            }
        }
        block.stmts = stmts;
    }

    /// Whether the body of a function moves to its only call instead of being copied. In a chain of functions that
    /// each call the one before, copies would take the square of its length.
    fn moves(&self, func: FuncId) -> bool {
        let Func { params, is_checkpoint, is_constant, .. } = &self.program.funcs[func];
        self.all_uses[func] == 1
            && self.uses[func] == 1
            && self.sizes[func] > SMALL
            && !(self.graph.is_held[func] || self.graph.is_recursive[func])
            && !(*is_checkpoint || *is_constant)
            && !params.iter().any(|param| self.program.vars[*param].ty.is_acc)
    }

    /// Moves bodies to their calls, and the bodies that these call in turn. It keeps a stack of its own, so that a
    /// long chain needs no deep recursion.
    fn put(&mut self, block: &mut Block, outside: Option<Span>) {
        let mut out = Vec::with_capacity(block.stmts.len());
        let stmts = std::mem::take(&mut block.stmts).into_iter();
        let mut path =
            vec![Put { stmts, outside, vars: vec![], results: vec![], span: Span::NONE }];
        while let Some(body) = path.last_mut() {
            let (outside, Some(mut stmt)) = (body.outside, body.stmts.next()) else {
                let Some(Put { vars, results, span, .. }) = path.pop() else { break };
                out.extend(copies(vars, results, span));
                continue;
            };
            if let Some(outside) = outside
                && self.program.library.contains(&stmt.span.file)
            {
                stmt.span = outside;
            }
            for inner in stmt.op.blocks_mut() {
                self.put(inner, outside);
            }
            if let Op::Call(func, args) = &stmt.op
                && self.moves(*func)
            {
                let Func { params, results, body, .. } = &mut self.program.funcs[*func];
                // It is not called any more.
                results.clear();
                let params = std::mem::take(params);
                let Block { stmts, results } = std::mem::take(body);
                out.extend(copies(params, args.clone(), stmt.span));
                let outside =
                    (!self.program.library.contains(&stmt.span.file)).then_some(stmt.span);
                let (stmts, vars, span) = (stmts.into_iter(), stmt.vars, stmt.span);
                path.push(Put { stmts, outside, vars, results, span });
            } else {
                out.push(stmt);
            }
        }
        block.stmts = out;
    }

    fn is_wanted(
        &mut self,
        func: FuncId,
        vars: &[VarId],
        (caller, in_loop): (FuncId, bool),
    ) -> bool {
        let mut size = self.sizes[func];
        if self.program.funcs[caller].routine.is_some() {
            size = size.max(cost::code(&self.program.funcs[func].body));
        }
        let Func { is_checkpoint, routine, .. } = &self.program.funcs[func];
        if self.graph.is_recursive[func] || *is_checkpoint || routine.is_some() {
            return false;
        }
        // A constant is evaluated once, wherever it is used, if it is needed as a whole.
        if self.program.funcs[func].is_constant {
            return size == 0 || vars.iter().any(|var| self.taken_apart.contains(var));
        }
        let is_only = self.uses[func] == 1 && !self.graph.is_held[func];
        let is_small = size <= SMALL || in_loop && size <= STRAIGHT && self.is_straight(func);
        let fits = is_small && size <= self.room;
        if !(is_only || fits) {
            return false;
        }
        if !is_only {
            self.room -= size;
        }
        true
    }

    /// Whether a function is of numbers, and neither calls others nor loops.
    fn is_straight(&self, func: FuncId) -> bool {
        let Func { params, results, body, .. } = &self.program.funcs[func];
        let mut types =
            params.iter().map(|param| self.program.vars[*param].ty).chain(results.iter().copied());
        let mut is_straight = types.all(|ty| {
            !ty.is_array() && !ty.is_acc && !matches!(ty.elem, Elem::Data(_) | Elem::Str)
        });
        body.visit(&mut |stmt| is_straight &= !matches!(stmt.op, Op::Match(_)));
        is_straight && cost::is_straight(body)
    }
}

/// The variables of constants, put together from numbers, of which only parts at known places are looked at.
fn taken_apart(program: &Program, body: &Block) -> FxHashSet<VarId> {
    let mut constants: FxHashSet<VarId> = FxHashSet::default();
    body.visit(&mut |stmt| {
        if let (Op::Call(func, _), [var]) = (&stmt.op, stmt.vars.as_slice())
            && is_plain(program, *func)
        {
            constants.insert(*var);
        }
    });
    if constants.is_empty() {
        return constants;
    }
    let mut left = body.uses();
    body.visit(&mut |stmt| {
        let is_known = |at: &[Atom]| at.iter().all(|at| matches!(at, Atom::Int(_)));
        if let Op::Index(of, _) | Op::Dim(of, _) | Op::Match(Match { scrutinee: of, .. }) = &stmt.op
            && !matches!(&stmt.op, Op::Index(_, at) if !is_known(at))
            && let Some(left) = of.var().and_then(|var| left.get_mut(&var))
        {
            *left -= 1;
        }
    });
    constants.retain(|var| left.get(var).is_none_or(|left| *left == 0));
    constants
}

/// A copy of the body of a function, for a call with these arguments. Errors of the library are told where it is called
/// from outside.
pub(crate) fn body_for(program: &mut Program, func: FuncId, args: &[Atom], call: Span) -> Block {
    let callee = &program.funcs[func];
    let mut atoms: FxHashMap<_, _> =
        callee.params.iter().copied().zip(args.iter().copied()).collect();
    let body = callee.body.clone();
    let mut body = rename(program, &body, &mut atoms);
    let library = &program.library;
    if !library.contains(&call.file) {
        body.visit_mut(&mut |stmt| {
            if library.contains(&stmt.span.file) {
                stmt.span = call;
            }
        });
    }
    body
}

/// Puts a block in the place of a statement.
pub(crate) fn put_for(stmt: Stmt, mut block: Block, stmts: &mut Vec<Stmt>) {
    stmts.append(&mut block.stmts);
    stmts.extend(copies(stmt.vars, block.results, stmt.span));
}

/// Variables that stand for atoms.
fn copies(vars: Vec<VarId>, atoms: Vec<Atom>, span: Span) -> impl Iterator<Item = Stmt> {
    let pairs = vars.into_iter().zip(atoms);
    pairs.map(move |(var, atom)| Stmt::new(vec![var], Op::Copy(atom), span))
}
