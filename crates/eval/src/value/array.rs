//! Arrays: Reals and Ints are stored packed, everything else (also Reals that are being
//! differentiated) as values.
//!
//! Invariant: every array has all its sizes. Those of its rows are the sizes of the first row; an array
//! without rows holds the sizes its rows would have, unless all of them are 0.

use std::rc::Rc;

use pullback_base::bug;

use super::free::free_all;
use super::{Array, Items, Value};
use crate::memory;

impl Array {
    /// An array of these elements; the representation is taken as it is.
    pub fn new(items: Items) -> Self {
        let mut array = Self { items, charged: 0 };
        array.account();
        array
    }
    /// An array of Reals.
    pub fn from_reals(items: Vec<f64>) -> Self {
        Self::new(Items::Real(items))
    }
    /// An array of Ints.
    pub fn from_ints(items: Vec<i64>) -> Self {
        Self::new(Items::Int(items))
    }
    /// An array of values, packed if they are all Reals or all Ints.
    pub fn from_values(items: Vec<Value>) -> Self {
        if matches!(items.first(), Some(Value::Real(_))) {
            let reals: Option<Vec<f64>> = items
                .iter()
                .map(|item| if let Value::Real(x) = item { Some(*x) } else { None })
                .collect();
            if let Some(reals) = reals {
                return Self::from_reals(reals);
            }
        } else if matches!(items.first(), Some(Value::Int(_))) {
            let ints: Option<Vec<i64>> = items.iter().map(Value::as_int).collect();
            if let Some(ints) = ints {
                return Self::from_ints(ints);
            }
        }
        Self::new(Items::Values(items))
    }

    /// An empty array whose rows would have these sizes, outermost first.
    pub fn without_rows(sizes: &[usize]) -> Self {
        let known = sizes.iter().rposition(|size| *size != 0).map_or(0, |last| last + 1);
        Self::new(if known == 0 {
            Items::Values(vec![])
        } else {
            Items::Absent(sizes[..known].into())
        })
    }

    /// How many elements it has.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.items {
            Items::Real(items) => items.len(),
            Items::Int(items) => items.len(),
            Items::Values(items) => items.len(),
            Items::Absent(_) => 0,
        }
    }
    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How the elements are stored.
    #[inline]
    pub fn items(&self) -> &Items {
        &self.items
    }
    /// The elements if all are Reals that nothing follows.
    #[inline]
    pub fn reals(&self) -> Option<&[f64]> {
        if let Items::Real(items) = &self.items { Some(items) } else { None }
    }
    /// The elements if all are Ints.
    #[inline]
    pub fn ints(&self) -> Option<&[i64]> {
        if let Items::Int(items) = &self.items { Some(items) } else { None }
    }
    /// The elements if they are not stored packed.
    #[inline]
    pub fn values(&self) -> Option<&[Value]> {
        if let Items::Values(items) = &self.items { Some(items) } else { None }
    }
    /// The element at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Value> {
        match &self.items {
            Items::Real(items) => items.get(index).map(|x| Value::Real(*x)),
            Items::Int(items) => items.get(index).map(|n| Value::Int(*n)),
            Items::Values(items) => items.get(index).cloned(),
            Items::Absent(_) => None,
        }
    }
    /// The element at `index`, which is in range.
    #[inline]
    pub fn at(&self, index: usize) -> Value {
        match &self.items {
            Items::Real(items) => Value::Real(items[index]),
            Items::Int(items) => Value::Int(items[index]),
            Items::Values(items) => items[index].clone(),
            Items::Absent(_) => bug("eval", "an index below the size of its array"),
        }
    }
    /// The elements in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Value> + '_ {
        (0..self.len()).map(|index| self.at(index))
    }
    /// The elements `from..to`, which must be in range.
    pub fn slice(&self, from: usize, to: usize) -> Self {
        Self::new(match &self.items {
            Items::Real(items) => Items::Real(items[from..to].to_vec()),
            Items::Int(items) => Items::Int(items[from..to].to_vec()),
            Items::Values(_) if from == to => return Self::without_rows(&self.row_sizes()),
            Items::Values(items) => Items::Values(items[from..to].to_vec()),
            Items::Absent(sizes) => Items::Absent(sizes.clone()),
        })
    }

    /// The sizes of a row, outermost first; nothing follows where the rest is 0 or no array.
    pub fn row_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![];
        let mut array = self;
        while let Some(Value::Array(row)) = array.values().and_then(<[Value]>::first) {
            sizes.push(row.len());
            array = row;
        }
        if let Items::Absent(rest) = &array.items {
            sizes.extend_from_slice(rest);
        }
        sizes
    }
    /// The size at a nesting depth (0 is outermost), also of rows that are absent.
    pub fn dim(&self, depth: usize) -> usize {
        let mut array = self;
        for walked in 0..depth {
            match array.values().and_then(<[Value]>::first) {
                Some(Value::Array(row)) => array = row,
                Some(_) => return 0,
                None => {
                    let Items::Absent(sizes) = &array.items else { return 0 };
                    // Sizes that follow the last one are 0.
                    return sizes.get(depth - walked - 1).copied().unwrap_or(0);
                }
            }
        }
        array.len()
    }
    /// The size at a nesting depth, if there is a row to measure.
    pub fn present_dim(&self, depth: usize) -> Option<usize> {
        let mut array = self;
        for _ in 0..depth {
            let Some(Value::Array(row)) = array.values()?.first() else { return None };
            array = row;
        }
        Some(array.len())
    }
    /// The same array where absent rows at a nesting depth (1 is that of the elements) have this size,
    /// if that makes a difference.
    fn with_absent(&self, depth: usize, size: usize) -> Option<Self> {
        if self.is_empty() {
            if self.dim(depth) == size {
                return None;
            }
            let mut sizes = self.row_sizes();
            sizes.resize(sizes.len().max(depth), 0);
            sizes[depth - 1] = size;
            return Some(Self::without_rows(&sizes));
        }
        if self.present_dim(depth).is_some() {
            return None;
        }
        let rows = self.iter().map(|row| row.sized(depth - 1, size as i64));
        Some(Self::new(Items::Values(rows.collect())))
    }
    /// A copy, to be changed by its only owner.
    pub fn copied(&self) -> Self {
        self.slice(0, self.len())
    }

    /// An empty array with room for as many elements, stored in the same way.
    pub(crate) fn room_for_its_like(&self) -> Self {
        Self::new(match &self.items {
            Items::Real(items) => Items::Real(Vec::with_capacity(items.len())),
            Items::Int(items) => Items::Int(Vec::with_capacity(items.len())),
            Items::Values(items) => Items::Values(Vec::with_capacity(items.len())),
            Items::Absent(sizes) => Items::Absent(sizes.clone()),
        })
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: Value) {
        let grown = match (&mut self.items, value) {
            (Items::Real(items), Value::Real(x)) => push_one(items, x),
            (Items::Int(items), Value::Int(n)) => push_one(items, n),
            (Items::Values(items), value) => push_one(items, value),
            (Items::Real(_) | Items::Int(_) | Items::Absent(_), value) => {
                self.unpack();
                return self.push(value);
            }
        };
        if grown {
            self.account();
        }
    }

    /// Appends a Real that nothing follows.
    #[inline]
    pub(crate) fn push_real(&mut self, x: f64) {
        if let Items::Real(items) = &mut self.items {
            if push_one(items, x) {
                self.account();
            }
        } else {
            self.push(Value::Real(x));
        }
    }

    /// Replaces the element at `index`, which must be in range.
    #[inline]
    pub fn set(&mut self, index: usize, value: Value) {
        match (&mut self.items, value) {
            (Items::Real(items), Value::Real(x)) => items[index] = x,
            (Items::Int(items), Value::Int(n)) => items[index] = n,
            (Items::Values(items), value) => items[index] = value,
            (Items::Real(_) | Items::Int(_) | Items::Absent(_), value) => {
                self.unpack();
                self.set(index, value);
            }
        }
    }

    /// The elements, to change, if they are not stored packed.
    pub(crate) fn values_mut(&mut self) -> Option<&mut [Value]> {
        if let Items::Values(items) = &mut self.items { Some(items) } else { None }
    }

    /// Stores the elements as values. A packed array that is still empty takes any kind this way.
    fn unpack(&mut self) {
        let mut values = Vec::with_capacity(match &self.items {
            Items::Real(items) => items.capacity(),
            Items::Int(items) => items.capacity(),
            Items::Values(items) => items.capacity(),
            Items::Absent(_) => 0,
        });
        values.extend(self.iter());
        self.items = Items::Values(values);
        self.account();
    }

    /// The elements as values, for the freeing work list.
    pub(crate) fn into_values(mut self) -> Vec<Value> {
        if let Items::Values(items) = &mut self.items { std::mem::take(items) } else { vec![] }
    }

    #[cold]
    fn account(&mut self) {
        let bytes = 64
            + match &self.items {
                Items::Real(items) => items.capacity() * size_of::<f64>(),
                Items::Int(items) => items.capacity() * size_of::<i64>(),
                Items::Values(items) => items.capacity() * size_of::<Value>(),
                Items::Absent(sizes) => size_of_val(&**sizes),
            };
        memory::charge(bytes);
        memory::release(self.charged);
        self.charged = bytes;
    }
}

impl Value {
    /// The array it is, in which rows that are absent at a nesting depth (1 is that of the elements) have
    /// this size. Rows that are there are regular, so the first tells whether any can be absent. A size below
    /// zero is that of rows which there cannot be, and counts as 0.
    #[inline]
    pub fn sized(self, depth: usize, size: i64) -> Self {
        if let Self::Array(array) = &self
            && depth > 0
            && (depth > 1 || array.is_empty())
            && let Some(sized) = array.with_absent(depth, usize::try_from(size).unwrap_or(0))
        {
            return Self::Array(Rc::new(sized));
        }
        self
    }
}

/// Appends; says whether the storage grew.
#[inline]
fn push_one<T>(items: &mut Vec<T>, item: T) -> bool {
    let grows = items.len() == items.capacity();
    items.push(item);
    grows
}

impl Drop for Array {
    fn drop(&mut self) {
        memory::release(self.charged);
        if let Items::Values(items) = &mut self.items
            && items.iter().any(Value::is_last_owner)
        {
            free_all(std::mem::take(items));
        }
    }
}
