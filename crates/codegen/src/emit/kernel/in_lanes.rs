//! How lanes reduce the states of a loop: which loops may lie across lanes, and what each lane then does with its part.
//!
//! ```text
//! for i with s { t = add(s, x) }                                          with what an iteration brings
//! for i with s { a = add(s, x); t = for j with b = a { c = sub(b, y) } }  in steps
//! ```
//!
//! Input: a loop and a state of it. Output: [`InLanes`], if iterations do nothing else with the state.

use pullback_analysis::loop_shape::{Fold, Reduction, Shape, is_sum};
use pullback_base::bug;
use pullback_ir::{Loop, Stmt};

/// How lanes reduce a state, each its own part of it.
#[derive(Clone, Copy)]
pub(super) enum InLanes<'l> {
    /// With what each iteration brings.
    Here(Reduction<'l>),
    /// In several steps, or in a loop inside, that add to it or take from it.
    InSteps,
}

impl<'l> InLanes<'l> {
    /// How lanes of a loop reduce a state, if that is all that iterations do with it.
    pub fn of(looped: &'l Loop, at: usize) -> Option<Self> {
        let here = Shape::of(looped, at).reduction().map(Self::Here);
        here.or_else(|| is_sum(looped, at).then_some(Self::InSteps))
    }

    /// By what it is reduced.
    pub fn fold(self) -> Fold {
        match self {
            Self::Here(reduction) => reduction.fold,
            Self::InSteps => Fold::Add,
        }
    }

    /// The statement of the loop's own that reduces.
    pub fn stmt(self) -> Option<&'l Stmt> {
        match self {
            Self::Here(reduction) => Some(reduction.stmt),
            Self::InSteps => None,
        }
    }
}

/// The reductions that the states of a loop across lanes are.
pub(super) fn reductions(looped: &Loop) -> Vec<InLanes<'_>> {
    let of = |at| InLanes::of(looped, at).unwrap_or_else(|| bug("codegen", "a reduction"));
    (0..looped.states.len()).map(of).collect()
}
