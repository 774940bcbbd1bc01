//! Literals and unary minus. An integer literal is Int or Real, as its use demands.

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::{Expr, ExprKind, Literal};

use super::expr::Want;
use super::mismatch::Why;
use super::solver::Solver;
use super::state::Infer;
use crate::tir::{Builtin, Constraint, TExpr, TExprKind};
use crate::ty::Ty;

impl Solver<'_> {
    pub(super) fn literal(&mut self, literal: &Literal, span: Span, want: Want<'_>) -> TExpr {
        let (kind, ty) = match literal {
            Literal::Int(value) => return self.int_literal(*value, span, want),
            Literal::Real(value) => (TExprKind::RealLit(*value), Ty::Real),
            Literal::Bool(value) => (TExprKind::BoolLit(*value), Ty::Bool),
            Literal::Str(text) => (TExprKind::StrLit(text.clone()), Ty::Str),
        };
        let typed = TExpr { kind, ty, span };
        match want {
            Some((want, why)) => self.coerce(typed, want, why),
            None => typed,
        }
    }

    fn int_literal(&mut self, value: u64, span: Span, want: Want<'_>) -> TExpr {
        let kind = TExprKind::IntLit(value);
        let ty = match want.map(|(want, _)| want) {
            Some(known @ (Ty::Int | Ty::Real | Ty::Error)) => known.clone(),
            Some(open @ (Ty::Param(_) | Ty::Tangent(_))) => {
                self.require_at(span, Constraint::Scalar(open.clone()));
                open.clone()
            }
            Some(other) => {
                self.report_not_number(
                    value,
                    span,
                    other,
                    want.map_or(&Why::Plain, |(_, why)| why),
                );
                return TExpr::error(span);
            }
            None => {
                let ty = self.unifier.fresh();
                self.require_at(span, Constraint::Scalar(ty.clone()));
                ty
            }
        };
        TExpr { kind, ty, span }
    }

    fn report_not_number(&mut self, value: u64, span: Span, want: &Ty, why: &Why) {
        if matches!(want, Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_)) {
            let wanted = self.show(want);
            let diagnostic = Diagnostic::error("E0309", span, format!("expected `{wanted}`, found the number `{value}`"), "this is a number")
                .note("a number is not spread over a structure by itself")
                .hint(format!("change every element, as in `[ x + {value} | x <- xs ]`, or make an array with `replicate n {value}`"));
            self.unifier.report(diagnostic);
        } else {
            self.report_mismatch(span, &Ty::Int, want, why);
        }
    }
}

impl<'a> Infer<'a> {
    pub(super) fn negate(&mut self, inner: &'a Expr, span: Span, want: Want<'_>) -> TExpr {
        let inner = self.sub(inner, want);
        let ty = inner.ty.clone();
        if !matches!(self.unifier.table.head(&ty), Ty::Int | Ty::Real) {
            self.solver().require_at(inner.span, Constraint::Num(ty.clone()));
        }
        let head = TExpr {
            kind: TExprKind::Builtin(Builtin::Neg),
            ty: Ty::Fun(ty.clone().into(), ty.clone().into()),
            span,
        };
        TExpr { kind: TExprKind::App(Box::new(head), vec![inner]), ty, span }
    }
}

/// Whether the expression is an integer literal, perhaps negated or in parentheses.
pub(super) fn is_int_literal(expr: &Expr) -> bool {
    if let ExprKind::Paren(inner) | ExprKind::Negate(inner) = &expr.kind {
        return is_int_literal(inner);
    }
    matches!(&expr.kind, ExprKind::Lit(Literal::Int(_)))
}
