//! What the limits of evaluations are made of.

use std::time::Instant;

use crate::memory;

/// A moment, for limits to count from.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    /// The time.
    pub time: Instant,
    /// What the values of this thread held.
    pub bytes: usize,
}

impl Since {
    /// This moment.
    pub fn now() -> Self {
        Self { time: Instant::now(), bytes: memory::live() }
    }
    /// The bytes that values made since then hold. Those made before may be free again.
    #[inline]
    pub fn bytes(&self) -> usize {
        memory::live().wrapping_sub(self.bytes).cast_signed().max(0).cast_unsigned()
    }
}

/// How many steps an engine may take before it has to say that another is better suited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most calls and iterations of loops, to within some ten thousand.
    pub steps: u64,
    /// What to say beyond.
    pub exceeded: &'static str,
}
