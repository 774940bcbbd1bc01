//! Tables of defunctionalisation: which functions a data type of functions stands for, and which functions apply its
//! values.
//!
//! ```text
//! calculus  if p then (\x -> mul k x) else exp          a function, one of two
//! IR        data F = F0(f64) | F1                        F0(k) or F1(), and @apply(f, x) matches it
//! ```
//!
//! [`super::closure`] fills and reads them. Invariant: two functions with the same skeleton are one constructor. An
//! `apply` whose body does not know all constructors of its type is made again before lowering ends.

use pullback_ir::FuncId;
use pullback_lambda as lambda;

use crate::value::Fun;

/// A constructor of a data type of functions.
pub(crate) struct Case {
    /// The function, with some atoms.
    pub(crate) template: Fun,
    /// The same function with all atoms replaced by one: it tells constructors apart, since what they capture is in
    /// their fields.
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
