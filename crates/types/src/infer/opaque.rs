//! Sizes that are no polynomials, such as quotients. Equal ones have one id.

use indexmap::IndexMap;
use pullback_base::Id;
use rustc_hash::FxBuildHasher;

use crate::tir::{GlobalId, LocalId, Step, TExpr};
use crate::ty::{OpaqueId, Poly};

/// A size that is no polynomial: what makes it the same as another one.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum OpaqueSize {
    /// A component or field of a variable.
    Part(LocalId, Vec<Step>),
    /// The value of a definition.
    Global(GlobalId),
    /// `a / b`
    Quotient(Poly, Poly),
    /// `a % b`
    Remainder(Poly, Poly),
}

/// All sizes that are no polynomials, by their ids.
#[derive(Debug, Default)]
pub(super) struct OpaqueSizes {
    /// Each with how many binders enclose what it mentions, and an expression for it.
    sizes: IndexMap<OpaqueSize, (u32, TExpr), FxBuildHasher>,
}

impl OpaqueSizes {
    /// The id of a size, and whether it is new.
    pub fn id_of(&mut self, size: OpaqueSize, depth: u32, expr: &TExpr) -> (OpaqueId, bool) {
        let count = self.sizes.len();
        let entry = self.sizes.entry(size);
        let index = entry.index();
        entry.or_insert_with(|| (depth, expr.clone()));
        (OpaqueId::from_index(index), index == count)
    }

    /// How many binders enclose what it mentions.
    pub fn depth(&self, id: OpaqueId) -> u32 {
        self.sizes[id.index()].0
    }

    /// An expression that has this size as its value.
    pub fn expr(&self, id: OpaqueId) -> &TExpr {
        &self.sizes[id.index()].1
    }
}
