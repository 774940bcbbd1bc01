//! The parameters of a call: where the value of each comes from, and those that are parts of `S`.
//!
//! `S` is what the function of a call takes: the tuple of the data among its parameters, or the datum itself if
//! there is one only.

use pullback_base::Span;
use pullback_eval::Value;
use pullback_lambda::Type;

use crate::bug::bug;
use crate::entry::Given;

/// A parameter and where its value comes from.
#[derive(Clone)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Where what it is given is written.
    pub span: Span,
    /// What it is given.
    pub given: Given,
    /// Whether it is a part of `S`.
    pub data: bool,
    /// Whether the derivative is with respect to it.
    pub wrt: bool,
}

/// A parameter in `S`.
#[derive(Clone)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The type of its tangents.
    pub tangent: Type,
    /// Whether the derivative is with respect to it.
    pub wrt: bool,
    /// Whether other numbers will take the place of its value.
    pub is_free: bool,
}

/// The value that has these components; one component is the value itself.
pub fn whole(mut components: Vec<Value>) -> Value {
    if components.len() == 1 { components.remove(0) } else { Value::tuple(components) }
}

/// The components of a value that has `count`; see [`whole`].
pub fn components(value: &Value, count: usize) -> Vec<Value> {
    if count == 1 {
        return vec![value.clone()];
    }
    match value.as_tuple() {
        Some(items) if items.len() == count => items.to_vec(),
        _ => bug("a tuple has its components"),
    }
}
