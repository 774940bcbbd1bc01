//! Passes that look at one statement, or at few that stand beside each other: algebra, common subexpressions, dead code,
//! branches.

pub(crate) mod cse;
pub(crate) mod dce;
pub(crate) mod drop_strong_zeros;
pub(crate) mod expand_powers;
pub(crate) mod if_conversion;
pub(crate) mod merge_branches;
pub(crate) mod simplify;
