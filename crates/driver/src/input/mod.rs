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

pub use decode::{Misfit, decode};
pub use json::{Entry, JsonError, Kind, Tape};
pub use npz::{NpzArray, read_npz};
pub use numbers::from_numbers;

use crate::limits::Exceeded;

/// Why a reader of input gives no value.
#[derive(Debug, PartialEq)]
pub enum Stopped<E> {
    /// The input is wrong.
    Wrong(E),
    /// There is no more time or room.
    Exceeded(Exceeded),
}

impl<E> Stopped<E> {
    /// The same, with what is wrong told otherwise.
    pub fn map<F>(self, tell: impl FnOnce(E) -> F) -> Stopped<F> {
        match self {
            Self::Wrong(wrong) => Stopped::Wrong(tell(wrong)),
            Self::Exceeded(exceeded) => Stopped::Exceeded(exceeded),
        }
    }
}

impl<E> From<Exceeded> for Stopped<E> {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

impl From<String> for Stopped<String> {
    fn from(wrong: String) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<JsonError> for Stopped<JsonError> {
    fn from(wrong: JsonError) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<Misfit> for Stopped<Misfit> {
    fn from(wrong: Misfit) -> Self {
        Self::Wrong(wrong)
    }
}

/// The limits of tests that are not about them.
#[cfg(test)]
fn no_limits() -> crate::limits::Limits {
    crate::limits::Limits::new(&crate::Settings::default(), &crate::limits::Clock::default())
}
