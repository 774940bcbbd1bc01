//! Vector spaces with a dot product (*Working notes*, section 2.2): Reals, tuples and vectors of them.
//!
//! [`Vector::Zero`] is the zero of every space, so `0 ⊙ x = 0` needs no shape and a structural zero is
//! never multiplied. A [`Vector::Sparse`] is zero outside the places it holds: reading one element of a
//! vector sends back one place, not a whole one-hot vector. Coordinates are [`Value`]s, so that an
//! enclosing differentiation can follow them; arithmetic goes through [`Arith`].

use std::collections::BTreeMap;

use pullback_base::bug;
use pullback_eval::{Ctx, Fault, Value};

/// The arithmetic of coordinates.
pub trait Arith {
    /// `total + k * x`, where `()` as the total is the structural zero.
    fn add_product(&mut self, total: &Value, k: &Value, x: &Value) -> Result<Value, Fault>;
    /// An error if time or memory has run out; called every so often.
    fn tick(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Arith for Ctx {
    fn add_product(&mut self, total: &Value, k: &Value, x: &Value) -> Result<Value, Fault> {
        Ctx::add_product(self, total, k, x)
    }
    fn tick(&mut self) -> Result<(), Fault> {
        self.meter.check()
    }
}

/// Plain numbers, counting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain {
    /// Multiplications with the addition that follows, so far.
    pub operations: u64,
}

impl Arith for Plain {
    fn add_product(&mut self, total: &Value, k: &Value, x: &Value) -> Result<Value, Fault> {
        self.operations += 1;
        let (Some(k), Some(x)) = (k.as_real(), x.as_real()) else {
            return Err(Fault::internal("a coordinate is no Real"));
        };
        Ok(Value::Real(total.as_real().map_or(k * x, |total| total + k * x)))
    }
}

/// The factor of an addition.
pub(super) const UNIT_FACTOR: Value = Value::Real(1.0);

/// An element of a vector space.
#[derive(Clone, Debug, Default)]
pub enum Vector {
    /// The zero of any space.
    #[default]
    Zero,
    /// A Real.
    Real(Value),
    /// A tuple, record or array, part by part.
    Parts(Vec<Vector>),
    /// Parts of which only some are not zero.
    Sparse(BTreeMap<u32, Vector>),
}

impl Vector {
    /// A Real.
    pub fn real(x: f64) -> Self {
        Self::Real(Value::Real(x))
    }

    /// Whether it is zero by construction.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Zero)
    }

    /// The vector that is `part` at `place` and zero elsewhere.
    pub fn one_hot(place: u32, part: Self) -> Self {
        if part.is_zero() { Self::Zero } else { Self::Sparse(BTreeMap::from([(place, part)])) }
    }

    /// Adds `other`.
    pub fn add(&mut self, arith: &mut dyn Arith, other: Self) -> Result<(), Fault> {
        match (&mut *self, other) {
            (_, Self::Zero) => Ok(()),
            (Self::Zero, other) => {
                *self = other;
                Ok(())
            }
            (Self::Real(x), Self::Real(y)) => {
                *x = arith.add_product(x, &UNIT_FACTOR, &y)?;
                Ok(())
            }
            (Self::Parts(xs), Self::Parts(ys)) => {
                xs.iter_mut().zip(ys).try_for_each(|(x, y)| x.add(arith, y))
            }
            (Self::Parts(xs), Self::Sparse(ys)) => ys.into_iter().try_for_each(|(place, y)| {
                xs.get_mut(place as usize).map_or(Ok(()), |x| x.add(arith, y))
            }),
            (Self::Sparse(xs), Self::Sparse(mut ys)) => {
                // The smaller goes into the larger: what is sent back place by place adds up in
                // time proportional to the number of places.
                if xs.len() < ys.len() {
                    std::mem::swap(xs, &mut ys);
                }
                ys.into_iter().try_for_each(|(place, y)| xs.entry(place).or_default().add(arith, y))
            }
            (Self::Sparse(_), mut other @ Self::Parts(_)) => {
                let sparse = std::mem::take(self);
                other.add(arith, sparse)?;
                *self = other;
                Ok(())
            }
            (Self::Real(_), Self::Parts(_) | Self::Sparse(_))
            | (Self::Parts(_) | Self::Sparse(_), Self::Real(_)) => Err(unlike()),
        }
    }

    /// `k * self`
    pub fn scaled(&self, arith: &mut dyn Arith, k: &Value) -> Result<Self, Fault> {
        Ok(match self {
            Self::Zero => Self::Zero,
            Self::Real(x) => Self::Real(arith.add_product(&Value::Unit, k, x)?),
            Self::Parts(parts) => {
                let parts: Result<_, Fault> =
                    parts.iter().map(|part| part.scaled(arith, k)).collect();
                Self::Parts(parts?)
            }
            Self::Sparse(parts) => {
                let part = |(place, part): (&u32, &Self)| Ok((*place, part.scaled(arith, k)?));
                Self::Sparse(parts.iter().map(part).collect::<Result<_, Fault>>()?)
            }
        })
    }

    /// The part at `place`.
    pub fn part(&self, place: u32) -> Self {
        self.part_ref(place).clone()
    }

    /// The part at `place`, where it stands.
    pub fn part_ref(&self, place: u32) -> &Self {
        const ZERO: &Vector = &Vector::Zero;
        match self {
            Self::Parts(parts) => parts.get(place as usize).unwrap_or(ZERO),
            Self::Sparse(parts) => parts.get(&place).unwrap_or(ZERO),
            Self::Zero | Self::Real(_) => ZERO,
        }
    }

    /// The same vector with another part at `place`.
    #[must_use]
    pub fn with_part(mut self, place: u32, part: Self) -> Self {
        match &mut self {
            Self::Parts(parts) => {
                if let Some(slot) = parts.get_mut(place as usize) {
                    *slot = part;
                }
                self
            }
            Self::Sparse(parts) => {
                parts.insert(place, part);
                self
            }
            Self::Zero | Self::Real(_) => Self::one_hot(place, part),
        }
    }

    /// The parts that may be other than zero, with their places.
    pub fn into_parts(self) -> Vec<(u32, Self)> {
        match self {
            Self::Parts(parts) => (0..).zip(parts).collect(),
            Self::Sparse(parts) => parts.into_iter().collect(),
            Self::Zero | Self::Real(_) => vec![],
        }
    }

    /// The dot product of plain vectors.
    pub fn dot(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Zero, _) | (_, Self::Zero) => 0.0,
            (Self::Real(x), Self::Real(y)) => number(x) * number(y),
            (Self::Sparse(xs), ys) => xs.iter().map(|(place, x)| x.dot(&ys.part(*place))).sum(),
            (xs, Self::Sparse(ys)) => ys.iter().map(|(place, y)| xs.part(*place).dot(y)).sum(),
            (Self::Parts(xs), Self::Parts(ys)) => xs.iter().zip(ys).map(|(x, y)| x.dot(y)).sum(),
            (Self::Real(_), Self::Parts(_)) | (Self::Parts(_), Self::Real(_)) => 0.0,
        }
    }

    /// Its coordinates in a space of the shape of `space`, one after the other.
    pub fn coordinates(&self, space: &Self) -> Vec<f64> {
        match space {
            Self::Real(_) => vec![if let Self::Real(x) = self { number(x) } else { 0.0 }],
            Self::Parts(parts) => (0..)
                .zip(parts)
                .flat_map(|(place, part)| self.part(place).coordinates(part))
                .collect(),
            Self::Zero | Self::Sparse(_) => vec![],
        }
    }

    /// The unit vectors of a space of the shape of `self`.
    pub fn basis(&self) -> Vec<Self> {
        match self {
            Self::Real(_) => vec![Self::real(1.0)],
            Self::Parts(parts) => (0..)
                .zip(parts)
                .flat_map(|(place, part)| {
                    part.basis().into_iter().map(move |unit| Self::one_hot(place, unit))
                })
                .collect(),
            Self::Zero | Self::Sparse(_) => vec![],
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_real().unwrap_or_else(|| bug("linear-maps", "a Real"))
}

fn unlike() -> Fault {
    Fault::internal("vectors of different spaces are added")
}
