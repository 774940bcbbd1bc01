//! Growing arrays: what loops collect and literals list, element by element or row by row.
//!
//! Input: elements or rows as they come, and how many are expected. Output: a dense array.
//!
//! Invariants. All rows have one size, or pushing one fails. Memory is asked for before it is taken. A row that nothing
//! looks at is as large as the others. Of a loop that runs down the rows are turned round at the end.

use pullback_base::memory::Charge;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::value::{Items, Kind, Shape, Value, check_sizes};

/// What the error about rows of different sizes compares.
const ROWS: &str = "the sizes of the rows";

/// An array that is being made, element by element or row by row.
pub(super) struct Builder {
    items: Items,
    /// The dimensions of what is added.
    rank: usize,
    /// How many elements or rows there are.
    len: usize,
    /// How many there will be, as far as that is known.
    expected: usize,
    /// The shape of the rows, once there is one that something looks at.
    row: Option<Shape>,
    /// The room for elements, in the account.
    held: Charge,
}

impl Builder {
    /// Without elements yet.
    pub fn new(kind: Kind, rank: usize, expected: usize, meter: &Meter) -> Result<Self, Fault> {
        let mut builder = Self {
            items: Items::empty(kind),
            rank,
            len: 0,
            expected,
            row: None,
            held: Charge::default(),
        };
        if rank == 0 {
            builder.make_room(expected, meter)?;
        }
        Ok(builder)
    }

    #[inline(never)]
    fn make_room(&mut self, more: usize, meter: &Meter) -> Result<(), Fault> {
        self.items.make_room(more, meter)?;
        self.held.set(self.items.bytes());
        Ok(())
    }

    /// Adds an element or a row.
    #[inline(always)]
    pub fn push(&mut self, value: Value, meter: &mut Meter) -> Result<(), Fault> {
        if self.rank > 0 {
            return self.push_row(&value, meter);
        }
        self.len += 1;
        if let (Items::Real(items), Value::Real(x)) = (&mut self.items, &value)
            && items.len() < items.capacity()
        {
            items.push(*x);
            return Ok(());
        }
        self.make_room(1, meter)?;
        self.items.push(value);
        Ok(())
    }

    /// Adds Reals.
    pub fn push_reals(&mut self, reals: &[f64], meter: &Meter) -> Result<(), Fault> {
        self.make_room(reals.len(), meter)?;
        self.len += reals.len();
        self.items.push_reals(reals);
        Ok(())
    }

    #[inline(never)]
    fn push_row(&mut self, value: &Value, meter: &mut Meter) -> Result<(), Fault> {
        let Value::Array(array) = value else {
            // Nothing looks at this row; it is as large as the others.
            self.len += 1;
            let blank = self.row.as_ref().map_or(0, Shape::count);
            self.make_room(blank, meter)?;
            self.items.extend_blank(blank);
            return Ok(());
        };
        let count = array.count();
        if let Some(row) = &self.row {
            check_sizes(array.sizes(), row.sizes(), ROWS)?;
            self.make_room(count, meter)?;
        } else {
            self.row = Some(array.shape().clone());
            self.make_room(self.expected.max(self.len + 1).saturating_mul(count), meter)?;
            self.items.extend_blank(self.len * count);
        }
        self.len += 1;
        meter.counts.moved += count as u64;
        let (items, offset) = array.items();
        self.items.extend(items, offset..offset + count);
        Ok(())
    }

    /// The array; of a loop that runs down the last row came first.
    pub fn finish(mut self, is_reversed: bool) -> Value {
        let absent = Shape::new(&vec![0; self.rank]);
        let row = self.row.unwrap_or(absent);
        if is_reversed {
            self.items.reverse_rows(row.count());
        }
        drop(self.held);
        Value::array(Shape::of_rows(self.len, row.sizes()), self.items)
    }
}
