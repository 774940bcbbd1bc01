//! What a run may take.

use std::time::Duration;

use pullback_base::Since;

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes that values and the stack may take together.
    pub max_memory: usize,
    /// The most time it may take.
    pub timeout: Option<Duration>,
    /// From when the limit of time counts, if that is before the run.
    pub since: Option<Since>,
}
