//! Cost model of the evaluator: the account of what an evaluation did.
//!
//! Operations, copies, moves and steps hang on the program and its arguments alone, not on the machine, so tests
//! compare them exactly. [`Counts::weight`] is the cost of all operations in multiplications.

/// What was done, counted.
///
/// An operation is a scalar primitive, a product with a (co)tangent, an element that a sum takes, or an
/// element that is added to an accumulator or to a tangent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The operations.
    pub operations: u64,
    /// By how much the weights of all these (`weight` of a row of the primitive table) exceed one each.
    pub surcharge: u64,
    /// Elements copied because an array that was shared had to be changed.
    pub copied: u64,
    /// Elements moved into larger arrays: rows collected or put into place, arrays put behind each other.
    pub moved: u64,
    /// Calls and iterations of loops.
    pub steps: u64,
    /// Bytes allocated, for values and for frames.
    pub allocated: u64,
    /// The most bytes in use at once, those in use before left out.
    pub peak: u64,
}

impl Counts {
    /// The weight of all operations: a multiplication counts one, what is dearer more.
    pub fn weight(self) -> u64 {
        self.operations + self.surcharge
    }
}
