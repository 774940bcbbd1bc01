//! `ev(op, V)` and `ev(op_r, ⟨V, W⟩)`: operations and their derivatives at numbers, from the primitive table.

use std::rc::Rc;

use pullback_prim::{AtScalars, Partials, Prim, Scalar};

use super::stuck::Stuck;
use super::term::{Term, Val};

/// Numbers as terms.
pub fn terms(args: &[Scalar]) -> Vec<Term> {
    let term = |arg: &Scalar| match arg {
        Scalar::Real(x) => Term::Real(*x),
        Scalar::Int(n) => Term::Int(*n),
        Scalar::Bool(_) | Scalar::Str(_) => Term::Tuple(vec![]),
    };
    args.iter().map(term).collect()
}

/// `ev(op, args)`
pub fn operate(prim: Prim, args: &[Scalar]) -> Result<Val, Stuck> {
    match prim.eval_scalar(args) {
        Ok(Scalar::Real(x)) => Ok(Val::Real(x)),
        Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => Err(Stuck::Untyped),
    }
}

/// `ev(op_r, ⟨args, W⟩)`, from the partial derivatives of the table.
pub fn derive(prim: Prim, args: &[Scalar], w: &Val) -> Result<Val, Stuck> {
    let (Val::Real(w), Val::Real(result)) = (w, operate(prim, args)?) else {
        return Err(Stuck::Untyped);
    };
    let smooth = prim.row().smooth().ok_or(Stuck::Untyped)?;
    let mut partials = Partials::new(smooth, AtScalars { args, result });
    let reals = (0..args.len()).filter(|index| smooth.partials[*index].is_some());
    let parts: Result<Vec<_>, _> = reals
        .map(|index| match partials.by(index) {
            Ok(Some(Scalar::Real(factor))) => Ok(Val::Real(factor * w)),
            Ok(None) => Ok(Val::Real(0.0)),
            Ok(Some(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_))) | Err(_) => {
                Err(Stuck::Untyped)
            }
        })
        .collect();
    let mut parts = parts?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Val::Tuple(Rc::new(parts)) })
}

/// The value of an operation that gives a Real.
pub fn operate_reals(prim: Prim, args: &[Scalar]) -> Option<f64> {
    match operate(prim, args) {
        Ok(Val::Real(x)) => Some(x),
        Ok(Val::Tuple(_)) | Err(_) => None,
    }
}
