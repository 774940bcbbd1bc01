//! Shapes of arrays: sizes, outermost first, and how many elements there are in row-major order.
//!
//! Up to three sizes lie in place, as most arrays have no more dimensions. Sizes of absent rows may be anything, so
//! products of sizes saturate.

use super::{Dims, Shape};

impl Shape {
    /// The shape of one element.
    pub const SCALAR: Self = Self(Dims::Zero);

    /// These sizes, outermost first.
    pub fn new(sizes: &[usize]) -> Self {
        Self(match *sizes {
            [] => Dims::Zero,
            [m] => Dims::One([m]),
            [m, n] => Dims::Two([m, n]),
            [m, n, k] => Dims::Three([m, n, k]),
            _ => Dims::Many(sizes.into()),
        })
    }
    /// So many rows of this shape.
    pub fn of_rows(count: usize, row: &[usize]) -> Self {
        match *row {
            [] => Self(Dims::One([count])),
            [n] => Self(Dims::Two([count, n])),
            _ => Self::new(&[&[count], row].concat()),
        }
    }
    /// The sizes.
    #[inline(always)]
    pub fn sizes(&self) -> &[usize] {
        match &self.0 {
            Dims::Zero => &[],
            Dims::One(sizes) => sizes,
            Dims::Two(sizes) => sizes,
            Dims::Three(sizes) => sizes,
            Dims::Many(sizes) => sizes,
        }
    }
    /// The number of elements.
    #[inline]
    pub fn count(&self) -> usize {
        count(self.sizes())
    }
}

/// The number of elements of an array with these sizes. Sizes of absent rows may be anything, and their
/// product too.
#[inline]
pub(in super::super) fn count(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |product, size| product.saturating_mul(*size))
}
