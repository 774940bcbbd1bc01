//! What making types agree needs: all that is known of types and sizes, what is still to be known, and where in
//! the nesting of binders inference is. It knows no names; the tree is for [`Solver`](super::solver::Solver).

use pullback_base::{Diagnostic, FileId, IdVec, Span};
use rustc_hash::FxHashSet;

use super::callee::{CallPlaces, Cause};
use super::constraints::Constraints;
use super::opaque::OpaqueSizes;
use super::reports::{Reported, Reports};
use super::table::Table;
use crate::tir::LocalId;

/// What is known of types.
pub(super) struct Unifier {
    /// The unknown types and sizes.
    pub table: Table,
    /// What is to be known of them.
    pub constraints: Constraints,
    /// The sizes that are no polynomials.
    pub opaque: OpaqueSizes,
    /// The files of the library.
    pub library: FxHashSet<FileId>,
    /// What there is to say; a type that is too large ends inference.
    pub reports: Reports,
    /// The expression that constraints arising now are blamed on.
    pub at: Span,
    /// What constraints arising now are for.
    pub cause: Cause,
    /// The calls whose arguments are being checked, the innermost last.
    pub calls: Vec<CallPlaces>,
    /// How many binders enclose each local variable.
    depths: IdVec<LocalId, u32>,
    /// How many generalising bindings enclose this point.
    level: u32,
    /// How many binders enclose this point.
    depth: u32,
}

impl Unifier {
    /// Nothing is known yet; `reports` are those of resolution.
    pub fn new(reports: Vec<Diagnostic>) -> Self {
        Self {
            table: Table::default(),
            constraints: Constraints::default(),
            opaque: OpaqueSizes::default(),
            library: FxHashSet::default(),
            reports: Reports::new(reports),
            at: Span::NONE,
            cause: Cause::default(),
            calls: Vec::new(),
            depths: IdVec::default(),
            level: 0,
            depth: 0,
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.reports.add(diagnostic)
    }

    /// How many generalising bindings enclose this point.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// How many binders enclose this point.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Begins the value of a binding that is generalised.
    pub fn enter_binding(&mut self) {
        self.level += 1;
    }

    pub fn leave_binding(&mut self) {
        self.level -= 1;
    }

    /// Begins what a binder encloses.
    pub fn enter_binder(&mut self) {
        self.depth += 1;
    }

    /// Ends what a binder encloses.
    pub fn leave_binder(&mut self) {
        self.depth -= 1;
    }

    /// Declares the next local variable, at this depth.
    pub fn declare_local(&mut self) -> LocalId {
        self.depths.push(self.depth)
    }

    /// How many binders enclose a local variable.
    pub fn depth_of(&self, local: LocalId) -> u32 {
        self.depths[local]
    }
}
