//! A part of what a function of a library is given or gives: one number, or one array of numbers.

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
