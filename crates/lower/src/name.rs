//! The name of this crate where it tells of a bug.

/// The name of the pass.
pub(crate) const NAME: &str = "lower";
