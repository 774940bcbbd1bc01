//! What the schedule of a kernel is made by: the kind of code, the processor, and what somebody has decided of its loops.
//!
//! Input: settings of the emitter. Output: answers for the transformations that decide. Each follows a directive where that
//! is legal, and else its own costs.
//!
//! ```text
//! for i.9: lanes, 16 at once      at_once(i.9) is 16; what is copied is left open
//! ```
//!
//! Law: none of these changes what is computed, but for the order of sums where code need not keep it.

use pullback_ir::VarId;

use crate::registers::Registers;
use crate::schedule::{Copied, Directive, Directives};

/// By what the schedule of a kernel is made.
pub(super) struct Scheduling<'s> {
    /// Whether sums keep their order.
    pub is_strict: bool,
    pub registers: Registers,
    /// What somebody has decided.
    pub directives: &'s Directives,
}

impl Scheduling<'_> {
    pub fn directive(&self, index: VarId) -> Option<&Directive> {
        self.directives.get(&index)
    }

    /// How many iterations of a loop are to go at once, if somebody has said that.
    pub fn at_once(&self, index: VarId) -> Option<i64> {
        self.directive(index)?.at_once
    }

    /// Whether a loop is to copy this, if somebody has said what it copies.
    pub fn copies(&self, index: VarId, copied: Copied) -> Option<bool> {
        self.directive(index)?.copies.as_ref().map(|copies| copies.contains(&copied))
    }
}
