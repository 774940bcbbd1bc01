//! Reverse mode from dual numbers, in three steps: `delta1`, `delta2`, `delta`. And the translation that they
//! begin with, to dual numbers themselves, which `dual` shows.
//!
//! Type:  `vjp : (S -> T) -> S -> (T, T' -> S')` and `jvp : (S -> T) -> (S, S') -> (T, T')`, as programs:
//!        every definition is translated to an ordinary definition of the calculus, once.
//! Law:   every Real carries a delta, which stands for its derivative with respect to all inputs.
//!        `delta1`: the vector of derivatives itself (figure 5). `delta2`: a tree that describes it
//!        (figure 7). `delta`: a tree over names, in a monad that binds every new one (figure 9); the
//!        bindings are evaluated newest first into an array (figures 10, 11, 16).
//! Cost:  `delta1`: the program's operations times the number of inputs. `delta2`: exponential in the depth
//!        of sharing. `delta`: a constant times the program in time, memory linear in the operations
//!        executed (Theorem 5); fused, linear in those outside fused functions (figure 15). Nested
//!        derivatives: a power of their number.
//! Limits: the whole language. `delta1` refuses more than 512 inputs and `delta2` trees of more than
//!        200000 nodes when they are evaluated; a translation may not grow beyond a million nodes.
//! Needs: the primitive table (figure 14 from the partial derivatives of each row); elimination of
//!        derivatives inside programs, innermost first.
//!
//! *Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD*, §5, §8, §9.2.

mod applied;
mod block;
mod custom;
mod forward;
mod fuse;
mod fused_branches;
mod fused_term;
mod fusion_gain;
mod leaf;
mod library;
mod modes;
mod notation;
mod op;
mod poly;
mod prim;
mod repeat;
mod show;
mod static_chain;
mod translate;
mod translation;
mod types;
mod version;
mod wrap;

pub use forward::{forward_jvp, forward_translation, forward_vjp};
pub use modes::{
    delta_jvp, delta_vjp, delta1_jvp, delta1_vjp, delta2_jvp, delta2_vjp, fused_jvp, fused_vjp,
};
pub use show::show_forward;

use pullback_engine::Stage;
use version::Version;

/// What `delta1` shows.
pub const DELTA1_STAGES: &[Stage] = &[Stage::form(
    "delta1",
    "the translation to numbers with vectors of derivatives, and its wrapper",
    |program, def, _| show::translation(program, def, Version::One, false),
)];

/// What `delta2` shows.
pub const DELTA2_STAGES: &[Stage] = &[Stage::form(
    "delta2",
    "the translation to numbers with trees of deltas, and its wrapper",
    |program, def, _| show::translation(program, def, Version::Two, false),
)];

/// The stages of `delta`, of fused functions or not.
macro_rules! delta_stages {
    ($fuse:literal) => {
        &[
            Stage::form(
                "delta",
                "the monadic translation in do-notation, and its wrapper",
                |program, def, _| show::translation(program, def, Version::Final, $fuse),
            ),
            Stage::form(
                "delta-fused",
                "the monadic translation with fused functions",
                |program, def, _| show::translation(program, def, Version::Final, true),
            ),
            Stage::form(
                "delta-library",
                "the types and functions that the monadic translation calls",
                |program, def, _| show::library(program, def, $fuse),
            ),
            Stage::form(
                "delta-trace",
                "the bindings of one run as nested Lets, in the order of figure 12",
                |program, def, argument| show::chain(program, def, argument, true, $fuse),
            ),
            Stage::form(
                "delta-lets",
                "the bindings of one run as nested Lets, as they run",
                |program, def, argument| show::chain(program, def, argument, false, $fuse),
            ),
        ]
    };
}

/// What `delta` shows.
pub const DELTA_STAGES: &[Stage] = delta_stages!(false);

/// What fused `delta` shows.
pub const FUSED_STAGES: &[Stage] = delta_stages!(true);
