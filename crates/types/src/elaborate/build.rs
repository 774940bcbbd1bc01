//! Terms made by hand, beside the constructors of the calculus: names for values that are used twice,
//! arrays, sizes and run-time errors.

use pullback_base::Span;
use pullback_lambda::{Expr, Type, TypeKind, Var, VarId};
use pullback_prim::Prim;

use super::state::Elab;
use crate::ty::Ty;

impl Elab<'_> {
    /// A fresh variable.
    pub(super) fn fresh(&mut self, name: &str, ty: Type) -> VarId {
        self.program.vars.push(Var::new(name, ty))
    }

    /// A mention of a variable.
    pub(super) fn var(&mut self, var: VarId, span: Span) -> Expr {
        self.used.insert(var);
        self.program.var(var, span)
    }

    /// `body` with a name for `value`, which is evaluated once, before; no name if it is one already.
    pub(super) fn bind(
        &mut self,
        value: Expr,
        name: &str,
        body: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        if value.is_atom() {
            return body(self, value);
        }
        let var = self.fresh(name, value.ty.clone());
        let mention = self.var(var, value.span);
        let body = body(self, mention);
        Expr::let_(var, value, body)
    }

    /// [`Elab::bind_all`] for the operands of an operator on structures.
    pub(super) fn bind_operands(
        &mut self,
        operands: Vec<Expr>,
        body: impl FnOnce(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        self.bind_each(operands, |ty| Var { is_operand: true, ..Var::new("operand", ty) }, body)
    }

    /// [`Elab::bind`] for several values, evaluated in order.
    pub(super) fn bind_all(
        &mut self,
        values: Vec<Expr>,
        name: &str,
        body: impl FnOnce(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        self.bind_each(values, |ty| Var::new(name, ty), body)
    }

    fn bind_each(
        &mut self,
        values: Vec<Expr>,
        var_of: impl Fn(Type) -> Var,
        body: impl FnOnce(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        let mut bound = Vec::new();
        let mut atoms = Vec::new();
        for value in values {
            if value.is_atom() {
                atoms.push(value);
                continue;
            }
            let var = self.program.vars.push(var_of(value.ty.clone()));
            atoms.push(self.var(var, value.span));
            bound.push((var, value));
        }
        let body = body(self, atoms);
        Expr::lets(bound, body)
    }

    /// `[ body i | i < size ]`
    pub(super) fn build_array(
        &mut self,
        size: Expr,
        span: Span,
        body: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        self.typed_array(size, None, span, body)
    }

    /// `[ body i | i < size ]` of the type `ty`, if there is one beside that of the calculus.
    pub(super) fn typed_array(
        &mut self,
        size: Expr,
        ty: Option<&Ty>,
        span: Span,
        body: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let var = self.fresh("i", Type::int());
        let index = self.var(var, span);
        let body = body(self, index);
        self.sized(Expr::build(size, var, body, span), ty, span)
    }

    /// `let _ = check in body`
    pub(super) fn after(&mut self, check: Expr, body: Expr) -> Expr {
        let var = self.fresh("_", check.ty.clone());
        Expr::let_(var, check, body)
    }
}

/// A run-time error.
pub(super) fn fail(message: &str, ty: Type, span: Span) -> Expr {
    Expr::fail(Expr::str(message, span), ty, span)
}

/// An error unless the rows at a depth of `array`, if there are any, have the size `expected`; `what`
/// names both, as in "the size of parameter `ys` and `n`".
pub(super) fn check_size(
    array: Expr,
    depth: usize,
    expected: Expr,
    what: &str,
    span: Span,
) -> Expr {
    let args = vec![array, depth_literal(depth, span), expected, Expr::str(what, span)];
    Expr::prim(Prim::CheckSize, args, span)
}

fn depth_literal(depth: usize, span: Span) -> Expr {
    Expr::int(i64::try_from(depth).expect("a depth bounded by the parser"), span)
}

/// Whether a type is Int.
pub(super) fn is_int(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Int)
}
