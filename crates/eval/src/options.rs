//! What an evaluation may take, and the conventions it keeps.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use pullback_base::{Budget, Limits};
use pullback_machine::{Counts, check_budget};

use super::boxes::Boxes;
use super::ties::Ties;
use super::watch::Watch;
use crate::Fault;

/// What an evaluation may do at most, where all of it counts that takes time, and what it has done. The unit is a call or
/// an iteration; what else takes long counts beside, by about as much as it takes. Nothing is measured, so the same
/// evaluation does the same each time.
#[derive(Debug)]
pub struct Quota {
    budget: Budget,
    done: Cell<u64>,
}

impl Quota {
    /// A quota of which nothing has been used.
    pub fn new(budget: Budget) -> Self {
        Self { budget, done: Cell::new(0) }
    }
    /// What has been done.
    pub fn done(&self) -> u64 {
        self.done.get()
    }
    /// What may be done.
    pub fn budget(&self) -> Budget {
        self.budget
    }
    /// Notes what has been done.
    pub fn note(&self, done: u64) {
        self.done.set(done);
    }
    /// Notes what has been done; an error if this is more than may be done.
    pub(super) fn tell(&self, done: u64) -> Result<(), Fault> {
        self.note(done);
        check_budget(self.budget, done)
    }
}

/// How much an evaluation has done, beside what is counted for everybody. Each number is a cell of its own, so that counting
/// one reads and writes no other.
#[derive(Debug, Default)]
pub(super) struct Effort {
    /// Reals that levels have begun to follow: each is remembered, and mostly met once more.
    pub followed: Cell<u64>,
    /// Elements that operations on arrays have read or written, in copies of a plain number.
    pub elements: Cell<u64>,
    /// Elements of sums, which are among the operations on numbers too.
    pub summed: Cell<u64>,
}

impl Effort {
    /// How many operations on numbers count as a call.
    const OPERATIONS: u64 = 32;
    /// How many elements do.
    const ELEMENTS: u64 = 512;

    /// All of it, with what has been counted.
    pub fn total(&self, counts: &Counts) -> u64 {
        let operations = counts.weight().saturating_sub(self.summed.get()) / Self::OPERATIONS;
        counts.steps + self.followed.get() + operations + self.elements.get() / Self::ELEMENTS
    }
}

/// Limits and conventions of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The limits of time and memory, tapes included, and who hears of the evaluation.
    pub limits: Limits,
    /// Strict domain: ties of followed Reals and primitives without a derivative are errors.
    pub strict_domain: bool,
    /// What is shown the primitives of an image made for it.
    pub watch: Option<Rc<Watch>>,
    /// The sides of ties on which the run goes on, under one derivative that goes forward.
    pub ties: Option<Rc<Ties>>,
    /// The answers to comparisons that intervals do not decide, under one level that follows intervals.
    pub boxes: Option<Rc<Boxes>>,
    /// The most steps, for engines that may need unreasonably many.
    pub budget: Option<Budget>,
    /// Who is told how much an evaluation has done so far, where all of it counts that takes time.
    pub quota: Option<Rc<Quota>>,
    /// The most bytes that compiled code saves of a loop for reverse mode, before it gets checkpoints.
    pub max_tape: Option<usize>,
    /// Whether native code adds and rounds as the evaluator does, to the last bit.
    pub strict_fp: bool,
    /// Whether native code runs on every machine of this kind, and not on this one alone.
    pub portable: bool,
    /// The most threads that native code computes on.
    pub threads: usize,
}

impl Options {
    /// The same for an evaluation that comes before or after the one that is asked for: nobody hears what it tells,
    /// and how far it is.
    #[must_use]
    pub fn unheard(&self) -> Self {
        let progress = self.limits.progress.as_ref().map(|progress| Arc::new(progress.unheard()));
        let limits = Limits { tell: |_| {}, progress, ..self.limits.clone() };
        Self { limits, ..self.clone() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            strict_domain: false,
            watch: None,
            ties: None,
            boxes: None,
            budget: None,
            quota: None,
            max_tape: None,
            strict_fp: false,
            portable: false,
            threads: 1,
        }
    }
}
