//! What is one number, or one size, wherever it comes from: propagated through statements, loops and calls.

pub(crate) mod interprocedural_constants;
pub(crate) mod interprocedural_sizes;
pub(crate) mod propagate_sizes;
