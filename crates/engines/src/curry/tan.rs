//! Cotangents as far as they are known while code is made.

use pullback_lambda::Expr;

/// A cotangent.
#[derive(Clone, Debug)]
pub enum Tan {
    /// The structural zero.
    Zero,
    /// A number that is there, as an atom.
    Real(Expr),
    /// The components of a tuple or record.
    Parts(Vec<Tan>),
    /// An atom of the type of cotangents, which may hold a zero.
    Any(Expr),
}

impl Tan {
    /// Whether it is known to be the structural zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Zero)
    }
}
