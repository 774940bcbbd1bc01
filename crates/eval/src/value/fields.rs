//! The fields of tuples, constructors and closures, in one allocation up to three of them.

use std::rc::Rc;

use pullback_base::bug;

use super::free::free_all;
use super::{FieldItems, Fields, Value};
use crate::memory;

impl Fields {
    /// Fields on the heap.
    #[inline]
    pub fn shared(tag: u32, items: Vec<Value>) -> Rc<Self> {
        Self::collect(tag, items.len(), items.into_iter())
    }

    /// The next `len` fields of an iterator, on the heap.
    #[inline]
    pub fn collect(tag: u32, len: usize, mut items: impl Iterator<Item = Value>) -> Rc<Self> {
        let mut next =
            || items.next().unwrap_or_else(|| bug("eval", "as many fields as are wanted"));
        let items = match len {
            1 => FieldItems::One([next()]),
            2 => FieldItems::Two([next(), next()]),
            3 => FieldItems::Three([next(), next(), next()]),
            _ => FieldItems::Many(items.take(len).collect()),
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
            FieldItems::One(items) => items,
            FieldItems::Two(items) => items,
            FieldItems::Three(items) => items,
            FieldItems::Many(items) => items,
        }
    }

    /// The fields, to change.
    #[inline]
    pub fn items_mut(&mut self) -> &mut [Value] {
        match &mut self.items {
            FieldItems::One(items) => items,
            FieldItems::Two(items) => items,
            FieldItems::Three(items) => items,
            FieldItems::Many(items) => items,
        }
    }

    #[inline]
    fn bytes(&self) -> usize {
        let rest = if let FieldItems::Many(items) = &self.items { items.len() } else { 0 };
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
