//! *A Simple Differentiable Programming Language* as it is printed: its terms (§2), ordinary and
//! symbolic evaluation (figures 2–5), the transformation `W.R_V(x:T. C)` of trace terms (figure 6) and
//! bounded recursion (figure 8). It is the specification of the engine `trace`, for small terms.
//!
//! Type: `evaluate : φ | ρ ⊢ M ⇒ V`, `symbolic : φ | ρ ⊢ M ⤳ C`, `reverse : W.R_V(x:T. C)`, a trace
//! term of type `T`; [`sweep`] is the same derivative with respect to the whole environment at once, which
//! symbolic evaluation makes of every `rd`.
//! Law: a trace term means the same as its term around the point (Theorem 6.2), `R` is its derivative
//! (Theorem 6.1), and evaluating the trace gives the value (Proposition 3.5). The tests check all three.
//! Cost: `reverse` repeats the derivative of the body of every `let`, so nested `let`s cost 2ⁿ as in
//! the paper; [`sweep`] is linear in the trace, and an order of derivatives multiplies its length by a constant.
//! Limits: Reals, tuples and records, smooth primitives, comparisons in conditions, first-order
//! functions that call only themselves and earlier ones, `rd`. Tuples of any size stand for iterated
//! pairs, operations take their arguments as a tuple, and a partial derivative of the table may choose
//! between two terms. At most [`MAX_STEPS`] steps, [`MAX_DEPTH`] deep.
//! Needs: the primitive table.

mod approximant;
mod convert;
mod evaluate;
mod operation;
mod print;
mod reverse;
mod show;
mod step;
mod stuck;
mod sweep;
mod term;

pub use convert::{Paper, paper};
pub use evaluate::{Functions, MAX_DEPTH, MAX_STEPS, Run};
pub use reverse::{expand, reverse};
pub use show::{show_run, show_terms};
pub use step::{Rule, Step};
pub use stuck::{Stuck, Undefined, Why};
pub use sweep::sweep;
pub use term::{Binder, Fun, Function, Supply, Symbol, Term, Test, Ty, Val, Var};
