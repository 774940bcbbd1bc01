//! Reverse mode over a recorded trace, and forward mode beside it.
//!
//! Type:  `vjp : (a -> b) -> a -> (b, T b -> T a)`, `linearize` over the same record, and `jvp`.
//! Law:   the pullback is the transposed Jacobian of the executed trace: the sequence of primitives
//!        that ran, each with its partial derivatives (*A Simple Differentiable Programming Language*
//!        §3, with its trace terms as a tape so that the reverse pass is linear).
//! Cost:  recording and each sweep are linear in the operations executed; so is memory. `jvp` needs no
//!        record: it computes with dual numbers, in the memory of the program.
//! Limits: none; the whole language.
//! Needs: the primitive table; the machine's levels.

mod engine;
mod nans;
mod pushforward;
mod record;
mod show;
mod sweep;
mod tape;
mod vjp;

pub use engine::{engine, linear_engine};
pub use show::show_record;
