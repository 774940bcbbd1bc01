//! What the limits of evaluations are made of.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Instant;
use crate::memory;
use crate::progress::Progress;

/// Limits of a run, and who hears of it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes that values and stacks may take together.
    pub max_memory: usize,
    /// The most time it may take.
    pub timeout: Option<Duration>,
    /// From when the limits of time and memory count, if that is before the run.
    pub since: Option<Since>,
    /// What is told each line of `debug`.
    pub tell: fn(&str),
    /// Who is told how far the outermost loop is.
    pub progress: Option<Arc<Progress>>,
}

/// How much memory a run may take that is given no other limit: 4 GiB, or a part of what 32 bits can address.
const MAX_MEMORY: usize = if usize::BITS > 32 { (4u64 << 30) as usize } else { 1 << 30 };

impl Default for Limits {
    fn default() -> Self {
        Self { max_memory: MAX_MEMORY, timeout: None, since: None, tell: |_| {}, progress: None }
    }
}

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
        self.max_memory.saturating_sub(self.since.as_ref().map_or(0, Since::bytes))
    }
    /// Says whether there is time left, and room for this many bytes.
    pub fn check(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > self.room() {
            return Err(Exceeded::Memory);
        }
        let start = self.since.map_or_else(Instant::now, |since| since.time);
        let deadline = self.timeout.and_then(|timeout| start.checked_add(timeout));
        match deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Exceeded::Time),
            Some(_) | None => Ok(()),
        }
    }
}
