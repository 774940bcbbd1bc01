//! The name of this crate in messages about bugs.

/// The name of the pass.
pub(crate) const NAME: &str = "ad";
