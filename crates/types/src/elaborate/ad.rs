//! The differentiation operators that are derived from the primitive ones.
//!
//! Laws: `grad f x = (vjp f x).1 1.0`, `rd f x dy = (vjp f x).1 dy`, `hvp f x v = (jvp (grad f) x v).1`
//! (forward over reverse). Each argument is evaluated once, functions first. Where a declaration names a tangent type,
//! second derivatives are those of `\u -> f (move x u)` at 0 ([`super::chart`]).

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, Type};

use super::state::Elab;
use super::types::bug;

impl Elab<'_> {
    /// `vjp f x`
    pub(super) fn vjp(&mut self, f: Expr, x: Expr, span: Span) -> Expr {
        let (a, b) = self.boundary(&f, span);
        let (a_bar, b_bar) = (self.tangent(&a), self.tangent(&b));
        let ty = Type::tuple(vec![b, Type::fun(b_bar, a_bar)]);
        self.charted(AdOp::Vjp, vec![f, x], ty, span)
    }

    /// `vjp f x` with the tangents of the calculus
    pub(super) fn structural_vjp(&mut self, f: Expr, x: Expr, span: Span) -> Expr {
        let (a, b) = self.boundary(&f, span);
        let (a_bar, b_bar) = (self.structural_tangent(&a), self.structural_tangent(&b));
        let ty = Type::tuple(vec![b, Type::fun(b_bar, a_bar)]);
        Expr::ad(AdOp::Vjp, vec![f, x], ty, span)
    }

    /// `grad f x`
    pub(super) fn grad(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        self.rd([f, x, Expr::real(1.0, span)], span)
    }

    /// `rd f x dy`
    pub(super) fn rd(&mut self, [f, x, dy]: [Expr; 3], span: Span) -> Expr {
        let (a, b) = self.boundary(&f, span);
        if self.has_charts(&a) || self.has_charts(&b) {
            return self.charted_rd([f, x, dy], span);
        }
        let result = self.structural_vjp(f, x, span);
        Expr::app(Expr::proj(result, 1, span), vec![dy], span)
    }

    /// `value_and_grad f x`
    pub(super) fn value_and_grad(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        let result = self.vjp(f, x, span);
        self.bind(result, "result", |_, result| {
            let value = Expr::proj(result.clone(), 0, span);
            let pullback = Expr::proj(result, 1, span);
            let gradient = Expr::app(pullback, vec![Expr::real(1.0, span)], span);
            Expr::tuple(vec![value, gradient], span)
        })
    }

    /// `hvp f x v`
    pub(super) fn hvp(&mut self, [f, x, v]: [Expr; 3], span: Span) -> Expr {
        if self.has_charts(&x.ty) {
            return self.in_chart([f, x], span, |this, [f, x]| this.hvp([f, x, v], span));
        }
        self.bind(f, "f", |this, f| {
            let gradient = this.gradient(f, span);
            let (_, b) = this.boundary(&gradient, span);
            let ty = Type::tuple(vec![b.clone(), this.tangent(&b)]);
            let result = Expr::ad(AdOp::Jvp, vec![gradient, x, v], ty, span);
            Expr::proj(result, 1, span)
        })
    }

    /// `hessian f x = jacobian (grad f) x`
    pub(super) fn hessian(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        if self.has_charts(&x.ty) {
            return self.in_chart([f, x], span, |this, args| this.hessian(args, span));
        }
        self.bind(f, "f", |this, f| {
            let gradient = this.gradient(f, span);
            this.jacobian_of_gradient([gradient, x], span)
        })
    }

    /// `\y -> grad f y` for an atom `f`
    fn gradient(&mut self, f: Expr, span: Span) -> Expr {
        let (a, _) = self.boundary(&f, span);
        let var = self.fresh("x", a);
        let y = self.var(var, span);
        let body = self.grad([f, y], span);
        self.program.lam(vec![var], body)
    }

    /// Input and output of a function to differentiate.
    pub(super) fn boundary(&self, f: &Expr, span: Span) -> (Type, Type) {
        let Some((a, b)) = f.ty.as_fun() else { bug("a function", span) };
        (a.clone(), b.clone())
    }
}
