//! Resource accounting: what an evaluation may take, and what it has taken.
//!
//! Input: [`Limits`]. Output: a fault when steps, memory or time have run out; and [`Counts`]. Invariants. Large
//! requests for memory are asked before they are made; small ones are noticed at the next tick. Bytes are those of the
//! thread since the evaluation, or what it belongs to, began.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pullback_base::{Budget, Progress, Since, memory};
use pullback_prim::{Fault, Request};

use super::counts::Counts;

/// Limits of an evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes that values and frames may take together.
    pub max_memory: usize,
    /// The most time it may take.
    pub timeout: Option<Duration>,
    /// From when the limits of time and memory count, if that is before the evaluation.
    pub since: Option<Since>,
    /// The most steps.
    pub budget: Option<Budget>,
    /// What is told each line of [`crate::Op::Tell`].
    pub tell: fn(&str),
    /// Who is told how far the outermost loop is.
    pub progress: Option<Arc<Progress>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_memory: 4 << 30,
            timeout: None,
            since: None,
            budget: None,
            tell: |_| {},
            progress: None,
        }
    }
}

/// From how many bytes on room is asked for before it is taken. Less is noticed at the next tick.
const LARGE: u128 = 1 << 16;

/// Holds an evaluation to its limits, and counts.
pub(super) struct Meter {
    pub limits: Limits,
    pub counts: Counts,
    since: Since,
    /// What the thread had asked for when the evaluation began.
    allocated_before: usize,
    deadline: Option<Instant>,
}

impl Meter {
    pub fn new(limits: Limits) -> Self {
        let since = limits.since.unwrap_or_else(Since::now);
        let deadline = limits.timeout.and_then(|timeout| since.time.checked_add(timeout));
        memory::forget_peak();
        let allocated_before = memory::total();
        Self { limits, counts: Counts::default(), since, allocated_before, deadline }
    }

    /// The bytes in use.
    pub fn bytes(&self) -> usize {
        self.since.bytes()
    }

    /// An error if `count` elements of so many bytes would be too many.
    #[inline]
    pub fn reserve(&self, count: usize, bytes: usize) -> Result<(), Fault> {
        let bytes = count as u128 * bytes as u128;
        if bytes > LARGE { self.reserve_large(bytes) } else { Ok(()) }
    }

    fn reserve_large(&self, bytes: u128) -> Result<(), Fault> {
        let (limit, used) = (self.limits.max_memory, self.bytes());
        if bytes + used as u128 > limit as u128 {
            let request = Request { bytes, used };
            return Err(Fault::Memory { limit, request: Some(request) });
        }
        Ok(())
    }

    pub fn out_of_memory(&self) -> Fault {
        Fault::Memory { limit: self.limits.max_memory, request: None }
    }

    /// Counts steps; an error if steps, memory or time have run out, or the run was stopped.
    #[cold]
    pub fn tick(&mut self, steps: u64) -> Result<(), Fault> {
        self.counts.steps += steps;
        if let Some(budget) = self.limits.budget
            && self.counts.steps > budget.steps
        {
            return Err(Fault::Steps { what: budget.exceeded.to_string() });
        }
        if self.bytes() > self.limits.max_memory {
            return Err(self.out_of_memory());
        }
        if self.limits.progress.as_ref().is_some_and(|progress| progress.is_stopped()) {
            return Err(Fault::Stopped);
        }
        match (self.deadline, self.limits.timeout) {
            (Some(deadline), Some(timeout)) if Instant::now() >= deadline => {
                Err(Fault::Time { seconds: timeout.as_secs_f64() })
            }
            _ => Ok(()),
        }
    }

    /// What has been counted.
    pub fn read(&self) -> Counts {
        let allocated = memory::total().wrapping_sub(self.allocated_before) as u64;
        let peak = memory::peak().saturating_sub(self.since.bytes) as u64;
        Counts { allocated, peak, ..self.counts }
    }
}
