//! Dense arrays as views, with copy on write: rows, ranges and other shapes of an array share its buffer; what changes
//! an array copies it only where something else sees the buffer.
//!
//! Input: arrays, indices and values. Output: arrays and elements, or a fault for a place outside. Invariants. Elements
//! lie in row-major order, together. A copy that a change makes is counted ([`Counts::copied`](super::super::Counts)).

use std::rc::Rc;

use pullback_base::{bug, memory};
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::items::Kind;
use super::shape::count;
use super::{Array, Buffer, Items, Shape, Value};

impl Buffer {
    /// A buffer of these elements, whose bytes are charged to the account of memory.
    pub(super) fn new(items: Items) -> Self {
        let charged = items.bytes() + memory::shared::<Self>();
        memory::charge(charged);
        Self { items, charged }
    }
    /// Charges what the elements take now in place of what they took.
    fn recharge(&mut self) {
        let charged = self.items.bytes() + memory::shared::<Self>();
        if charged != self.charged {
            memory::charge(charged);
            memory::release(std::mem::replace(&mut self.charged, charged));
        }
    }
}

impl Array {
    /// An array with this shape, of these elements in row-major order.
    pub fn new(shape: Shape, items: Items) -> Self {
        if items.kind() != Kind::Unit && items.len() != shape.count() {
            bug("ir", format_args!("{} elements for {shape:?}", items.len()));
        }
        Self::view(Rc::new(Buffer::new(items)), 0, shape)
    }

    /// A part of a buffer.
    #[inline]
    pub(super) fn view(buffer: Rc<Buffer>, offset: usize, shape: Shape) -> Self {
        memory::charge(memory::shared::<Self>());
        Self { buffer, offset, shape }
    }

    /// The same elements in another shape, with as many.
    pub(in super::super) fn reshaped(&self, shape: Shape) -> Self {
        Self::view(self.buffer.clone(), self.offset, shape)
    }

    /// Its shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// Its sizes, outermost first.
    #[inline]
    pub fn sizes(&self) -> &[usize] {
        self.shape.sizes()
    }
    /// How many elements it has, in all its dimensions.
    #[inline]
    pub fn count(&self) -> usize {
        self.shape.count()
    }
    /// How its elements are stored.
    pub fn kind(&self) -> Kind {
        self.buffer.items.kind()
    }
    /// The elements that it is a view of, and where its own start.
    #[inline]
    pub(in super::super) fn items(&self) -> (&Items, usize) {
        (&self.buffer.items, self.offset)
    }
    /// Its elements, if they are Reals.
    #[inline]
    pub fn reals(&self) -> Option<&[f64]> {
        let Items::Real(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.count()])
    }
    /// Its elements, if they are Ints.
    pub fn ints(&self) -> Option<&[i64]> {
        let Items::Int(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.count()])
    }
    /// Its elements, if they are Bools.
    pub fn bools(&self) -> Option<&[bool]> {
        let Items::Bool(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.count()])
    }
    /// Its elements, if they are Strings or data values.
    pub fn values(&self) -> Option<&[Value]> {
        let Items::Values(items) = &self.buffer.items else { return None };
        Some(&items[self.offset..self.offset + self.count()])
    }

    /// The element or the part at a place.
    #[inline]
    pub(in super::super) fn at(&self, indices: &[i64]) -> Result<Value, Fault> {
        let (at, rest) = place(self.sizes(), indices)?;
        let at = self.offset + at;
        if rest.is_empty() {
            return Ok(self.buffer.items.get(at));
        }
        Ok(Value::Array(Rc::new(Self::view(self.buffer.clone(), at, Shape::new(rest)))))
    }

    /// A range of it.
    pub(in super::super) fn range(&self, from: i64, to: i64) -> Result<Self, Fault> {
        let (at, shape) = range(&self.shape, from, to)?;
        Ok(Self::view(self.buffer.clone(), self.offset + at, shape))
    }

    /// The same array; if nothing else may see it or its buffer, and something does, a copy.
    pub(in super::super) fn unshared(
        mut array: Rc<Self>,
        meter: &mut Meter,
    ) -> Result<Rc<Self>, Fault> {
        let alone =
            Rc::get_mut(&mut array).is_some_and(|array| Rc::get_mut(&mut array.buffer).is_some());
        if alone {
            return Ok(array);
        }
        let count = array.count();
        meter.counts.copied += count as u64;
        array.copy(count, meter).map(Rc::new)
    }

    /// A copy with room for so many elements.
    fn copy(&self, room: usize, meter: &Meter) -> Result<Self, Fault> {
        let mut items = Items::empty(self.kind());
        items.make_room(room, meter)?;
        items.extend(&self.buffer.items, self.offset..self.offset + self.count());
        Ok(Self::new(self.shape.clone(), items))
    }

    /// The elements of an array that nothing else sees, and where its own start among them.
    #[inline]
    pub(in super::super) fn items_mut(array: &mut Rc<Self>) -> Option<(&mut Items, usize)> {
        let array = Rc::get_mut(array)?;
        Some((&mut Rc::get_mut(&mut array.buffer)?.items, array.offset))
    }

    /// The array with another element, or other elements, at a place: in place if nothing else sees it.
    pub(in super::super) fn with(
        array: Rc<Self>,
        indices: &[i64],
        value: Value,
        meter: &mut Meter,
    ) -> Result<Rc<Self>, Fault> {
        let (at, rest) = place(array.sizes(), indices)?;
        if let Value::Array(row) = &value {
            check_sizes(row.sizes(), rest, "the sizes of the new row and of the old one")?;
        }
        let mut array = Self::unshared(array, meter)?;
        let Some((items, offset)) = Self::items_mut(&mut array) else {
            bug("ir", "an array that is not shared")
        };
        if let Value::Array(row) = value {
            let count = row.count();
            meter.counts.moved += count as u64;
            items.overwrite(offset + at, &row.buffer.items, row.offset..row.offset + count);
        } else {
            items.set(offset + at, value);
        }
        Ok(array)
    }

    /// This array and then another; in place if nothing else sees this one.
    pub(in super::super) fn append(
        array: Rc<Self>,
        other: &Self,
        meter: &mut Meter,
    ) -> Result<Rc<Self>, Fault> {
        if other.sizes()[0] == 0 {
            // Of two empty arrays the one that knows the sizes of its rows.
            let knows_none = array.sizes().iter().all(|size| *size == 0);
            return Ok(if knows_none {
                Rc::new(other.reshaped(other.shape.clone()))
            } else {
                array
            });
        }
        if array.sizes()[0] == 0 {
            return Ok(Rc::new(other.reshaped(other.shape.clone())));
        }
        let rows = &array.sizes()[1..];
        check_sizes(&other.sizes()[1..], rows, "the sizes of the rows")?;
        let shape = Shape::of_rows(array.sizes()[0] + other.sizes()[0], rows);
        let (count, more) = (array.count(), other.count());
        let mut array = array;
        let end = array.offset + count;
        let fits = Self::items_mut(&mut array)
            .is_some_and(|(items, _)| items.kind() == Kind::Unit || items.len() == end);
        if !fits {
            meter.counts.moved += count as u64;
            array = Rc::new(array.copy(count.saturating_add(more), meter)?);
        }
        meter.counts.moved += more as u64;
        let Some(own) = Rc::get_mut(&mut array) else { bug("ir", "an array that is not shared") };
        own.shape = shape;
        let Some(buffer) = Rc::get_mut(&mut own.buffer) else {
            bug("ir", "a buffer that is not shared")
        };
        buffer.items.make_room(more, meter)?;
        buffer.items.extend(&other.buffer.items, other.offset..other.offset + more);
        buffer.recharge();
        Ok(array)
    }

    /// The first two dimensions as one.
    pub(in super::super) fn flat(&self) -> Self {
        let [outer, inner, rest @ ..] = self.sizes() else {
            bug("ir", "an array of two dimensions to flatten")
        };
        self.reshaped(Shape::of_rows(outer.saturating_mul(*inner), rest))
    }

    /// Whether it has rows at a dimension: no dimension further out has size 0.
    pub(in super::super) fn has_rows(&self, dimension: usize) -> bool {
        self.sizes()[..dimension].iter().all(|size| *size > 0)
    }

    /// The same array, with this size for rows at a dimension that are absent.
    pub(in super::super) fn sized(&self, dimension: usize, size: i64) -> Self {
        let mut sizes = self.sizes().to_vec();
        if !self.has_rows(dimension) {
            sizes[dimension] = usize::try_from(size).unwrap_or(0);
        }
        self.reshaped(Shape::new(&sizes))
    }
}

/// The number of the first element at a place, and the sizes of what is there.
#[inline]
pub(super) fn place<'s>(
    sizes: &'s [usize],
    indices: &[i64],
) -> Result<(usize, &'s [usize]), Fault> {
    let (outer, rest) = sizes.split_at(indices.len());
    let mut at = 0;
    for (index, size) in indices.iter().zip(outer) {
        at = at * size + position(*index, *size)?;
    }
    Ok((at.saturating_mul(count(rest)), rest))
}

/// An index that must be in range.
#[inline(always)]
pub(in super::super) fn position(index: i64, size: usize) -> Result<usize, Fault> {
    match usize::try_from(index) {
        Ok(position) if position < size => Ok(position),
        Ok(_) | Err(_) => Err(Fault::Index { index, size }),
    }
}

/// The number of the first element of a range, and the shape of the range.
pub(super) fn range(shape: &Shape, from: i64, to: i64) -> Result<(usize, Shape), Fault> {
    let [size, rows @ ..] = shape.sizes() else { bug("ir", "an array to take a range of") };
    match (usize::try_from(from), usize::try_from(to)) {
        (Ok(lo), Ok(hi)) if lo <= hi && hi <= *size => {
            Ok((lo.saturating_mul(count(rows)), Shape::of_rows(hi - lo, rows)))
        }
        _ => Err(Fault::Slice { from, to, size: *size }),
    }
}

/// An error unless the sizes agree as far as there are rows.
pub(in super::super) fn check_sizes(
    found: &[usize],
    needed: &[usize],
    what: &str,
) -> Result<(), Fault> {
    for (found, needed) in found.iter().zip(needed) {
        if found != needed {
            let (found, needed) = (*found as i64, *needed as i64);
            return Err(Fault::Size { found, needed, what: what.to_string() });
        }
        if *needed == 0 {
            break;
        }
    }
    Ok(())
}
