//! What an evaluation may take, and the conventions it keeps.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::memory;
use super::watch::Watch;

/// Limits and conventions of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes that values, frames and tapes may take together.
    pub max_memory: usize,
    /// The most time an evaluation may take.
    pub timeout: Option<Duration>,
    /// From when the limits of time and memory count, if that is before the evaluation.
    pub since: Option<Since>,
    /// Strict domain: ties of followed Reals and primitives without a derivative are errors.
    pub strict_domain: bool,
    /// What is shown the primitives of an image made for it.
    pub watch: Option<Rc<Watch>>,
    /// The most steps, for engines that may need unreasonably many.
    pub budget: Option<Budget>,
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

impl Default for Options {
    fn default() -> Self {
        Self {
            max_memory: 4 << 30,
            timeout: None,
            since: None,
            strict_domain: false,
            watch: None,
            budget: None,
        }
    }
}
