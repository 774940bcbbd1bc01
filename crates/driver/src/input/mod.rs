//! Input files: `.json` and `.npz` to values, directed by the types of the parameters they name.
//!
//! Input: bytes, a type for each name. Output: a value for each name, or diagnostics with the place
//! in the file.

mod decode;
mod json;
mod npz;
mod numbers;
mod shape;

pub use decode::{Misfit, decode};
pub use json::{Entry, Kind, Tape};
pub use npz::{NpzArray, read_npz};
pub use numbers::from_numbers;
