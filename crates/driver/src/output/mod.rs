//! Values as text: Pullback notation for people, JSON for programs.

mod json;
mod text;

pub use json::{push_string as push_json_string, to_json};
pub use text::{real_text, to_text};
