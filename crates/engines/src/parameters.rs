//! Definitions as functions of their parameters.

use pullback_lambda::{Expr, ExprKind, VarId};

/// The parameters of a term that is a function, and its body; of any other term none, and the term.
pub(crate) fn parameters(expr: &Expr) -> (&[VarId], &Expr) {
    if let ExprKind::Lam(params, body) = &expr.kind { (params, body) } else { (&[], expr) }
}
