//! The chassis of the machines that run bytecode: limits, stacks, counts and progress, each once.
//!
//! A machine has values, instructions and a loop over these of its own. Here is what does not depend on them. A [`Meter`]
//! holds an evaluation to its limits and counts what it does. [`Frames`] are the calls under way, which tell where an error
//! arose and how far the outermost loop is. [`stacks`] grow as far as memory allows, so that deep recursion is an error of
//! the program and never one of the machine's own stack. [`Constants`] are evaluated at most once.

mod constants;
mod counts;
mod frames;
mod meter;
mod progress;
mod running;
pub mod stacks;

pub use constants::Constants;
pub use counts::{Counts, DIVISION, surcharge};
pub use frames::{CONSTANT, Failed, Frame, Frames, Listing, NATIVE, STOP};
pub use meter::{Fuel, InStrips, Meter, check_budget};
pub use progress::{Loop, outermost};
pub use running::{Body, Running};
