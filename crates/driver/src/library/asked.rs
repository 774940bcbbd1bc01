//! What is asked of a library, and the error where that cannot be.

use std::path::PathBuf;

use pullback_base::{Diagnostic, Span};

/// How a library is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abi {
    /// By C, with sizes.
    #[default]
    C,
    /// By CasADi, with matrices of fixed sizes.
    Casadi,
}

impl Abi {
    /// Who calls.
    pub fn caller(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Casadi => "CasADi",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// The file.
    pub file: PathBuf,
    /// The definitions; none means all that can be in a library.
    pub entries: Vec<String>,
    /// The parameters that derivatives are taken with respect to; none means all that hold Reals.
    pub wrt: Vec<String>,
    /// How it is called.
    pub abi: Abi,
    /// The sizes that the definitions name, for CasADi.
    pub sizes: Vec<(String, i64)>,
}

/// The error of a definition that cannot be in a library.
pub fn without_c_type(name: &str, span: Span, reason: &str) -> Diagnostic {
    let title = format!("`{name}` cannot be called from C: {reason}");
    Diagnostic::error("E0822", span, title, "defined here")
        .note("C gives and takes numbers, truth values, arrays of them, and tuples and records of these")
        .hint("add a definition with parameters and a result of such types that calls it")
}

/// The error of a definition that CasADi cannot call.
pub fn without_matrices(name: &str, span: Span, reason: &str) -> Diagnostic {
    let title = format!("`{name}` cannot be called from CasADi: {reason}");
    Diagnostic::error("E0822", span, title, "defined here")
        .note("CasADi gives and takes numbers, vectors and matrices whose sizes are known when the library is made")
        .hint("give the sizes in the type, as in `[3]Real`, or name them: `--size n=3` for `[n]Real`")
}
