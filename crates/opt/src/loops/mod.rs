//! Loop passes: they change which loops there are, how often they run, and what they collect.
//!
//! Invariant code motion, unrolling, fusion, fission, index-set splitting, reductions, and states or results that are
//! redundant.

pub(crate) mod congruent_states;
pub(crate) mod dead_collects;
pub(crate) mod distribute_loops;
pub(crate) mod distribute_products;
pub(crate) mod distribute_recurrences;
pub(crate) mod fuse;
pub(crate) mod guarded_reductions;
pub(crate) mod hoist;
pub(crate) mod partition_loops;
pub(crate) mod reduce_from_identity;
pub(crate) mod reductions;
pub(crate) mod skip_zero_directions;
pub(crate) mod unroll;
pub(crate) mod while_to_for;
