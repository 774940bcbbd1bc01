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
