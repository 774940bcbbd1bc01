//! What the limits of evaluations are made of.

use std::time::{Duration, Instant};

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

/// Limits of time and memory.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What counts and from when.
    pub since: Since,
    /// The most time.
    pub timeout: Option<Duration>,
    /// The most memory, in bytes.
    pub max_memory: usize,
}

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// There is no more time.
    Time,
    /// There is no room for what is needed.
    Memory,
}

impl Limits {
    /// How many bytes may still be taken.
    pub fn room(&self) -> usize {
        self.max_memory.saturating_sub(self.since.bytes())
    }
    /// Says whether there is time left, and room for this many bytes.
    pub fn check(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > self.room() {
            return Err(Exceeded::Memory);
        }
        let deadline = self.timeout.and_then(|timeout| self.since.time.checked_add(timeout));
        match deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Exceeded::Time),
            Some(_) | None => Ok(()),
        }
    }
}
