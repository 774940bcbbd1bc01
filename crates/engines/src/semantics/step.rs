//! The steps of an evaluation, for `--stage trace-run`.

use super::term::{Binder, Term, Test, Val, Var};

/// How many steps are noted in full; of those beyond, only that they were.
pub const LISTED: usize = 500;
/// Derivatives by figure 6 are shown up to this size.
pub const SHOWN: usize = 400;

/// One reduction, for `--stage trace-run`.
#[derive(Clone, Debug)]
pub struct Step {
    /// How many evaluations it is inside of.
    pub depth: usize,
    /// Which rule of which figure it is.
    pub rule: Rule,
}

/// A rule as it was applied.
#[derive(Clone, Debug)]
pub enum Rule {
    /// `R ⇒ V` (figure 2).
    Value(Term, Val),
    /// `R_bool ⇒ V_bool`
    Truth(Test, bool),
    /// `let x:T = V in …`, evaluated either way.
    Let(Binder, Term),
    /// `f(V) ⇒ …`
    Call(Term),
    /// `R ⤳ C` for an operation, which is its own trace (figure 4).
    Kept(Term),
    /// `f(V) ⤳ let x:T = V in …`
    Entered(Term, Binder),
    /// `E[C] ⤳ let x:T = C in E[x]`, and the value of `C` (figure 5).
    Context(Var, Term, Val),
    /// The body of `W.rd_V(x:T. N)`, evaluated where `x` is the value of `V`.
    Open {
        /// `W`
        w: Term,
        /// `V`
        v: Term,
        /// `x:T`
        x: Binder,
        /// The value of `V`.
        value: Val,
    },
    /// `W.R_V(x:T. C)` and what it is.
    Reverse {
        /// `W`
        w: Term,
        /// `V`
        v: Term,
        /// `x:T`
        x: Binder,
        /// `C`
        trace: Term,
        /// By the whole environment at once.
        result: Term,
        /// By figure 6, if that has at most [`SHOWN`] nodes.
        literal: Option<Term>,
    },
    /// A step after the first [`LISTED`].
    Unlisted,
}
