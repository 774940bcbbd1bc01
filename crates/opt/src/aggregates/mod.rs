//! Aggregate passes: they take apart what is put together, so that its parts are variables or dense arrays.
//!
//! Small arrays, values of sum types, arrays of boxes, arrays that only arrange others, and fields that loops read.

pub(crate) mod forward_elements;
pub(crate) mod hoist_field_loads;
pub(crate) mod scalar_replacement;
pub(crate) mod unbox;
pub(crate) mod unpack_sums;
