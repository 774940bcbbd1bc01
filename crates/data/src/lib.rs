//! Values as data: read from files and written as text, each format in its own module.
//!
//! Input: bytes and a type, or a value and its type. Output: a value, or text and bytes. Nothing here opens a file or
//! knows what a call is. No recursion over the data.

mod bug;

pub mod value;

pub mod shape;

pub mod input;
pub mod output;
