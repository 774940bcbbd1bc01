//! Lines on standard error: what goes wrong, and what a program tells as it runs.

use std::io::{self, Write};

/// Prints a line to standard error.
pub fn error_line(text: &str) {
    // If standard error is closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
