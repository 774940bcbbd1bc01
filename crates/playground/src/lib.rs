//! The playground: what a page asks of the language, and what it is answered, as JSON.
//!
//! Input: a request, an object with what to `do` and the program's `text`. Output: an object with the answer and the
//! diagnostics. Offsets are in units of UTF-16, as the texts of a page are counted. A request runs to its end: the page
//! has a worker for it and ends the worker to stop it. There is no C compiler, so `native` is not among the engines.
//!
//! As WebAssembly the crate is a module without imports but a clock and a line for a panic (`abi`). Everywhere else it is
//! a library for tests.

#[cfg(target_family = "wasm")]
mod abi;

mod heard;
mod offsets;
mod reports;

mod about;
mod call;
mod check;

mod playground;

pub use playground::Playground;
