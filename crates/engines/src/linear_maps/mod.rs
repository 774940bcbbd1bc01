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
pub mod notes;
mod space;
pub mod vector;

pub use engine::engine;

use notes::Tupling;

use pullback_engine::{Stage, needed};

/// The forms that this engine shows.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "jacobian",
        about: "the full Jacobian as a linear map, by figure 6 of the working notes",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_jacobian(program, def),
    },
    Stage {
        name: "jacobian-opt",
        about: "the full Jacobian after the laws of linear maps",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_jacobian_optimised(program, def),
    },
    Stage {
        name: "jacobian-normal",
        about: "the normal form of the Jacobian: a polynomial for each entry, which decides equality",
        needs_argument: false,
        show: |program, def, _| notes::normal::show_normal(program, def),
    },
    Stage {
        name: "forward",
        about: "the forward derivative, linear maps eliminated",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_forward(program, def),
    },
    Stage {
        name: "transposed",
        about: "the transposed Jacobian after the laws of linear maps",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_transposed(program, def),
    },
    Stage {
        name: "reverse",
        about: "the reverse derivative, linear maps eliminated",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_reverse(program, def),
    },
    Stage {
        name: "tupled",
        about: "value and Jacobian together, by figure 7 of the working notes",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_tupled(program, def, Tupling::Basic),
    },
    Stage {
        name: "poly-tupled",
        about: "value and Jacobian from any source together, by figure 8 of the working notes",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_tupled(program, def, Tupling::Polymorphic),
    },
    Stage {
        name: "poly-transposed",
        about: "value and transposed Jacobian to any target together: figure 8 with its maps turned around",
        needs_argument: false,
        show: |program, def, _| notes::forms::show_poly_transposed(program, def),
    },
    Stage {
        name: "maps",
        about: "the linear maps that the run at an argument builds, and that are applied",
        needs_argument: true,
        show: |program, def, argument| built::show_built(program, def, &needed(argument)?),
    },
    Stage {
        name: "elimination",
        about: "what each order of composing these maps costs",
        needs_argument: true,
        show: |program, def, argument| {
            elimination::show_elimination(program, def, &needed(argument)?)
        },
    },
    Stage {
        name: "jacobian-matrix",
        about: "the Jacobian as a matrix of numbers",
        needs_argument: true,
        show: |program, def, argument| matrix::show_matrix(program, def, &needed(argument)?),
    },
];
