//! Taylor jets: truncated power series in one variable `t`, so that evaluating `f (x + t v)` gives all
//! derivatives of `f` along `v` up to the order at once.
//!
//! Arithmetic is that of power series. Elementary functions follow the differential equation or the
//! integral that defines them (`y' = a' y` for `exp`, the integral of `a' / (1 + a^2)` for `atan`), as
//! recurrences between coefficients; they share nothing with the primitive table. Coefficients are
//! binary64 or exact fractions; the latter know only what fractions know.
//! Kinks follow the language's conventions: a tie of `max` takes the mean, `abs` at zero is flat.

use std::cmp::Ordering;

use crate::scalar::{Binary, Scalar, Unary, square_and_multiply};
use crate::special::{self, Series};
use crate::{Error, ErrorKind, Rational};

/// A coefficient of a power series.
pub trait Coefficient: Scalar + PartialEq {
    /// `self + other`
    fn plus(&self, other: &Self) -> Self;
    /// `self - other`
    fn minus(&self, other: &Self) -> Self;
    /// `self * other`
    fn times(&self, other: &Self) -> Self;
    /// `self / other`
    fn over(&self, other: &Self) -> Result<Self, Error>;
    /// A function that needs more than arithmetic, for coefficients that have it.
    fn special(op: Special, x: &Jet<Self>) -> Result<Jet<Self>, Error>;
}

/// A function that power series get from an asymptotic series.
#[derive(Clone, Copy, Debug)]
pub enum Special {
    /// `log |gamma x|`
    Lgamma,
    /// Its derivative.
    Digamma,
    /// The derivatives of that.
    Polygamma(i64),
}

/// A power series, cut off behind `t^order`.
#[derive(Clone, Debug)]
pub struct Jet<C> {
    /// How far it is known; constants are known to any order.
    order: usize,
    /// Its coefficients, at least one; those left out are zero.
    coefficients: Vec<C>,
}

impl<C: Coefficient> Jet<C> {
    /// The series `start + slope * t`.
    pub fn line(start: C, slope: C, order: usize) -> Self {
        Self { order, coefficients: if order == 0 { vec![start] } else { vec![start, slope] } }
    }

    /// The coefficient of `t^k`.
    pub fn coefficient(&self, k: usize) -> C {
        self.coefficients.get(k).cloned().unwrap_or_else(|| C::from_int(0))
    }

    /// A constant series.
    pub fn constant(x: C) -> Self {
        Self { order: usize::MAX, coefficients: vec![x] }
    }

    fn is_constant(&self) -> bool {
        self.coefficients.len() == 1
    }

    fn start(&self) -> &C {
        &self.coefficients[0]
    }

    fn known_with(&self, other: &Self) -> usize {
        self.order.min(other.order)
    }

    fn map(&self, f: impl Fn(&C) -> C) -> Self {
        Self { order: self.order, coefficients: self.coefficients.iter().map(f).collect() }
    }

    fn zip(&self, other: &Self, f: impl Fn(&C, &C) -> C) -> Self {
        let length = self.coefficients.len().max(other.coefficients.len());
        let coefficients =
            (0..length).map(|k| f(&self.coefficient(k), &other.coefficient(k))).collect();
        Self { order: self.known_with(other), coefficients }
    }

    fn plus(&self, other: &Self) -> Self {
        self.zip(other, C::plus)
    }

    fn minus(&self, other: &Self) -> Self {
        self.zip(other, C::minus)
    }

    fn times(&self, other: &Self) -> Self {
        if other.is_constant() {
            let mut product = self.map(|x| x.times(other.start()));
            product.order = self.known_with(other);
            return product;
        }
        if self.is_constant() {
            return other.times(self);
        }
        let order = self.known_with(other);
        let longest = self.coefficients.len() + other.coefficients.len() - 1;
        let length = longest.min(order.saturating_add(1));
        let coefficients = (0..length).map(|k| self.convolve(other, k, 0)).collect();
        Self { order, coefficients }
    }

    /// The sum of `self[j] * other[k - j]` over `from ≤ j ≤ k`.
    fn convolve(&self, other: &Self, k: usize, from: usize) -> C {
        let mut sum = C::from_int(0);
        for j in from..=k {
            // A coefficient beyond a series' end is structurally zero and must not meet an infinity.
            if let (Some(a), Some(b)) = (self.coefficients.get(j), other.coefficients.get(k - j)) {
                sum = sum.plus(&a.times(b));
            }
        }
        sum
    }

    fn over(&self, other: &Self) -> Result<Self, Error> {
        if other.is_constant() {
            let mut quotient = self.clone();
            for x in &mut quotient.coefficients {
                *x = x.over(other.start())?;
            }
            quotient.order = self.known_with(other);
            return Ok(quotient);
        }
        let order = self.known_with(other);
        let mut quotient = Self { order, coefficients: Vec::with_capacity(order + 1) };
        for k in 0..=order {
            let carried = other.convolve(&quotient, k, 1);
            quotient.coefficients.push(self.coefficient(k).minus(&carried).over(other.start())?);
        }
        Ok(quotient)
    }

    /// The series of the derivative by `t`.
    fn slope(&self) -> Self {
        let mut coefficients: Vec<C> = (1..self.coefficients.len())
            .map(|k| self.coefficients[k].times(&C::from_int(k as i64)))
            .collect();
        if coefficients.is_empty() {
            coefficients.push(C::from_int(0));
        }
        Self { order: self.order.saturating_sub(1), coefficients }
    }

    /// The series with this derivative and this start.
    fn integral(slope: &Self, start: C, order: usize) -> Result<Self, Error> {
        let mut coefficients = vec![start];
        for k in 1..=order.min(slope.coefficients.len()) {
            coefficients.push(slope.coefficients[k - 1].over(&C::from_int(k as i64))?);
        }
        Ok(Self { order, coefficients })
    }

    fn apply_at_start(&self, op: Unary) -> Result<C, Error> {
        C::unary(op, self.start())
    }

    /// `y' = a' y`
    fn exp(&self, start: C) -> Result<Self, Error> {
        let slope = self.slope();
        let mut y = Self { order: self.order, coefficients: vec![start] };
        for k in 1..=self.order {
            let next = slope.convolve(&y, k - 1, 0).over(&C::from_int(k as i64))?;
            y.coefficients.push(next);
        }
        Ok(y)
    }

    /// `s' = a' c`, `c' = sign * a' s`: sine and cosine, or their hyperbolic kin.
    fn circular(&self, sin: Unary, cos: Unary, sign: i64) -> Result<(Self, Self), Error> {
        let slope = self.slope();
        let mut s = Self { order: self.order, coefficients: vec![self.apply_at_start(sin)?] };
        let mut c = Self { order: self.order, coefficients: vec![self.apply_at_start(cos)?] };
        for k in 1..=self.order {
            let divisor = C::from_int(k as i64);
            let next_s = slope.convolve(&c, k - 1, 0).over(&divisor)?;
            let next_c = slope.convolve(&s, k - 1, 0).times(&C::from_int(sign)).over(&divisor)?;
            s.coefficients.push(next_s);
            c.coefficients.push(next_c);
        }
        Ok((s, c))
    }

    /// The integral of `a' / below`.
    fn integral_over(&self, below: &Self, start: C) -> Result<Self, Error> {
        Self::integral(&self.slope().over(below)?, start, self.order)
    }

    /// `a y' = r a' y`: the power with a constant exponent.
    fn constant_power(&self, exponent: &C, start: C) -> Result<Self, Error> {
        let mut y = Self { order: self.order, coefficients: vec![start] };
        for k in 1..=self.order {
            let mut sum = C::from_int(0);
            for j in 1..=k.min(self.coefficients.len() - 1) {
                let weight =
                    exponent.times(&C::from_int(j as i64)).minus(&C::from_int((k - j) as i64));
                sum = sum.plus(&weight.times(&self.coefficients[j]).times(&y.coefficients[k - j]));
            }
            let below = self.start().times(&C::from_int(k as i64));
            y.coefficients.push(sum.over(&below)?);
        }
        Ok(y)
    }

    fn int_power(&self, n: i64) -> Result<Self, Error> {
        let one = Self::constant(C::from_int(1));
        let product = square_and_multiply(self, n.unsigned_abs(), &one, Self::times);
        if n < 0 { one.over(&product) } else { Ok(product) }
    }

    fn power(&self, exponent: &Self) -> Result<Self, Error> {
        let start = C::binary(Binary::Pow, self.start(), exponent.start())?;
        if !exponent.is_constant() {
            let mut y = exponent.times(&self.log()?).exp(start.clone())?;
            y.coefficients[0] = start;
            return Ok(y);
        }
        let r = exponent.start().real_part();
        if r == r.trunc() && r.abs() <= 64.0 {
            return self.int_power(r as i64);
        }
        self.constant_power(exponent.start(), start)
    }

    fn log(&self) -> Result<Self, Error> {
        self.integral_over(self, self.apply_at_start(Unary::Log)?)
    }

    fn sqrt(&self) -> Result<Self, Error> {
        let half = C::from_int(1).over(&C::from_int(2))?;
        self.constant_power(&half, self.apply_at_start(Unary::Sqrt)?)
    }

    fn one_plus(&self) -> Self {
        self.plus(&Self::constant(C::from_int(1)))
    }

    fn one_minus(&self) -> Self {
        Self::constant(C::from_int(1)).minus(self)
    }

    /// `1 - a^2`, accurate near `a = 1` as well as near `a = 0`.
    fn one_minus_square(&self) -> Self {
        if self.start().real_part().abs() < 0.5 {
            return self.times(self).one_minus();
        }
        self.one_minus().times(&self.one_plus())
    }

    fn negated(&self) -> Self {
        self.map(|x| x.times(&C::from_int(-1)))
    }

    /// The integral of `2/sqrt pi * exp (-a^2) a'`, up to `sign`.
    fn erf(&self, sign: f64, start: C) -> Result<Self, Error> {
        let square = self.times(self).negated();
        let bell = square.exp(C::unary(Unary::Exp, square.start())?)?;
        let factor = Self::constant(C::from_f64(sign * std::f64::consts::FRAC_2_SQRT_PI));
        Self::integral(&self.slope().times(&bell).times(&factor), start, self.order)
    }

    /// `exp (-|a|)`, which never overflows.
    fn tail(&self) -> Result<Self, Error> {
        let falling = if self.start().real_part() >= 0.0 { self.negated() } else { self.clone() };
        falling.exp(C::unary(Unary::Exp, falling.start())?)
    }

    fn sigmoid(&self) -> Result<Self, Error> {
        let tail = self.tail()?;
        let above = if self.start().real_part() >= 0.0 {
            Self::constant(C::from_int(1))
        } else {
            tail.clone()
        };
        above.over(&tail.one_plus())
    }

    fn softplus(&self) -> Result<Self, Error> {
        let rest = self.tail()?.log1p()?;
        Ok(if self.start().real_part() >= 0.0 { self.plus(&rest) } else { rest })
    }

    fn log1p(&self) -> Result<Self, Error> {
        self.integral_over(&self.one_plus(), self.apply_at_start(Unary::Log1p)?)
    }

    fn scaled(&self, by: f64) -> Self {
        self.map(|x| x.times(&C::from_f64(by)))
    }

    fn hypot(&self, other: &Self) -> Result<Self, Error> {
        let size = self.start().real_part().abs().max(other.start().real_part().abs());
        if size == 0.0 {
            return Ok(Self { order: self.known_with(other), ..Self::constant(C::from_int(0)) });
        }
        let scale = crate::complex::power_of_two_near(size);
        let (x, y) = (self.scaled(1.0 / scale), other.scaled(1.0 / scale));
        Ok(x.times(&x).plus(&y.times(&y)).sqrt()?.scaled(scale))
    }

    /// `(x y' - y x') / (x^2 + y^2)`, the angle swept by a moving point.
    fn atan2(&self, x: &Self) -> Result<Self, Error> {
        let start = C::binary(Binary::Atan2, self.start(), x.start())?;
        let swept = x.times(&self.slope()).minus(&self.times(&x.slope()));
        let square = x.times(x).plus(&self.times(self));
        Self::integral(&swept.over(&square)?, start, self.known_with(x))
    }

    /// `x - n y` for the whole number n of times that y goes into x, which does not change nearby.
    fn remainder(&self, other: &Self) -> Result<Self, Error> {
        let start = C::binary(Binary::Rem, self.start(), other.start())?;
        let times = C::unary(Unary::Round, &self.start().minus(&start).over(other.start())?)?;
        let multiple = if other.is_constant() {
            Self::constant(C::from_int(0))
        } else {
            other.map(|y| y.times(&times))
        };
        let mut rest = self.minus(&multiple);
        rest.coefficients[0] = start;
        Ok(rest)
    }

    fn choose(&self, other: &Self, wanted: Ordering) -> Result<Self, Error> {
        let half = C::from_int(1).over(&C::from_int(2))?;
        Ok(match self.start().compare(other.start()) {
            Some(Ordering::Equal) => self.plus(other).map(|x| x.times(&half)),
            Some(order) if order == wanted => self.clone(),
            Some(_) => other.clone(),
            None => self.plus(other).map(|_| C::from_f64(f64::NAN)),
        })
    }
}

impl<C: Coefficient> Scalar for Jet<C> {
    fn from_f64(x: f64) -> Self {
        Self::constant(C::from_f64(x))
    }

    fn from_int(n: i64) -> Self {
        Self::constant(C::from_int(n))
    }

    fn real_part(&self) -> f64 {
        self.start().real_part()
    }

    fn held(&self) -> Self {
        Self::constant(self.start().held())
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        self.start().compare(other.start())
    }

    fn to_int(&self) -> Option<i64> {
        self.start().to_int()
    }

    #[rustfmt::skip]
    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        if x.is_constant() {
            return Ok(Self { order: x.order, coefficients: vec![C::unary(op, x.start())?] });
        }
        let start = || C::unary(op, x.start());
        match op {
            Unary::Neg => Ok(x.negated()),
            Unary::Abs => Ok(match x.start().compare(&C::from_int(0)) {
                Some(Ordering::Greater) => x.clone(),
                Some(Ordering::Less) => x.negated(),
                Some(Ordering::Equal) | None => Self::constant(start()?),
            }),
            Unary::Signum | Unary::Floor | Unary::Ceil | Unary::Round => Ok(Self::constant(start()?)),
            Unary::Sqrt => x.sqrt(),
            Unary::Cbrt => x.constant_power(&C::from_int(1).over(&C::from_int(3))?, start()?),
            Unary::Exp => x.exp(start()?),
            Unary::Expm1 => {
                let mut y = x.exp(x.apply_at_start(Unary::Exp)?)?;
                y.coefficients[0] = start()?;
                Ok(y)
            }
            Unary::Log => x.log(),
            Unary::Log1p => x.log1p(),
            Unary::Sin => Ok(x.circular(Unary::Sin, Unary::Cos, -1)?.0),
            Unary::Cos => Ok(x.circular(Unary::Sin, Unary::Cos, -1)?.1),
            Unary::Tan => {
                let (s, c) = x.circular(Unary::Sin, Unary::Cos, -1)?;
                s.over(&c)
            }
            Unary::Asin => x.integral_over(&x.one_minus_square().sqrt()?, start()?),
            Unary::Acos => x.negated().integral_over(&x.one_minus_square().sqrt()?, start()?),
            Unary::Atan => x.integral_over(&x.times(x).one_plus(), start()?),
            Unary::Sinh => Ok(x.circular(Unary::Sinh, Unary::Cosh, 1)?.0),
            Unary::Cosh => Ok(x.circular(Unary::Sinh, Unary::Cosh, 1)?.1),
            Unary::Tanh => {
                if x.start().real_part().abs() < 10.0 {
                    let (sinh, cosh) = x.circular(Unary::Sinh, Unary::Cosh, 1)?;
                    return sinh.over(&cosh);
                }
                // tanh x = 1 - 2 / (exp 2x + 1), from the side where nothing overflows.
                let tail = x.scaled(2.0).tail()?;
                let above = tail.scaled(2.0);
                let y = above.over(&tail.one_plus())?.one_minus();
                let mut y = if x.start().real_part() >= 0.0 { y } else { y.negated() };
                y.coefficients[0] = start()?;
                Ok(y)
            }
            Unary::Sech2 => {
                if x.start().real_part().abs() < 10.0 {
                    let (_, cosh) = x.circular(Unary::Sinh, Unary::Cosh, 1)?;
                    return Self::constant(C::from_int(1)).over(&cosh.times(&cosh));
                }
                // 4 exp 2x / (1 + exp 2x)^2, from the side where nothing overflows.
                let tail = x.scaled(2.0).tail()?;
                let below = tail.one_plus();
                tail.scaled(4.0).over(&below.times(&below))
            }
            Unary::Asinh => x.integral_over(&x.hypot(&Self::constant(C::from_int(1)))?, start()?),
            Unary::Acosh => {
                let low = x.minus(&Self::constant(C::from_int(1))).sqrt()?;
                x.integral_over(&low.times(&x.one_plus().sqrt()?), start()?)
            }
            Unary::Atanh => x.integral_over(&x.one_minus_square(), start()?),
            Unary::Erf => x.erf(1.0, start()?),
            Unary::Erfc => x.erf(-1.0, start()?),
            Unary::Lgamma => C::special(Special::Lgamma, x),
            Unary::Digamma => C::special(Special::Digamma, x),
            Unary::Sigmoid => x.sigmoid(),
            Unary::Softplus => x.softplus(),
        }
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        if x.is_constant() && y.is_constant() {
            let value = C::binary(op, x.start(), y.start())?;
            return Ok(Self { order: x.known_with(y), coefficients: vec![value] });
        }
        match op {
            Binary::Add => Ok(x.plus(y)),
            Binary::Sub => Ok(x.minus(y)),
            Binary::Mul => Ok(x.times(y)),
            Binary::Div => x.over(y),
            Binary::Rem => x.remainder(y),
            Binary::Pow => x.power(y),
            Binary::Max => x.choose(y, Ordering::Greater),
            Binary::Min => x.choose(y, Ordering::Less),
            Binary::Atan2 => x.atan2(y),
            Binary::Hypot => x.hypot(y),
            Binary::Xlogy => Ok(x.times(&y.log()?)),
        }
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        x.int_power(n)
    }

    fn polygamma(n: i64, x: &Self) -> Result<Self, Error> {
        if x.is_constant() {
            return Ok(Self { order: x.order, coefficients: vec![C::polygamma(n, x.start())?] });
        }
        C::special(Special::Polygamma(n), x)
    }
}

impl Coefficient for f64 {
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn over(&self, other: &Self) -> Result<Self, Error> {
        Ok(self / other)
    }
    fn special(op: Special, x: &Jet<Self>) -> Result<Jet<Self>, Error> {
        Ok(match op {
            Special::Lgamma => special::lgamma(x),
            Special::Digamma => special::digamma(x),
            Special::Polygamma(n) => special::polygamma(n, x),
        })
    }
}

impl Series for Jet<f64> {
    fn constant(x: f64) -> Self {
        Self::constant(x)
    }
    fn re(&self) -> f64 {
        *self.start()
    }
    fn add(&self, other: &Self) -> Self {
        self.plus(other)
    }
    fn mul(&self, other: &Self) -> Self {
        self.times(other)
    }
    fn div(&self, other: &Self) -> Self {
        self.over(other).unwrap_or_else(|_| Self::constant(f64::NAN))
    }
    fn log(&self) -> Self {
        Jet::log(self).unwrap_or_else(|_| Self::constant(f64::NAN))
    }
}

impl Coefficient for Rational {
    fn plus(&self, other: &Self) -> Self {
        Rational::plus(self, other)
    }
    fn minus(&self, other: &Self) -> Self {
        Rational::minus(self, other)
    }
    fn times(&self, other: &Self) -> Self {
        Rational::times(self, other)
    }
    fn over(&self, other: &Self) -> Result<Self, Error> {
        Self::binary(Binary::Div, self, other)
    }
    fn special(op: Special, _: &Jet<Self>) -> Result<Jet<Self>, Error> {
        Err(Error::new(ErrorKind::Unsupported, format!("{op:?} of a fraction")))
    }
}
