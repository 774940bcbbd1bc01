//! Linear maps: the derivative of `f` at a point is a linear map, built by a handful of operators and
//! applied forwards or backwards (*Working notes on Automatic differentiation*).
//!
//! Type:  `∂f : S -> (S ⊸ T)`; `fwd$f : (S, δS) -> (T, δT)` applies it, `rev$f : (S, δT) -> (T, δS)`
//!        applies it from the other side. What runs is figure 8's form, in which a value and its linear
//!        map from the argument travel together: `∂f : (S, a ⊸ S) -> (T, a ⊸ T)`.
//! Law:   `fwd$f(x, dx) = ∂f(x) ⊙ dx`, `rev$f(x, dr) = dr ⊙ᴿ ∂f(x)`, and
//!        `(dr ⊙ᴿ m) • dx = dr • (m ⊙ dx)`; the laws of figures 4 and 5.
//! Cost:  building the map is linear in the operations executed, in time and in memory; applying it in
//!        either direction is linear in its nodes, because what reaches a node is added up before it
//!        passes through.
//! Limits: running has none. The forms that are shown ([`notes`]) are those of first-order programs.
//! Needs: the primitive table; the machine's levels.

pub mod apply;
mod engine;
pub mod maps;
pub mod notes;
pub mod vector;

pub use engine::engine;
