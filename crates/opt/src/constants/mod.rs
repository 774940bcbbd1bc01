//! Constant passes: what is one number, or one size, wherever it comes from, is written where it is used.
//!
//! They propagate through statements and loops of a function (`propagate_sizes`), and through calls. What is the same in
//! all calls without being constant is known by `preconditions`.

pub(crate) mod interprocedural_constants;
pub(crate) mod interprocedural_sizes;
pub(crate) mod preconditions;
pub(crate) mod propagate_sizes;
