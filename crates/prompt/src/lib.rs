//! The prompt: definitions and expressions, line by line.
//!
//! Input: lines, from a terminal or from anything else. Output: what there is to say, handed to whoever prints. A prompt
//! is a text: the file that is loaded, and behind it what was defined since. A line that defines something is looked at
//! with that text as a whole, and becomes part of it only if nothing is wrong. Work belongs on a thread with a large
//! stack ([`STACK_BYTES`](pullback_session::STACK_BYTES)).

mod program;
mod reading;

mod said;

mod prompt;

mod commands;
mod lines;

mod interrupt;

mod completer;
mod highlighter;

mod plain;
mod terminal;

pub use plain::read_plainly;
pub use prompt::{Next, Page, Prompt};
pub use said::Said;
pub use terminal::read_in_terminal;
