//! Interval extensions of the smooth primitives: an interval for the values that a primitive has on intervals.
//!
//! Input: an interval for each argument. Output: an interval that holds the value at all arguments in them, as a real number and
//! as the evaluator computes it. Bounds are rounded outwards. Sums, products, quotients and roots that are exact are not widened;
//! elementary functions are widened by four units in the last place, the error function and the gamma functions by 10⁻¹¹ of
//! their size. An interval says besides whether NaN may arise. The empty interval is that of NaN alone.
//!
//! Law: with x in X and y in Y, `f x y` is in `f X Y`, or it is NaN and `f X Y` says so (the fundamental theorem of interval
//! arithmetic; Moore 1966).

use std::f64::consts::{FRAC_PI_2, PI};

use crate::interval::{Interval, add, div, mul, power, sub};
use crate::{Class, Prim, RealFn};

/// By how many units in the last place elementary functions are widened.
const ELEMENTARY: u32 = 4;
/// By how much of their size special functions are widened.
const SPECIAL: f64 = 1e-11;
/// Where `lgamma` is smallest for positive numbers.
const LEAST_LGAMMA: f64 = 1.461_632_144_968_362_3;
/// To where the places of the largest values of sine are known well enough.
const FAR: f64 = 1e9;

impl Prim {
    /// The interval extension of a smooth primitive; an Int is the interval of one number.
    pub fn enclosure(self, args: &[Interval]) -> Interval {
        let nan = args.iter().any(|arg| arg.nan);
        if args.iter().any(|arg| arg.is_empty()) {
            return Interval::EMPTY;
        }
        let found = match args {
            [x] => self.of_one(*x),
            [x, y] => self.of_two(*x, *y),
            _ => Interval::WHOLE,
        };
        Interval { nan: nan || found.nan, ..found }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the primitives of one Real among all")]
    fn of_one(self, x: Interval) -> Interval {
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        let Some(f) = self.real1() else { return Interval::WHOLE };
        let increasing = |domain| widened(monotone(f, x, domain), ELEMENTARY);
        match self {
            Prim::Neg => Interval { low: -x.high, high: -x.low, nan: false },
            Prim::Signum | Prim::Floor | Prim::Ceil | Prim::Round => monotone(f, x, all),
            Prim::Abs => x.abs(),
            Prim::Sqrt => x.sqrt(),
            Prim::Cbrt | Prim::Asinh | Prim::Sinh => increasing(all),
            Prim::Exp | Prim::Softplus => above(increasing(all)),
            Prim::Expm1 => increasing(all).within(-1.0, f64::INFINITY),
            Prim::Log => increasing((0.0, f64::INFINITY)),
            Prim::Log1p => increasing((-1.0, f64::INFINITY)),
            Prim::Acosh => increasing((1.0, f64::INFINITY)).within(0.0, f64::INFINITY),
            Prim::Asin | Prim::Atanh => increasing((-1.0, 1.0)),
            Prim::Acos => widened(falling(f, x, (-1.0, 1.0)), ELEMENTARY),
            Prim::Atan => increasing(all),
            Prim::Tanh => increasing(all).within(-1.0, 1.0),
            Prim::Sigmoid => above(increasing(all)).within(0.0, 1.0),
            Prim::Cosh => widened(monotone(f, x.abs(), all), ELEMENTARY).within(1.0, f64::INFINITY),
            Prim::Sech2 => above(widened(falling(f, x.abs(), all), ELEMENTARY)).within(0.0, 1.0),
            Prim::Sin => wave(f, x, FRAC_PI_2),
            Prim::Cos => wave(f, x, 0.0),
            Prim::Tan => tangent(f, x),
            Prim::Erf => coarse(monotone(f, x, all)).within(-1.0, 1.0),
            Prim::Erfc => coarse(falling(f, x, all)).within(0.0, 2.0),
            Prim::Lgamma if x.low > 0.0 => {
                let ends = Interval::hull(Interval::point(f(x.low)), Interval::point(f(x.high)));
                let least = x.holds(LEAST_LGAMMA).then(|| Interval::point(f(LEAST_LGAMMA)));
                coarse(Interval::hull(ends, least.unwrap_or(ends)))
            }
            Prim::Digamma if x.low > 0.0 => coarse(monotone(f, x, all)),
            _ => Interval::WHOLE,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the primitives of two numbers among all")]
    fn of_two(self, x: Interval, y: Interval) -> Interval {
        match self {
            Prim::Add => add(x, y),
            Prim::Sub => sub(x, y),
            Prim::Mul => mul(x, y),
            Prim::Div => div(x, y),
            Prim::Max => Interval { low: x.low.max(y.low), high: x.high.max(y.high), nan: false },
            Prim::Min => Interval { low: x.low.min(y.low), high: x.high.min(y.high), nan: false },
            Prim::Rem => remainder(x, y),
            Prim::Hypot => {
                let (x, y) = (x.abs(), y.abs());
                let ends =
                    Interval { low: x.low.hypot(y.low), high: x.high.hypot(y.high), nan: false };
                widened(ends, ELEMENTARY).within(0.0, f64::INFINITY)
            }
            Prim::Atan2 => angle(x, y),
            Prim::Xlogy => {
                let log = Prim::Log.enclosure(&[y]);
                let nan = log.nan || x.has_infinity() && log.holds(0.0);
                Interval { nan, ..widened(mul(x, log), ELEMENTARY) }
            }
            Prim::Pow => real_power(x, y),
            Prim::PowInt => power(x, y.low as i64),
            Prim::PowSlope if y.low == 0.0 => Interval::point(0.0),
            Prim::PowSlope => mul(y, power(x, y.low as i64 - 1)),
            Prim::Polygamma if y.low > 0.0 => {
                let Class::Smooth(smooth) = &self.row().class else { return Interval::WHOLE };
                let RealFn::IntReal(f) = smooth.value else { return Interval::WHOLE };
                let n = x.low as i64;
                let ends = [f(n, y.low), f(n, y.high)].map(Interval::point);
                coarse(Interval::hull(ends[0], ends[1]))
            }
            _ => Interval::WHOLE,
        }
    }

    fn real1(self) -> Option<fn(f64) -> f64> {
        let RealFn::Real1(f) = self.row().smooth()?.value else { return None };
        Some(f)
    }
}

/// A function that grows, on the part of an interval that is in its domain.
fn monotone(f: fn(f64) -> f64, x: Interval, (least, greatest): (f64, f64)) -> Interval {
    let nan = x.low < least || x.high > greatest;
    let (low, high) = (x.low.max(least), x.high.min(greatest));
    if low > high {
        return Interval::EMPTY;
    }
    Interval { low: f(low), high: f(high), nan }
}

/// As [`monotone`], for a function that falls.
fn falling(f: fn(f64) -> f64, x: Interval, (least, greatest): (f64, f64)) -> Interval {
    if x.low > greatest || x.high < least {
        return Interval::EMPTY;
    }
    let Interval { low, high, nan } = monotone(f, x, (least, greatest));
    Interval { low: high, high: low, nan }
}

/// Bounds so many units in the last place further out. 0 stays: most functions have it exactly, and where numbers become too
/// small, [`above`] says so.
fn widened(x: Interval, units: u32) -> Interval {
    if x.is_empty() {
        return x;
    }
    let (mut low, mut high) = (x.low, x.high);
    for _ in 0..units {
        low = if low == 0.0 { low } else { low.next_down() };
        high = if high == 0.0 { high } else { high.next_up() };
    }
    Interval { low, high, nan: x.nan }
}

/// What is never negative, nor 0 exactly.
fn above(x: Interval) -> Interval {
    Interval { high: x.high.max(f64::from_bits(1)), ..x }.within(0.0, f64::INFINITY)
}

fn coarse(x: Interval) -> Interval {
    let by = |bound: f64| if bound.is_finite() { SPECIAL * bound.abs() + 1e-14 } else { 0.0 };
    widened(Interval { low: x.low - by(x.low), high: x.high + by(x.high), nan: x.nan }, 1)
}

/// Sine or cosine, which is largest at `peak` and one period on.
fn wave(f: fn(f64) -> f64, x: Interval, peak: f64) -> Interval {
    let whole = Interval { low: -1.0, high: 1.0, nan: false };
    if x.low.abs().max(x.high.abs()) > FAR || x.high - x.low >= 2.0 * PI {
        return Interval { nan: x.has_infinity(), ..whole };
    }
    let ends = Interval::hull(Interval::point(f(x.low)), Interval::point(f(x.high)));
    let found = widened(ends, ELEMENTARY).within(-1.0, 1.0);
    let low = if has_place(x, peak + PI, 2.0 * PI) { -1.0 } else { found.low };
    let high = if has_place(x, peak, 2.0 * PI) { 1.0 } else { found.high };
    Interval { low, high, nan: false }
}

/// Whether one of the places `first`, `first + period`, … may be in an interval.
fn has_place(x: Interval, first: f64, period: f64) -> bool {
    let slack = 1e-14 * (1.0 + x.low.abs().max(x.high.abs()));
    let turn = ((x.low - slack - first) / period).ceil();
    turn.mul_add(period, first) <= x.high + slack
}

fn tangent(f: fn(f64) -> f64, x: Interval) -> Interval {
    if x.has_infinity() {
        return Interval::WHOLE;
    }
    if x.low.abs().max(x.high.abs()) > FAR || has_place(x, FRAC_PI_2, PI) {
        return Interval { nan: false, ..Interval::WHOLE };
    }
    widened(monotone(f, x, (f64::NEG_INFINITY, f64::INFINITY)), ELEMENTARY)
}

/// The angle of points with these ordinates and abscissas.
fn angle(y: Interval, x: Interval) -> Interval {
    if y.low <= 0.0 && y.high >= 0.0 && x.low <= 0.0 {
        return widened(Interval { low: -PI, high: PI, nan: false }, 1);
    }
    // The box is convex and has no origin: the least and the greatest angle are at corners.
    let corners = [(y.low, x.low), (y.low, x.high), (y.high, x.low), (y.high, x.high)];
    // An angle may be too small for a number.
    let least = |y: f64| if y == 0.0 { 0.0 } else { f64::from_bits(1).copysign(y) };
    let corners = corners.map(|(y, x)| {
        let angle = y.atan2(x);
        Interval::point(if angle == 0.0 { least(y) } else { angle })
    });
    widened(corners.into_iter().fold(corners[0], Interval::hull), ELEMENTARY)
}

/// The remainder with the divisor's sign.
fn remainder(x: Interval, y: Interval) -> Interval {
    let nan = y.holds(0.0) || x.has_infinity();
    if y.low > 0.0 && x.low >= 0.0 && x.high < y.low {
        return Interval { nan: false, ..x };
    }
    Interval { low: y.low.min(0.0), high: y.high.max(0.0), nan }
}

/// `x ^ y` for Reals.
fn real_power(x: Interval, y: Interval) -> Interval {
    let whole = (y.low == y.high && y.low.fract() == 0.0).then_some(y.low);
    if let Some(n) = whole.filter(|n| n.abs() < 1e9) {
        return widened(power(x, n as i64), ELEMENTARY);
    }
    let nan = x.low < 0.0;
    let is_broken = y.low == y.high && y.low.is_finite() && y.low.fract() != 0.0;
    if x.high < 0.0 && x.low.is_finite() && is_broken {
        return Interval::EMPTY;
    }
    let base = Interval { low: x.low.max(0.0), high: x.high.max(-x.low).max(0.0), nan: false };
    let base = if x.low >= 0.0 { x } else { base };
    let corners = [(base.low, y.low), (base.low, y.high), (base.high, y.low), (base.high, y.high)];
    let corners = corners.map(|(x, y)| Interval::point(x.powf(y)));
    let mut found = corners.into_iter().fold(corners[0], Interval::hull);
    if base.low == 0.0 && y.holds(0.0) {
        found = Interval::hull(found, Interval::point(1.0));
    }
    if x.low < 0.0 && !is_broken {
        // A negative number to a whole power.
        found.low = found.low.min(-found.high);
    }
    if base.high > 0.0 && found.high == 0.0 {
        found.high = f64::from_bits(1);
    }
    Interval { nan, ..widened(found, ELEMENTARY) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PrimTy;

    /// Ends of intervals, among them edges of domains, places of largest values, and what is far away.
    const ENDS: [f64; 21] = [
        f64::NEG_INFINITY,
        -1e300,
        -750.0,
        -9.5,
        -3.0,
        -1.0,
        -0.7,
        -1e-9,
        0.0,
        1e-9,
        0.5,
        1.0,
        1.5,
        2.0,
        3.2,
        6.4,
        30.0,
        171.0,
        800.0,
        1e12,
        f64::INFINITY,
    ];
    const EXPONENTS: [i64; 7] = [-3, -2, 0, 1, 2, 3, 90];

    fn inside(x: Interval) -> Vec<f64> {
        let part = |share: f64| share.mul_add(x.high - x.low, x.low);
        let mut all: Vec<f64> = [0.13, 0.5, 0.77].map(part).into();
        all.retain(|part| part.is_finite());
        all.extend([x.low, x.high]);
        all
    }

    fn check(prim: Prim, args: &[Interval], numbers: &[f64], value: f64) {
        let found = prim.enclosure(args);
        let is_told = if value.is_nan() { found.nan } else { found.holds(value) };
        assert!(is_told, "{prim:?} {args:?} is {found:?}, but {value} at {numbers:?}");
    }

    #[test]
    fn every_primitive_is_within_its_interval() {
        let intervals: Vec<Interval> = (0..ENDS.len())
            .flat_map(|low| (low..ENDS.len()).map(move |high| (ENDS[low], ENDS[high])))
            .map(|(low, high)| Interval { low, high, nan: false })
            .collect();
        for prim in Prim::ALL {
            let Some(smooth) = prim.row().smooth() else { continue };
            for (at, x) in intervals.iter().enumerate() {
                match smooth.value {
                    RealFn::Real1(f) => {
                        for number in inside(*x) {
                            check(*prim, &[*x], &[number], f(number));
                        }
                    }
                    RealFn::Real2(f) => {
                        for y in intervals.iter().skip(at % 3).step_by(3) {
                            for (one, other) in
                                inside(*x).into_iter().zip(inside(*y).into_iter().rev())
                            {
                                check(*prim, &[*x, *y], &[one, other], f(one, other));
                            }
                            check(*prim, &[*x, *y], &[x.low, y.low], f(x.low, y.low));
                            check(*prim, &[*x, *y], &[x.high, y.high], f(x.high, y.high));
                        }
                    }
                    RealFn::RealInt(f) => {
                        for n in EXPONENTS {
                            for number in inside(*x) {
                                let args = [*x, Interval::point(n as f64)];
                                check(*prim, &args, &[number], f(number, n));
                            }
                        }
                    }
                    RealFn::IntReal(f) => {
                        assert_eq!(prim.row().params, [PrimTy::Int, PrimTy::Real]);
                        for n in [0, 1, 2, 3] {
                            for number in inside(*x) {
                                let args = [Interval::point(n as f64), *x];
                                check(*prim, &args, &[number], f(n, number));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_largest_values_of_waves_are_known() {
        let sine = |low, high| Prim::Sin.enclosure(&[Interval { low, high, nan: false }]);
        assert_eq!(sine(0.0, 2.0).high, 1.0);
        assert!(sine(0.0, 1.0).high < 0.85);
        assert_eq!(sine(4.0, 5.0).low, -1.0);
        assert_eq!(sine(0.0, 7.0), Interval { low: -1.0, high: 1.0, nan: false });
        assert!(sine(0.0, f64::INFINITY).nan);
    }
}
