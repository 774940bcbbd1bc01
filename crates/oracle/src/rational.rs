//! Exact fractions, for programs of `+ - * /`, comparisons and whole powers: what the language
//! computes on dyadic numbers must equal them without tolerance. Everything else is unsupported.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::scalar::{Binary, Scalar, Unary};
use crate::{Error, ErrorKind};

/// An exact fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational(pub BigRational);

/// Exponents beyond this would fill the memory.
const MAX_EXPONENT: i64 = 4096;

impl Rational {
    /// The fraction that equals a finite binary64.
    pub fn of_f64(x: f64) -> Option<Self> {
        BigRational::from_float(x).map(Self)
    }

    /// The nearest binary64.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::NAN)
    }
}

fn unsupported(what: impl std::fmt::Debug) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{what:?} of fractions"))
}

impl Scalar for Rational {
    fn from_f64(x: f64) -> Self {
        // Infinities and NaN have no fraction; exact programs have none of them.
        Self(BigRational::from_float(x).unwrap_or_else(BigRational::zero))
    }

    fn from_int(n: i64) -> Self {
        Self(BigRational::from_integer(BigInt::from(n)))
    }

    fn real_part(&self) -> f64 {
        self.to_f64()
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(self.0.cmp(&other.0))
    }

    fn to_int(&self) -> Option<i64> {
        self.0.to_integer().to_i64()
    }

    #[rustfmt::skip]
    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        let x = &x.0;
        Ok(Self(match op {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Signum => x.signum(),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round(),
            Unary::Sqrt | Unary::Cbrt | Unary::Exp | Unary::Expm1 | Unary::Log | Unary::Log1p
            | Unary::Sin | Unary::Cos | Unary::Tan | Unary::Asin | Unary::Acos | Unary::Atan
            | Unary::Sinh | Unary::Cosh | Unary::Tanh | Unary::Sech | Unary::Asinh | Unary::Acosh | Unary::Atanh
            | Unary::Erf | Unary::Erfc | Unary::Lgamma | Unary::Digamma | Unary::Sigmoid
            | Unary::Softplus => return Err(unsupported(op)),
        }))
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        let (x, y) = (&x.0, &y.0);
        Ok(Self(match op {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div if y.is_zero() => return Err(unsupported("division by zero")),
            Binary::Div => x / y,
            Binary::Max => x.max(y).clone(),
            Binary::Min => x.min(y).clone(),
            Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Xlogy => {
                return Err(unsupported(op));
            }
        }))
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        if n.abs() > MAX_EXPONENT || (n < 0 && x.0.is_zero()) {
            return Err(unsupported("power"));
        }
        let exponent = i32::try_from(n).map_err(|_| unsupported("power"))?;
        Ok(Self(x.0.pow(exponent)))
    }

    fn polygamma(_: i64, _: &Self) -> Result<Self, Error> {
        Err(unsupported("polygamma"))
    }
}
