//! The optimiser: passes from the IR to the IR, each with a law, in one list, [`PASSES`]. It may run before
//! derivations are made and after that: what asks for one is left alone.
//!
//! Law of all: a program that has a value keeps it, bit for bit, but that NaNs are one and that a
//! product with an absent (co)tangent, and the sum of a zero that an accumulator begins with and another zero, may
//! be a zero of either sign; one that fails still fails. Which of
//! several errors comes first may change, and errors that cannot happen may go. Limits of time and memory are
//! no errors: what is left out for them, such as a loop without end, is no change.

mod accumulators;
mod aggregates;
mod constants;
mod functions;
mod local;
mod loops;
mod memory;
mod pass;
mod pipeline;

pub use functions::tail_calls_to_loops::loop_tail_calls;
pub use pass::{Pass, Phase, Scope};
pub use pipeline::{Options, PASSES, Step, optimise, pass_named};
