//! What solving constraints needs: what is known of types, and the typed tree, whose names of types messages use.

use super::unifier::Unifier;
use crate::tir::Typed;

/// What is known of types, and the tree that they are of.
pub(super) struct Solver<'i> {
    pub unifier: &'i mut Unifier,
    pub typed: &'i mut Typed,
}
