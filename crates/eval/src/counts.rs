//! The account of operations.

use pullback_prim::Prim;

/// How many operations were executed, first by number, then by weight.
///
/// An operation is a primitive, or a product with a number of a derivative, with the addition of the
/// product if there is something to add it to. A factor that the table says is 1 is not multiplied, and
/// the first contribution to a sum is not added; neither is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scalar primitives of the program itself: arithmetic of Reals and Ints, and comparisons. An
    /// array primitive that computes counts its length.
    pub primitives: u64,
    /// Operations of differentiation: each primitive in a partial derivative, and each multiplication
    /// of a partial by a tangent or cotangent with the addition of the product.
    pub derivative: u64,
    /// By how much the weights of all these ([`crate::Row::weight`]) exceed one each.
    pub surcharge: u64,
    /// Elements of arrays that were copied because an array was shared where an element was replaced.
    pub copied: u64,
}

impl Counts {
    /// The number of all operations.
    pub fn total(self) -> u64 {
        self.primitives + self.derivative
    }

    /// The weight of all operations: a multiplication counts one, what is dearer more.
    pub fn weight(self) -> u64 {
        self.total() + self.surcharge
    }

    /// One primitive in a partial derivative.
    #[inline]
    pub fn differentiate(&mut self, prim: Prim) {
        self.derivative += 1;
        self.surcharge += surcharge(prim);
    }

    /// These operations and those.
    #[inline]
    pub fn add(&mut self, other: Self) {
        self.primitives += other.primitives;
        self.derivative += other.derivative;
        self.surcharge += other.surcharge;
        self.copied += other.copied;
    }
}

/// By how much the weight of a primitive exceeds that of a multiplication.
#[inline]
pub(super) fn surcharge(prim: Prim) -> u64 {
    prim.row().weight.saturating_sub(1)
}
