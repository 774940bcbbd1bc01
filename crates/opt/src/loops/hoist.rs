//! Loop-invariant code motion (Allen, 1969): what no iteration changes moves before the loop, whole inner loops
//! included.
//!
//! ```text
//! s = for i < n with t = 0.0 {         y = exp(x)
//!   y = exp(x)                         s = for i < n with t = 0.0 {
//!   u = add(t, y)                 =>     u = add(t, y)
//!   yield u                              yield u
//! }                                    }
//! ```
//!
//! Law: values and failures stay. A statement moves if it cannot fail outside of the loop and reads nothing that may
//! be undefined there, or if the loop surely has an iteration and tells nothing. What adds to an accumulator or tells
//! something (`debug`) never moves.
//!
//! Inner loops come first, so that code moves out of as many loops as leave it as it is. Arithmetic of Ints that
//! cannot fail also moves out of branches inside the loop, since it costs next to nothing: a condition such as `i ==
//! 0 || i == n - 1` is then no more than comparisons.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::effects::{FuncEffects, touches_acc};
use pullback_analysis::reorder::names;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "hoist",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "moves what a loop does not change before the loop",
    law: "for i < n { x = e; b } = x = e; for i < n { b }, if e does not name what the loop binds",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (effects, undefined) = (analyses.effects(program), analyses.undefined(program));
    each_func(program, |program, func, body| {
        let mut ctx = Hoist {
            program,
            effects: effects.func(func),
            undefined: &undefined,
            ints: FxHashSet::default(),
            depth: 0,
            changed: false,
        };
        ctx.block(body);
        ctx.changed
    })
}

struct Hoist<'a> {
    program: &'a Program,
    effects: FuncEffects<'a>,
    /// The variables that may have no value.
    undefined: &'a FxHashSet<VarId>,
    /// The Ints that cannot fail, so that they could be computed before the branches around.
    ints: FxHashSet<VarId>,
    /// How many loops are around.
    depth: usize,
    changed: bool,
}

impl Hoist<'_> {
    /// Moves code out of the loops of a block. Gives, for each statement that the block has then, the number of loops
    /// around it inside which it surely has a value (`Effects::needs_inside`).
    fn block(&mut self, block: &mut Block) -> Vec<usize> {
        let room = block.stmts.len();
        let (mut stmts, mut needs) = (Vec::with_capacity(room), Vec::with_capacity(room));
        for mut stmt in std::mem::take(&mut block.stmts) {
            let mut need = self.effects.needs_inside(self.program, &stmt);
            if self.effects.computes_int(self.program, &stmt) {
                self.ints.extend(&stmt.vars);
            }
            let params: FxHashSet<VarId> = stmt.op.inner_params().into_iter().collect();
            // Whether there is an iteration; a condition, the first block, is evaluated once at least.
            let is_sure = if let Op::Loop(Loop { form, .. }) = &stmt.op {
                match form {
                    LoopForm::For { count, .. } => matches!(count, Atom::Int(count) if *count > 0),
                    LoopForm::While(_) => true,
                }
            } else {
                false
            };
            let is_loop = matches!(stmt.op, Op::Loop(_));
            self.depth += usize::from(is_loop);
            for (nth, inner) in stmt.op.blocks_mut().into_iter().enumerate() {
                let mut inner_needs = self.block(inner);
                if is_loop {
                    // What the block tells must come before a failure that follows it.
                    let is_sure =
                        is_sure && nth == 0 && !self.effects.tells_in(self.program, inner);
                    let params = params.clone();
                    let out = self.invariant(inner, &mut inner_needs, params, is_sure);
                    for (stmt, need) in out {
                        stmts.push(stmt);
                        needs.push(need);
                    }
                }
                // A statement that is safe only inside an inner loop moves together with that loop.
                let is_around =
                    |need: &usize| *need == usize::MAX || !is_loop || *need < self.depth;
                need = inner_needs.into_iter().filter(is_around).fold(need, usize::max);
            }
            self.depth -= usize::from(is_loop);
            stmts.push(stmt);
            needs.push(need);
        }
        block.stmts = stmts;
        needs
    }

    /// Takes out of a loop's block the statements that depend on nothing in `bound` and may move.
    fn invariant(
        &mut self,
        block: &mut Block,
        needs: &mut Vec<usize>,
        mut bound: FxHashSet<VarId>,
        is_sure: bool,
    ) -> Vec<(Stmt, usize)> {
        let (mut out, room) = (vec![], block.stmts.len());
        let (mut kept, mut kept_needs) = (Vec::with_capacity(room), Vec::with_capacity(room));
        for (mut stmt, need) in std::mem::take(&mut block.stmts).into_iter().zip(needs.drain(..)) {
            let can_run = is_sure || (need < self.depth && !self.looks_at_undefined(&stmt.op));
            let is_code = !stmt.vars.is_empty()
                && !touches_acc(self.program, &stmt.op)
                && !self.effects.tells(self.program, &stmt.op);
            if can_run && is_code && !names(&stmt.op, &bound) {
                self.changed = true;
                out.push((stmt, need));
            } else {
                if matches!(stmt.op, Op::If(..)) {
                    let ints = self.ints_of(&mut stmt, &mut bound);
                    out.extend(ints.into_iter().map(|stmt| (stmt, 0)));
                }
                bound.extend(&stmt.vars);
                kept.push(stmt);
                kept_needs.push(need);
            }
        }
        block.stmts = kept;
        *needs = kept_needs;
        out
    }

    /// Takes out of a branch the Ints that depend on nothing in `bound`.
    fn ints_of(&mut self, branch: &mut Stmt, bound: &mut FxHashSet<VarId>) -> Vec<Stmt> {
        let mut out = vec![];
        for block in branch.op.blocks_mut() {
            for mut stmt in take(block) {
                let is_int = matches!(stmt.vars[..], [var] if self.ints.contains(&var));
                if is_int && !names(&stmt.op, bound) {
                    self.changed = true;
                    out.push(stmt);
                    continue;
                }
                if matches!(stmt.op, Op::If(..)) {
                    out.extend(self.ints_of(&mut stmt, bound));
                }
                bound.extend(&stmt.vars);
                block.stmts.push(stmt);
            }
        }
        out
    }

    fn looks_at_undefined(&self, op: &Op) -> bool {
        !matches!(op, Op::Copy(_) | Op::Select(_, _, _)) && names(op, self.undefined)
    }
}
