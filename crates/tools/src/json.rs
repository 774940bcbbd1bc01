//! Pieces of JSON as texts of their own.

use pullback_data::output::{push_json_real, push_json_string};

/// A list of what is JSON already.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A Real.
pub(crate) fn number(x: f64) -> String {
    let mut text = String::new();
    push_json_real(&mut text, x);
    text
}

/// A string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    push_json_string(&mut quoted, text);
    quoted
}
