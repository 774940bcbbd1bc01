//! Loops with checkpoints: `loop p = e for i < n checkpoint k do b`, and likewise with `while`.
//!
//! Law: the value is that of the loop without `checkpoint k`, step by step: segments of `k` steps follow one another,
//! each run under `checkpoint`. So reverse mode on the compiled path saves a state for each segment, and in the
//! backward sweep what one segment saves.
//! Cost: in a `while`, the condition once more for each segment. With `sqrt` the segments of a `for` have the
//! root of its count; those of a `while`, whose count is not known, are one step longer each time, which makes
//! at most the root of twice as many segments as there are steps, none longer than that.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, Type, VarId};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::types::bug;
use crate::tir::{LocalId, TCheckpoint, TExpr, TLoopForm, TPat};

impl<'t> Elab<'t> {
    /// A loop with checkpoints.
    pub(super) fn segmented(
        &mut self,
        pattern: &'t TPat,
        [init, body]: [&'t TExpr; 2],
        form: &'t TLoopForm,
        checkpoint: &'t TCheckpoint,
        span: Span,
    ) -> Expr {
        let mut values = vec![self.expr(init)];
        if let TLoopForm::For(_, bound) = form {
            values.push(self.expr(bound));
        }
        self.bind_all(values, "start", |this, values| {
            let count = values.get(1).cloned();
            let init = values.into_iter().next().unwrap_or_else(|| bug("a first state", span));
            let steps = this.steps(checkpoint, count.as_ref(), span);
            this.bind(steps, "steps", |this, steps| match (form, count) {
                (TLoopForm::For(index, _), Some(count)) => {
                    this.counted(pattern, *index, body, [init, count, steps], span)
                }
                (TLoopForm::While(cond), _) => {
                    let grows = matches!(checkpoint, TCheckpoint::Root);
                    this.conditional(pattern, [cond, body], [init, steps], grows, span)
                }
                (TLoopForm::For(..), None) => bug("the count of a loop", span),
            })
        })
    }

    /// How many steps the first segment has.
    fn steps(&mut self, checkpoint: &'t TCheckpoint, count: Option<&Expr>, span: Span) -> Expr {
        match (checkpoint, count) {
            (TCheckpoint::Every(steps), _) => {
                let steps = self.expr(steps);
                let span = steps.span;
                self.bind(steps, "steps", |_, steps| {
                    let one = Expr::int(1, span);
                    let is_none = Expr::prim(Prim::IntLt, [steps.clone(), one], span);
                    let text = "checkpoints of a loop are at least 1 step apart";
                    Expr::if_(is_none, build::fail(text, Type::int(), span), steps, span)
                })
            }
            (TCheckpoint::Root, Some(count)) => {
                let count = Expr::prim(Prim::IntMax, [count.clone(), Expr::int(1, span)], span);
                [Prim::ToReal, Prim::Sqrt, Prim::Ceil, Prim::ToInt]
                    .into_iter()
                    .fold(count, |value, prim| Expr::prim(prim, [value], span))
            }
            (TCheckpoint::Root, None) => Expr::int(1, span),
        }
    }

    /// `loop s = init for m < segments do checkpoint (\z -> loop p = z for j < … do let i = m * steps + j in body) s`
    fn counted(
        &mut self,
        pattern: &'t TPat,
        index: LocalId,
        body: &'t TExpr,
        [init, count, steps]: [Expr; 3],
        span: Span,
    ) -> Expr {
        let int = |value| Expr::int(value, span);
        let prim = |prim, a: &Expr, b: &Expr| Expr::prim(prim, [a.clone(), b.clone()], span);
        let last = prim(Prim::IntDiv, &prim(Prim::IntSub, &count, &int(1)), &steps);
        let is_empty = prim(Prim::IntLt, &count, &int(1));
        let segments = Expr::if_(is_empty, int(0), prim(Prim::IntAdd, &last, &int(1)), span);
        let state = self.pattern_var(pattern, init.ty.clone(), "state");
        let index = self.bind_local(index, Type::int());
        let step = self.open_var(pattern, state, |this| this.expr(body));
        let [outer, start] = ["state", "start"].map(|name| self.fresh(name, init.ty.clone()));
        let [segment, j] = ["segment", "j"].map(|name| self.fresh(name, Type::int()));
        let low = prim(Prim::IntMul, &self.var(segment, span), &steps);
        let position = prim(Prim::IntAdd, &low, &self.var(j, span));
        let rest = prim(Prim::IntMin, &steps, &prim(Prim::IntSub, &count, &low));
        let step = Expr::let_(index, position, step);
        let inner = Expr::loop_for(state, self.var(start, span), j, rest, step, span);
        let next = self.checkpoint(start, inner, outer, span);
        Expr::loop_for(outer, init, segment, segments, next, span)
    }

    /// The state goes with how many steps the next segment has:
    /// `(loop (s, k) = (init, steps) while cond s do (checkpoint (\z -> …) s, k)).0`, where a segment is
    /// `(loop (p, j) = (z, 0) while j < k && cond p do (body p, j + 1)).0`.
    fn conditional(
        &mut self,
        pattern: &'t TPat,
        [cond, body]: [&'t TExpr; 2],
        [init, steps]: [Expr; 2],
        grows: bool,
        span: Span,
    ) -> Expr {
        let ty = init.ty.clone();
        let state = self.pattern_var(pattern, ty.clone(), "state");
        let cond = self.open_var(pattern, state, |this| this.expr(cond));
        let step = self.open_var(pattern, state, |this| this.expr(body));
        let both = Type::tuple(vec![ty.clone(), Type::int()]);
        let [outer, inner] = ["segments", "segment"].map(|name| self.fresh(name, both.clone()));
        let [now, start] = ["state", "start"].map(|name| self.fresh(name, ty.clone()));
        let limit = self.fresh("limit", Type::int());
        let part = |this: &mut Self, pair: VarId, at| Expr::proj(this.var(pair, span), at, span);
        let int = |value| Expr::int(value, span);

        let steps_done = part(self, inner, 1);
        let is_short = Expr::prim(Prim::IntLt, [steps_done.clone(), self.var(limit, span)], span);
        let holds = self.condition(state, &cond, inner, span);
        let goes_on = Expr::if_(is_short, holds, Expr::bool(false, span), span);
        let next = Expr::prim(Prim::IntAdd, [steps_done, int(1)], span);
        let next = Expr::let_(state, part(self, inner, 0), Expr::tuple(vec![step, next], span));
        let first = Expr::tuple(vec![self.var(start, span), int(0)], span);
        let segment = Expr::loop_while(inner, first, goes_on, next, span);
        let checkpoint = self.checkpoint(start, Expr::proj(segment, 0, span), now, span);

        let holds = self.condition(state, &cond, outer, span);
        let longer = [self.var(limit, span), int(i64::from(grows))];
        let longer = Expr::prim(Prim::IntAdd, longer, span);
        let after = Expr::tuple(vec![checkpoint, longer], span);
        let bound = [(now, part(self, outer, 0)), (limit, part(self, outer, 1))];
        let body = Expr::lets(bound, after);
        let first = Expr::tuple(vec![init, steps], span);
        Expr::proj(Expr::loop_while(outer, first, holds, body, span), 0, span)
    }

    /// A condition on the state in the first place of a pair.
    fn condition(&mut self, state: VarId, cond: &Expr, pair: VarId, span: Span) -> Expr {
        let own = self.program.fresh_like(state);
        let mention = BTreeMap::from([(state, self.var(own, span))]);
        let cond = self.program.copy_with(cond, &mention);
        Expr::let_(own, Expr::proj(self.var(pair, span), 0, span), cond)
    }

    /// `checkpoint (\param -> body) x`
    fn checkpoint(&mut self, param: VarId, body: Expr, x: VarId, span: Span) -> Expr {
        let ty = body.ty.clone();
        let function = self.program.lam(vec![param], body);
        let x = self.var(x, span);
        Expr::ad(AdOp::Checkpoint, vec![function, x], ty, span)
    }
}
