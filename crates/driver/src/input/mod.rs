//! Input files: `.json` and `.npz` to values, directed by the types of the parameters they name.
//!
//! Input: bytes, a type for each name. Output: a value for each name, or diagnostics with the place
//! in the file. Readers keep the limits of
//! time and memory while they read.

mod decode;
mod json;
mod npz;
mod numbers;
mod shape;
mod stopped;

pub use decode::{Misfit, decode};
pub use json::{Entry, JsonError, Kind, Tape};
pub use npz::{NpzArray, read_npz};
pub use numbers::from_numbers;
pub use stopped::Stopped;

/// The limits of tests that are not about them.
#[cfg(test)]
fn no_limits() -> crate::limits::Limits {
    crate::limits::Limits::new(&crate::Settings::default(), &crate::limits::Clock::default())
}
