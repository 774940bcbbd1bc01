//! The optimiser: a list of passes from the IR to the IR, each with a law ([`PASSES`]).
//!
//! The optimiser runs before derivatives are made, between their orders, and after them. It leaves requests for
//! derivatives as they are, and a function that a request names keeps its parameters and results. `pipeline` has the
//! list and runs it; `pass` says what a pass is. The folders say what a pass changes: one statement (`local`),
//! constants and sizes (`constants`), functions (`functions`), loops (`loops`), accumulators (`accumulators`),
//! aggregates (`aggregates`), or places in memory (`memory`).
//!
//! Law of all passes: a program that has a value keeps it, bit for bit, with two exceptions. NaNs count as one. A
//! zero may change its sign if it is a product with an absent (co)tangent, or the sum of another zero and the zero
//! that an accumulator begins with. Where a pass may round a sum otherwise, its header says so.
//!
//! A program that fails still fails. Which of several errors comes first may change, and errors that cannot happen
//! may go. Limits of time and memory are no errors: to leave out what would reach them, such as a loop without end,
//! changes nothing.
//!
//! The header of each pass shows a program before and after `=>`. It is written as the IR prints, without the numbers
//! behind names and most types; `…` stands for what does not matter.

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
