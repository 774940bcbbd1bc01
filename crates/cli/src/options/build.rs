//! `build`: which library to make.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pullback_base::nearest;
use pullback_codegen::Microarchitecture;
use pullback_session::Target;
use pullback_tools::{Build, Derivative};

use super::call::WrtArgs;
use super::native::FpArg;
use crate::units;

/// What the help of `build` ends with.
pub const BUILD: &str = "\
Of a definition `f` in `m.pull` the library has `m_f`, `m_f_jvp`, `m_f_vjp`, and if the result is a Real
`m_f_grad` and `m_f_hvp`, or those of them that `--derivatives` names. The header says how they are called; `docs/c.md` has an example. A C file is
compiled by `cc -std=gnu11 -O3 -march=native -fno-strict-aliasing -ffp-contract=off -Wno-psabi -c`, and linked with `-lm`.
`--abi casadi` makes `m_f`, `fwd1_m_f`, `adj1_m_f`, `jac_m_f` and `fwd1_adj1_m_f` for CasADi: `docs/casadi.md`.";

/// What library to make of which definitions.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The definitions [default: all that can be called from C].
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,
    /// What to write.
    #[arg(long, value_name = "WHAT", default_value = "c")]
    pub emit: Emit,
    /// The folder to write into; it is made if it is not there.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub output: PathBuf,
    #[command(flatten)]
    wrt: WrtArgs,
    /// The derivatives that are wanted of each definition [default: all that there are].
    #[arg(long, value_name = "WHICH,…", value_delimiter = ',')]
    derivatives: Option<Vec<Kind>>,
    /// Who calls the library.
    #[arg(long, value_name = "WHO", default_value = "c")]
    abi: Abi,
    /// A size that the definitions name, for `--abi casadi`.
    #[arg(long = "size", value_name = "NAME=N,…", value_delimiter = ',', value_parser = units::size)]
    sizes: Vec<(String, i64)>,
    /// The machines that a library is for: `native`, this one; `portable`, every one of its kind; `all`, every one, with the code
    /// that is fastest there; or some of the levels of `all`, such as `portable,x86-64-v3`.
    #[arg(long, value_name = "WHICH,…", default_value = "native", value_parser = targets)]
    target: Targets,
    /// Whether it computes as the evaluator does to the last bit, or may add in another order.
    #[arg(long, value_name = "HOW", default_value = "fast")]
    fp: FpArg,
}

/// The machines that a library is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Targets {
    /// These, with one translation.
    One(Target),
    /// Every one of this kind, with a translation for each of these levels.
    Levels(Vec<Microarchitecture>),
}

/// The targets that a text names. The portable one is always among several, so that there is one for every machine.
fn targets(text: &str) -> Result<Targets, String> {
    match text {
        "native" => return Ok(Targets::One(Target::Native)),
        "portable" => return Ok(Targets::One(Target::Portable)),
        "all" => return Ok(Targets::Levels(Microarchitecture::ALL.to_vec())),
        _ => {}
    }
    let mut levels = vec![Microarchitecture::Portable];
    for name in text.split(',') {
        match Microarchitecture::ALL.iter().find(|level| level.name() == name) {
            Some(level) => levels.push(*level),
            None if ["native", "all"].contains(&name) => {
                return Err(format!("`{name}` stands alone"));
            }
            None => return Err(no_target(name)),
        }
    }
    levels.sort_unstable();
    levels.dedup();
    Ok(Targets::Levels(levels))
}

/// What is said of a name that is none of a target.
fn no_target(name: &str) -> String {
    let levels: Vec<&str> = Microarchitecture::ALL.iter().map(|level| level.name()).collect();
    let known = [levels.as_slice(), &["native", "all"]].concat();
    let hint =
        nearest(name, known).map_or_else(String::new, |close| format!("; did you mean `{close}`?"));
    let levels = levels.join(", ");
    format!(
        "there is no target `{name}` for this kind of processor: there are native, all, and of all one or more of {levels}{hint}"
    )
}

/// What `build` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// A C file that needs no other, a header and a manifest.
    C,
    /// A shared object, a header and a manifest.
    So,
    /// A header.
    Header,
}

/// A derivative of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The tangent of the value, for tangents of the parameters.
    Jvp,
    /// The cotangents of the parameters, for one of the value.
    Vjp,
    /// The gradient, where the value is a Real.
    Grad,
    /// The Hessian times a direction, where the value is a Real.
    Hvp,
    /// None: values alone.
    None,
}

impl Kind {
    fn derivative(self) -> Option<Derivative> {
        match self {
            Self::Jvp => Some(Derivative::Jvp),
            Self::Vjp => Some(Derivative::Vjp),
            Self::Grad => Some(Derivative::Grad),
            Self::Hvp => Some(Derivative::Hvp),
            Self::None => None,
        }
    }
}

/// Who calls a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abi {
    /// Programs in C: arrays of any sizes.
    C,
    /// CasADi's `external`: matrices of sizes that are known now.
    Casadi,
}

impl BuildArgs {
    /// As a call takes it.
    pub fn request(&self) -> Build {
        let abi = match self.abi {
            Abi::C => pullback_tools::Abi::C,
            Abi::Casadi => pullback_tools::Abi::Casadi,
        };
        Build {
            file: self.file.clone(),
            entries: self.entries.clone(),
            wrt: self.wrt.wrt.clone(),
            derivatives: self
                .derivatives
                .as_ref()
                .map(|kinds| kinds.iter().filter_map(|kind| kind.derivative()).collect()),
            abi,
            target: match self.target {
                Targets::One(target) if self.emit == Emit::So => Some(target),
                Targets::One(_) | Targets::Levels(_) => None,
            },
            targets: match &self.target {
                Targets::One(_) => vec![],
                Targets::Levels(levels) => levels.clone(),
            },
            is_strict: self.fp == FpArg::Strict,
            sizes: self.sizes.clone(),
        }
    }
}
