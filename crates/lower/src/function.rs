//! What is known of functions that are data.

use pullback_ir::FuncId;
use pullback_lambda as lambda;

use crate::value::Fun;

/// A constructor of a data type of functions.
pub(crate) struct Case {
    /// The function, with some atoms.
    pub(crate) template: Fun,
    /// The same, with all atoms alike: what tells it from others.
    pub(crate) skeleton: Fun,
}

/// A function that applies functions of a type to so many arguments.
pub(crate) struct Apply {
    /// The type.
    pub(crate) ty: lambda::Type,
    /// How many arguments.
    pub(crate) args: usize,
    /// The function.
    pub(crate) func: FuncId,
    /// How many constructors its body knows.
    pub(crate) covered: Option<usize>,
}
