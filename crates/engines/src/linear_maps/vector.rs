//! Vector spaces with a dot product (*Working notes*, section 2.2): Reals, tuples and vectors of them.
//!
//! [`Vector::Zero`] is the zero of every space, so `0 ⊙ x = 0` needs no shape and a structural zero is
//! never multiplied. A [`Vector::Sparse`] is zero outside the places it holds: reading one element of a
//! vector sends back one place, not a whole one-hot vector. Coordinates are [`Value`]s, so that an
//! enclosing differentiation can follow them; arithmetic goes through [`Arith`].

use std::collections::BTreeMap;

use pullback_eval::{Ctx, Fault, Value};

/// The arithmetic of coordinates.
pub trait Arith<K = Value> {
    /// `total + k * x`, or `k * x` where there is no total yet.
    fn add_product(&mut self, total: Option<&K>, k: &K, x: &K) -> Result<K, Fault>;
    /// `1`
    fn one(&self) -> K;
    /// An error if time or memory has run out; called every so often.
    fn tick(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Arith for Ctx {
    fn add_product(&mut self, total: Option<&Value>, k: &Value, x: &Value) -> Result<Value, Fault> {
        Ctx::add_product(self, total.unwrap_or(&Value::Unit), k, x)
    }
    fn one(&self) -> Value {
        Value::Real(1.0)
    }
    fn tick(&mut self) -> Result<(), Fault> {
        self.meter.check()
    }
}

/// An element of a vector space.
#[derive(Clone, Debug, Default)]
pub enum Vector<K = Value> {
    /// The zero of any space.
    #[default]
    Zero,
    /// A Real.
    Real(K),
    /// A tuple, record or array, part by part.
    Parts(Vec<Vector<K>>),
    /// Parts of which only some are not zero.
    Sparse(BTreeMap<u32, Vector<K>>),
}

impl<K: Clone> Vector<K> {
    /// Whether it is zero by construction.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Zero)
    }

    /// The vector that is `part` at `place` and zero elsewhere.
    pub fn one_hot(place: u32, part: Self) -> Self {
        if part.is_zero() { Self::Zero } else { Self::Sparse(BTreeMap::from([(place, part)])) }
    }

    /// Adds `other`.
    pub fn add(&mut self, arith: &mut dyn Arith<K>, other: Self) -> Result<(), Fault> {
        match (&mut *self, other) {
            (_, Self::Zero) => Ok(()),
            (Self::Zero, other) => {
                *self = other;
                Ok(())
            }
            (Self::Real(x), Self::Real(y)) => {
                *x = arith.add_product(Some(x), &arith.one(), &y)?;
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
    pub fn scaled(&self, arith: &mut dyn Arith<K>, k: &K) -> Result<Self, Fault> {
        Ok(match self {
            Self::Zero => Self::Zero,
            Self::Real(x) => Self::Real(arith.add_product(None, k, x)?),
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
        match self {
            Self::Parts(parts) => parts.get(place as usize).unwrap_or(&Self::Zero),
            Self::Sparse(parts) => parts.get(&place).unwrap_or(&Self::Zero),
            Self::Zero | Self::Real(_) => &Self::Zero,
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
}

fn unlike() -> Fault {
    Fault::internal("vectors of different spaces are added")
}
