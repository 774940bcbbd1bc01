//! Gamma and its logarithmic derivatives from their asymptotic series, for every kind of number that
//! can add, multiply, divide and take a logarithm.
//!
//! Complex numbers and power series get these functions by running the same series, so no derivative
//! of any of them is written down anywhere in this crate.

/// A number with the operations the series need.
pub(crate) trait Series: Clone {
    fn constant(x: f64) -> Self;
    fn re(&self) -> f64;
    fn add(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    fn div(&self, other: &Self) -> Self;
    /// The logarithm, for a positive real part.
    fn log(&self) -> Self;

    fn sub(&self, other: &Self) -> Self {
        self.add(&other.scale(-1.0))
    }
    fn scale(&self, by: f64) -> Self {
        self.mul(&Self::constant(by))
    }
    fn shift(&self, by: f64) -> Self {
        self.add(&Self::constant(by))
    }
    fn recip(&self) -> Self {
        Self::constant(1.0).div(self)
    }
}

impl Series for f64 {
    fn constant(x: f64) -> Self {
        x
    }
    fn re(&self) -> f64 {
        *self
    }
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    fn div(&self, other: &Self) -> Self {
        self / other
    }
    fn log(&self) -> Self {
        self.ln()
    }
}

/// The Bernoulli numbers B(2), B(4), …
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// Where the series are accurate to the last digits.
const FAR: f64 = 18.0;

/// Below this the steps up to [`FAR`] would be too many.
const LOWEST: f64 = -10_000.0;

fn is_pole(x: f64) -> bool {
    x.is_nan() || x < LOWEST || (x <= 0.0 && x == x.floor())
}

/// `log |gamma x|`; NaN at the poles.
pub(crate) fn lgamma<S: Series>(x: &S) -> S {
    if is_pole(x.re()) {
        return S::constant(f64::NAN);
    }
    // log |gamma x| = log |gamma (x + k)| - log |x| - … - log |x + k - 1|
    let mut z = x.clone();
    let mut low = S::constant(0.0);
    while z.re() < FAR {
        let magnitude = if z.re() < 0.0 { z.scale(-1.0) } else { z.clone() };
        low = low.add(&magnitude.log());
        z = z.shift(1.0);
    }
    let mut sum = z.shift(-0.5).mul(&z.log()).sub(&z).shift(0.5 * std::f64::consts::TAU.ln());
    let square = z.mul(&z);
    let mut power = z.clone();
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let twice = 2.0 * (index as f64 + 1.0);
        sum = sum.add(&S::constant(bernoulli / (twice * (twice - 1.0))).div(&power));
        power = power.mul(&square);
    }
    sum.sub(&low)
}

/// The logarithmic derivative of gamma; NaN at the poles.
pub(crate) fn digamma<S: Series>(x: &S) -> S {
    if is_pole(x.re()) {
        return S::constant(f64::NAN);
    }
    let mut z = x.clone();
    let mut low = S::constant(0.0);
    while z.re() < FAR {
        low = low.add(&z.recip());
        z = z.shift(1.0);
    }
    let mut sum = z.log().sub(&z.scale(2.0).recip());
    let square = z.mul(&z);
    let mut power = square.clone();
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let twice = 2.0 * (index as f64 + 1.0);
        sum = sum.sub(&S::constant(bernoulli / twice).div(&power));
        power = power.mul(&square);
    }
    sum.sub(&low)
}

/// The `n`-th derivative of [`digamma`], by the Hurwitz zeta series; NaN at the poles and for n < 0.
pub(crate) fn polygamma<S: Series>(n: i64, x: &S) -> S {
    if n == 0 {
        return digamma(x);
    }
    if !(0..=150).contains(&n) || is_pole(x.re()) {
        return S::constant(f64::NAN);
    }
    let power = |z: &S| {
        let one = S::constant(1.0);
        let steps = n.unsigned_abs() + 1;
        crate::scalar::square_and_multiply(z, steps, &one, |a, b| a.mul(b)).recip()
    };
    let s = n as f64 + 1.0;
    let mut z = x.clone();
    let mut sum = S::constant(0.0);
    // The series of order n converges later than that of digamma.
    while z.re() < FAR + n as f64 {
        sum = sum.add(&power(&z));
        z = z.shift(1.0);
    }
    let tail = power(&z);
    sum = sum.add(&tail.mul(&z.scale(1.0 / (s - 1.0)).shift(0.5)));
    let square = z.mul(&z);
    let mut rising = S::constant(s).div(&z);
    let mut over = 2.0;
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let twice = 2.0 * (index as f64 + 1.0);
        sum = sum.add(&tail.mul(&rising).scale(bernoulli / over));
        rising = rising.scale((s + twice - 1.0) * (s + twice)).div(&square);
        over *= (twice + 1.0) * (twice + 2.0);
    }
    let factorial: f64 = (1..=n).map(|k| k as f64).product();
    sum.scale(if n % 2 == 0 { -factorial } else { factorial })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 2e-14 * (1.0 + b.abs()), "{a} {b}");
        close(lgamma(&5.0), 24f64.ln());
        close(lgamma(&0.5), 0.5 * std::f64::consts::PI.ln());
        close(lgamma(&-0.5), (2.0 * std::f64::consts::PI.sqrt()).ln());
        close(digamma(&1.0), -0.577_215_664_901_532_9);
        close(polygamma(1, &1.0), std::f64::consts::PI.powi(2) / 6.0);
        close(polygamma(2, &1.0), -2.404_113_806_319_188_6);
        close(polygamma(3, &1.0), std::f64::consts::PI.powi(4) / 15.0);
    }
}
