//! A block of the forward sweep as `log` and `back` see it: by which steps it changes an array, and where it saves it.
//!
//! ```text
//! e = a with [p] = x;  f = for k < m with g = e { … };  yield f        two steps: an update, and a loop with steps inside
//! ```
//!
//! Input: a loop or a branch with its steps, as `plan` finds them. Output: for each step the statement, the loop
//! inside or the two branches, again as such a view.
//! Invariants: a step is named by its place among the steps of its block, and a branch never saves the array itself.

use pullback_base::{Span, bug};
use pullback_ir::{Atom, Block, Boxes, Op, Program, Stmt};

use super::plan::{Change, Saved, Step, What};

/// The name of the pass.
pub(super) const NAME: &str = "overwrite_log";

/// The rewriting under way.
pub(super) struct OverwriteLog<'p> {
    pub program: &'p mut Program,
    pub boxes: &'p mut Boxes,
    pub changed: bool,
}

/// A block that changes an array, the body of a loop or a branch: its steps, and where it saves the array, if it
/// does.
pub(super) struct Forward<'b> {
    pub block: &'b Block,
    pub steps: &'b [Step],
    pub saved: Option<&'b Saved>,
    pub is_branch: bool,
    pub span: Span,
}

impl<'b> Forward<'b> {
    /// Of a loop.
    pub fn of(stmt: &'b Stmt, steps: &'b [Step], saved: Option<&'b Saved>) -> Self {
        let Op::Loop(repeat) = &stmt.op else { bug(NAME, "a loop that changes an array") };
        Self { block: &repeat.body, steps, saved, is_branch: false, span: stmt.span }
    }

    pub fn stmt(&self, step: usize) -> &'b Stmt {
        &self.block.stmts[self.steps[step].place]
    }

    /// The step that is the loop inside where the array is saved.
    pub fn saving(&self) -> Option<(usize, &'b Saved)> {
        match &self.saved?.what {
            What::Inner(step, saved) => Some((*step, saved)),
            What::Version(_) => None,
        }
    }

    /// A step that is a loop.
    pub fn inner(&self, step: usize) -> Option<Self> {
        let Change::Loop(_, steps) = &self.steps[step].change else { return None };
        let saved = self.saving().filter(|saving| saving.0 == step).map(|saving| saving.1);
        Some(Self::of(self.stmt(step), steps, saved))
    }

    /// The condition and the branches of a step.
    pub fn branches(&self, step: usize) -> Option<(Atom, [Self; 2])> {
        let (Change::If(_, [then, other]), Op::If(cond, first, second)) =
            (&self.steps[step].change, &self.stmt(step).op)
        else {
            return None;
        };
        let branch = |(block, steps): (&'b Block, &'b [Step])| Self {
            block,
            steps,
            saved: None,
            is_branch: true,
            span: self.stmt(step).span,
        };
        Some((*cond, [(first, then.as_slice()), (second, other.as_slice())].map(branch)))
    }

    /// Where a step that is an update writes.
    pub fn update(&self, step: usize) -> &'b [Atom] {
        let Op::Update(_, at, _) = &self.stmt(step).op else { bug(NAME, "an update of an array") };
        at
    }

    /// Whether an iteration boxes what a loop inside saves: it must where rows of arrays may differ in size.
    pub fn is_boxed(&self, step: usize) -> bool {
        match (self.saved, self.saving()) {
            (Some(saved), Some((saving, _))) if saving == step => saved.is_boxed,
            _ => true,
        }
    }
}
