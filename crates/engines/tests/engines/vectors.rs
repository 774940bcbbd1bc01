//! Vectors of plain numbers, and maps applied to them with a count of the operations.

use std::rc::Rc;

use pullback_engines::linear_maps::apply::Run;
use pullback_engines::linear_maps::maps::{Map, Maps};
use pullback_engines::linear_maps::vector::{Arith, Vector};
use pullback_eval::{Fault, Value};

/// Plain numbers, counting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plain {
    /// Multiplications with the addition that follows, so far.
    pub(crate) operations: u64,
}

impl Arith for Plain {
    fn add_product(&mut self, total: Option<&Value>, k: &Value, x: &Value) -> Result<Value, Fault> {
        self.operations += 1;
        let product = number(k) * number(x);
        Ok(Value::Real(total.map_or(product, |total| number(total) + product)))
    }
    fn one(&self) -> Value {
        Value::Real(1.0)
    }
}

fn number(value: &Value) -> f64 {
    value.as_real().expect("a Real")
}

/// `map ⊙ x`, for maps that ask for nothing.
pub(crate) fn apply(
    plain: &mut Plain,
    maps: &Rc<Maps>,
    map: Map,
    x: Vector,
) -> Result<Vector, Fault> {
    Run::forward(maps.clone(), map, x).result(plain)
}

/// `r ⊙ᴿ map`, for maps that ask for nothing.
pub(crate) fn apply_reverse(
    plain: &mut Plain,
    r: Vector,
    maps: &Rc<Maps>,
    map: Map,
) -> Result<Vector, Fault> {
    Run::reverse(maps.clone(), map, r).result(plain)
}

/// A Real.
pub(crate) fn real(x: f64) -> Vector {
    Vector::Real(Value::Real(x))
}

/// What tests ask of vectors.
pub(crate) trait Numbers: Sized {
    /// The dot product.
    fn dot(&self, other: &Self) -> f64;
    /// The coordinates in a space of the shape of `space`, one after the other.
    fn coordinates(&self, space: &Self) -> Vec<f64>;
    /// The unit vectors of a space of this shape.
    fn basis(&self) -> Vec<Self>;
}

impl Numbers for Vector {
    fn dot(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Real(x), Self::Real(y)) => number(x) * number(y),
            (Self::Sparse(xs), ys) => xs.iter().map(|(place, x)| x.dot(&ys.part(*place))).sum(),
            (xs, Self::Sparse(ys)) => ys.iter().map(|(place, y)| xs.part(*place).dot(y)).sum(),
            (Self::Parts(xs), Self::Parts(ys)) => xs.iter().zip(ys).map(|(x, y)| x.dot(y)).sum(),
            _ => 0.0,
        }
    }

    fn coordinates(&self, space: &Self) -> Vec<f64> {
        match space {
            Self::Real(_) => vec![if let Self::Real(x) = self { number(x) } else { 0.0 }],
            Self::Parts(parts) => (0..)
                .zip(parts)
                .flat_map(|(place, part)| self.part(place).coordinates(part))
                .collect(),
            Self::Zero | Self::Sparse(_) => vec![],
        }
    }

    fn basis(&self) -> Vec<Self> {
        match self {
            Self::Real(_) => vec![real(1.0)],
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
