//! Accumulators at run time: a cell with a buffer that nothing else shares, and places in it.
//!
//! Input: a value to start from, then places and values to add. Output: what has been accumulated. Invariants. All
//! parts of an accumulator share its cell. Reading takes the buffer out of the cell, so whatever is added afterwards is
//! a bug.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::{bug, memory};
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::{Acc, Array, Buffer, Cell, Items, Shape, Value};

impl Acc {
    /// A new accumulator, which starts from a value. It takes over the buffer of an array that nothing else sees.
    #[expect(clippy::wildcard_enum_match_arm, reason = "vectors are these three")]
    pub(in super::super) fn start(init: Value, meter: &mut Meter) -> Result<Self, Fault> {
        if let Value::Array(mut array) = init {
            array = Array::unshared(array, meter)?;
            let (shape, offset) = (array.shape.clone(), array.offset);
            Ok(Self::whole(array.buffer.clone(), offset, shape))
        } else {
            let items = match init {
                Value::Real(x) => Items::Real(vec![x]),
                // Nothing is added to what starts from nothing, and nothing looks at it.
                tangent @ (Value::Tag(_) | Value::Data(_) | Value::Undef) => {
                    Items::Values(vec![tangent])
                }
                other => bug("ir", format_args!("a vector to accumulate, not {other:?}")),
            };
            Ok(Self::whole(Rc::new(Buffer::new(items)), 0, Shape::SCALAR))
        }
    }

    fn whole(buffer: Rc<Buffer>, offset: usize, shape: Shape) -> Self {
        memory::charge(memory::shared::<Cell>());
        let cell = Rc::new(Cell(RefCell::new(Some(buffer))));
        Self::part(cell, offset, shape)
    }

    fn part(cell: Rc<Cell>, offset: usize, shape: Shape) -> Self {
        memory::charge(memory::shared::<Self>());
        Self { cell, offset, shape }
    }

    /// The part at a place, which leaves sizes open.
    pub(in super::super) fn at(&self, indices: &[i64]) -> Result<Self, Fault> {
        let (at, rest) = super::array::place(self.shape.sizes(), indices)?;
        Ok(Self::part(self.cell.clone(), self.offset + at, Shape::new(rest)))
    }

    /// A range of it.
    pub(in super::super) fn range(&self, from: i64, to: i64) -> Result<Self, Fault> {
        let (at, shape) = super::array::range(&self.shape, from, to)?;
        Ok(Self::part(self.cell.clone(), self.offset + at, shape))
    }

    /// Adds a value at a place; `add` is given the elements of the buffer and the first that is meant.
    #[inline]
    pub(in super::super) fn add(
        &self,
        indices: &[i64],
        value: Value,
        add: impl FnOnce(&mut Items, usize, Value) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (at, rest) = super::array::place(self.shape.sizes(), indices)?;
        if let Value::Array(array) = &value
            && array.sizes() != rest
            && array.count() + super::shape::count(rest) > 0
        {
            bug("ir", format_args!("{:?} to be added, not {rest:?}", array.sizes()));
        }
        match self.cell.0.borrow_mut().as_mut().and_then(Rc::get_mut) {
            Some(buffer) => add(&mut buffer.items, self.offset + at, value),
            None => bug("ir", "an accumulator that has not been read yet"),
        }
    }

    /// Its sizes, outermost first.
    pub(in super::super) fn sizes(&self) -> &[usize] {
        self.shape.sizes()
    }

    /// Whether both are parts of one accumulator.
    pub(in super::super) fn shares(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.cell, &other.cell)
    }

    /// Where its first element is in the buffer.
    pub(in super::super) fn offset(&self) -> usize {
        self.offset
    }

    /// Works on the buffer of an accumulator of Reals.
    pub(in super::super) fn on_reals(&self, work: impl FnOnce(&mut [f64])) {
        let mut cell = self.cell.0.borrow_mut();
        let Some(Buffer { items: Items::Real(items), .. }) = cell.as_mut().and_then(Rc::get_mut)
        else {
            bug("ir", "an accumulator of Reals that has not been read yet")
        };
        work(items);
    }

    /// What has been accumulated; ends the accumulator.
    pub(in super::super) fn read(&self) -> Value {
        let Some(buffer) = self.cell.0.borrow_mut().take() else {
            bug("ir", "an accumulator that has not been read yet")
        };
        if self.shape.sizes().is_empty() {
            return buffer.items.get(self.offset);
        }
        Value::Array(Rc::new(Array::view(buffer, self.offset, self.shape.clone())))
    }
}
