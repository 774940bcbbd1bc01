//! Local passes: they look at one statement, or at a few that stand in the same block.
//!
//! Algebraic simplification, common subexpressions, dead code, if-conversion, and the merging of branches. `dce` and
//! `drop_strong_zeros` see the whole program, but what they change is one statement at a time.

pub(crate) mod cse;
pub(crate) mod dce;
pub(crate) mod drop_strong_zeros;
pub(crate) mod expand_powers;
pub(crate) mod if_conversion;
pub(crate) mod merge_branches;
pub(crate) mod simplify;
