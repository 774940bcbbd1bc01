//! Resource limits of a run of native code: memory, time and threads; and who hears what the run tells.
//!
//! Input: what a command or a caller allows. Output: [`Limits`] and [`Threads`], which [`crate::call`] keeps. No limit
//! changes a value or its bits: a run that meets one ends with an error.

pub use pullback_base::Limits;

/// On how many threads a run may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threads {
    /// The most that compute at once.
    pub most: usize,
    /// How many multiplications a loop is to do, roughly, before it is worth several.
    pub worth: f64,
}

/// How many multiplications a loop is to do, roughly, to take some ten times as long as a thread takes to start.
pub const WORTH: f64 = 2_097_152.0;

impl Threads {
    /// So many, where it is worth it.
    pub const fn of(most: usize) -> Self {
        Self { most, worth: WORTH }
    }
}
