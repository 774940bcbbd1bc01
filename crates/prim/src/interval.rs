//! Intervals, and arithmetic on them with bounds rounded outwards.
//!
//! A bound is widened by one unit in the last place only where it was rounded inwards: the error of a sum, a product, a
//! quotient or a root is a number that fused multiplication tells.

/// All numbers from one to another, infinities among them, and maybe NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest; less than the least where there is no number.
    pub high: f64,
    /// Whether it may be NaN.
    pub nan: bool,
}

/// Below this size a product may be rounded by more than its error tells.
const TINY: f64 = 1e-280;

impl Interval {
    /// No number: NaN.
    pub const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };
    /// Anything.
    pub const WHOLE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    /// One number.
    pub fn point(x: f64) -> Self {
        if x.is_nan() { Self::EMPTY } else { Self { low: x, high: x, nan: false } }
    }
    /// Whether there is no number in it.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }
    /// Whether a number is in it.
    pub fn holds(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
    /// Whether an infinity is in it.
    pub fn has_infinity(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }
    /// All that is in one or the other, and what is between.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }
    /// The part between two numbers, where a function has no others.
    pub(crate) fn within(self, low: f64, high: f64) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { low: self.low.max(low), high: self.high.min(high), nan: self.nan }
    }
    /// A finite number in it; NaN if it is empty.
    pub fn middle(self) -> f64 {
        if self.is_empty() {
            return f64::NAN;
        }
        if self.low == self.high {
            return self.low;
        }
        let (low, high) = (self.low.max(f64::MIN), self.high.min(f64::MAX));
        0.5f64.mul_add(low, 0.5 * high).clamp(low, high)
    }
    /// The largest size of a number in it.
    pub fn magnitude(self) -> f64 {
        if self.is_empty() { f64::NAN } else { self.low.abs().max(self.high.abs()) }
    }
    pub(crate) fn abs(self) -> Self {
        let high = self.low.abs().max(self.high.abs());
        let low = if self.holds(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Self { low, high, nan: self.nan }
    }
    pub(crate) fn sqrt(self) -> Self {
        let nan = self.low < 0.0;
        if self.high < 0.0 {
            return Self::EMPTY;
        }
        let root = |x: f64| {
            let root = x.sqrt();
            (root, if x < TINY && x > 0.0 { f64::NAN } else { -root.mul_add(root, -x) })
        };
        let (low, high) = (root(self.low.max(0.0)), root(self.high));
        Self { low: down(low).max(0.0), high: up(high), nan }
    }
}

/// A rounded number and how much the exact one is above it, or NaN if that is not known; down to a bound.
fn down((x, error): (f64, f64)) -> f64 {
    if x == f64::INFINITY && error.is_nan() {
        return f64::MAX;
    }
    if error >= 0.0 || x.is_infinite() { x } else { x.next_down() }
}

/// As [`down`], up to a bound.
fn up((x, error): (f64, f64)) -> f64 {
    if x == f64::NEG_INFINITY && error.is_nan() {
        return f64::MIN;
    }
    if error <= 0.0 || x.is_infinite() { x } else { x.next_up() }
}

/// A sum with its error.
fn sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    if x.is_infinite() || y.is_infinite() {
        return (sum, 0.0);
    }
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// A product with its error. An infinite bound times 0 is 0.
fn product(x: f64, y: f64) -> (f64, f64) {
    if x == 0.0 || y == 0.0 {
        return (0.0, 0.0);
    }
    let product = x * y;
    if x.is_infinite() || y.is_infinite() {
        return (product, 0.0);
    }
    (product, if product.abs() < TINY { f64::NAN } else { x.mul_add(y, -product) })
}

/// A quotient with its error.
fn quotient(x: f64, y: f64) -> (f64, f64) {
    let quotient = x / y;
    if x == 0.0 || x.is_infinite() || y.is_infinite() {
        return (quotient, 0.0);
    }
    let is_tiny = quotient.abs() < TINY || x.abs() < TINY;
    let rest = if is_tiny { f64::NAN } else { -quotient.mul_add(y, -x) };
    (quotient, if y > 0.0 { rest } else { -rest })
}

/// `x + y`
pub(crate) fn add(x: Interval, y: Interval) -> Interval {
    let opposite = |x: Interval, y: Interval| x.high == f64::INFINITY && y.low == f64::NEG_INFINITY;
    let (low, high) = (sum(x.low, y.low), sum(x.high, y.high));
    Interval {
        low: if low.0.is_nan() { f64::NEG_INFINITY } else { down(low) },
        high: if high.0.is_nan() { f64::INFINITY } else { up(high) },
        nan: opposite(x, y) || opposite(y, x),
    }
}

/// `x - y`
pub(crate) fn sub(x: Interval, y: Interval) -> Interval {
    add(x, Interval { low: -y.high, high: -y.low, nan: y.nan })
}

/// The hull of what an operation gives at the corners of a box.
fn corners(x: Interval, y: Interval, of: fn(f64, f64) -> (f64, f64)) -> Interval {
    let all = [of(x.low, y.low), of(x.low, y.high), of(x.high, y.low), of(x.high, y.high)];
    let low = all.iter().map(|corner| down(*corner)).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|corner| up(*corner)).fold(f64::NEG_INFINITY, f64::max);
    Interval { low, high, nan: false }
}

/// `x * y`
pub(crate) fn mul(x: Interval, y: Interval) -> Interval {
    let nan = x.holds(0.0) && y.has_infinity() || y.holds(0.0) && x.has_infinity();
    Interval { nan, ..corners(x, y, product) }
}

/// `x / y`
pub(crate) fn div(x: Interval, y: Interval) -> Interval {
    let nan = x.holds(0.0) && y.holds(0.0) || x.has_infinity() && y.has_infinity();
    if y.holds(0.0) || nan {
        return Interval { nan, ..Interval::WHOLE };
    }
    Interval { nan, ..corners(x, y, quotient) }
}

/// `x ^ n`, a repeated product.
pub(crate) fn power(x: Interval, n: i64) -> Interval {
    if n < 0 {
        let nan = x.nan;
        let found = div(Interval::point(1.0), power(x, n.saturating_neg()));
        return Interval { nan, low: found.low.next_down(), high: found.high.next_up() };
    }
    let sizes = x.abs();
    let (low, high) = (power_of(sizes.low, n), power_of(sizes.high, n));
    let (low, high) = (low.0, high.1);
    if n % 2 == 0 {
        return Interval { low, high, nan: false };
    }
    // An odd power grows.
    let (at_low, at_high) = (power_of(x.low.abs(), n), power_of(x.high.abs(), n));
    Interval {
        low: if x.low < 0.0 { -at_low.1 } else { at_low.0 },
        high: if x.high < 0.0 { -at_high.0 } else { at_high.1 },
        nan: false,
    }
}

/// Bounds of a power of a number that is not negative. Each product is rounded, in whatever order they are taken; where all
/// are exact, so is the power.
fn power_of(x: f64, n: i64) -> (f64, f64) {
    /// Powers of more factors count as rounded.
    const FEW: i64 = 64;
    let value = crate::values::pow_int(x, n);
    if n <= FEW {
        let mut so_far = (1.0, true);
        for _ in 0..n {
            let (next, error) = product(so_far.0, x);
            so_far = (next, so_far.1 && error == 0.0);
        }
        if so_far.1 {
            return (value, value);
        }
    }
    let by = value * (n as f64 + 2.0) * f64::EPSILON;
    let (low, high) = (value - by, value + by);
    (
        if low.is_nan() { f64::MAX } else { low.next_down().max(0.0) },
        if high.is_nan() { value } else { high.next_up() },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, high: f64) -> Interval {
        Interval { low, high, nan: false }
    }

    #[test]
    fn what_is_exact_is_not_widened() {
        assert_eq!(add(of(1.0, 2.0), of(3.0, 4.5)), of(4.0, 6.5));
        assert_eq!(mul(of(-1.0, 2.0), of(3.0, 4.0)), of(-4.0, 8.0));
        assert_eq!(div(of(1.0, 2.0), of(4.0, 8.0)), of(0.125, 0.5));
        assert_eq!(of(4.0, 9.0).sqrt(), of(2.0, 3.0));
        assert_eq!(power(of(-2.0, 3.0), 2), of(0.0, 9.0));
        assert_eq!(power(of(-2.0, 3.0), 3), of(-8.0, 27.0));
    }

    #[test]
    fn what_is_rounded_is_widened_on_the_side_of_the_exact_number() {
        let tenths = add(Interval::point(0.1), Interval::point(0.2));
        assert!(tenths.low < tenths.high, "{tenths:?}");
        assert!(tenths.holds(0.1 + 0.2), "{tenths:?}");
        let third = div(Interval::point(1.0), Interval::point(3.0));
        assert_eq!(third.high, third.low.next_up());
        // The rounded third is below the exact one.
        assert_eq!(third.low, 1.0 / 3.0);
        let root = Interval::point(2.0).sqrt();
        assert_eq!(root.high, root.low.next_up());
        assert!(mul(of(1e-200, 1e-200), of(1e-200, 1e-200)).high > 0.0);
        assert_eq!(add(of(1e308, 1e308), of(1e308, 1e308)), of(f64::MAX, f64::INFINITY));
    }

    #[test]
    fn nan_is_told() {
        assert!(add(of(f64::NEG_INFINITY, 0.0), of(0.0, f64::INFINITY)).nan);
        assert!(mul(of(0.0, 1.0), of(1.0, f64::INFINITY)).nan);
        assert!(div(of(-1.0, 1.0), of(-1.0, 1.0)).nan);
        assert!(!div(of(1.0, 2.0), of(-1.0, 1.0)).nan);
        assert_eq!(of(-2.0, -1.0).sqrt(), Interval::EMPTY);
        assert_eq!(of(-1.0, 4.0).sqrt(), Interval { low: 0.0, high: 2.0, nan: true });
    }
}
