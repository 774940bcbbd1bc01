//! Instructions on arrays: what the machine does for each.
//!
//! Input: operands in registers. Output: a value, or a fault. An array that is moved out of its register and that
//! nothing else sees is changed in place; else [`Array`] copies it and counts the copy.

use std::cmp::Ordering;
use std::rc::Rc;

use pullback_base::bug;
use pullback_prim::Fault;

use super::registers::Window;
use crate::eval::build::Builder;
use crate::eval::code::{ListId, Operand, Reg};
use crate::eval::core::Core;
use crate::eval::value::{Array, Items, Kind, Shape, Value, position};

impl Window<'_> {
    /// Begins an array of a known size.
    #[inline(never)]
    pub fn build(
        &self,
        core: &mut Core<'_>,
        kind: Kind,
        rank: u8,
        n: Operand,
    ) -> Result<(), Fault> {
        let count = self.count(n)?;
        core.builders.push(Builder::new(kind, usize::from(rank), count, &core.meter)?);
        Ok(())
    }

    /// How many elements an array gets: an error if the number is negative.
    pub fn count(&self, n: Operand) -> Result<usize, Fault> {
        let number = self.int(n);
        let count = usize::try_from(number);
        count.map_err(|_| Fault::Negative { number, what: "the size of an array" })
    }

    /// Begins an array of unknown size.
    #[inline(never)]
    pub fn grow(&self, core: &mut Core<'_>, kind: Kind, rank: u8) -> Result<(), Fault> {
        core.builders.push(Builder::new(kind, usize::from(rank), 0, &core.meter)?);
        Ok(())
    }

    /// Adds to one of the arrays that have been begun.
    #[inline(always)]
    pub fn push(&mut self, core: &mut Core<'_>, nth: u32, a: Operand) -> Result<(), Fault> {
        let value = self.take(a);
        let nth = core.builders.len() - 1 - nth as usize;
        core.builders[nth].push(value, &mut core.meter)
    }

    /// The array that was begun last.
    #[inline(never)]
    pub fn built(&mut self, core: &mut Core<'_>, d: Reg, is_reversed: bool) {
        let Some(builder) = core.builders.pop() else { bug("ir", "an array that was begun") };
        self.set(d, builder.finish(is_reversed));
    }

    /// An array of these elements.
    #[inline(never)]
    pub fn make_array(
        &mut self,
        core: &mut Core<'_>,
        kind: Kind,
        rank: u8,
        args: ListId,
    ) -> Result<Value, Fault> {
        let args = self.list(args);
        let mut builder = Builder::new(kind, usize::from(rank), args.len(), &core.meter)?;
        for a in args {
            builder.push(self.take(*a), &mut core.meter)?;
        }
        Ok(builder.finish(false))
    }

    /// The element or the part at one or two indices.
    #[inline(always)]
    pub fn index<const N: usize>(
        &mut self,
        d: Reg,
        a: Operand,
        at: [Operand; N],
    ) -> Result<(), Fault> {
        let indices = at.map(|index| self.int(index));
        let array = self.array(a);
        if let (sizes, (Items::Real(items), offset)) = (array.sizes(), array.items())
            && sizes.len() == N
        {
            let mut at = 0;
            for (index, size) in indices.into_iter().zip(sizes) {
                at = at * size + position(index, *size)?;
            }
            let x = items[offset + at];
            self.set_real(d, x);
            return Ok(());
        }
        let value = array.at(&indices)?;
        self.set(d, value);
        Ok(())
    }

    /// The element or the part at any number of indices.
    #[inline(never)]
    pub fn index_all(&self, core: &mut Core<'_>, a: Operand, at: ListId) -> Result<Value, Fault> {
        self.gather(core, at);
        self.array(a).at(&core.indices)
    }

    /// Puts indices where the operation finds them.
    #[inline]
    pub fn gather(&self, core: &mut Core<'_>, at: ListId) {
        core.indices.clear();
        core.indices.extend(self.list(at).iter().map(|a| self.int(*a)));
    }

    /// An array with something else at a place.
    #[inline]
    pub fn update(
        &mut self,
        core: &mut Core<'_>,
        a: Operand,
        at: ListId,
        v: Operand,
    ) -> Result<Value, Fault> {
        self.gather(core, at);
        let (array, value) = (self.take(a), self.take(v));
        let Value::Array(array) = array else { bug("ir", format_args!("an array, not {array:?}")) };
        Array::with(array, &core.indices, value, &mut core.meter).map(Value::Array)
    }

    /// A range of an array.
    #[inline(never)]
    pub fn slice(&self, a: Operand, from: Operand, to: Operand) -> Result<Value, Fault> {
        let (from, to) = (self.int(from), self.int(to));
        self.array(a).range(from, to).map(owned)
    }

    /// One array and then the other.
    #[inline(never)]
    pub fn concat(&mut self, core: &mut Core<'_>, a: Operand, b: Operand) -> Result<Value, Fault> {
        let (one, other) = (self.take(a), self.get(b));
        let (Value::Array(one), Value::Array(other)) = (one, other) else {
            bug("ir", "two arrays to put behind each other")
        };
        Array::append(one, other, &mut core.meter).map(Value::Array)
    }

    /// The first two dimensions as one.
    #[inline(never)]
    pub fn flatten(&self, a: Operand) -> Value {
        owned(self.array(a).flat())
    }

    /// The size of a dimension.
    #[inline]
    pub fn dim(&self, a: Operand, dimension: u8) -> i64 {
        if let Value::Undef = self.get(a) {
            return 0;
        }
        self.array(a).sizes()[usize::from(dimension)] as i64
    }

    /// The same array, with a size for absent rows.
    #[inline(never)]
    pub fn sized(&mut self, a: Operand, dimension: u8, n: Operand) -> Value {
        let (dimension, n) = (usize::from(dimension), self.int(n));
        let array = self.array(a);
        if array.has_rows(dimension) {
            return self.take(a);
        }
        let sized = owned(array.sized(dimension, n));
        // What was marked to be moved out must not stay.
        drop(self.take(a));
        sized
    }

    /// An error unless the rows at a dimension have a size, if there are any.
    #[inline(never)]
    pub fn check_size(
        &self,
        a: Operand,
        dimension: u8,
        n: Operand,
        what: Operand,
    ) -> Result<(), Fault> {
        let (array, dimension, needed) = (self.array(a), usize::from(dimension), self.int(n));
        let found = array.sizes()[dimension] as i64;
        if found == needed || !array.has_rows(dimension) {
            return Ok(());
        }
        Err(Fault::Size { found, needed, what: self.text(what).to_string() })
    }

    /// An error unless a number is that of rows.
    #[inline(never)]
    pub fn check_equal(&self, a: Operand, n: Operand, what: Operand) -> Result<(), Fault> {
        let (found, needed) = (self.int(a), self.int(n));
        if found == needed {
            return Ok(());
        }
        Err(Fault::of_counts(found, needed, self.text(what).to_string()))
    }

    /// The sum of an array of Reals, from left to right.
    #[inline(never)]
    pub fn sum(&self, core: &mut Core<'_>, a: Operand) -> f64 {
        let reals = self.reals(a);
        core.meter.counts.operations += reals.len() as u64;
        reals.iter().fold(0.0, |total, x| total + x)
    }

    fn reals(&self, a: Operand) -> &[f64] {
        match self.array(a).reals() {
            Some(reals) => reals,
            None => bug("ir", "an array of Reals"),
        }
    }

    /// The indices of an array of Reals in ascending order, NaN last; zeros of either sign are equal.
    #[inline(never)]
    pub fn argsort(&self, core: &mut Core<'_>, a: Operand) -> Result<Value, Fault> {
        let keys = self.reals(a);
        core.meter.reserve_elements(keys.len(), size_of::<i64>())?;
        let mut order: Vec<i64> = (0..keys.len() as i64).collect();
        let ascending = |a: f64, b: f64| -> Ordering {
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        };
        order.sort_by(|a, b| ascending(keys[*a as usize], keys[*b as usize]));
        Ok(Value::ints(order))
    }

    /// The first sizes of an array, as an array of units.
    #[inline(never)]
    pub fn shape(&self, a: Operand, rank: u8) -> Value {
        let rank = usize::from(rank);
        // A value that nothing looks at has no size.
        if let Value::Undef = self.get(a) {
            return Value::array(Shape::new(&vec![0; rank]), Items::Unit);
        }
        Value::array(Shape::new(&self.array(a).sizes()[..rank]), Items::Unit)
    }
}

fn owned(array: Array) -> Value {
    Value::Array(Rc::new(array))
}
