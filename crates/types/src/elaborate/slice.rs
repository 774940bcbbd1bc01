//! `a[lo:hi:step]`: the primitive cuts the range, whose bounds it checks, and the elements a step apart are
//! read from that.

use pullback_base::Span;
use pullback_lambda::{Expr, ExprKind, Lit};
use pullback_prim::Prim;

use super::state::Elab;
use crate::tir::{TExpr, TRange};
use crate::ty::Ty;

impl<'t> Elab<'t> {
    pub(super) fn slice(
        &mut self,
        base: &'t TExpr,
        range: &'t TRange,
        ty: &'t Ty,
        span: Span,
    ) -> Expr {
        let base = self.expr(base);
        let lo = range.lo.as_ref().map(|lo| self.expr(lo));
        let hi = range.hi.as_ref().map(|hi| self.expr(hi));
        let Some(step) = &range.step else {
            let lo = lo.unwrap_or_else(|| Expr::int(0, span));
            return match hi {
                Some(hi) => Expr::prim(Prim::Slice, vec![base, lo, hi], span),
                None => self.bind(base, "base", |_, base| {
                    let size = Expr::size_of(base.clone(), span);
                    Expr::prim(Prim::Slice, vec![base, lo, size], span)
                }),
            };
        };
        let step = self.expr(step);
        let step = constant(&step).map_or(step, |step| Expr::int(step, span));
        let has = [lo.is_some(), hi.is_some()];
        let mut written = vec![base];
        written.extend(lo);
        written.extend(hi);
        written.push(step);
        self.bind_all(written, "range", |this, mut atoms| {
            let step = atoms.pop().expect("the step was given last");
            let hi = if has[1] { atoms.pop() } else { None };
            let lo = if has[0] { atoms.pop() } else { None };
            let base = atoms.pop().expect("the array was given first");
            match constant(&step) {
                Some(1..) => this.stepped(base, [lo, hi], step, ty, span),
                Some(..0) => this.back(base, [lo, hi], step, ty, span),
                Some(0) | None => {
                    let is_back = Expr::prim(Prim::IntLt, [step.clone(), Expr::int(0, span)], span);
                    let bounds = [lo, hi];
                    let back = this.back(base.clone(), bounds.clone(), step.clone(), ty, span);
                    let stepped = this.stepped(base, bounds, step, ty, span);
                    Expr::if_(is_back, back, stepped, span)
                }
            }
        })
    }

    /// Every so manieth element, forward.
    fn stepped(
        &mut self,
        base: Expr,
        [lo, hi]: [Option<Expr>; 2],
        step: Expr,
        ty: &'t Ty,
        span: Span,
    ) -> Expr {
        let lo = lo.unwrap_or_else(|| Expr::int(0, span));
        let hi = hi.unwrap_or_else(|| Expr::size_of(base.clone(), span));
        let cut = Expr::prim(Prim::Slice, vec![base, lo, hi], span);
        self.bind(cut, "range", |this, cut| {
            let size = Expr::size_of(cut.clone(), span);
            let count = count(size, step.clone(), span);
            this.typed_array(count, Some(ty), span, |_, i| {
                Expr::index(cut, Expr::prim(Prim::IntMul, [i, step], span), span)
            })
        })
    }

    /// Every so manieth element from the last to the first: `lo` is the greatest index and `hi` the one
    /// below the least.
    fn back(
        &mut self,
        base: Expr,
        [lo, hi]: [Option<Expr>; 2],
        step: Expr,
        ty: &'t Ty,
        span: Span,
    ) -> Expr {
        let after = |bound: Expr| Expr::prim(Prim::IntAdd, [bound, Expr::int(1, span)], span);
        let from = hi.map_or_else(|| Expr::int(0, span), after);
        let to = lo.map_or_else(|| Expr::size_of(base.clone(), span), after);
        let cut = Expr::prim(Prim::Slice, vec![base, from, to], span);
        self.bind(cut, "range", |this, cut| {
            let size = Expr::size_of(cut.clone(), span);
            this.bind(size, "size", |this, size| {
                let width = Expr::prim(Prim::IntNeg, [step.clone()], span);
                let count = count(size.clone(), width, span);
                this.typed_array(count, Some(ty), span, |_, i| {
                    let last = Expr::prim(Prim::IntSub, [size, Expr::int(1, span)], span);
                    let way = Expr::prim(Prim::IntMul, [i, step], span);
                    Expr::index(cut, Expr::prim(Prim::IntAdd, [last, way], span), span)
                })
            })
        })
    }
}

/// How many elements so far apart there are among so many.
fn count(size: Expr, step: Expr, span: Span) -> Expr {
    let above = Expr::prim(Prim::IntSub, [step.clone(), Expr::int(1, span)], span);
    let above = Expr::prim(Prim::IntAdd, [size, above], span);
    Expr::prim(Prim::IntDiv, [above, step], span)
}

/// The value of a literal, also of one behind a minus.
fn constant(expr: &Expr) -> Option<i64> {
    if let ExprKind::Lit(Lit::Int(value)) = &expr.kind {
        return Some(*value);
    }
    let ExprKind::Prim(Prim::IntNeg, args) = &expr.kind else { return None };
    constant(args.first()?).and_then(i64::checked_neg)
}
