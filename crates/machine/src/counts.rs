//! The account of what an evaluation did.

use pullback_prim::Prim;

/// By how much the weight of a division exceeds that of a multiplication.
pub const DIVISION: u64 = 3;

/// What was done, counted.
///
/// An operation is a scalar primitive, a product with a number of a derivative, with the addition of the product if there
/// is something to add it to, an element that a sum takes, or an element that is added to an accumulator or to a tangent. A
/// factor that the table says is 1 is not multiplied, and the first contribution to a sum is not added; neither is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations of the code that runs: scalar primitives, and what array primitives compute.
    pub operations: u64,
    /// Operations of an engine that differentiates while the code runs: each primitive in a partial derivative, and each
    /// multiplication of a partial by a tangent or cotangent with the addition of the product. Code that was
    /// differentiated before has these among its own.
    pub derivative: u64,
    /// By how much the weights of all these (`weight` of a row of the primitive table) exceed one each.
    pub surcharge: u64,
    /// Elements of arrays that were copied because an array was shared where it had to be changed.
    pub copied: u64,
    /// Elements moved into larger arrays: rows collected or put into place, arrays put behind each other. Only the
    /// evaluator of the array code has such.
    pub moved: u64,
    /// Calls and iterations of loops.
    pub steps: u64,
    /// Nodes of what translations keep to themselves: of the chains of their states, and of the trees in these.
    pub nodes: u64,
    /// Bytes allocated, for values and for frames.
    pub allocated: u64,
    /// The most bytes in use at once, those in use before left out.
    pub peak: u64,
}

impl Counts {
    /// The number of all operations.
    #[inline]
    pub fn total(self) -> u64 {
        self.operations + self.derivative
    }

    /// The weight of all operations: a multiplication counts one, what is dearer more.
    #[inline]
    pub fn weight(self) -> u64 {
        self.total() + self.surcharge
    }

    /// One primitive in a partial derivative.
    #[inline]
    pub fn differentiate(&mut self, prim: Prim) {
        self.derivative += 1;
        self.surcharge += surcharge(prim);
    }
}

/// By how much the weight of a primitive exceeds that of a multiplication.
#[inline]
pub fn surcharge(prim: Prim) -> u64 {
    prim.row().weight.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surcharge_of_a_division_is_that_of_the_table() {
        assert_eq!(surcharge(Prim::Div), DIVISION);
    }

    #[test]
    fn a_primitive_of_a_derivative_counts_one_and_weighs_what_its_row_says() {
        let mut counts = Counts { operations: 5, ..Counts::default() };
        counts.differentiate(Prim::Sin);
        assert_eq!(counts.total(), 6);
        assert_eq!(counts.weight(), 5 + Prim::Sin.row().weight);
    }
}
