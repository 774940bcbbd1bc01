//! Values as text: Pullback notation for people, JSON and NumPy archives for programs.

mod json;
mod npz;
mod text;

pub use json::{push_string as push_json_string, to_json};
pub use npz::{no_numbers, to_npz};
pub use text::{real_text, to_text};
