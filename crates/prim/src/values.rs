//! The values of the smooth primitives, one small function each, so that an evaluator may call them
//! directly. They follow binary64 and the table of conventions; none panics.

pub use crate::powers::{int_pow, pow_int, pow_slope};
pub use crate::special::{digamma, erf, erfc, lgamma, polygamma, sigmoid, softplus};

macro_rules! from_std {
    ($($(#[$meta:meta])* $name:ident = $path:path;)*) => {$(
        $(#[$meta])*
        #[inline]
        pub fn $name(x: f64) -> f64 {
            $path(x)
        }
    )*};
}

from_std! {
    /// Largest integer not above `x`.
    floor = f64::floor;
    /// Smallest integer not below `x`.
    ceil = f64::ceil;
    /// Nearest integer, ties away from zero.
    round = f64::round;
    /// `|x|`
    abs = f64::abs;
    /// Square root; NaN below zero.
    sqrt = f64::sqrt;
    /// Real cube root.
    cbrt = f64::cbrt;
    /// `e^x`
    exp = f64::exp;
    /// `e^x - 1` without cancellation.
    expm1 = f64::exp_m1;
    /// Natural logarithm; -inf at zero, NaN below.
    log = f64::ln;
    /// `log (1 + x)` without cancellation.
    log1p = f64::ln_1p;
    /// Sine.
    sin = f64::sin;
    /// Cosine.
    cos = f64::cos;
    /// Tangent.
    tan = f64::tan;
    /// Arc sine.
    asin = f64::asin;
    /// Arc cosine.
    acos = f64::acos;
    /// Arc tangent.
    atan = f64::atan;
    /// Hyperbolic sine.
    sinh = f64::sinh;
    /// Hyperbolic cosine.
    cosh = f64::cosh;
    /// Hyperbolic tangent.
    tanh = f64::tanh;
    /// Inverse hyperbolic sine (not the standard library's, which cancels).
    asinh = libm::asinh;
    /// Inverse hyperbolic cosine (not the standard library's, which cancels near 1).
    acosh = libm::acosh;
    /// Inverse hyperbolic tangent.
    atanh = libm::atanh;
}

/// `-x`
#[inline]
pub fn neg(x: f64) -> f64 {
    -x
}

/// `x + y`
#[inline]
pub fn add(x: f64, y: f64) -> f64 {
    x + y
}

/// `x - y`
#[inline]
pub fn sub(x: f64, y: f64) -> f64 {
    x - y
}

/// `x * y`
#[inline]
pub fn mul(x: f64, y: f64) -> f64 {
    x * y
}

/// `x / y`
#[inline]
pub fn div(x: f64, y: f64) -> f64 {
    x / y
}

/// `x ^ y`; `0 ^ 0 = 1`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}

/// What is left of x by whole multiples of y, with the sign of y, also if it is 0; NaN if y is 0 or x infinite.
#[inline]
pub fn rem(x: f64, y: f64) -> f64 {
    // Exact. A remainder of the other sign is made one of this by one addition, which may round.
    let rest = x % y;
    if rest == 0.0 {
        0.0_f64.copysign(y)
    } else if (rest < 0.0) != (y < 0.0) {
        rest + y
    } else {
        rest
    }
}

/// The larger; NaN if either is; `max (-0.0) 0.0 = 0.0`.
#[inline]
pub fn max(x: f64, y: f64) -> f64 {
    if x > y {
        x
    } else if x < y {
        y
    } else if x == y {
        // Equal numbers differ only as zeros do; their sum is the positive one unless both are negative.
        if x == 0.0 { x + y } else { x }
    } else {
        f64::NAN
    }
}

/// The smaller; NaN if either is; `min (-0.0) 0.0 = -0.0`.
#[inline]
pub fn min(x: f64, y: f64) -> f64 {
    -max(-x, -y)
}

/// The angle of the point `(x, y)`; note that `y` comes first.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

/// `sqrt (x^2 + y^2)` without overflow; NaN if either is.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { x.hypot(y) }
}

/// `x * log y`, and 0 at x = 0 unless y is NaN.
#[inline]
pub fn xlogy(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln() }
}

/// -1, 0 or 1; NaN of NaN.
#[inline]
pub fn signum(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        f64::NAN
    }
}

/// `1 / cosh x`
#[inline]
pub fn sech2(x: f64) -> f64 {
    let sech = 1.0 / x.cosh();
    sech * sech
}

/// Floor of the quotient; `None` on overflow or division by zero.
#[inline]
pub fn int_div(m: i64, n: i64) -> Option<i64> {
    let quotient = m.checked_div(n)?;
    let exact = m.wrapping_rem(n) == 0 || (m < 0) == (n < 0);
    Some(if exact { quotient } else { quotient - 1 })
}

/// Remainder with the divisor's sign; `None` on division by zero.
#[inline]
pub fn int_rem(m: i64, n: i64) -> Option<i64> {
    if n == 0 {
        return None;
    }
    // The remainder of the smallest Int by -1 is 0 although their quotient overflows.
    let rest = m.wrapping_rem(n);
    Some(if rest != 0 && (rest < 0) != (n < 0) { rest + n } else { rest })
}

/// Towards zero; `None` for NaN and numbers out of range.
#[inline]
pub fn to_int(x: f64) -> Option<i64> {
    let limit = 9_223_372_036_854_775_808.0;
    let whole = x.trunc();
    if whole >= -limit && whole < limit { Some(whole as i64) } else { None }
}
