//! Exact fractions, for programs of `+ - * /`, comparisons and whole powers: what the language
//! computes on dyadic numbers must equal them without tolerance. Everything else is unsupported.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::scalar::{Binary, Scalar, Unary};
use crate::{Error, ErrorKind};

/// An exact fraction that remembers the longest number on its way.
#[derive(Clone, Debug)]
pub struct Rational {
    value: BigRational,
    bits: u64,
}

/// More bits than any binary64 has: for fractions that are not dyadic.
const NOT_DYADIC: u64 = 5000;

/// Longer fractions are rounded, which their bits tell: a loop of squarings would never end.
const MAX_BITS: u64 = 8192;

impl Rational {
    /// The fraction that equals a finite binary64.
    pub fn of_f64(x: f64) -> Option<Self> {
        BigRational::from_float(x).map(|value| Self::made(value, 0))
    }

    /// The nearest binary64.
    pub fn to_f64(&self) -> f64 {
        self.value.to_f64().unwrap_or(f64::NAN)
    }

    /// The significant bits of the longest number that went into this one: with few, binary64 computes
    /// the same without rounding.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// A value computed from numbers of at most so many bits.
    fn made(value: BigRational, before: u64) -> Self {
        if length(&value) > MAX_BITS {
            let near = value.to_f64().and_then(BigRational::from_float);
            return Self { value: near.unwrap_or_else(BigRational::zero), bits: NOT_DYADIC };
        }
        let below = value.denom();
        let dyadic = below.trailing_zeros() == Some(below.bits().saturating_sub(1));
        // A fraction in lowest terms; an integer may end in zeros, which cost nothing.
        let own = value.numer().bits() - value.numer().trailing_zeros().unwrap_or(0);
        Self { value, bits: before.max(if dyadic { own } else { NOT_DYADIC }) }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self::made(&self.value + &other.value, self.bits.max(other.bits))
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self::made(&self.value - &other.value, self.bits.max(other.bits))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self::made(&self.value * &other.value, self.bits.max(other.bits))
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// How many bits a fraction takes.
fn length(value: &BigRational) -> u64 {
    value.numer().bits() + value.denom().bits()
}

fn unsupported(what: impl std::fmt::Debug) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{what:?} of fractions"))
}

impl Scalar for Rational {
    fn from_f64(x: f64) -> Self {
        // Infinities and NaN have no fraction; exact programs have none of them.
        Self::made(BigRational::from_float(x).unwrap_or_else(BigRational::zero), 0)
    }

    fn from_int(n: i64) -> Self {
        Self::made(BigRational::from_integer(BigInt::from(n)), 0)
    }

    fn real_part(&self) -> f64 {
        self.to_f64()
    }

    fn held(&self) -> Self {
        self.clone()
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(self.value.cmp(&other.value))
    }

    fn to_int(&self) -> Option<i64> {
        self.value.to_integer().to_i64()
    }

    #[rustfmt::skip]
    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        let (x, bits) = (&x.value, x.bits);
        let value = match op {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Signum => x.signum(),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round(),
            Unary::Sqrt | Unary::Cbrt | Unary::Exp | Unary::Expm1 | Unary::Log | Unary::Log1p
            | Unary::Sin | Unary::Cos | Unary::Tan | Unary::Asin | Unary::Acos | Unary::Atan
            | Unary::Sinh | Unary::Cosh | Unary::Tanh | Unary::Sech2 | Unary::Asinh | Unary::Acosh | Unary::Atanh
            | Unary::Erf | Unary::Erfc | Unary::Lgamma | Unary::Digamma | Unary::Sigmoid
            | Unary::Softplus => return Err(unsupported(op)),
        };
        Ok(Self::made(value, bits))
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        let bits = x.bits.max(y.bits);
        let (x, y) = (&x.value, &y.value);
        let value = match op {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div if y.is_zero() => return Err(unsupported("division by zero")),
            Binary::Rem if y.is_zero() => return Err(unsupported("division by zero")),
            Binary::Div => x / y,
            Binary::Rem => x - y * (x / y).floor(),
            Binary::Max => x.max(y).clone(),
            Binary::Min => x.min(y).clone(),
            Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Xlogy => {
                return Err(unsupported(op));
            }
        };
        Ok(Self::made(value, bits))
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        let long = length(&x.value).saturating_mul(n.unsigned_abs()) > 2 * MAX_BITS;
        if long || (n < 0 && x.value.is_zero()) {
            return Err(unsupported("power"));
        }
        let exponent = i32::try_from(n).map_err(|_| unsupported("power"))?;
        Ok(Self::made(x.value.pow(exponent), x.bits))
    }

    fn polygamma(_: i64, _: &Self) -> Result<Self, Error> {
        Err(unsupported("polygamma"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_without_end_is_rounded_and_says_so() {
        let mut x = Rational::from_f64(1.5);
        for _ in 0..100 {
            x = x.times(&x);
        }
        assert!(x.bits() >= NOT_DYADIC);
        let y = Rational::of_f64(1.0 / 3.0).unwrap();
        assert!(Rational::pow_int(&y, 1_000_000).is_err());
        assert_eq!(Rational::pow_int(&Rational::from_f64(1.5), 100).unwrap().bits(), 159);
    }
}
