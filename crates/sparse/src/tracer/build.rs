//! Arrays that are made element by element or row by row, by loops and literals.
//!
//! Input: elements or rows as they come. Output: a dense array. Invariant: all rows have one size, or pushing one fails.

use pullback_ir::Type;
use pullback_ir::eval::Shape;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::value::{Buffer, Items, Value};

/// An array under way.
pub struct Builder {
    buffer: Buffer,
    /// The dimensions of what is added.
    rank: usize,
    len: usize,
    expected: usize,
    row: Option<Shape>,
}

impl Builder {
    /// An array of this type, of about so many elements or rows.
    pub fn new(ty: Type, expected: usize, meter: &Meter) -> Result<Self, Fault> {
        meter.reserve_elements(expected, 8)?;
        let buffer = Buffer::new(Items::of(ty.elem), None, false);
        Ok(Self { buffer, rank: usize::from(ty.rank) - 1, len: 0, expected, row: None })
    }

    /// Adds an element or a row.
    pub fn push(&mut self, value: Value, meter: &Meter) -> Result<(), Fault> {
        self.len += 1;
        if self.rank == 0 {
            self.buffer.push(value);
            if self.len.is_power_of_two() {
                self.buffer.recharge();
                meter.check_memory()?;
            }
            return Ok(());
        }
        let Value::Array(array) = value else {
            // Nothing looks at this row; it is as large as the others.
            self.buffer.extend_blank(self.row.as_ref().map_or(0, Shape::count));
            return Ok(());
        };
        let count = array.shape.count();
        match &self.row {
            Some(row) => super::array::check_sizes(array.shape.sizes(), row.sizes())?,
            None => {
                self.row = Some(array.shape.clone());
                meter.reserve_elements(self.expected.max(self.len).saturating_mul(count), 8)?;
                self.buffer.extend_blank((self.len - 1) * count);
            }
        }
        self.buffer.extend(&array.buffer, array.offset, count);
        if self.len.is_power_of_two() {
            self.buffer.recharge();
            meter.check_memory()?;
        }
        Ok(())
    }

    /// The array; of a loop that runs down the last row came first.
    pub fn finish(mut self, is_reversed: bool) -> Value {
        let absent = Shape::new(&vec![0; self.rank]);
        let row = self.row.unwrap_or(absent);
        if is_reversed {
            self.buffer.reverse_rows(row.count());
        }
        self.buffer.recharge();
        Value::array(Shape::of_rows(self.len, row.sizes()), self.buffer)
    }
}
