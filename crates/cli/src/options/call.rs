//! A definition, its arguments, and what its derivative is with respect to.

use std::path::PathBuf;

use clap::Args;
use pullback_session::{Call, Input, Settings};

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
    #[command(flatten)]
    named: NamedArgs,
}

/// Arguments by the name of their parameter.
#[derive(Debug, Args)]
pub struct NamedArgs {
    /// Arguments from a file by parameter name (`.json`, `.csv` with names in its first line, `.npz`), or with `NAME=` the
    /// argument of one parameter (`.npy` too); may be repeated.
    #[arg(long = "input", value_name = "[NAME=]FILE", value_parser = input)]
    inputs: Vec<Input>,
    /// No line of the tables among the input files names their columns; a first line of numbers shows that
    /// by itself.
    #[arg(long, requires = "inputs")]
    no_header: bool,
    /// An argument by parameter name: a Pullback expression; may be repeated.
    #[arg(long = "arg", value_name = "NAME=EXPR", value_parser = named, allow_hyphen_values = true)]
    pub named: Vec<(String, String)>,
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
    #[command(flatten)]
    named: NamedArgs,
}

/// What the derivative is with respect to.
#[derive(Debug, Args)]
pub struct WrtArgs {
    /// The parameters to differentiate with respect to [default: all that hold Reals].
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    pub wrt: Vec<String>,
}

impl NamedArgs {
    /// The input files.
    pub fn inputs(&self) -> Vec<Input> {
        let inputs = self.inputs.iter().cloned();
        inputs.map(|input| Input { is_headless: self.no_header, ..input }).collect()
    }
}

impl CallArgs {
    /// As a call takes it, with an entry to use if none is given.
    pub fn call(&self, default: &str, settings: Settings) -> Call {
        Call {
            file: self.file.clone(),
            entry: self.entry.clone().unwrap_or_else(|| default.to_owned()),
            args: self.args.clone(),
            named: self.named.named.clone(),
            inputs: self.named.inputs(),
            settings,
            ..Call::default()
        }
    }
}

impl RequiredCallArgs {
    /// As a call takes it.
    pub fn call(&self, settings: Settings) -> Call {
        Call {
            file: self.file.clone(),
            entry: self.entry.clone(),
            args: self.args.clone(),
            named: self.named.named.clone(),
            inputs: self.named.inputs(),
            settings,
            ..Call::default()
        }
    }
}

/// A file, after the name of a parameter if there is one in front.
fn input(text: &str) -> Result<Input, String> {
    let (parameter, path) = match text.split_once('=') {
        Some((name, path)) if is_name(name) => (Some(name.to_owned()), path),
        Some(_) | None => (None, text),
    };
    if path.is_empty() {
        return Err(
            "write a file, or the name of a parameter and a file, such as xs=data.npy".to_owned()
        );
    }
    Ok(Input { parameter, path: path.into(), is_headless: false })
}

/// A name and an expression.
fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, expr)) if is_name(name.trim()) => Ok((name.trim().to_owned(), expr.to_owned())),
        Some(_) | None => {
            Err("write the name of a parameter and an expression, such as rate=0.1".to_owned())
        }
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_may_name_their_parameter() {
        let path = |text: &str| input(text).map(|input| (input.parameter, input.path));
        assert_eq!(path("a.json"), Ok((None, "a.json".into())));
        assert_eq!(path("m=a.json"), Ok((Some("m".to_owned()), "a.json".into())));
        assert_eq!(path("./m=a.json"), Ok((None, "./m=a.json".into())));
        assert!(path("m=").is_err() && path("").is_err());
        assert_eq!(named("rate=-0.1"), Ok(("rate".to_owned(), "-0.1".to_owned())));
        assert_eq!(named("p = x == y"), Ok(("p".to_owned(), " x == y".to_owned())));
        assert!(named("0.1").is_err() && named("1=2").is_err());
    }
}
