//! Recognition of conditional reductions: a branch that adds to a state becomes an addition of a term that may be
//! neutral.
//!
//! ```text
//! k = if p {                     d = if p {
//!   m = int_add(s, x)              m = int_add(s, x)
//!   yield m                 =>     yield x
//! } else { yield s }             } else { yield 0 }
//!                                k = int_add(s, d)
//! ```
//!
//! Afterwards the state is a plain sum, which `split_reductions` and vector code know.
//!
//! Law: every value keeps its bits, since the neutral element is exact: `-0.0` for `add`, `0.0` for `sub`, `0` for
//! Ints. It applies to branches and selections of which one side is a state of a loop and the other is that state
//! plus or minus something. Other uses of states stay branches.

use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_body, take};
use pullback_analysis::loop_shape::joined;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "guarded_reductions",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "adds to a state of a loop what a branch adds to it, or nothing",
    law: "if p { s + x } else { s } = s + (if p { x } else { -0 })",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_body(program, |program, body| {
        let (states, sums) = (FxHashSet::default(), FxHashMap::default());
        let mut ctx = GuardedReductions { program, states, sums, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct GuardedReductions<'p> {
    program: &'p mut Program,
    states: FxHashSet<VarId>,
    /// The statements that add to a state or subtract from it, by the variable that they bind.
    sums: FxHashMap<VarId, Stmt>,
    changed: bool,
}

impl GuardedReductions<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            if let Op::Loop(looped) = &stmt.op {
                self.states.extend(&looped.states);
            }
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let mut after = vec![];
            self.stmt(&mut stmt, &mut after);
            if let (Op::Prim(_, args), &[var]) = (&stmt.op, stmt.vars.as_slice())
                && args.iter().any(|arg| arg.var().is_some_and(|arg| self.states.contains(&arg)))
            {
                self.sums.insert(var, stmt.clone());
            }
            block.stmts.push(stmt);
            for stmt in after {
                self.sums.insert(stmt.vars[0], stmt.clone());
                block.stmts.push(stmt);
            }
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, after: &mut Vec<Stmt>) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others choose nothing by a Bool")]
        match &mut stmt.op {
            Op::If(_, then, other) => {
                for (at, var) in stmt.vars.iter_mut().enumerate() {
                    let pair = [&mut then.results[at], &mut other.results[at]];
                    self.choice(pair, var, after);
                }
            }
            Op::Select(_, a, b) => self.choice([a, b], &mut stmt.vars[0], after),
            _ => {}
        }
    }

    /// A variable that is one of two atoms. If one of them is a state and the other is that state plus a term, the
    /// choice becomes one between the term and the neutral element, and is added to the state after it.
    fn choice(&mut self, [a, b]: [&mut Atom; 2], var: &mut VarId, after: &mut Vec<Stmt>) {
        let Some((sum, more, is_first)) = self
            .more(*a, *b)
            .map(|(sum, more)| (sum, more, true))
            .or_else(|| self.more(*b, *a).map(|(sum, more)| (sum, more, false)))
        else {
            return;
        };
        let (prim, span) = (sum.0, sum.1);
        let nothing = if prim == Prim::Add {
            Atom::Real(-0.0)
        } else if prim == Prim::Sub {
            Atom::Real(0.0)
        } else {
            Atom::Int(0)
        };
        let state = if is_first { *b } else { *a };
        (*a, *b) = if is_first { (more, nothing) } else { (nothing, more) };
        let chosen = self.program.fresh_like(*var);
        let sum = std::mem::replace(var, chosen);
        let op = Op::Prim(prim, vec![state, chosen.into()]);
        after.push(Stmt::new(vec![sum], op, span));
        self.changed = true;
    }

    /// If `sum` is `state` plus or minus a term: the primitive with its place, and the term.
    fn more(&self, sum: Atom, state: Atom) -> Option<((Prim, pullback_base::Span), Atom)> {
        let state = state.var().filter(|state| self.states.contains(state))?;
        let stmt = self.sums.get(&sum.var()?)?;
        let (prim, more) = joined(&stmt.op, state)?;
        let is_sum = matches!(prim, Prim::Add | Prim::Sub | Prim::IntAdd | Prim::IntSub);
        is_sum.then_some(((prim, stmt.span), more))
    }
}
