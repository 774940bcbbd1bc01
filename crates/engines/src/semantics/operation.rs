//! `ev(op, V)` and `ev(op_r, ⟨V, W⟩)`: operations and their derivatives at numbers, from the primitive table.

use std::rc::Rc;

use pullback_prim::{Prim, Scalar, Term as Partial};

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
    let parts: Result<Vec<_>, _> = smooth
        .partials
        .iter()
        .flatten()
        .map(|partial| times(partial, *w, args, result).map(Val::Real))
        .collect();
    let mut parts = parts?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Val::Tuple(Rc::new(parts)) })
}

fn times(partial: &Partial, w: f64, args: &[Scalar], result: f64) -> Result<f64, Stuck> {
    match partial {
        Partial::Zero => Ok(0.0),
        Partial::If(cond, then, other) => {
            let truth = cond.eval(args, result).map_err(|_| Stuck::Untyped)?;
            let chosen = if truth == Scalar::Bool(true) { then } else { other };
            times(chosen, w, args, result)
        }
        Partial::Arg(_)
        | Partial::Result
        | Partial::Real(_)
        | Partial::Int(_)
        | Partial::Prim(_, _) => match partial.eval(args, result) {
            Ok(Scalar::Real(factor)) => Ok(factor * w),
            Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => Err(Stuck::Untyped),
        },
    }
}

/// The value of an operation that gives a Real.
pub fn operate_reals(prim: Prim, args: &[Scalar]) -> Option<f64> {
    match operate(prim, args) {
        Ok(Val::Real(x)) => Some(x),
        Ok(Val::Tuple(_)) | Err(_) => None,
    }
}
