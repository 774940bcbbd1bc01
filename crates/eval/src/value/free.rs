//! The one way structures are freed: by a work list, never by recursion.

use std::rc::Rc;

use super::{Chain, Fields, NativeValue, Value};

impl Value {
    /// Whether dropping this value would free a structure that may hold others.
    #[inline]
    pub(super) fn is_last_owner(&self) -> bool {
        match self {
            Self::Tuple(fields) | Self::Data(fields) | Self::Partial(fields) => {
                Rc::strong_count(fields) == 1
            }
            Self::Closure(_, captured) => {
                captured.as_ref().is_some_and(|captured| Rc::strong_count(captured) == 1)
            }
            Self::Array(array) => Rc::strong_count(array) == 1 && array.values().is_some(),
            Self::Native(native) => Rc::strong_count(native) == 1,
            Self::Chain(_, chain) => Rc::strong_count(chain) == 1,
            Self::Unit
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Real(_)
            | Self::Tag(_)
            | Self::IntOf(..)
            | Self::RealOf(..)
            | Self::Active(_)
            | Self::Str(_) => false,
        }
    }
}

impl Drop for NativeValue {
    fn drop(&mut self) {
        let mut work = vec![];
        self.0.release(&mut work);
        if !work.is_empty() {
            free_all(work);
        }
    }
}

/// Frees values and everything only they hold.
#[cold]
pub(super) fn free_all(mut work: Vec<Value>) {
    // The elements of arrays stay where they are until their turn comes.
    let mut arrays: Vec<Vec<Value>> = vec![];
    while let Some(value) = work.pop().or_else(|| next_element(&mut arrays)) {
        if !value.is_last_owner() {
            continue;
        }
        match value {
            Value::Tuple(fields) | Value::Data(fields) | Value::Partial(fields) => {
                free_fields(fields, &mut work);
            }
            Value::Closure(_, Some(fields)) => free_fields(fields, &mut work),
            Value::Array(array) => {
                if let Some(array) = Rc::into_inner(array) {
                    arrays.push(array.into_values());
                }
            }
            Value::Native(native) => {
                if let Some(mut native) = Rc::into_inner(native) {
                    native.0.release(&mut work);
                }
            }
            Value::Chain(_, chain) => work.extend(Rc::into_inner(chain).map(Chain::into_before)),
            Value::Closure(_, None)
            | Value::Unit
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::Tag(_)
            | Value::IntOf(..)
            | Value::RealOf(..)
            | Value::Active(_)
            | Value::Str(_) => {}
        }
    }
}

/// The next element of the arrays that are being freed. An array that has no more is let go of at
/// once, so that a chain of arrays does not pile up.
fn next_element(arrays: &mut Vec<Vec<Value>>) -> Option<Value> {
    loop {
        let items = arrays.last_mut()?;
        let value = items.pop();
        if items.is_empty() {
            arrays.pop();
        }
        if value.is_some() {
            return value;
        }
    }
}

fn free_fields(fields: Rc<Fields>, work: &mut Vec<Value>) {
    if let Some(mut fields) = Rc::into_inner(fields) {
        work.extend(fields.items_mut().iter_mut().map(std::mem::take));
    }
}
