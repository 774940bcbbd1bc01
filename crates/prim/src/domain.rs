//! Where a primitive is differentiable, as data: comparisons of terms, and what `all` and `any` make of them.
//!
//! Evaluators ask whether a domain holds at numbers. The proofs are given the same data.

use crate::row::{Domain, Prim, Term};
use crate::scalar::Scalar;

impl Domain {
    /// Whether these arguments are in it, for the derivative by the one with this number.
    pub fn holds(&self, args: &[f64], by: usize) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Is(comparison, x, y) => {
                let sides = (number(x, args), number(y, args));
                sides.0.zip(sides.1).is_some_and(|(x, y)| compares(*comparison, x, y))
            }
            Self::All(one, other) => one.holds(args, by) && other.holds(args, by),
            Self::Any(one, other) => one.holds(args, by) || other.holds(args, by),
            Self::By(first, second) => (if by == 0 { first } else { second }).holds(args, by),
        }
    }
}

fn compares(comparison: Prim, x: f64, y: f64) -> bool {
    comparison.eval_scalar(&[Scalar::Real(x), Scalar::Real(y)]) == Ok(Scalar::Bool(true))
}

/// The value of a term of Reals.
fn number(term: &Term, args: &[f64]) -> Option<f64> {
    match term {
        Term::Arg(at) => args.get(*at).copied(),
        Term::Real(x) => Some(*x),
        Term::Prim(prim, terms) => {
            let numbers: Option<Vec<Scalar>> =
                terms.iter().map(|term| number(term, args).map(Scalar::Real)).collect();
            match prim.eval_scalar(&numbers?) {
                Ok(Scalar::Real(x)) => Some(x),
                Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => None,
            }
        }
        Term::Result | Term::Int(_) | Term::Zero | Term::If(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Prim;

    fn smooth(prim: Prim, args: &[f64], by: usize) -> bool {
        prim.row().analysis().domain.holds(args, by)
    }

    #[test]
    fn a_row_says_where_it_is_smooth() {
        assert!(smooth(Prim::Sqrt, &[2.0], 0) && !smooth(Prim::Sqrt, &[0.0], 0));
        assert!(smooth(Prim::Asin, &[-0.5], 0) && !smooth(Prim::Asin, &[-1.0], 0));
        assert!(smooth(Prim::Floor, &[0.5], 0) && !smooth(Prim::Floor, &[-2.0], 0));
        assert!(smooth(Prim::Round, &[1.0], 0) && !smooth(Prim::Round, &[-1.5], 0));
        assert!(smooth(Prim::Lgamma, &[-0.5], 0) && !smooth(Prim::Lgamma, &[-1.0], 0));
        assert!(
            smooth(Prim::Polygamma, &[1.0, 2.0], 1) && !smooth(Prim::Polygamma, &[1.0, 0.0], 1)
        );
        assert!(smooth(Prim::PowInt, &[0.0, 0.0], 0) && !smooth(Prim::PowInt, &[0.0, -1.0], 0));
        assert!(smooth(Prim::Atan2, &[0.0, 1.0], 0) && !smooth(Prim::Atan2, &[0.0, -1.0], 0));
        assert!(!smooth(Prim::Sqrt, &[f64::NAN], 0) && smooth(Prim::Neg, &[f64::NAN], 0));
    }

    #[test]
    fn a_power_is_smooth_by_one_argument_and_not_by_the_other() {
        assert!(smooth(Prim::Pow, &[-2.0, 3.0], 0) && !smooth(Prim::Pow, &[-2.0, 3.0], 1));
        assert!(!smooth(Prim::Pow, &[0.0, 0.5], 0) && smooth(Prim::Pow, &[0.0, 0.5], 1));
    }

    #[test]
    fn a_power_that_ends_at_0_is_not_smooth_there() {
        assert!(smooth(Prim::Pow, &[0.0, 2.0], 0) && !smooth(Prim::Pow, &[0.0, 1.5], 0));
        assert!(!smooth(Prim::Pow, &[-2.0, 1.5], 0) && !smooth(Prim::Pow, &[0.0, 0.0], 0));
    }

    #[test]
    fn a_remainder_jumps_at_multiples_and_has_none_at_infinity() {
        assert!(smooth(Prim::Rem, &[5.0, 3.0], 0) && !smooth(Prim::Rem, &[6.0, 3.0], 0));
        assert!(!smooth(Prim::Rem, &[1.0, 0.0], 0) && !smooth(Prim::Rem, &[f64::INFINITY, 1.0], 0));
        assert!(smooth(Prim::Rem, &[f64::NAN, 1.0], 0));
    }
}
