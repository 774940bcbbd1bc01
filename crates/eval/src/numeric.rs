//! Partial derivatives at plain numbers: what engines need most often, without values in between.

use pullback_prim::{Class, MAX_SHARED, Prim, RealFn, Smooth, Term};

use super::counts::Counts;
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
        let mut partials = Partials::new(smooth, numbers, self.result);
        for (index, term) in smooth.partials.iter().enumerate() {
            if self.tangents[index].is_none() {
                continue;
            }
            match partials.get(term.as_ref()?) {
                Partial::Zero => self.tangents[index] = None,
                Partial::Number(x) => self.partials[index] = x,
                Partial::Unknown => return None,
            }
        }
        counts.add(partials.counts);
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

/// What a partial derivative is at plain numbers.
enum Partial {
    /// Structurally zero.
    Zero,
    /// A number.
    Number(f64),
    /// Not known here: the term needs more than Reals.
    Unknown,
}

/// The partial derivatives of one application of a primitive of Reals. What they share is computed
/// once, and each primitive in them is counted.
struct Partials<'a> {
    smooth: &'a Smooth,
    args: [f64; 2],
    result: f64,
    /// The values of the shared terms that have been asked for; a truth is 1 or 0.
    known: [Option<f64>; MAX_SHARED],
    /// What it took.
    counts: Counts,
}

impl<'a> Partials<'a> {
    /// At these arguments, with this result.
    #[inline]
    fn new(smooth: &'a Smooth, args: [f64; 2], result: f64) -> Self {
        Self { smooth, args, result, known: [None; MAX_SHARED], counts: Counts::default() }
    }

    /// One of them.
    #[inline]
    fn get(&mut self, term: &Term) -> Partial {
        match term {
            Term::Arg(index) => Partial::Number(self.args[*index]),
            Term::Real(x) => Partial::Number(*x),
            Term::Result => Partial::Number(self.result),
            Term::Zero => Partial::Zero,
            Term::Int(n) => Partial::Number(*n as f64),
            Term::Prim(prim, terms) => match self.prim(term, *prim, terms) {
                Some(x) => Partial::Number(x),
                None => Partial::Unknown,
            },
            Term::If(cond, then, other) => {
                let Term::Prim(prim, sides) = cond else { return Partial::Unknown };
                match self.prim(cond, *prim, sides) {
                    Some(truth) => self.get(if truth == 0.0 { other } else { then }),
                    None => Partial::Unknown,
                }
            }
        }
    }

    fn prim(&mut self, term: &Term, prim: Prim, terms: &[Term]) -> Option<f64> {
        // Most rows share nothing, and comparing terms is dearer than what they say.
        let shared = self.smooth.shared;
        if shared.is_empty() {
            return self.number(prim, terms);
        }
        let slot = shared.iter().position(|shared| shared == term);
        if let Some(known) = slot.and_then(|slot| self.known[slot]) {
            return Some(known);
        }
        let number = self.number(prim, terms);
        if let Some(slot) = slot {
            self.known[slot] = number;
        }
        number
    }

    fn number(&mut self, prim: Prim, terms: &[Term]) -> Option<f64> {
        let mut values = [0.0; 2];
        for (slot, term) in values.iter_mut().zip(terms) {
            let Partial::Number(x) = self.get(term) else { return None };
            *slot = x;
        }
        self.counts.differentiate(prim);
        match &prim.row().class {
            Class::Smooth(smooth) => value(smooth, &values),
            Class::Discrete => compare(prim, values[0], values[1]).map(f64::from),
            Class::Structural(_) | Class::Control | Class::Fail => None,
        }
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
