//! Where a primitive is differentiable, as data: comparisons of terms, and what `all` and `any` make of them.
//!
//! Evaluators ask whether a domain holds at numbers. The proofs are given the same data. Errors print it.

use std::fmt;

use crate::row::{Domain, Prim, Term};
use crate::scalar::Scalar;

impl Domain {
    /// Whether these arguments are in it; an Int argument comes converted.
    pub fn holds(&self, args: &[f64]) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Is(comparison, x, y) => {
                let sides = (number(x, args), number(y, args));
                sides.0.zip(sides.1).is_some_and(|(x, y)| compares(*comparison, x, y))
            }
            Self::All(one, other) => one.holds(args) && other.holds(args),
            Self::Any(one, other) => one.holds(args) || other.holds(args),
        }
    }
}

/// As a condition of the language on the arguments `x` and `y`.
impl fmt::Display for Domain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |domain: &Self| match domain {
            Self::Any(..) => format!("({domain})"),
            Self::Everywhere | Self::Is(..) | Self::All(..) => domain.to_string(),
        };
        match self {
            Self::Everywhere => out.write_str("everywhere"),
            Self::Is(comparison, x, y) => {
                write!(out, "{} {} {}", text(x), comparison.written(), text(y))
            }
            Self::All(one, other) => write!(out, "{} && {}", part(one), part(other)),
            Self::Any(one, other) => write!(out, "{one} || {other}"),
        }
    }
}

/// A term of a domain.
fn text(term: &Term) -> String {
    match term {
        Term::Arg(0) => "x".to_owned(),
        Term::Arg(_) => "y".to_owned(),
        Term::Real(x) if *x < 0.0 => format!("({x:?})"),
        Term::Real(x) => format!("{x:?}"),
        Term::Int(n) => n.to_string(),
        Term::Prim(prim, [x, y]) if prim.operator().is_some() => {
            let is_between =
                |term: &Term| matches!(term, Term::Prim(prim, [_, _]) if prim.operator().is_some());
            let operand = |term: &Term| enclosed_if(is_between(term), term);
            format!("{} {} {}", operand(x), prim.written(), operand(y))
        }
        Term::Prim(prim, terms) => {
            let argument = |term: &Term| enclosed_if(matches!(term, Term::Prim(..)), term);
            let args: Vec<String> = terms.iter().map(argument).collect();
            format!("{} {}", prim.row().name, args.join(" "))
        }
        // No domain is made of these.
        Term::Result | Term::Zero | Term::If(..) => "?".to_owned(),
    }
}

fn enclosed_if(is_open: bool, term: &Term) -> String {
    if is_open { format!("({})", text(term)) } else { text(term) }
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

    fn smooth(prim: Prim, args: &[f64]) -> bool {
        prim.row().analysis().domain.holds(args)
    }

    #[test]
    fn a_row_says_where_it_is_smooth() {
        assert!(smooth(Prim::Sqrt, &[2.0]) && !smooth(Prim::Sqrt, &[0.0]));
        assert!(smooth(Prim::Asin, &[-0.5]) && !smooth(Prim::Asin, &[-1.0]));
        assert!(smooth(Prim::Floor, &[0.5]) && !smooth(Prim::Floor, &[-2.0]));
        assert!(smooth(Prim::Round, &[1.0]) && !smooth(Prim::Round, &[-1.5]));
        assert!(smooth(Prim::Lgamma, &[-0.5]) && !smooth(Prim::Lgamma, &[-1.0]));
        assert!(smooth(Prim::Polygamma, &[1.0, 2.0]) && !smooth(Prim::Polygamma, &[1.0, 0.0]));
        assert!(smooth(Prim::PowInt, &[0.0, 0.0]) && !smooth(Prim::PowInt, &[0.0, -1.0]));
        assert!(smooth(Prim::Atan2, &[0.0, 1.0]) && !smooth(Prim::Atan2, &[0.0, -1.0]));
        assert!(!smooth(Prim::Sqrt, &[f64::NAN]) && smooth(Prim::Neg, &[f64::NAN]));
    }

    #[test]
    fn the_domain_of_a_power_is_one_open_set_for_both_arguments() {
        assert!(smooth(Prim::Pow, &[2.0, 3.0]) && smooth(Prim::Pow, &[1e-300, 0.0]));
        // Beside an integer exponent there are others, for which a negative base has no power.
        assert!(!smooth(Prim::Pow, &[-2.0, 3.0]) && !smooth(Prim::Pow, &[0.0, 2.0]));
        assert!(!smooth(Prim::Pow, &[0.0, 1.5]) && !smooth(Prim::Pow, &[0.0, 0.5]));
    }

    #[test]
    fn a_domain_is_printed_as_a_condition() {
        let printed = |prim: Prim| prim.row().analysis().domain.to_string();
        assert_eq!(printed(Prim::Pow), "x > 0.0");
        assert_eq!(printed(Prim::Sin), "everywhere");
        assert_eq!(printed(Prim::Tan), "cos x != 0.0");
        assert_eq!(printed(Prim::Log1p), "x > (-1.0)");
        assert_eq!(printed(Prim::Atan2), "x != 0.0 || y > 0.0");
        assert_eq!(printed(Prim::Round), "abs x + 0.5 != floor (abs x + 0.5)");
        for prim in Prim::ALL {
            if let Some(smooth) = prim.row().smooth() {
                assert!(!smooth.domain.to_string().contains('?'), "{prim:?}");
            }
        }
    }

    #[test]
    fn a_remainder_jumps_at_multiples_and_has_none_at_infinity() {
        assert!(smooth(Prim::Rem, &[5.0, 3.0]) && !smooth(Prim::Rem, &[6.0, 3.0]));
        assert!(!smooth(Prim::Rem, &[1.0, 0.0]) && !smooth(Prim::Rem, &[f64::INFINITY, 1.0]));
        assert!(smooth(Prim::Rem, &[f64::NAN, 1.0]));
    }
}
