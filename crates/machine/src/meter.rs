//! The meter: it holds an evaluation to its limits, and counts.
//!
//! Input: limits, and what a machine says that it does. Output: a fault where a limit is exceeded, and the account. A
//! machine counts steps down by [`Fuel`] and looks at the meter when that is burnt; room for what is large is asked for
//! before it is taken.

use pullback_base::memory::{self, Charge};
use pullback_base::{Budget, Instant, Limits, Progress, Since};
use pullback_prim::{Fault, Request};

use super::counts::Counts;

/// From how many bytes on room is asked for before it is taken. Less is noticed at the next look at the limits.
const LARGE: u128 = 1 << 16;

/// How many calls and iterations are left until the next look at the limits.
#[derive(Debug)]
pub struct Fuel(u32);

impl Default for Fuel {
    fn default() -> Self {
        Self(Self::FULL)
    }
}

impl Fuel {
    /// How many there are between two looks.
    const FULL: u32 = 1 << 16;

    /// Burns one; whether it was the last. Then the fuel is full again, and a look is due.
    #[inline(always)]
    #[must_use]
    pub fn burn(&mut self) -> bool {
        self.0 -= 1;
        if self.0 == 0 {
            self.0 = Self::FULL;
            return true;
        }
        false
    }

    /// Burns several; how many looks are due.
    #[must_use]
    pub fn burn_all(&mut self, count: u64) -> u64 {
        let burnt = self.burnt() + count;
        self.0 = Self::FULL - (burnt % u64::from(Self::FULL)) as u32;
        burnt / u64::from(Self::FULL)
    }

    /// How many have been burnt since the last look.
    pub fn burnt(&self) -> u64 {
        u64::from(Self::FULL - self.0)
    }
}

/// An error if so many steps exceed a budget.
pub fn check_budget(budget: Budget, steps: u64) -> Result<(), Fault> {
    if steps > budget.steps {
        Err(Fault::Steps { what: budget.exceeded.to_owned() })
    } else {
        Ok(())
    }
}

/// What is done for many iterations of a loop at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct InStrips {
    /// Operations.
    pub operations: u64,
    /// Calls and iterations.
    pub steps: u64,
}

/// Holds an evaluation to its limits, and counts.
#[derive(Debug)]
pub struct Meter {
    /// What has been counted so far; of bytes nothing until [`Meter::read`].
    pub counts: Counts,
    /// Of the operations and steps, those of strips, which take a part of the time.
    pub in_strips: InStrips,
    /// The limits.
    pub limits: Limits,
    /// The most steps.
    pub budget: Option<Budget>,
    /// The most that may be done, in steps that take as long.
    pub quota: Option<Budget>,
    /// From when time and memory count.
    since: Since,
    deadline: Option<Instant>,
    /// What the account of this thread may reach.
    ceiling: usize,
    /// What the thread had asked for when the evaluation began.
    allocated_before: usize,
    /// What the stacks of the machine take.
    stacks: Charge,
}

impl Meter {
    /// A meter at zero. The peak of memory is measured from now on.
    pub fn new(limits: Limits) -> Self {
        let since = limits.since.unwrap_or_else(Since::now);
        memory::forget_peak();
        Self {
            counts: Counts::default(),
            in_strips: InStrips::default(),
            budget: None,
            quota: None,
            deadline: limits.timeout.and_then(|timeout| since.time.checked_add(timeout)),
            ceiling: since.bytes.saturating_add(limits.max_memory),
            allocated_before: memory::total(),
            stacks: Charge::default(),
            since,
            limits,
        }
    }

    /// The bytes in use.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.since.bytes()
    }

    /// An error if `bytes` more would be too many.
    #[inline]
    pub fn reserve(&self, bytes: u128) -> Result<(), Fault> {
        if bytes > LARGE { self.reserve_large(bytes) } else { Ok(()) }
    }

    /// An error if `count` elements of so many bytes would be too many.
    #[inline]
    pub fn reserve_elements(&self, count: usize, bytes: usize) -> Result<(), Fault> {
        self.reserve(count as u128 * bytes as u128)
    }

    fn reserve_large(&self, bytes: u128) -> Result<(), Fault> {
        let (limit, used) = (self.limits.max_memory, self.bytes());
        if bytes + used as u128 > limit as u128 {
            let request = Request { bytes, used };
            return Err(Fault::Memory { limit, request: Some(request) });
        }
        Ok(())
    }

    /// Why there is no memory left.
    #[cold]
    pub fn out_of_memory(&self) -> Fault {
        Fault::Memory { limit: self.limits.max_memory, request: None }
    }

    /// An error if memory has run out.
    #[inline]
    pub fn check_memory(&self) -> Result<(), Fault> {
        if memory::live() > self.ceiling { Err(self.out_of_memory()) } else { Ok(()) }
    }

    /// An error if memory or time has run out, or whoever watches has stopped the run.
    pub fn check(&self) -> Result<(), Fault> {
        self.check_memory()?;
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

    /// Counts the calls and iterations of a burnt fuel; an error if these are more than the budget allows.
    pub fn count_steps(&mut self) -> Result<(), Fault> {
        self.counts.steps += u64::from(Fuel::FULL);
        self.check_budget(InStrips::default())
    }

    /// An error if what has been done, with what is under way in a strip, is more than budget or quota allow.
    pub fn check_budget(&self, under_way: InStrips) -> Result<(), Fault> {
        let steps = self.counts.steps + under_way.steps;
        self.budget.map_or(Ok(()), |budget| check_budget(budget, steps))?;
        self.quota.map_or(Ok(()), |quota| check_budget(quota, self.effort(under_way)))
    }

    /// How many steps take as long as what has been done, with what is under way in a strip: a step is a call or an
    /// iteration, 8 operations on numbers, or 512 elements that are copied; in strips, 64 iterations or 128 operations.
    pub fn effort(&self, under_way: InStrips) -> u64 {
        let Counts { operations, steps, copied, moved, .. } = self.counts;
        let strips = self.in_strips;
        let alone = steps.saturating_sub(strips.steps);
        let operations = operations.saturating_sub(strips.operations);
        let (steps, many) =
            (strips.steps + under_way.steps, strips.operations + under_way.operations);
        alone + operations / 8 + (copied + moved) / 512 + steps / 64 + many / 128
    }

    /// Who asks how far the evaluation is, if somebody does; the answer is owed.
    pub fn asked(&self) -> Option<&Progress> {
        self.limits.progress.as_deref().filter(|progress| progress.is_asked())
    }

    /// What has been counted, with the bytes.
    pub fn read(&self) -> Counts {
        let allocated = memory::total().wrapping_sub(self.allocated_before) as u64;
        let peak = memory::peak().saturating_sub(self.since.bytes) as u64;
        Counts { allocated, peak, ..self.counts }
    }

    /// How many bytes one of the stacks, which takes `held` now, may take after it has grown. While it is copied the old
    /// one is there too.
    pub(super) fn affordable(&self, held: usize) -> usize {
        let limit = self.limits.max_memory;
        // Half of the memory is for stacks, so that recursion without end leaves room for the rest.
        let others = self.stacks.bytes() - held;
        (limit / 2).saturating_sub(others).min(limit.saturating_sub(self.bytes()))
    }

    /// Notes that one of the stacks changes its size in bytes.
    pub(super) fn resized(&mut self, from: usize, to: usize) {
        self.stacks.set(self.stacks.bytes() + to - from);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    fn small() -> Meter {
        Meter::new(Limits { max_memory: 1 << 20, ..Limits::default() })
    }

    fn steps_of(looks: u64) -> u64 {
        looks * u64::from(Fuel::FULL)
    }

    #[test]
    fn a_look_is_due_after_as_many_steps_as_are_counted_for_it() {
        let mut fuel = Fuel::default();
        let burnt = (1..).find(|_| fuel.burn());
        assert_eq!((burnt, fuel.burnt()), (Some(Fuel::FULL), 0));
        assert!(!fuel.burn());
        assert_eq!(fuel.burnt(), 1);
        assert_eq!((fuel.burn_all(steps_of(3)), fuel.burnt()), (3, 1));
        assert_eq!((fuel.burn_all(steps_of(1) - 1), fuel.burnt()), (1, 0));
        let mut meter = small();
        meter.count_steps().expect("no budget");
        assert_eq!(meter.counts.steps, u64::from(Fuel::FULL));
    }

    #[test]
    fn steps_beyond_the_budget_are_an_error() {
        let steps = u64::from(Fuel::FULL);
        let mut meter = small();
        meter.budget = Some(Budget { steps, exceeded: "this" });
        assert_eq!(meter.count_steps(), Ok(()));
        assert_eq!(meter.count_steps(), Err(Fault::Steps { what: "this".to_owned() }));
    }

    #[test]
    fn memory_is_asked_for_before_it_is_taken_if_it_is_much() {
        let meter = small();
        let _held = Charge::new(1 << 19);
        assert_eq!(meter.reserve(1 << 19), Ok(()));
        let request = Some(Request { bytes: (1 << 19) + 8, used: 1 << 19 });
        let refused = Err(Fault::Memory { limit: 1 << 20, request });
        assert_eq!(meter.reserve_elements((1 << 16) + 1, 8), refused);
        let _more = Charge::new(1 << 19);
        assert_eq!((meter.check(), meter.reserve(LARGE)), (Ok(()), Ok(())));
        let _last = Charge::new(1);
        assert_eq!(meter.check(), Err(Fault::Memory { limit: 1 << 20, request: None }));
    }

    #[test]
    fn memory_that_is_freed_again_is_in_the_peak_alone() {
        let _before = Charge::new(1 << 12);
        let meter = small();
        drop(Charge::new(1 << 10));
        let _held = Charge::new(1 << 9);
        let counts = meter.read();
        assert_eq!((counts.allocated, counts.peak), ((1 << 10) + (1 << 9), 1 << 10));
        assert_eq!(meter.bytes(), 1 << 9);
    }

    #[test]
    fn time_that_is_over_is_an_error() {
        let limits = Limits { timeout: Some(Duration::ZERO), ..Limits::default() };
        assert_eq!(Meter::new(limits).check(), Err(Fault::Time { seconds: 0.0 }));
        let later = Limits { timeout: Some(Duration::from_secs(3600)), ..Limits::default() };
        assert_eq!(Meter::new(later).check(), Ok(()));
    }

    #[test]
    fn who_asks_is_told_of_once() {
        let progress = Arc::new(Progress::default());
        let limits = Limits { progress: Some(progress.clone()), ..Limits::default() };
        let meter = Meter::new(limits);
        assert!(meter.asked().is_none());
        progress.ask();
        assert!(meter.asked().is_some());
        assert!(meter.asked().is_none());
    }
}
