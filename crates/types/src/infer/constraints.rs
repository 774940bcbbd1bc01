//! The constraints of a group of definitions: those that wait, and those to be looked at again.

use pullback_base::Span;

use super::callee::Cause;
use crate::tir::Constraint;

/// A constraint that waits, and where it arose.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub constraint: Constraint,
    pub span: Span,
    pub cause: Cause,
    /// How many constraints it is a part of.
    pub nesting: u32,
}

/// The constraints, by the order in which they arose.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    /// Solved ones are taken out.
    pending: Vec<Option<Pending>>,
    /// Those to look at again.
    ready: Vec<usize>,
    /// How many constraints the one being solved is a part of.
    nesting: u32,
    /// Whether the queue is being worked off.
    solving: bool,
}

impl Constraints {
    /// Remembers a constraint that is to be looked at.
    pub fn add(&mut self, constraint: Constraint, span: Span, cause: Cause) {
        self.ready.push(self.pending.len());
        self.pending.push(Some(Pending { constraint, span, cause, nesting: self.nesting }));
    }

    /// How many have arisen.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// One that is not solved.
    pub fn get(&self, index: usize) -> Option<&Pending> {
        self.pending.get(index).and_then(Option::as_ref)
    }

    /// Takes one out, to solve it.
    pub fn take(&mut self, index: usize) -> Option<Pending> {
        self.pending.get_mut(index).and_then(Option::take)
    }

    /// Puts one back that could not be solved.
    pub fn put_back(&mut self, index: usize, pending: Pending) {
        self.pending[index] = Some(pending);
    }

    /// Those that have arisen from `start` on and are not solved.
    pub fn since(&self, start: usize) -> Vec<Constraint> {
        let pending = self.pending[start.min(self.pending.len())..].iter().flatten();
        pending.map(|pending| pending.constraint.clone()).collect()
    }

    /// Those that are not solved.
    pub fn unsolved(&self) -> impl Iterator<Item = &Constraint> {
        self.pending.iter().flatten().map(|pending| &pending.constraint)
    }

    /// The indices of all that are not solved.
    pub fn open(&self) -> Vec<usize> {
        (0..self.pending.len()).filter(|index| self.pending[*index].is_some()).collect()
    }

    /// Has these looked at again.
    pub fn wake(&mut self, indices: Vec<usize>) {
        self.ready.extend(indices);
    }

    /// Begins to work off the queue, unless that is under way.
    pub fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.solving, true)
    }

    /// The constraints to be looked at now, if any.
    pub fn next_ready(&mut self) -> Option<Vec<usize>> {
        let ready = std::mem::take(&mut self.ready);
        (!ready.is_empty()).then_some(ready)
    }

    /// Constraints that arise from now on are parts of this one.
    pub fn enter(&mut self, pending: &Pending) {
        self.nesting = pending.nesting + 1;
    }

    pub fn end(&mut self) {
        self.nesting = 0;
        self.solving = false;
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.ready.clear();
    }
}
