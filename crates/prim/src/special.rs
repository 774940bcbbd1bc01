//! Special functions: the logarithm of gamma and its derivatives of every order, the error function,
//! the logistic function and its integral. About 1e-14 relative on the positive axis (absolute near
//! zeros); reflection on the negative axis.

use std::f64::consts::PI;

use crate::powers::pow_int;

/// The logarithm of `|gamma x|`; +inf at the poles 0, -1, -2, …
#[inline]
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The error function.
#[inline]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// `1 - erf x` without cancellation.
#[inline]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// `1 / (1 + exp (-x))`, accurate in both tails.
#[inline]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        // The exponential of a negative number cannot overflow, so this tail keeps its precision.
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// `log (1 + exp x)` without overflow.
#[inline]
pub fn softplus(x: f64) -> f64 {
    if x.is_nan() { x } else { x.max(0.0) + (-x.abs()).exp().ln_1p() }
}

/// `B(2k) / (2k)` for k = 1, 2, …: the asymptotic series of digamma.
const DIGAMMA_SERIES: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// The derivative of [`lgamma`]; NaN at the poles 0, -1, -2, …
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x < 0.0 {
        return digamma(1.0 - x) - PI * cot_pi(x);
    }
    let mut shifted = x;
    let mut sum = 0.0;
    while shifted < 10.0 {
        sum += 1.0 / shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    let series = DIGAMMA_SERIES.iter().rev().fold(0.0, |rest, term| (rest + term) * square);
    (shifted.ln() - 0.5 * inverse - series) - sum
}

/// The `n`-th derivative of [`digamma`] (n = 0 is digamma itself); NaN at the poles and for n < 0.
pub fn polygamma(n: i64, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    if n < 0 || x.is_nan() || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    if x > 0.0 {
        return sign * positive_polygamma(n, x);
    }
    if n > LAST_REFLECTED {
        return sign * near_poles(n, x);
    }
    // psi^(n) x = (-1)^n psi^(n) (1 - x) - pi^(n+1) cot^(n) (pi x), where psi^(n) (1 - x) has `sign`.
    -positive_polygamma(n, 1.0 - x) - reflection(n, x)
}

/// Above this order the terms around the nearest pole alone give the value on the negative axis.
const LAST_REFLECTED: i64 = 100;

/// `B(2k) / (2k)!` for k = 1, 2, …: the Euler–Maclaurin series.
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

/// `n! * zeta(n+1, x)` for n ≥ 1, x > 0, by the Euler–Maclaurin formula. The terms are taken relative
/// to `x^-(n+1)`, which would over- or underflow long before the result does.
fn positive_polygamma(n: i64, x: f64) -> f64 {
    if x == f64::INFINITY {
        return 0.0;
    }
    let s = n as f64 + 1.0;
    let steps = 12.0;
    let mut sum = 0.0;
    let mut k = 0.0;
    while k < steps {
        sum += relative_power(x, k, s);
        k += 1.0;
    }
    let end = x + steps;
    let tail = relative_power(x, steps, s);
    sum += tail * (end / (s - 1.0) + 0.5);
    // Term k is B(2k)/(2k)! * s (s+1) … (s+2k-2) * end^-(s+2k-1).
    let mut rising = s / end;
    let mut shift = s;
    for coefficient in BERNOULLI {
        let term = coefficient * rising * tail;
        sum += term;
        if term.abs() <= 1e-18 * sum.abs() {
            break;
        }
        rising *= (shift + 1.0) * (shift + 2.0) / (end * end);
        shift += 2.0;
    }
    sum * factorial_over_power(n, x)
}

/// `(x / (x + k)) ^ s`
fn relative_power(x: f64, k: f64, s: f64) -> f64 {
    // For large x the quotient is near 1, where a power would multiply its rounding error by s.
    if k < 0.5 * x { (-s * (k / x).ln_1p()).exp() } else { (x / (x + k)).powf(s) }
}

/// `n! / x^(n+1)`, multiplied step by step so that only the result may leave the range.
fn factorial_over_power(n: i64, x: f64) -> f64 {
    let mut product = 1.0 / x;
    for j in 1..=n {
        product *= j as f64 / x;
        if product == 0.0 || product.is_infinite() {
            break;
        }
    }
    product
}

/// `n! * sum over k ≥ 0 of (x + k)^-(n+1)` for negative x and large n, by the terms around the
/// nearest pole: all others are smaller by a factor of 3^-n at least.
fn near_poles(n: i64, x: f64) -> f64 {
    let centre = (-x).round();
    let nearest = x + centre;
    let mut sum = 0.0;
    let mut k = (centre - 32.0).max(0.0);
    while k <= centre + 32.0 {
        // x + k is exact near the pole, where it matters.
        let ratio = nearest / (x + k);
        sum += pow_of_order(ratio, n);
        k += 1.0;
    }
    sum * factorial_over_power(n, nearest)
}

fn pow_of_order(ratio: f64, n: i64) -> f64 {
    pow_int(ratio, n.saturating_add(1))
}

/// `cot (pi x)`, with the argument reduced exactly.
fn cot_pi(x: f64) -> f64 {
    let rest = x - x.round();
    if rest.abs() > 0.25 {
        (PI * (0.5 - rest.abs())).tan().copysign(rest)
    } else {
        1.0 / (PI * rest).tan()
    }
}

/// `pi^(n+1) * cot^(n) (pi x)`: a polynomial in the cotangent whose coefficients have one sign.
fn reflection(n: i64, x: f64) -> f64 {
    let cot = cot_pi(x);
    // d/du p(cot u) = -(1 + cot^2 u) p'(cot u); pi is multiplied in at every step.
    let mut polynomial = vec![0.0, PI];
    for _ in 0..n {
        let mut next = vec![0.0; polynomial.len() + 1];
        for (power, coefficient) in polynomial.iter().enumerate().skip(1) {
            let slope = -PI * coefficient * power as f64;
            next[power - 1] += slope;
            next[power + 1] += slope;
        }
        polynomial = next;
    }
    polynomial.iter().rev().fold(0.0, |rest, coefficient| rest * cot + coefficient)
}
