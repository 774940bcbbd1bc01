//! Passes that choose what becomes of an accumulator, which `transpose` makes for whatever is read: a register, a map,
//! a gather, an update in place, or another order of the loops around it.

pub(crate) mod accumulate_to_update;
pub(crate) mod accumulator_init;
pub(crate) mod elementwise_adds;
pub(crate) mod interchange_loops;
pub(crate) mod promote_accumulators;
pub(crate) mod scalarise_accumulators;
pub(crate) mod scatter_to_gather;
pub(crate) mod scatter_to_map;
