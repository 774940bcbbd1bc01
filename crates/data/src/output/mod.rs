//! Values as text: Pullback notation for people, in a line or laid out in rows, JSON, tables and NumPy arrays for programs.

mod csv;
mod json;
mod npz;

mod reals;
mod text;

mod grid;
mod layout;

pub use csv::{is_table, to_csv};
pub use json::{push_real as push_json_real, push_string as push_json_string, to_json};
pub use layout::{Layout, to_rows};
pub use npz::{is_array, no_numbers, to_npy, to_npz, to_sparse_npz};
pub use reals::{real_text, rounded_text};
pub use text::to_text;
