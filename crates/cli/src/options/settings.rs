//! How to evaluate, and what to tell about a run.

use clap::{Args, ValueEnum};
use pullback_session::{Settings, Target, Variant};

use crate::{lines, units};

/// How to evaluate.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// The engine of differentiation.
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Fuse functions of numbers: with `--engine delta`, each call leaves one binding.
    #[arg(long, conflicts_with = "erase")]
    pub fuse: bool,
    /// Erase the types of functions' environments: with `--engine curry-env`, casts stand in the place of tags.
    #[arg(long)]
    pub erase: bool,
    /// What a derivative at a tie or an edge of a domain is: by convention, or an error.
    #[arg(long, value_name = "WHICH", default_value = "trace")]
    pub domain: Domain,
    /// The most memory that the input file and all values may take, such as 512M or 4G.
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_memory: Option<usize>,
    /// The most memory that a loop may save for reverse mode before it gets checkpoints: with `--engine ir` or `native`.
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_tape: Option<usize>,
    /// The longest time that the command may take (for `test`, each evaluation), such as 10s or 500ms.
    #[arg(long, value_name = "TIME", value_parser = units::seconds, allow_hyphen_values = true)]
    pub timeout: Option<f64>,
    /// How deep the calls of every recursive function may nest [default: any depth].
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,
}

/// Who answered.
#[derive(Clone, Copy, Debug, Args)]
pub struct VerboseArgs {
    /// Say which engine answered, and why.
    #[arg(long)]
    pub verbose: bool,
}

/// What it costs.
#[derive(Clone, Copy, Debug, Args)]
pub struct CountsArgs {
    /// Say what the derivative costs beside the program: primitives, calls and iterations, bytes.
    #[arg(long)]
    pub counts: bool,
}

impl CountsArgs {
    /// The settings with this one.
    pub fn of(self, settings: Settings) -> Settings {
        Settings { counts: self.counts, ..settings }
    }
}

/// What to tell about a run, on top of its answer.
#[derive(Clone, Copy, Debug, Args)]
pub struct WarnArgs {
    /// Warn where the run meets ties and edges of domains, with what the derivative is there.
    #[arg(long, value_name = "WHAT")]
    pub warn: Option<Warn>,
}

/// What to warn about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Warn {
    /// Ties and edges of domains.
    Kinks,
}

/// What a derivative at a tie or an edge of a domain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Domain {
    /// That of the executed trace, by the table of conventions.
    Trace,
    /// An error.
    Strict,
}

impl WarnArgs {
    /// Nothing is told.
    pub const NONE: Self = Self { warn: None };
}

impl SettingsArgs {
    /// As a call takes them.
    pub fn settings(&self, warn: WarnArgs) -> Settings {
        let fused = self.fuse.then_some(Variant::Fused);
        let variant = fused.or(self.erase.then_some(Variant::Erased));
        Settings {
            warn_kinks: warn.warn == Some(Warn::Kinks),
            trace_nan: false,
            verbose: false,
            counts: false,
            fp: None,
            threads: None,
            target: Target::default(),
            engine: self.engine.clone(),
            variant,
            strict: self.domain == Domain::Strict,
            max_memory: self.max_memory,
            max_tape: self.max_tape,
            timeout: self.timeout,
            tell: Some(lines::error_line),
            progress: None,
            fuel: self.fuel,
            steps: None,
        }
    }
}
