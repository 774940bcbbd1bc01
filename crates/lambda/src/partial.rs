//! Partial derivatives of the primitive table as terms of the calculus.

use pullback_base::Span;
use pullback_prim::{Place, Prim, Scalar, Term};

use crate::{Expr, ExprKind, Lit};

/// The term as an expression over these arguments and result, which are repeated as often as the
/// term mentions them: pass atoms. Conditions on Int literals are decided at once.
pub fn instantiate(term: &Term, args: &[Expr], result: &Expr, span: Span) -> Expr {
    match term {
        Term::Arg(index) => args[*index].clone(),
        Term::Result => result.clone(),
        Term::Real(value) => Expr::real(*value, span),
        Term::Int(value) => Expr::int(*value, span),
        Term::Zero => Expr::real(0.0, span),
        Term::Prim(prim, terms) => {
            let args = terms.iter().map(|term| instantiate(term, args, result, span)).collect();
            fold_int(*prim, args, span)
        }
        Term::If(cond, then, other) => {
            let cond = instantiate(cond, args, result, span);
            if let ExprKind::Lit(Lit::Bool(truth)) = cond.kind {
                let chosen = if truth { then } else { other };
                return instantiate(chosen, args, result, span);
            }
            let then = instantiate(then, args, result, span);
            Expr::if_(cond, then, instantiate(other, args, result, span), span)
        }
    }
}

/// The index that a place is, given the arguments of a primitive: an atom if they are.
pub fn place(place: Place, args: &[Expr], span: Span) -> Expr {
    match place {
        Place::Arg(index) => args[index].clone(),
        Place::Int(n) => Expr::int(n, span),
    }
}

/// This partial derivative times a tangent or cotangent (an atom): the product is taken inside the
/// branches, a factor of 1 or -1 is not multiplied out, and `None` is a structural zero.
pub fn times(term: &Term, factor: &Expr, args: &[Expr], result: &Expr, span: Span) -> Option<Expr> {
    if matches!(term, Term::Zero) {
        return None;
    }
    if let Term::If(cond, then, other) = term {
        let cond = instantiate(cond, args, result, span);
        if let ExprKind::Lit(Lit::Bool(truth)) = cond.kind {
            let chosen = if truth { then } else { other };
            return times(chosen, factor, args, result, span);
        }
        let then = times(then, factor, args, result, span);
        let other = times(other, factor, args, result, span);
        if then.is_none() && other.is_none() {
            return None;
        }
        let or_zero = |branch: Option<Expr>| branch.unwrap_or_else(|| Expr::real(0.0, span));
        return Some(Expr::if_(cond, or_zero(then), or_zero(other), span));
    }
    if *term == Term::Real(1.0) {
        return Some(factor.clone());
    }
    if *term == Term::Real(-1.0) {
        return Some(Expr::prim(Prim::Neg, vec![factor.clone()], span));
    }
    let partial = instantiate(term, args, result, span);
    Some(Expr::prim(Prim::Mul, vec![partial, factor.clone()], span))
}

/// Builds a primitive, or its value where all arguments are Int literals.
fn fold_int(prim: Prim, args: Vec<Expr>, span: Span) -> Expr {
    let literals: Option<Vec<_>> =
        args.iter()
            .map(|arg| {
                if let ExprKind::Lit(Lit::Int(n)) = arg.kind { Some(Scalar::Int(n)) } else { None }
            })
            .collect();
    let value = literals.and_then(|literals| prim.eval_scalar(&literals).ok());
    match value {
        Some(Scalar::Int(n)) => Expr::int(n, span),
        Some(Scalar::Bool(p)) => Expr::bool(p, span),
        Some(Scalar::Real(x)) => Expr::real(x, span),
        Some(Scalar::Str(_)) | None => Expr::prim(prim, args, span),
    }
}
