//! Function passes: they change which functions and data types there are, and who calls whom.
//!
//! Inlining, recursion that becomes loops or straight code, deforestation, and functions and constructors that are
//! specialised.

pub(crate) mod deforest;
pub(crate) mod fuse_recursive_sweeps;
pub(crate) mod inline;
pub(crate) mod prune;
pub(crate) mod small_routines;
pub(crate) mod specialise_constructors;
pub(crate) mod static_arguments;
pub(crate) mod tail_calls_to_loops;
pub(crate) mod unroll_recursion;
