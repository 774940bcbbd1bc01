//! Vector-space operations on tangents of data: zeros, sums, and the conversions between tangents of the IR and those
//! that programs see.
//!
//! Input: values, and the type of the tangent. Output: a tangent, or a fault if a program's tangent has another shape
//! than its value. Nothing here recurses, however deep data is.

mod convert;
mod plus;
mod types;
mod walk;

pub(super) use convert::{from_tangent, to_tangent};
pub(super) use plus::{add_into, plus};
pub(super) use types::{Types, zero_tag};

use pullback_machine::Meter;
use pullback_prim::Fault;

use super::value::{Items, Kind, Value};
use crate::ty::{Elem, Type};

/// The zero of a type of tangents, in the shape of a value.
pub(super) fn zero(
    like: &Value,
    ty: Type,
    types: &Types<'_>,
    meter: &Meter,
) -> Result<Value, Fault> {
    let element = match ty.elem {
        Elem::Real => Value::Real(0.0),
        Elem::Data(data) => Value::Tag(zero_tag(&types.datas[data])),
        Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => Value::Undef,
    };
    if !ty.is_array() {
        return Ok(element);
    }
    let Value::Array(array) = like else { return Ok(Value::Undef) };
    let kind = Kind::of(ty.elem);
    let items = if kind == Kind::Values {
        meter.reserve_elements(array.count(), kind.bytes())?;
        Items::Values(vec![element; array.count()])
    } else {
        Items::blank(kind, array.count(), meter)?
    };
    Ok(Value::array(array.shape().clone(), items))
}
