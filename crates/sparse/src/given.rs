//! What a function is given whose dependences are wanted.

use pullback_ir::eval;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Given<'l> {
    /// A value. Its Ints, Bools and Strings are the same at each point.
    Point(&'l eval::Value),
    /// A value that is another one at another point, Ints, Bools and Strings too.
    Data(&'l eval::Value),
    /// A value whose Reals are the numbers of inputs, counted from one; 0 is that of none.
    Inputs(&'l eval::Value),
}

/// What is known of the values in an argument: that which its variant says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Point,
    Data,
    Inputs,
}

impl<'l> Given<'l> {
    /// The value, and what is known of it.
    pub(crate) fn parts(&self) -> (&'l eval::Value, Known) {
        match self {
            Self::Point(leaf) => (leaf, Known::Point),
            Self::Data(leaf) => (leaf, Known::Data),
            Self::Inputs(leaf) => (leaf, Known::Inputs),
        }
    }
}
