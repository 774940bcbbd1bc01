//! Unrolling of recursion on static data (partial evaluation; Jones, Gomard and Sestoft, 1993).
//!
//! ```text
//! a = Nil()
//! b = Cons(x, a)                     u = add(x, 0.0)
//! c = Cons(2.0, b)            =>     z = add(2.0, u)
//! z = @total(c)
//! ```
//!
//! It takes calls with data, or a number, that is known before the program runs: an interpreter with its program, a
//! fold over a list of three, a power. The bodies come in the place of the calls, and `simplify` decides their
//! branches, until no call is left. Then nothing builds or looks at cells, and loops around may run in vectors.
//!
//! Law: values and failures stay. All calls of one group are written out or none: one of which the end is not known
//! leaves the call as it was. At most 400 statements come of a call, or 100 if a number leads it to its end; a
//! program may gain only so much in one run (`GROWTH`). Checkpoints stay calls.

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt};

use crate::functions::inline::{body_for, put_for};
use crate::local::simplify::Simplify;
use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::constants::is_plain;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "unroll_recursion",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "writes out the calls of recursive functions that known data or a known number leads to their end",
    law: "f(C(a)) = b, if the body of f with C(a) for its parameter is b, and b calls f no more",
    run,
};

/// How many statements are written for a call at most.
const LONGEST: usize = 400;
/// The same for a call that a number leads to its end.
const COUNTED: usize = 100;
/// The most statements that one round of unfolding may add before branches are decided.
const LARGEST: usize = 4000;
/// How many statements a program may gain each time.
const GROWTH: usize = 4000;
/// The most statements that one run of the pass simplifies, in vain or not.
const WORK: usize = 100_000;

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    if !graph.order.iter().any(|func| graph.is_recursive[*func]) {
        return Changed::Nothing;
    }
    let simplify = Simplify::of(program);
    let mut ctx =
        UnrollRecursion { simplify, graph: &graph, room: GROWTH, work: WORK, changed: false };
    for func in &graph.order {
        let mut body = std::mem::take(&mut ctx.simplify.program.funcs[*func].body);
        ctx.block(*func, &mut body);
        ctx.simplify.program.funcs[*func].body = body;
    }
    ctx.changed.into()
}

struct UnrollRecursion<'p> {
    /// The simplifier, with what is known at the place where the pass is.
    simplify: Simplify<'p>,
    graph: &'p CallGraph,
    /// How many statements may still be added.
    room: usize,
    /// How many may still be looked at.
    work: usize,
    changed: bool,
}

impl UnrollRecursion<'_> {
    fn block(&mut self, within: FuncId, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Some(mut written) = self.written_out(within, &stmt) {
                self.changed = true;
                // Other calls may have static arguments now.
                self.block(within, &mut written);
                put_for(stmt, written, &mut stmts);
                continue;
            }
            for inner in stmt.op.blocks_mut() {
                self.block(within, inner);
            }
            if matches!(stmt.op, Op::Con(_, _) | Op::Array(_) | Op::Call(_, _)) {
                self.simplify.know(&stmt);
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// The block that a call of a recursive function unfolds to, if no call of the group is left in it.
    fn written_out(&mut self, within: FuncId, stmt: &Stmt) -> Option<Block> {
        let Op::Call(func, args) = &stmt.op else { return None };
        let (func, component) = (*func, self.graph.component[*func]);
        let is_meant = self.graph.is_recursive[func]
            && self.graph.component[within] != component
            && args.iter().any(|arg| self.leads(*arg));
        if !is_meant {
            return None;
        }
        let is_counted = !args.iter().any(|arg| matches!(arg, Atom::Var(_)) && self.leads(*arg));
        let longest = if is_counted { COUNTED } else { LONGEST };
        let mut block = Block::default();
        let args = args.iter().map(|arg| self.in_parts(*arg, stmt.span, &mut block)).collect();
        let vars: Vec<_> =
            stmt.vars.iter().map(|var| self.simplify.program.fresh_like(*var)).collect();
        block.results = vars.iter().copied().map(Atom::Var).collect();
        block.stmts.push(Stmt::new(vars, Op::Call(func, args), stmt.span));
        while self.calls(component, &block, longest)? > 0 {
            self.enter(component, &mut block);
            let size = block.size();
            self.work = self.work.checked_sub(size)?;
            self.simplify.again(&mut block);
        }
        self.room = self.room.checked_sub(block.size())?;
        Some(block)
    }

    /// Whether an argument is static, so that it may lead a recursive function to its end.
    fn leads(&self, arg: Atom) -> bool {
        match arg {
            Atom::Int(_) => true,
            Atom::Var(_) => match self.simplify.def(arg) {
                Some(Op::Con(_, _)) => true,
                Some(Op::Call(func, _)) => is_plain(self.simplify.program, *func),
                _ => false,
            },
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => false,
        }
    }

    /// A constant as what it is put together from.
    fn in_parts(&mut self, arg: Atom, span: Span, before: &mut Block) -> Atom {
        let Some(Op::Call(func, _)) = self.simplify.def(arg) else { return arg };
        let func = *func;
        if !is_plain(self.simplify.program, func) {
            return arg;
        }
        let mut body = body_for(self.simplify.program, func, &[], span);
        body.stmts.iter().for_each(|stmt| self.simplify.know(stmt));
        before.stmts.append(&mut body.stmts);
        body.results[0]
    }

    /// How many calls of some functions are left in a block; none if it is too long, or if nothing leads one of them on.
    fn calls(&self, component: usize, block: &Block, longest: usize) -> Option<usize> {
        let (mut entered, mut calls, mut is_led) = (0, 0, true);
        block.visit(&mut |stmt| {
            if let Op::Call(func, args) = &stmt.op
                && self.graph.component[*func] == component
            {
                let func = &self.simplify.program.funcs[*func];
                calls += 1;
                entered += func.body.size();
                is_led &= !func.is_checkpoint && args.iter().any(|arg| self.leads(*arg));
            }
        });
        (is_led && block.size() <= longest && entered <= LARGEST).then_some(calls)
    }

    /// Puts the bodies of some functions in the place of their calls, once.
    fn enter(&mut self, component: usize, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.blocks_mut() {
                self.enter(component, inner);
            }
            if let Op::Call(func, args) = &stmt.op
                && self.graph.component[*func] == component
            {
                let body = body_for(self.simplify.program, *func, args, stmt.span);
                put_for(stmt, body, &mut stmts);
            } else {
                stmts.push(stmt);
            }
        }
        block.stmts = stmts;
    }
}
