//! What is asked of a library, and the error where that cannot be.

use std::path::PathBuf;

use pullback_base::{Diagnostic, Span};
use pullback_codegen::{Fp, Microarchitecture};
use pullback_session::Target;

use super::shape::{Derivative, Kind};

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
    /// Which derivatives are in it; `None` means all that there are.
    pub derivatives: Option<Vec<Derivative>>,
    /// How it is called.
    pub abi: Abi,
    /// The machines that a shared object is for; none is made if there is none.
    pub target: Option<Target>,
    /// The micro-architecture levels among which the library chooses, the lowest first; none for a library with one
    /// translation of its programs.
    pub targets: Vec<Microarchitecture>,
    /// Whether it computes as the evaluator of the array code, to the last bit.
    pub is_strict: bool,
    /// The sizes that the definitions name, for CasADi.
    pub sizes: Vec<(String, i64)>,
}

impl Build {
    /// Whether a function is in the library, if there can be one.
    pub fn wants(&self, kind: Kind) -> bool {
        let (Some(wanted), Some(derivative)) = (&self.derivatives, kind.derivative()) else {
            return true;
        };
        wanted.contains(&derivative)
    }

    /// What numbers may differ in from those of the evaluator.
    pub fn fp(&self) -> Fp {
        if self.is_strict { Fp::Strict } else { Fp::Fast }
    }
}

/// The error of a definition that cannot be in a library.
pub fn without_c_type(abi: Abi, name: &str, span: Span, reason: &str) -> Diagnostic {
    let by = abi.caller();
    let (strings, sums) = match abi {
        Abi::C => ("Strings, ", "tuples, records and sums"),
        Abi::Casadi => ("", "tuples and records"),
    };
    let title = format!("`{name}` cannot be called from {by}: {reason}");
    Diagnostic::error("E0822", span, title, "defined here")
        .note(format!(
            "{by} gives and takes numbers, truth values, {strings}arrays of them, and {sums} of these"
        ))
        .hint("add a definition with parameters and a result of such types that calls it")
}

/// The error of a definition that CasADi cannot call.
pub fn without_matrices(name: &str, span: Span, reason: &str) -> Diagnostic {
    let title = format!("`{name}` cannot be called from CasADi: {reason}");
    Diagnostic::error("E0822", span, title, "defined here")
        .note("CasADi gives and takes numbers, vectors and matrices whose sizes are known when the library is made")
        .hint("give the sizes in the type, as in `[3]Real`, or name them: `--size n=3` for `[n]Real`")
}

/// The error where some definitions have derivatives, but none has one that is asked for.
pub fn without_derivative(derivative: Derivative) -> Diagnostic {
    let name = Kind::of(derivative).name();
    let title = format!("no definition of the library has the derivative `{name}`");
    Diagnostic::error("E0822", Span::NONE, title, "")
        .note("definitions with Reals in what they take have `jvp` and `vjp`; those that give a Real have `grad` and `hvp` too")
        .hint("name other derivatives, or leave out `--derivatives`")
}

/// The error where a library for CasADi is to lack derivatives.
pub fn casadi_has_all() -> Diagnostic {
    let title = "a library for CasADi has all derivatives";
    Diagnostic::error("E0822", Span::NONE, title, "").hint("leave out `--derivatives`")
}

/// The error where nobody has a parameter that derivatives are to be with respect to.
pub fn without_parameter(name: &str) -> Diagnostic {
    let title = format!("no definition of the library has a parameter `{name}` with Reals");
    Diagnostic::error("E0811", Span::NONE, title, "")
        .hint("name parameters of the definitions, or leave out `--wrt`")
}

/// The error where nobody needs a size that is given.
pub fn without_size(name: &str) -> Diagnostic {
    let title = format!("no definition of the library needs a size `{name}`");
    Diagnostic::error("E0822", Span::NONE, title, "")
        .note("sizes are given for `--abi casadi`, by the names that types have, as in `[n]Real`")
        .hint("leave out `--size`, or name sizes of the definitions")
}

/// The error where a file has nothing for a library.
pub fn without_functions(asked: &Build) -> Diagnostic {
    let by = asked.abi.caller();
    let title = format!("nothing in `{}` can be called from {by}", asked.file.display());
    Diagnostic::error("E0822", Span::NONE, title, "")
        .note("a definition is in a library if it has parameters, and all it takes and gives is first-order")
        .hint("name a definition to see what it lacks")
}
