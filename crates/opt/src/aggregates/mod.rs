//! Passes that take apart what is put together: small arrays, sums, boxes, arrays that only arrange others.

pub(crate) mod forward_elements;
pub(crate) mod hoist_field_loads;
pub(crate) mod scalar_replacement;
pub(crate) mod unbox;
pub(crate) mod unpack_sums;
