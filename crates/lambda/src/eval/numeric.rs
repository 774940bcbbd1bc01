//! Partial derivatives at plain numbers: what engines need most often, without values in between.

use crate::{Class, Prim, RealFn, Smooth, Term};

/// The value of a smooth primitive of Reals.
#[inline]
pub fn value(smooth: &Smooth, args: &[f64]) -> Option<f64> {
    match (smooth.value, args) {
        (RealFn::Real2(f), [x, y, ..]) => Some(f(*x, *y)),
        (RealFn::Real1(f), [x, ..]) => Some(f(*x)),
        (RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_), _) => None,
    }
}

/// What a partial derivative is at plain numbers.
pub enum Partial {
    /// Structurally zero.
    Zero,
    /// A number.
    Number(f64),
    /// Not known here: the term needs more than Reals.
    Unknown,
}

/// A partial derivative of a primitive of Reals, given its arguments and its result. Each primitive in
/// it is counted as an operation.
#[inline]
pub fn partial(term: &Term, args: &[f64; 2], result: f64, operations: &mut u64) -> Partial {
    match term {
        Term::Arg(index) => Partial::Number(args[*index]),
        Term::Real(x) => Partial::Number(*x),
        Term::Result => Partial::Number(result),
        Term::Zero => Partial::Zero,
        Term::Int(_) => Partial::Unknown,
        Term::Prim(prim, terms) => match number(*prim, terms, args, result, operations) {
            Some(x) => Partial::Number(x),
            None => Partial::Unknown,
        },
        Term::If(cond, then, other) => {
            let Term::Prim(prim, [left, right]) = cond else { return Partial::Unknown };
            let sides =
                (partial(left, args, result, operations), partial(right, args, result, operations));
            let (Partial::Number(x), Partial::Number(y)) = sides else { return Partial::Unknown };
            let Some(truth) = compare(*prim, x, y) else { return Partial::Unknown };
            *operations += 1;
            partial(if truth { then } else { other }, args, result, operations)
        }
    }
}

fn number(
    prim: Prim,
    terms: &[Term],
    args: &[f64; 2],
    result: f64,
    operations: &mut u64,
) -> Option<f64> {
    let Class::Smooth(smooth) = &prim.row().class else { return None };
    let mut values = [0.0; 2];
    for (slot, term) in values.iter_mut().zip(terms) {
        let Partial::Number(x) = partial(term, args, result, operations) else { return None };
        *slot = x;
    }
    *operations += 1;
    value(smooth, &values)
}

/// A comparison of Reals.
#[inline]
pub(super) fn compare(prim: Prim, x: f64, y: f64) -> Option<bool> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the comparisons among all primitives")]
    Some(match prim {
        Prim::Lt => x < y,
        Prim::Le => x <= y,
        Prim::Gt => x > y,
        Prim::Ge => x >= y,
        Prim::Eq => x == y,
        Prim::Ne => x != y,
        _ => return None,
    })
}
