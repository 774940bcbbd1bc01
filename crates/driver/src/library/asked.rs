//! What is asked of a library, and the error where that cannot be.

use std::path::PathBuf;

use pullback_base::{Diagnostic, Span};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// The file.
    pub file: PathBuf,
    /// The definitions; none means all that can be in a library.
    pub entries: Vec<String>,
    /// The parameters that derivatives are taken with respect to; none means all that hold Reals.
    pub wrt: Vec<String>,
}

/// The error of a definition that cannot be in a library.
pub fn without_c_type(name: &str, span: Span, reason: &str) -> Diagnostic {
    let title = format!("`{name}` cannot be called from C: {reason}");
    Diagnostic::error("E0822", span, title, "defined here")
        .note("C gives and takes numbers, truth values, arrays of them, and tuples and records of these")
        .hint("add a definition with parameters and a result of such types that calls it")
}
