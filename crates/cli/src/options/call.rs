//! A definition, its arguments, and what its derivative is with respect to.

use std::path::PathBuf;

use clap::Args;
use pullback_driver::{Call, Settings};

/// A definition and its arguments; the definition may be left out.
#[derive(Debug, Args)]
pub struct CallArgs {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The definition [default: main, or for `show` the whole file].
    pub entry: Option<String>,
    /// Its arguments: Pullback expressions in the scope of the file (those that begin with `-` after `--`).
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// Arguments by parameter name: a JSON object or a NumPy archive.
    #[arg(long, value_name = "FILE.json|.npz")]
    pub input: Option<PathBuf>,
}

/// A definition and its arguments.
#[derive(Debug, Args)]
pub struct RequiredCallArgs {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The definition.
    pub entry: String,
    /// Its arguments: Pullback expressions in the scope of the file (those that begin with `-` after `--`).
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// Arguments by parameter name: a JSON object or a NumPy archive.
    #[arg(long, value_name = "FILE.json|.npz")]
    pub input: Option<PathBuf>,
}

/// What the derivative is with respect to.
#[derive(Debug, Args)]
pub struct WrtArgs {
    /// The parameters to differentiate with respect to [default: all that hold Reals].
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    pub wrt: Vec<String>,
}

impl CallArgs {
    /// As the driver wants it, with an entry to use if none is given.
    pub fn call(&self, default: &str, settings: Settings) -> Call {
        Call {
            file: self.file.clone(),
            entry: self.entry.clone().unwrap_or_else(|| default.to_owned()),
            args: self.args.clone(),
            input: self.input.clone(),
            settings,
        }
    }
}

impl RequiredCallArgs {
    /// As the driver wants it.
    pub fn call(&self, settings: Settings) -> Call {
        Call {
            file: self.file.clone(),
            entry: self.entry.clone(),
            args: self.args.clone(),
            input: self.input.clone(),
            settings,
        }
    }
}
