//! Freeing without recursion: structures are let go of by a work list, so a list of a million cells takes no native
//! stack.
//!
//! Invariants. What only a freed structure holds is freed with it. Each type gives its bytes back to the account
//! exactly once.

use std::rc::Rc;

use pullback_base::memory;

use super::{Acc, Array, Buffer, Cell, Items, Node, Value};

impl Value {
    /// Whether dropping this value would free a structure that may hold others.
    #[inline]
    fn is_last_owner(&self) -> bool {
        if let Self::Data(node) = self {
            Rc::strong_count(node) == 1
        } else if let Self::Array(array) = self {
            Rc::strong_count(array) == 1 && matches!(array.buffer.items, Items::Values(_))
        } else {
            false
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        memory::release(self.bytes());
        if self.fields().iter().any(Value::is_last_owner) {
            free_all(self.fields_mut().iter_mut().map(std::mem::take).collect());
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        memory::release(self.charged);
        if let Items::Values(items) = &mut self.items
            && items.iter().any(Value::is_last_owner)
        {
            free_all(std::mem::take(items));
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        memory::release(memory::shared::<Self>());
    }
}

impl Drop for Acc {
    fn drop(&mut self) {
        memory::release(memory::shared::<Self>());
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        memory::release(memory::shared::<Self>());
    }
}

/// Frees values and everything only they hold.
#[cold]
fn free_all(mut work: Vec<Value>) {
    // The elements of arrays stay where they are until their turn comes.
    let mut arrays: Vec<Vec<Value>> = vec![];
    while let Some(value) = work.pop().or_else(|| next_element(&mut arrays)) {
        if !value.is_last_owner() {
            continue;
        }
        if let Value::Data(node) = value {
            if let Some(mut node) = Rc::into_inner(node) {
                work.extend(node.fields_mut().iter_mut().map(std::mem::take));
            }
        } else if let Value::Array(mut array) = value
            && let Some(array) = Rc::get_mut(&mut array)
            && let Some(buffer) = Rc::get_mut(&mut array.buffer)
            && let Items::Values(items) = &mut buffer.items
        {
            arrays.push(std::mem::take(items));
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
