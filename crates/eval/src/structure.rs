//! The fields of tuples, constructors and closures, in one allocation up to three of them, and the
//! one way structures are freed: by a work list, never by recursion.

use std::rc::Rc;

use super::value::Value;
use super::{array::Array, memory};

/// A constructor's tag (0 where there is none) and one or more fields.
#[derive(Debug)]
pub struct Fields {
    tag: u32,
    items: Items,
}

#[derive(Debug)]
enum Items {
    One([Value; 1]),
    Two([Value; 2]),
    Three([Value; 3]),
    Many(Vec<Value>),
}

impl Fields {
    /// Fields on the heap.
    #[inline]
    pub fn shared(tag: u32, items: Vec<Value>) -> Rc<Self> {
        Self::collect(tag, items.len(), items.into_iter())
    }

    /// The next `len` fields of an iterator, on the heap. A missing field is `()`.
    #[inline]
    pub fn collect(tag: u32, len: usize, mut items: impl Iterator<Item = Value>) -> Rc<Self> {
        let mut next = || items.next().unwrap_or(Value::Unit);
        let items = match len {
            1 => Items::One([next()]),
            2 => Items::Two([next(), next()]),
            3 => Items::Three([next(), next(), next()]),
            _ => Items::Many(items.take(len).collect()),
        };
        let fields = Self { tag, items };
        memory::charge(fields.bytes());
        Rc::new(fields)
    }

    /// The constructor's tag.
    #[inline]
    pub fn tag(&self) -> u32 {
        self.tag
    }

    /// The fields.
    #[inline]
    pub fn items(&self) -> &[Value] {
        match &self.items {
            Items::One(items) => items,
            Items::Two(items) => items,
            Items::Three(items) => items,
            Items::Many(items) => items,
        }
    }

    /// The fields, to change.
    #[inline]
    pub fn items_mut(&mut self) -> &mut [Value] {
        match &mut self.items {
            Items::One(items) => items,
            Items::Two(items) => items,
            Items::Three(items) => items,
            Items::Many(items) => items,
        }
    }

    #[inline]
    fn bytes(&self) -> usize {
        let rest = if let Items::Many(items) = &self.items { items.len() } else { 0 };
        memory::shared::<Self>() + rest * size_of::<Value>()
    }
}

impl Drop for Fields {
    #[inline]
    fn drop(&mut self) {
        memory::release(self.bytes());
        if self.items().iter().any(Value::is_last_owner) {
            free_all(self.items_mut().iter_mut().map(std::mem::take).collect());
        }
    }
}

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
            Self::Unit
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Real(_)
            | Self::Tag(_)
            | Self::Active(_)
            | Self::Str(_) => false,
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
                    arrays.push(Array::into_values(array));
                }
            }
            Value::Native(native) => {
                if let Some(mut native) = Rc::into_inner(native) {
                    native.release(&mut work);
                }
            }
            Value::Closure(_, None)
            | Value::Unit
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::Tag(_)
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
