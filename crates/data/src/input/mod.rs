//! Input files: `.json`, `.csv`, `.npy` and `.npz` to values, directed by the types of the parameters.
//!
//! Input: bytes, a type for each name. Output: a value for each name, or diagnostics with the place
//! in the file. Readers keep the limits of
//! time and memory while they read.

mod cell;
mod columns;
mod decode;
mod json;
mod named;
mod npy;
mod npz;
mod numbers;
mod separator;
mod shape;
mod spelling;
mod stopped;
mod table;
mod unfit;

pub use cell::option;
pub use columns::{by_position, columns, matrix};
pub use decode::{Misfit, decode};
pub use json::{Entry, JsonError, Kind, Tape};
pub use named::{dotted, from_arrays, parts};
pub use npy::{NamedArray, read_npy};
pub use npz::read_npz;
pub use stopped::Stopped;
pub use table::{CsvError, Table};
pub use unfit::Unfit;

/// The limits of tests that are not about them.
#[cfg(test)]
fn no_limits() -> pullback_base::Limits {
    let since = pullback_base::Since::now();
    pullback_base::Limits { since: Some(since), ..pullback_base::Limits::default() }
}
