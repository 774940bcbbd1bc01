//! The space of a value: which of its parts are Reals, tuples and vectors. By it a flat list of Reals is an element of the space,
//! `1` is taken apart into the maps of the argument's Reals, and the maps of the result's Reals are put together.
//!
//! Law: `leaves(x, vector(x, rs)) = rs`; `vector` of the maps `selections` gives is the vector itself.
//! A sum is flat: its Reals are one tuple, however deep it is. So is a Real that is all there is.

use pullback_eval::{Fault, Value, walk};

use super::maps::{Map, Maps, Of, ZERO};
use super::vector::Vector;

/// The spaces of a value's parts.
enum Space {
    /// Of what holds no Real: a point.
    Point,
    Real,
    /// The parts of a tuple or array.
    Parts(Of, Vec<Value>),
    /// A tuple of so many Reals.
    Flat(usize),
}

impl Space {
    fn of(value: &Value) -> Self {
        if value.is_real() {
            return Self::Real;
        }
        let (of, parts) = match (value.as_tuple(), value.as_array()) {
            (Some(parts), _) => (Of::Tuple, parts.to_vec()),
            (None, Some(array)) if array.ints().is_none() => (Of::Vector, array.iter().collect()),
            (None, Some(_)) => return Self::Point,
            (None, None) => match count(value) {
                0 => return Self::Point,
                many => return Self::Flat(many),
            },
        };
        if parts.is_empty() { Self::Point } else { Self::Parts(of, parts) }
    }

    /// As [`Space::of`], where a lone Real is a tuple of one.
    fn whole(value: &Value) -> Self {
        if value.is_real() { Self::Flat(1) } else { Self::of(value) }
    }
}

/// How many Reals a value has.
pub(super) fn count(value: &Value) -> usize {
    let mut count = 0;
    walk::for_each_real(value, |_| count += 1);
    count
}

fn few() -> Fault {
    Fault::internal("a space has more Reals than were given")
}

/// The element of a value's space with these Reals, in order.
pub(super) fn vector(
    value: &Value,
    leaves: impl IntoIterator<Item = Value>,
) -> Result<Vector, Fault> {
    vector_of(Space::whole(value), &mut leaves.into_iter())
}

fn vector_of(space: Space, leaves: &mut dyn Iterator<Item = Value>) -> Result<Vector, Fault> {
    let mut real = || leaves.next().map(Vector::Real).ok_or_else(few);
    Ok(match space {
        Space::Point => Vector::Zero,
        Space::Real => real()?,
        Space::Flat(many) => Vector::Parts((0..many).map(|_| real()).collect::<Result<_, _>>()?),
        Space::Parts(_, parts) => {
            let parts = parts.iter().map(|part| vector_of(Space::of(part), leaves));
            Vector::Parts(parts.collect::<Result<_, _>>()?)
        }
    })
}

/// The Reals of an element of a value's space, in order.
pub(super) fn leaves(value: &Value, vector: &Vector) -> Vec<Value> {
    let mut found = vec![];
    leaves_of(Space::whole(value), vector, &mut found);
    found
}

fn leaves_of(space: Space, vector: &Vector, found: &mut Vec<Value>) {
    let zero = Value::Real(0.0);
    match space {
        Space::Point => {}
        Space::Real => found.push(if let Vector::Real(x) = vector { x.clone() } else { zero }),
        Space::Flat(many) => {
            (0..many as u32).for_each(|at| leaves_of(Space::Real, &vector.part(at), found));
        }
        Space::Parts(_, parts) => {
            for (at, part) in (0..).zip(&parts) {
                leaves_of(Space::of(part), vector.part_ref(at), found);
            }
        }
    }
}

/// The maps from the source of `whole` to the Reals of a value, in order, where `whole` goes to its space: `πᵢ ∘ πⱼ ∘ … ∘ whole`.
pub(super) fn selections(maps: &mut Maps, value: &Value, whole: Map) -> Result<Vec<Map>, Fault> {
    let mut found = vec![];
    select(maps, Space::whole(value), whole, &mut found)?;
    Ok(found)
}

fn select(maps: &mut Maps, space: Space, whole: Map, found: &mut Vec<Map>) -> Result<(), Fault> {
    match space {
        Space::Point => {}
        Space::Real => found.push(whole),
        Space::Flat(many) => {
            for at in 0..many {
                found.push(maps.part(Of::Tuple, at, many, whole)?);
            }
        }
        Space::Parts(of, parts) => {
            for (at, part) in parts.iter().enumerate() {
                if let Space::Point = Space::of(part) {
                    continue;
                }
                let whole = maps.part(of, at, parts.len(), whole)?;
                select(maps, Space::of(part), whole, found)?;
            }
        }
    }
    Ok(())
}

/// The map to the space of a value from the maps to its Reals, in order: `×` of tuples, `V` of vectors.
pub(super) fn joined(
    maps: &mut Maps,
    value: &Value,
    reals: impl IntoIterator<Item = Map>,
) -> Result<Map, Fault> {
    join(maps, Space::whole(value), &mut reals.into_iter())
}

fn join(maps: &mut Maps, space: Space, reals: &mut dyn Iterator<Item = Map>) -> Result<Map, Fault> {
    match space {
        Space::Point => Ok(ZERO),
        Space::Real => reals.next().ok_or_else(few),
        Space::Flat(many) => {
            let parts: Vec<Map> = reals.take(many).collect();
            maps.stacked(Of::Tuple, parts)
        }
        Space::Parts(of, parts) => {
            let parts: Result<_, Fault> =
                parts.iter().map(|part| join(maps, Space::of(part), reals)).collect();
            maps.stacked(of, parts?)
        }
    }
}
