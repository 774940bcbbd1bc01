//! Programs for tests: those of the tests of the calculus, and source text.

#[path = "../../../../lambda/tests/support/mod.rs"]
mod calculus;
pub mod source;

pub use calculus::{def, program};
