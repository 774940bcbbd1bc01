//! Addressing of arrays: checks of indices, and the offset of an element in row-major order, by Horner's rule over the
//! sizes.
//!
//! ```text
//! IR  x.0[i.4, 2]
//! C   if (PB_RARE((uint64_t)v4 >= (uint64_t)v0.d[0])) pb_fail_index(…);  …  v0.p[(v4) * v0.d[1] + INT64_C(2)]
//! C   … after a check that rows have 3 elements   v0.p[(v4) * INT64_C(3) + INT64_C(2)]
//! ```
//!
//! Input: an array and indices. Output: C. Invariants. A check stands before the access unless the statement is proved.
//! A size counts as known only if the text has checked it before, at a place that dominates the access; where there are
//! no rows it may be another, but then nothing is accessed.

use std::rc::Rc;

use pullback_analysis::sizes::{Size, size_of};
use pullback_ir::{Atom, Op, VarId};

use super::body::Body;
use super::numbers::int;

impl Body<'_, '_> {
    /// Checks indices into an array, unless the statement cannot fail.
    pub fn check_indices(&mut self, array: &str, at: &[Atom]) {
        if self.is_proven {
            return;
        }
        let site = self.site();
        for (dimension, index) in at.iter().enumerate() {
            let index = self.atom(*index);
            self.line(format_args!(
                "if (PB_RARE((uint64_t){index} >= (uint64_t){array}.d[{dimension}])) pb_fail_index(c, {site}, {index}, {array}.d[{dimension}]);"
            ));
        }
    }

    /// The number of the first element at indices into an array of so many dimensions. `of` is the array, if it is a
    /// variable of the program.
    pub fn offset(&self, array: &str, of: Option<VarId>, at: &[Atom], rank: u8) -> String {
        let mut text = String::new();
        let size = |dimension: usize| {
            let known = of.and_then(|of| self.emit.known.get(&(of, dimension as u8)));
            known.map_or_else(|| format!("{array}.d[{dimension}]"), |size| int(*size))
        };
        for dimension in 0..usize::from(rank) {
            let index = at.get(dimension).map(|index| self.atom(*index));
            text = match (dimension, index) {
                (0, Some(index)) => index,
                (0, None) => "0".to_owned(),
                (_, Some(index)) => format!("({text}) * {} + {index}", size(dimension)),
                (_, None) => format!("({text}) * {}", size(dimension)),
            };
        }
        text
    }

    /// Notes a size of an array that holds where it has elements: of a dimension inside, at most so many.
    pub fn know_size(&mut self, array: VarId, dimension: usize, size: i64) {
        if size > 0 {
            Rc::make_mut(&mut self.emit.known).insert((array, dimension as u8), size);
        }
    }

    /// Notes the sizes of what has those of another array.
    pub fn keep_sizes(&mut self, op: &Op, var: VarId) {
        for dimension in 1..self.type_of(var.into()).rank {
            if let Some(Size::Of(array, of)) = size_of(op, dimension)
                && let Some(size) = self.emit.known.get(&(array, of)).copied()
            {
                self.know_size(var, dimension.into(), size);
            }
        }
    }

    /// The sizes of an array from a dimension on.
    pub fn rest(&self, array: &str, from: usize, rank: u8) -> String {
        let sizes: Vec<String> =
            (from..usize::from(rank)).map(|at| format!("{array}.d[{at}]")).collect();
        sizes.join(", ")
    }

    /// Whether an array has rows at a dimension.
    pub fn has_rows(&self, array: &str, dimension: u8) -> String {
        let sizes: Vec<String> = (0..dimension).map(|at| format!("{array}.d[{at}] > 0")).collect();
        if sizes.is_empty() { "1".to_owned() } else { sizes.join(" && ") }
    }
}
