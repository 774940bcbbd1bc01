//! Accumulator passes: they choose what becomes of an accumulator, which `transpose` makes for whatever is read.
//!
//! It becomes a register, a map, a gather, or an update in place, or the loops around it run in another order. An
//! accumulator is for what is added in many places in any order; each of these forms is one of which other passes
//! know more.

pub(crate) mod accumulate_to_update;
pub(crate) mod accumulator_init;
pub(crate) mod elementwise_adds;
pub(crate) mod interchange_loops;
pub(crate) mod promote_accumulators;
pub(crate) mod scalarise_accumulators;
pub(crate) mod scatter_to_gather;
pub(crate) mod scatter_to_map;
pub(crate) mod update_to_accumulate;
