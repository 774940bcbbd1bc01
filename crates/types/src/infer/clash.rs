//! How two types may disagree, and how strictly that is looked at.

use crate::ty::{Poly, Ty};

/// Why two types do not agree.
#[derive(Clone, Debug)]
pub(super) enum Clash {
    /// Different types.
    Types,
    /// A variable would contain itself.
    Infinite,
    /// Sizes that differ whatever their names stand for.
    Sizes(Poly, Poly),
    /// A declared type variable would escape its definition.
    Escape(Ty),
    /// The types are too large.
    TooLarge,
}

/// How strictly sizes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Sizes that provably differ clash.
    Strict,
    /// Sizes may differ: the types of two branches.
    Join,
}
