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
mod built;
pub mod elimination;
mod engine;
pub mod maps;
pub mod matrix;
pub mod normal;
pub mod notes;
mod polynomial;
mod space;
pub mod vector;

pub use engine::engine;

use normal::show_normal;
use notes::Tupling;
use notes::forms::{
    FORWARD, JACOBIAN, OPTIMISED, REVERSE, TRANSPOSED, show_poly_transposed, show_step, show_tupled,
};

use pullback_engine::{Stage, needed};

/// The forms that this engine shows.
pub const STAGES: &[Stage] = &[
    Stage::form(
        "jacobian",
        "the full Jacobian as a linear map, by figure 6 of the working notes",
        |program, def, _| show_step(program, def, JACOBIAN),
    ),
    Stage::form(
        "jacobian-opt",
        "the full Jacobian after the laws of linear maps",
        |program, def, _| show_step(program, def, OPTIMISED),
    ),
    Stage::form(
        "jacobian-normal",
        "the normal form of the Jacobian: a polynomial for each entry, which decides equality",
        |program, def, _| show_normal(program, def),
    ),
    Stage::form("forward", "the forward derivative, linear maps eliminated", |program, def, _| {
        show_step(program, def, FORWARD)
    }),
    Stage::form(
        "transposed",
        "the transposed Jacobian after the laws of linear maps",
        |program, def, _| show_step(program, def, TRANSPOSED),
    ),
    Stage::form("reverse", "the reverse derivative, linear maps eliminated", |program, def, _| {
        show_step(program, def, REVERSE)
    }),
    Stage::form(
        "tupled",
        "value and Jacobian together, by figure 7 of the working notes",
        |program, def, _| show_tupled(program, def, Tupling::Basic),
    ),
    Stage::form(
        "poly-tupled",
        "value and Jacobian from any source together, by figure 8 of the working notes",
        |program, def, _| show_tupled(program, def, Tupling::Polymorphic),
    ),
    Stage::form(
        "poly-transposed",
        "value and transposed Jacobian to any target together: figure 8 with its maps turned around",
        |program, def, _| show_poly_transposed(program, def),
    ),
    Stage::at_argument(
        "maps",
        "the linear maps that the run at an argument builds, and that are applied",
        |program, def, argument| built::show_built(program, def, &needed(argument)?),
    ),
    Stage::at_argument(
        "elimination",
        "what each order of composing these maps costs",
        |program, def, argument| elimination::show_elimination(program, def, &needed(argument)?),
    ),
    Stage::at_argument(
        "jacobian-matrix",
        "the Jacobian as a matrix of numbers",
        |program, def, argument| matrix::show_matrix(program, def, &needed(argument)?),
    ),
];
