//! A parameter or result of a library's function, as C passes it: one number, or one array of numbers.
//!
//! A value of the program with several leaves, such as a record, is several fields. [`crate::library`] and
//! [`crate::casadi`] write the C for them, and [`crate::fits`] checks their sizes.

use pullback_ir::{Elem, Type};

/// A part of what a function is given or gives.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The parameter with the same sizes, of an array without contents: C does not see it.
    pub like: Option<usize>,
}

impl Field {
    /// Whether C sees it.
    pub fn is_seen(&self) -> bool {
        self.ty.elem != Elem::Unit
    }
}
