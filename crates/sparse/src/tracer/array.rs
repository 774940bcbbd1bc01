//! Arrays of the tracer: parts, changes in place where nothing else sees the buffer, and ranges.
//!
//! Input: arrays, indices and values. Output: arrays and elements, or the fault of a place outside.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::eval::Shape;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::value::{Acc, Array, Buffer, Items, Value};
use crate::sets::{Set, Sets};

fn count(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |product, size| product.saturating_mul(*size))
}

/// The number of the first element at a place, and the sizes of what is there.
pub fn place<'s>(sizes: &'s [usize], indices: &[i64]) -> Result<(usize, &'s [usize]), Fault> {
    let (outer, rest) = sizes.split_at(indices.len());
    let mut at = 0;
    for (index, size) in indices.iter().zip(outer) {
        let position = usize::try_from(*index).ok().filter(|at| at < size);
        let Some(position) = position else {
            return Err(Fault::Index { index: *index, size: *size });
        };
        at = at * size + position;
    }
    Ok((at.saturating_mul(count(rest)), rest))
}

/// The number of the first element of a range, and the shape of the range.
fn range(shape: &Shape, from: i64, to: i64) -> Result<(usize, Shape), Fault> {
    let [size, rows @ ..] = shape.sizes() else { bug("sparse", "an array to take a range of") };
    match (usize::try_from(from), usize::try_from(to)) {
        (Ok(lo), Ok(hi)) if lo <= hi && hi <= *size => {
            Ok((lo.saturating_mul(count(rows)), Shape::of_rows(hi - lo, rows)))
        }
        _ => Err(Fault::Slice { from, to, size: *size }),
    }
}

/// An error unless the sizes of rows agree as far as there are rows.
pub fn check_sizes(found: &[usize], needed: &[usize]) -> Result<(), Fault> {
    for (found, needed) in found.iter().zip(needed) {
        if found != needed {
            let (found, needed) = (*found as i64, *needed as i64);
            return Err(Fault::Size { found, needed, what: "the sizes of the rows".to_owned() });
        }
        if *needed == 0 {
            break;
        }
    }
    Ok(())
}

impl Array {
    /// The element or part at a place.
    pub fn at(&self, indices: &[i64]) -> Result<Value, Fault> {
        let (at, rest) = place(self.shape.sizes(), indices)?;
        let at = self.offset + at;
        if rest.is_empty() {
            return Ok(self.buffer.get(at));
        }
        Ok(self.view(at, Shape::new(rest)))
    }

    fn view(&self, offset: usize, shape: Shape) -> Value {
        Value::Array(Rc::new(Self { buffer: self.buffer.clone(), offset, shape }))
    }

    /// The same elements in another shape.
    pub fn reshaped(&self, shape: Shape) -> Value {
        self.view(self.offset, shape)
    }

    /// A range of it.
    pub fn range(&self, from: i64, to: i64) -> Result<Value, Fault> {
        let (at, shape) = range(&self.shape, from, to)?;
        Ok(self.view(self.offset + at, shape))
    }

    /// The same array, which nothing else sees.
    fn own(mut array: Rc<Self>, meter: &Meter) -> Result<Rc<Self>, Fault> {
        let alone = Rc::get_mut(&mut array).is_some_and(|it| Rc::get_mut(&mut it.buffer).is_some());
        if alone {
            return Ok(array);
        }
        let count = array.shape.count();
        meter.reserve_elements(count, 12)?;
        let buffer = array.buffer.part(array.offset, count);
        Ok(Rc::new(Self { buffer: Rc::new(buffer), offset: 0, shape: array.shape.clone() }))
    }

    fn buffer_mut(array: &mut Rc<Self>) -> &mut Buffer {
        match Rc::get_mut(array).and_then(|array| Rc::get_mut(&mut array.buffer)) {
            Some(buffer) => buffer,
            None => bug("sparse", "an array that is not shared"),
        }
    }

    /// The array with something else at a place.
    pub fn with(
        array: Rc<Self>,
        indices: &[i64],
        value: Value,
        meter: &Meter,
    ) -> Result<Value, Fault> {
        let (at, rest) = place(array.shape.sizes(), indices)?;
        if let Value::Array(row) = &value {
            check_sizes(row.shape.sizes(), rest)?;
        }
        let mut array = Self::own(array, meter)?;
        let at = array.offset + at;
        let buffer = Self::buffer_mut(&mut array);
        if let Value::Array(row) = value {
            for step in 0..row.shape.count() {
                buffer.set(at + step, row.buffer.get(row.offset + step));
            }
        } else {
            buffer.set(at, value);
        }
        Ok(Value::Array(array))
    }

    /// This array and then another.
    pub fn append(array: Rc<Self>, other: &Rc<Self>, meter: &Meter) -> Result<Value, Fault> {
        if other.shape.sizes()[0] == 0 {
            let knows_none = array.shape.sizes().iter().all(|size| *size == 0);
            return Ok(Value::Array(if knows_none { other.clone() } else { array }));
        }
        if array.shape.sizes()[0] == 0 {
            return Ok(Value::Array(other.clone()));
        }
        let rows = array.shape.sizes()[1..].to_vec();
        check_sizes(&other.shape.sizes()[1..], &rows)?;
        let shape = Shape::of_rows(array.shape.sizes()[0] + other.shape.sizes()[0], &rows);
        let (own, more) = (array.shape.count(), other.shape.count());
        let mut array = array;
        let end = array.offset + own;
        let fits = Rc::get_mut(&mut array)
            .and_then(|array| Rc::get_mut(&mut array.buffer))
            .is_some_and(|buffer| buffer.ends_at(end));
        if !fits {
            meter.reserve_elements(own.saturating_add(more), 12)?;
            let buffer = Rc::new(array.buffer.part(array.offset, own));
            array = Rc::new(Self { buffer, offset: 0, shape: array.shape.clone() });
        }
        let buffer = Self::buffer_mut(&mut array);
        buffer.extend(&other.buffer, other.offset, more);
        buffer.recharge();
        if let Some(array) = Rc::get_mut(&mut array) {
            array.shape = shape;
        }
        Ok(Value::Array(array))
    }

    /// What an element depends on.
    pub fn set_at(&self, at: usize) -> Set {
        self.buffer.sets.as_ref().map_or(Sets::EMPTY, |sets| sets[self.offset + at])
    }

    /// Its elements, if they are Reals.
    pub fn reals(&self) -> Option<&[f64]> {
        let Items::Real(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.shape.count()])
    }

    /// Its elements, if they are data values or Strings.
    pub fn values(&self) -> Option<&[Value]> {
        let Items::Values(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.shape.count()])
    }
}

impl Buffer {
    /// A copy of some elements.
    pub fn part(&self, from: usize, count: usize) -> Self {
        let mut copy = Self::new(self.items.none(), None, self.tainted);
        copy.extend(self, from, count);
        copy.recharge();
        copy
    }
}

impl Items {
    /// None, of the same type.
    fn none(&self) -> Self {
        match self {
            Self::Unit => Self::Unit,
            Self::Real(_) => Self::Real(vec![]),
            Self::Int(_) => Self::Int(vec![]),
            Self::Bool(_) => Self::Bool(vec![]),
            Self::Values(_) => Self::Values(vec![]),
        }
    }
}

impl Acc {
    /// A new accumulator, which starts from a value.
    pub fn start(init: Value, meter: &Meter) -> Result<Value, Fault> {
        let (buffer, offset, shape) = match init {
            Value::Array(array) => {
                let array = Array::own(array, meter)?;
                match Rc::try_unwrap(array) {
                    Ok(array) => match Rc::try_unwrap(array.buffer) {
                        Ok(buffer) => (buffer, array.offset, array.shape),
                        Err(_) => bug("sparse", "a buffer that is not shared"),
                    },
                    Err(_) => bug("sparse", "an array that is not shared"),
                }
            }
            Value::Real(x, set, tainted) => {
                let items = Items::Real(vec![x]);
                (Buffer::new(items, Some(vec![set]), tainted), 0, Shape::SCALAR)
            }
            value @ (Value::Undef
            | Value::Data(_)
            | Value::Int(..)
            | Value::Bool(..)
            | Value::Str(..)
            | Value::Acc(_)) => {
                (Buffer::new(Items::Values(vec![value]), None, false), 0, Shape::SCALAR)
            }
        };
        Ok(Value::Acc(Rc::new(Self { cell: Rc::new(RefCell::new(buffer)), offset, shape })))
    }

    /// The part at a place.
    pub fn at(&self, indices: &[i64]) -> Result<Value, Fault> {
        let (at, rest) = place(self.shape.sizes(), indices)?;
        Ok(self.part(at, Shape::new(rest)))
    }

    /// A range of it.
    pub fn range(&self, from: i64, to: i64) -> Result<Value, Fault> {
        let (at, shape) = range(&self.shape, from, to)?;
        Ok(self.part(at, shape))
    }

    fn part(&self, at: usize, shape: Shape) -> Value {
        Value::Acc(Rc::new(Self { cell: self.cell.clone(), offset: self.offset + at, shape }))
    }

    /// What has been accumulated. Nothing is added afterwards.
    pub fn read(&self) -> Value {
        let buffer = std::mem::take(&mut *self.cell.borrow_mut());
        if self.shape.sizes().is_empty() {
            return buffer.get(self.offset);
        }
        let (offset, shape) = (self.offset, self.shape.clone());
        Value::Array(Rc::new(Array { buffer: Rc::new(buffer), offset, shape }))
    }
}
