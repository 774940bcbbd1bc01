//! Integer powers, of Reals and of Ints.

/// `x ^ n` by repeated squaring; a negative exponent gives the reciprocal.
#[inline]
pub fn pow_int(x: f64, n: i64) -> f64 {
    let mut rest = n.unsigned_abs();
    let mut power = x;
    let mut product = 1.0;
    while rest > 0 {
        if rest & 1 == 1 {
            product *= power;
        }
        rest >>= 1;
        if rest > 0 {
            power *= power;
        }
    }
    if n < 0 { 1.0 / product } else { product }
}

/// `n * x ^ (n - 1)`, and 0 for n = 0.
#[inline]
pub fn pow_slope(x: f64, n: i64) -> f64 {
    if n == 0 { 0.0 } else { n as f64 * pow_int(x, n.saturating_sub(1)) }
}

/// `m ^ n`; `None` on overflow or for a negative exponent.
#[inline]
pub fn int_pow(m: i64, n: i64) -> Option<i64> {
    if n < 0 {
        return None;
    }
    match m {
        0 => Some(i64::from(n == 0)),
        1 => Some(1),
        -1 => Some(if n % 2 == 0 { 1 } else { -1 }),
        base => base.checked_pow(u32::try_from(n).ok()?),
    }
}
