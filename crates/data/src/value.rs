//! Looking at values: one view for everything that prints, compares or takes them apart.

use pullback_eval::{Array, Value};

use crate::bug::bug;

/// What a value is. Reals are seen without the derivatives that may be attached to them.
pub enum View<'v> {
    /// A Bool.
    Bool(bool),
    /// An Int.
    Int(i64),
    /// A Real.
    Real(f64),
    /// A String.
    Str(&'v str),
    /// A tuple or record.
    Tuple(&'v [Value]),
    /// A constructor's position and its fields.
    Data(usize, &'v [Value]),
    /// An array.
    Array(&'v Array),
    /// A function.
    Fun,
}

/// Looks at a value.
pub fn view(value: &Value) -> View<'_> {
    match value {
        Value::Bool(truth) => View::Bool(*truth),
        Value::Int(int) => View::Int(*int),
        Value::Str(text) => View::Str(text),
        Value::Array(array) => View::Array(array),
        Value::Unit => View::Tuple(&[]),
        Value::Tuple(fields) => View::Tuple(fields.items()),
        Value::Tag(tag) => View::Data(*tag as usize, &[]),
        Value::Data(fields) => View::Data(fields.tag() as usize, fields.items()),
        Value::Real(_) | Value::Active(_) => {
            View::Real(value.as_real().unwrap_or_else(|| bug("a Real is a number")))
        }
        Value::IntOf(..) | Value::RealOf(..) | Value::Chain(..) => {
            bug("a value of a type that engines keep to themselves")
        }
        Value::Closure(..) | Value::Partial(_) | Value::Native(_) => View::Fun,
    }
}
