//! Partial derivatives at plain numbers: what engines need most often, without values in between.

use pullback_machine::Counts;
use pullback_prim::{Application, Class, Partials, Prim, RealFn, Smooth, Term};

use super::value::Value;

/// A primitive at plain numbers, of which one or both are followed at one level and no other.
pub struct Plain<'a> {
    /// What is kept of the derivative of each argument: none where it is not followed, or where the
    /// partial derivative by it is structurally zero.
    pub tangents: [Option<&'a Value>; 2],
    /// The partial derivatives by those arguments.
    pub partials: [f64; 2],
    /// Its value.
    pub result: f64,
}

impl<'a> Plain<'a> {
    /// A primitive of one Real of this level. `None` if an earlier level follows it, or if the
    /// primitive needs more than Reals.
    #[inline(always)]
    pub(super) fn unary(
        counts: &mut Counts,
        level: u64,
        smooth: &Smooth,
        x: &'a Value,
    ) -> Option<Self> {
        let (x, tangent) = number(level, x)?;
        let RealFn::Real1(f) = smooth.value else { return None };
        let plain = Self { tangents: [tangent, None], partials: [0.0; 2], result: f(x) };
        plain.with_partials(counts, smooth, [x, 0.0])
    }

    /// As [`Plain::unary`], for a primitive of two Reals.
    #[inline(always)]
    pub(super) fn binary(
        counts: &mut Counts,
        level: u64,
        smooth: &Smooth,
        x: &'a Value,
        y: &'a Value,
    ) -> Option<Self> {
        let (x, x_tangent) = number(level, x)?;
        let (y, y_tangent) = number(level, y)?;
        let RealFn::Real2(f) = smooth.value else { return None };
        let plain = Self { tangents: [x_tangent, y_tangent], partials: [0.0; 2], result: f(x, y) };
        plain.with_partials(counts, smooth, [x, y])
    }

    /// As [`Plain::unary`], for a primitive of a Real and an Int.
    #[inline]
    pub(super) fn power(
        counts: &mut Counts,
        level: u64,
        smooth: &Smooth,
        x: &'a Value,
        n: i64,
    ) -> Option<Self> {
        /// Up to here every Int is a Real too, so that partials can be computed with Reals.
        const EXACT: u64 = 1 << 53;
        let (x, tangent) = number(level, x)?;
        let RealFn::RealInt(f) = smooth.value else { return None };
        if n.unsigned_abs() > EXACT {
            return None;
        }
        let plain = Self { tangents: [tangent, None], partials: [0.0; 2], result: f(x, n) };
        plain.with_partials(counts, smooth, [x, n as f64])
    }

    #[inline(always)]
    fn with_partials(
        mut self,
        counts: &mut Counts,
        smooth: &Smooth,
        numbers: [f64; 2],
    ) -> Option<Self> {
        for index in 0..2 {
            if self.tangents[index].is_none() {
                continue;
            }
            // Most partials are a number that is there already.
            self.partials[index] = match &smooth.partials[index] {
                Some(Term::Real(x)) => *x,
                Some(Term::Arg(index)) => numbers[*index],
                Some(Term::Result) => self.result,
                Some(Term::Zero | Term::Int(_) | Term::Prim(..) | Term::If(..)) | None => {
                    return self.computed(counts, smooth, numbers);
                }
            };
        }
        Some(self)
    }

    /// With partial derivatives that take operations of their own.
    #[inline(never)]
    fn computed(mut self, counts: &mut Counts, smooth: &Smooth, numbers: [f64; 2]) -> Option<Self> {
        if let Some(code) = smooth.straight(self.tangents.map(|tangent| tangent.is_some())) {
            counts.derivative += code.operations;
            counts.surcharge += code.surcharge;
            for (at, partial) in code.partials(numbers, self.result).into_iter().enumerate() {
                match partial {
                    Some(x) => self.partials[at] = x,
                    None => self.tangents[at] = None,
                }
            }
            return Some(self);
        }
        let at = AtNumbers { args: numbers, result: self.result, counts: Counts::default() };
        let mut partials = Partials::new(smooth, at);
        for index in 0..2 {
            if self.tangents[index].is_none() {
                continue;
            }
            match partials.by(index) {
                Ok(None) => self.tangents[index] = None,
                Ok(Some(x)) => self.partials[index] = x,
                Err(NotOfReals) => return None,
            }
        }
        let Counts { derivative, surcharge, .. } = partials.application().counts;
        counts.derivative += derivative;
        counts.surcharge += surcharge;
        Some(self)
    }
}

/// A Real of this level without its derivative, and what is kept of that. `None` if an earlier level
/// follows it.
#[inline(always)]
fn number(level: u64, value: &Value) -> Option<(f64, Option<&Value>)> {
    if let Value::Real(x) = value {
        return Some((*x, None));
    }
    if let Value::Active(active) = value
        && active.level == level
        && let Value::Real(x) = active.primal
    {
        return Some((x, Some(&active.tangent)));
    }
    None
}

/// The value of a smooth primitive of Reals, or of a Real and an Int that is written as a Real.
#[inline]
fn value(smooth: &Smooth, args: &[f64]) -> Option<f64> {
    match (smooth.value, args) {
        (RealFn::Real2(f), [x, y, ..]) => Some(f(*x, *y)),
        (RealFn::Real1(f), [x, ..]) => Some(f(*x)),
        (RealFn::RealInt(f), [x, n, ..]) => Some(f(*x, *n as i64)),
        (RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_), _) => None,
    }
}

/// A term needs more than Reals.
struct NotOfReals;

/// A primitive at Reals; a truth is 1 or 0. Each primitive in its partial derivatives is counted.
struct AtNumbers {
    args: [f64; 2],
    result: f64,
    counts: Counts,
}

impl Application for AtNumbers {
    type Value = f64;
    type Fault = NotOfReals;

    #[inline]
    fn arg(&self, index: usize) -> f64 {
        self.args[index]
    }

    #[inline]
    fn result(&self) -> f64 {
        self.result
    }

    #[inline]
    fn real(&self, value: f64) -> f64 {
        value
    }

    #[inline]
    fn int(&self, value: i64) -> f64 {
        value as f64
    }

    #[inline]
    fn holds(&self, condition: &f64) -> bool {
        *condition != 0.0
    }

    #[inline]
    fn apply(&mut self, prim: Prim, args: &[f64]) -> Result<f64, NotOfReals> {
        self.counts.differentiate(prim);
        let number = match (&prim.row().class, args) {
            (Class::Smooth(smooth), _) => value(smooth, args),
            (Class::Discrete, [x, y]) => compare(prim, *x, *y).map(f64::from),
            (
                Class::Discrete | Class::Structural(_) | Class::Control | Class::Tell | Class::Fail,
                _,
            ) => None,
        };
        number.ok_or(NotOfReals)
    }
}

/// A comparison of Reals, or of Ints that are written as Reals.
#[inline]
pub(super) fn compare(prim: Prim, x: f64, y: f64) -> Option<bool> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the comparisons among all primitives")]
    Some(match prim {
        Prim::Lt => x < y,
        Prim::Le => x <= y,
        Prim::Gt => x > y,
        Prim::Ge => x >= y,
        Prim::Eq | Prim::IntEq => x == y,
        Prim::Ne => x != y,
        _ => return None,
    })
}

/// The value of a smooth primitive if nothing follows its arguments.
#[inline]
pub(super) fn smooth_value(function: RealFn, args: &[Value]) -> Option<f64> {
    match (function, args) {
        (RealFn::Real1(f), [Value::Real(x)]) => Some(f(*x)),
        (RealFn::Real2(f), [Value::Real(x), Value::Real(y)]) => Some(f(*x, *y)),
        (RealFn::RealInt(f), [Value::Real(x), Value::Int(n)]) => Some(f(*x, *n)),
        (RealFn::IntReal(f), [Value::Int(n), Value::Real(x)]) => Some(f(*n, *x)),
        (RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_), _) => None,
    }
}

/// Whether cutting off towards zero jumps here: not at zero, as the numbers around it all become 0.
pub(super) fn jumps(x: f64) -> bool {
    x != 0.0 && x.fract() == 0.0
}
