//! What is asked of a module: of which definition or expression, which derivative, how computed.
//!
//! Input: names and options. Output: an [`Asked`], by which functions are known; and the texts that it is about.

use std::path::PathBuf;

use pullback_session::Memory;
use pullback_tools::Kind;

use crate::form::Names;

/// The texts of a module.
#[derive(Debug)]
pub struct Source {
    pub path: PathBuf,
    pub files: Memory,
    /// The file and those that it imports, in the order in which they were read.
    pub texts: Vec<(String, String)>,
    pub names: Names,
    /// The sum types: their names, and their constructors with how many fields these have.
    pub sums: Vec<(String, Vec<(String, usize)>)>,
}

/// What a function computes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A definition, by its name.
    Definition(String),
    /// An expression in the scope of the text.
    Expression(String),
}

/// How a function is computed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Options {
    /// `native`, or `ir` for the evaluator of the array code; none is native code where there is a C compiler.
    pub engine: Option<String>,
    /// Whether numbers are those of the evaluator to the last bit.
    pub is_strict: bool,
    /// The most threads that a call computes on.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { engine: None, is_strict: false, threads: 1 }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// Of what.
    pub what: What,
    /// The names of its parameters; none are those of the definition.
    pub names: Option<Vec<String>>,
    /// Its value, or a derivative.
    pub kind: Kind,
    /// The parameters that the derivative is with respect to; none means all that hold Reals.
    pub wrt: Vec<String>,
    /// How it is computed.
    pub options: Options,
}
