//! What the evaluator asks of a number, and plain binary64 as the first kind of number.
//!
//! Nothing here knows a derivative. A kind of number continues the real functions in its own way
//! (complex continuation, power series, exact fractions); the rest of the evaluator never looks inside.

use std::cmp::Ordering;
use std::fmt::Debug;

use pullback_prim::Prim;

use crate::Error;

/// A real function of one real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Unary {
    Neg, Abs, Signum, Floor, Ceil, Round, Sqrt, Cbrt, Exp, Expm1, Log, Log1p,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Sech2, Asinh, Acosh, Atanh,
    Erf, Erfc, Lgamma, Digamma, Sigmoid, Softplus,
}

/// A real function of two reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Binary {
    Add, Sub, Mul, Div, Rem, Pow, Max, Min, Atan2, Hypot, Xlogy,
}

/// A kind of number that stands for a Real.
pub trait Scalar: Clone + Debug {
    /// The constant `x`.
    fn from_f64(x: f64) -> Self;
    /// The constant `n`.
    fn from_int(n: i64) -> Self {
        Self::from_f64(n as f64)
    }
    /// The real number it stands for: every branch is decided by it.
    fn real_part(&self) -> f64;
    /// The constant with its value.
    fn held(&self) -> Self {
        Self::from_f64(self.real_part())
    }
    /// A function of one number.
    fn unary(op: Unary, x: &Self) -> Result<Self, Error>;
    /// A function of two numbers.
    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error>;
    /// `x ^ n`
    fn pow_int(x: &Self, n: i64) -> Result<Self, Error>;
    /// The `n`-th derivative of digamma.
    fn polygamma(n: i64, x: &Self) -> Result<Self, Error>;
    /// Order by real part; `None` if one is NaN.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        self.real_part().partial_cmp(&other.real_part())
    }
    /// Rounded towards zero, if an Int can hold it.
    fn to_int(&self) -> Option<i64> {
        let x = self.real_part();
        // -2^63 is a binary64, 2^63 is the first that no Int holds.
        (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x).then_some(x as i64)
    }
}

impl Scalar for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }

    fn real_part(&self) -> f64 {
        *self
    }

    #[rustfmt::skip]
    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        let x = *x;
        Ok(match op {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Signum => if x == 0.0 { 0.0 } else { x.signum() },
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round(),
            Unary::Sqrt => x.sqrt(),
            Unary::Cbrt => x.cbrt(),
            Unary::Exp => x.exp(),
            Unary::Expm1 => x.exp_m1(),
            Unary::Log => x.ln(),
            Unary::Log1p => x.ln_1p(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
            Unary::Sech2 => (1.0 / x.cosh()).powi(2),
            Unary::Asinh => libm::asinh(x),
            Unary::Acosh => libm::acosh(x),
            Unary::Atanh => libm::atanh(x),
            Unary::Erf => libm::erf(x),
            Unary::Erfc => libm::erfc(x),
            Unary::Lgamma => libm::lgamma(x),
            Unary::Digamma => f64::polygamma(0, &x)?,
            Unary::Sigmoid => {
                if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
            }
            Unary::Softplus => if x.is_nan() { x } else { x.max(0.0) + (-x.abs()).exp().ln_1p() },
        })
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        let (x, y) = (*x, *y);
        Ok(match op {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Rem => remainder(x, y),
            Binary::Pow => x.powf(y),
            Binary::Max => larger(x, y),
            Binary::Min => -larger(-x, -y),
            Binary::Atan2 => x.atan2(y),
            Binary::Hypot if x.is_nan() || y.is_nan() => f64::NAN,
            Binary::Hypot => x.hypot(y),
            Binary::Xlogy if x == 0.0 && !y.is_nan() => 0.0,
            Binary::Xlogy => x * y.ln(),
        })
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        let product = square_and_multiply(x, n.unsigned_abs(), &1.0, |a, b| a * b);
        Ok(if n < 0 { 1.0 / product } else { product })
    }

    fn polygamma(n: i64, x: &Self) -> Result<Self, Error> {
        // The evaluator's own value: near poles programs are too ill-conditioned to compare two.
        // Complex numbers and jets have theirs from the series.
        let args = [pullback_prim::Scalar::Int(n), pullback_prim::Scalar::Real(*x)];
        Ok(match Prim::Polygamma.eval_scalar(&args) {
            Ok(pullback_prim::Scalar::Real(value)) => value,
            Ok(_) | Err(_) => f64::NAN,
        })
    }
}

/// The remainder with the sign of y. The library's has that of x.
fn remainder(x: f64, y: f64) -> f64 {
    let rest = libm::fmod(x, y);
    let is_other = rest != 0.0 && rest.is_sign_negative() != y.is_sign_negative();
    if is_other { rest + y } else { rest.abs().copysign(y) }
}

fn larger(x: f64, y: f64) -> f64 {
    match x.partial_cmp(&y) {
        Some(Ordering::Greater) => x,
        Some(Ordering::Less) => y,
        Some(Ordering::Equal) if x == 0.0 => x + y,
        Some(Ordering::Equal) => x,
        None => f64::NAN,
    }
}

/// `x ^ n` for a product that need not be a number's.
pub(crate) fn square_and_multiply<T: Clone>(
    x: &T,
    n: u64,
    one: &T,
    mul: impl Fn(&T, &T) -> T,
) -> T {
    let mut rest = n;
    let mut power = x.clone();
    let mut product = one.clone();
    while rest > 0 {
        if rest & 1 == 1 {
            product = mul(&product, &power);
        }
        rest >>= 1;
        if rest > 0 {
            power = mul(&power, &power);
        }
    }
    product
}
