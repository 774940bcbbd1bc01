//! The source-to-source part of the notes: their language, `∂f`, the laws as rewrite rules, and the
//! forms that are shown.
//!
//! Input: a program of `lambda` and a definition in the first-order fragment. Output: functions of the
//! notes' language ([`term::Book`]), their text.

mod anf;
mod apply_terms;
mod cse;
pub mod forms;
mod laws;
mod map_source;
pub(super) mod nabla;
pub(super) mod optimise;
pub(super) mod polytransposed;
pub(super) mod print;
mod read;
mod source;
pub mod term;
mod tupled_source;
mod vectors;

pub use forms::{print_demo, print_form};
pub use map_source::jacobian_source;
pub use nabla::Tupling;
pub use optimise::optimised;
pub use source::{forward_source, reverse_source};
pub use tupled_source::tupled_source;
