//! The command line, by clap.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pullback_driver::{Call, Dev, Fp, Settings, Target};

use crate::units;

const EXAMPLES: &str = "\
Examples:
  pullback run  model.pull predict '{ w = 2.0, b = 1.0 }' 3.0
  pullback grad model.pull loss --input data.json --wrt w,b --json
  pullback test model.pull
  pullback explain E0301

Environment: CC is the C compiler of `--engine native`; PULLBACK_CACHE=off keeps no native code.

Exit codes: 0 success; 1 the program or its input is wrong; 2 wrong usage, or a file that cannot be
read; 70 a bug in Pullback itself.";

const PATH: &str = "\
Stages: lambda, ir; jvp, unzip, transpose (the derivative of one definition); ad, opt,
loops, c.
`pullback show FILE --passes` lists the passes.";

const GRADBENCH: &str = "\
The evals are hello, llsq, lse, det, ode, kmeans, gmm, lstm, ba, ht, particle and saddle. Their programs
are examples/gmm.pull and those of examples/gradbench. docs/gradbench.md says how to run the benchmark.";

const BUILD: &str = "\
Of a definition `f` in `m.pull` the library has `m_f`, `m_f_jvp`, `m_f_vjp`, and if the result is a Real
`m_f_grad` and `m_f_hvp`. The header says how they are called; `docs/c.md` has an example. A C file is
compiled by `cc -std=gnu11 -O3 -march=native -fno-strict-aliasing -ffp-contract=off -Wno-psabi -c`, and linked with `-lm`.
`--abi casadi` makes `m_f`, `fwd1_m_f`, `adj1_m_f`, `jac_m_f` and `fwd1_adj1_m_f` for CasADi: `docs/casadi.md`.";

/// A functional language in which every function can be differentiated.
#[derive(Debug, Parser)]
#[command(name = "pullback", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Options {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Whether messages are coloured.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
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

/// Who calls a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abi {
    /// Programs in C: arrays of any sizes.
    C,
    /// CasADi's `external`: matrices of sizes that are known now.
    Casadi,
}

/// When messages are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Evaluate a definition.
    Run {
        #[command(flatten)]
        call: CallArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Value and gradient of a Real-valued definition.
    Grad {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        wrt: WrtArgs,
    },
    /// Value of a definition, and the cotangents of its parameters for a cotangent of its result.
    Vjp {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        wrt: WrtArgs,
        /// The cotangent of the result: an expression.
        #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
        cotangent: String,
    },
    /// Value of a definition, and the tangent of its result for a tangent of its parameters.
    Jvp {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        wrt: WrtArgs,
        /// The tangent of the parameters: an expression, a tuple if there are several.
        #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
        tangent: String,
    },
    /// Check the derivative of a definition at a point, by ways that know no derivative rule.
    CheckGrad {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        warn: WarnArgs,
        #[command(flatten)]
        wrt: WrtArgs,
    },
    /// Report every mistake in files.
    Check {
        /// The files; `-` is standard input.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Format files in place; `-` formats standard input to standard output.
    Fmt {
        /// Change nothing: list the files that are not formatted, and fail if there are any.
        #[arg(long)]
        check: bool,
        /// The files.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Check the `--@` expectations in files, on every engine.
    Test {
        /// The files.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        warn: WarnArgs,
        /// How many steps each line may take on engines that transform programs [default: 500000, and no
        /// limit with `--engine`]. `native` counts none.
        #[arg(long, value_name = "N")]
        steps: Option<u64>,
    },
    /// Explain a diagnostic by its code.
    Explain {
        /// The code, such as E0301.
        code: String,
    },
    /// Derive a derivative by linear maps, in the twelve stages of the working notes.
    Demo {
        /// The file; `-` is standard input.
        file: PathBuf,
        /// The definition.
        entry: String,
    },
    /// Print a stage of the pipeline.
    #[command(after_help = stages())]
    Show {
        #[command(flatten)]
        call: CallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        /// The stage; see below.
        #[arg(long, value_name = "STAGE", required_unless_present = "passes")]
        stage: Option<String>,
        /// The passes between programs, each with its type, its law and when it runs.
        #[arg(long, conflicts_with = "stage")]
        passes: bool,
    },
    /// Make a library for C of definitions and their derivatives: a C file or a shared object, with a header and a
    /// manifest.
    #[command(after_help = BUILD)]
    Build {
        /// The file; `-` is standard input.
        file: PathBuf,
        /// The definitions [default: all that can be called from C].
        #[arg(value_name = "ENTRY")]
        entries: Vec<String>,
        /// What to write.
        #[arg(long, value_name = "WHAT", default_value = "c")]
        emit: Emit,
        /// The folder to write into; it is made if it is not there.
        #[arg(short, long, value_name = "DIR", default_value = ".")]
        output: PathBuf,
        #[command(flatten)]
        wrt: WrtArgs,
        /// Who calls the library.
        #[arg(long, value_name = "WHO", default_value = "c")]
        abi: Abi,
        /// A size that the definitions name, for `--abi casadi`.
        #[arg(long = "size", value_name = "NAME=N,…", value_delimiter = ',', value_parser = units::size)]
        sizes: Vec<(String, i64)>,
        #[command(flatten)]
        target: TargetArgs,
    },
    /// Watch the passes of the compiler: a program, or the text of a stage in a file that ends in `.ir`.
    #[command(after_help = PATH)]
    Dev {
        #[command(flatten)]
        call: CallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        asked: DevArgs,
    },
    /// Measure a definition and its derivatives: times, their ratios, operations, memory.
    Bench {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        wrt: WrtArgs,
        #[command(flatten)]
        asked: BenchArgs,
        #[command(flatten)]
        fp: FpArgs,
    },
    /// Take part in GradBench: answer the messages of its protocol, one a line, until the input ends.
    #[command(after_help = GRADBENCH)]
    Gradbench {
        /// The engine: `native` [default], `ir`, or one of the evaluator.
        #[arg(long, value_name = "NAME")]
        engine: Option<String>,
        /// The most memory that an input and all values may take, such as 512M or 4G.
        #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
        max_memory: Option<usize>,
        #[command(flatten)]
        fp: FpArgs,
    },
}

impl Command {
    /// The time limit, for commands that have one.
    pub fn timeout(&self) -> Option<f64> {
        match self {
            Self::Run { output, .. }
            | Self::Grad { output, .. }
            | Self::Vjp { output, .. }
            | Self::Jvp { output, .. } => output.settings.timeout,
            Self::CheckGrad { settings, .. }
            | Self::Test { settings, .. }
            | Self::Show { settings, .. }
            | Self::Bench { settings, .. }
            | Self::Dev { settings, .. } => settings.timeout,
            Self::Build { .. }
            | Self::Check { .. }
            | Self::Fmt { .. }
            | Self::Explain { .. }
            | Self::Demo { .. }
            | Self::Gradbench { .. } => None,
        }
    }
}

fn stages() -> String {
    let width = pullback_driver::stages().map(|stage| stage.name.len()).max().unwrap_or(0);
    let mut text = String::from("Stages:\n");
    for stage in pullback_driver::stages() {
        text.push_str(&format!("  {:width$}  {}\n", stage.name, stage.about));
    }
    text
}

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

/// How much to measure.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Print JSON, with times in nanoseconds.
    #[arg(long)]
    pub json: bool,
    /// How often each runs at least.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// How long the runs of each take together at least, such as 2s or 500ms.
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = units::seconds)]
    pub time: f64,
}

/// What to see of the compiler.
#[derive(Debug, Args)]
pub struct DevArgs {
    /// Print this stage [default: the last one, unless something else is asked for].
    #[arg(long, value_name = "STAGE")]
    dump: Option<String>,
    /// Stop after this pass.
    #[arg(long, value_name = "PASS")]
    stop_after: Option<String>,
    /// Leave out these passes.
    #[arg(long, value_name = "PASS,…", value_delimiter = ',')]
    without: Vec<String>,
    /// Print how long each pass took, and how many terms or statements there are then.
    #[arg(long)]
    time: bool,
    /// Check the rules of code after every pass.
    #[arg(long)]
    verify: bool,
    /// Run the definition at its arguments and print what its value and its gradient cost; for a whole file,
    /// print how many statements each function has.
    #[arg(long)]
    count: bool,
    /// Decide how loops go in native code, in the form that `--dump loops` prints.
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,
}

impl DevArgs {
    /// As the driver wants it.
    pub fn request(&self) -> Dev {
        Dev {
            dump: self.dump.clone(),
            stop_after: self.stop_after.clone(),
            without: self.without.clone(),
            time: self.time,
            verify: self.verify,
            count: self.count,
            schedule: self.schedule.clone(),
        }
    }
}

/// How the answer is printed.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
    #[command(flatten)]
    pub warn: WarnArgs,
    /// Say where the first NaN arises, in the value or in the derivative.
    #[arg(long)]
    pub trace_nan: bool,
    /// Say which engine answered, and why.
    #[arg(long)]
    pub verbose: bool,
    #[command(flatten)]
    pub fp: FpArgs,
}

/// How native code computes.
#[derive(Clone, Copy, Debug, Args)]
pub struct FpArgs {
    /// Whether native code computes as the evaluator does to the last bit, or may add in another order
    /// [default: fast with `--engine native`, `bench` and `gradbench`, else strict].
    #[arg(long, value_name = "HOW")]
    fp: Option<FpArg>,
    #[command(flatten)]
    target: TargetArgs,
}

/// Which machines native code is for.
#[derive(Clone, Copy, Debug, Args)]
pub struct TargetArgs {
    /// Whether native code is for this machine, or for every one of its kind.
    #[arg(long, value_name = "WHICH", default_value = "native")]
    target: TargetArg,
}

/// Which machines native code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetArg {
    /// This one.
    Native,
    /// Every one of its kind.
    Portable,
}

impl TargetArgs {
    /// As the driver wants it.
    pub fn target(self) -> Target {
        match self.target {
            TargetArg::Native => Target::Native,
            TargetArg::Portable => Target::Portable,
        }
    }
}

/// How native code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FpArg {
    /// To the last bit.
    Strict,
    /// Faster.
    Fast,
}

impl Abi {
    /// As the driver wants it.
    pub fn abi(self) -> pullback_driver::Abi {
        match self {
            Self::C => pullback_driver::Abi::C,
            Self::Casadi => pullback_driver::Abi::Casadi,
        }
    }
}

impl FpArgs {
    /// Settings with these.
    pub fn of(self, settings: Settings) -> Settings {
        let fp = self.fp.map(|fp| match fp {
            FpArg::Strict => Fp::Strict,
            FpArg::Fast => Fp::Fast,
        });
        Settings { fp, target: self.target.target(), ..settings }
    }
}

impl OutputArgs {
    /// As the driver wants them.
    pub fn settings(&self) -> Settings {
        self.fp.of(Settings {
            trace_nan: self.trace_nan,
            verbose: self.verbose,
            ..self.settings.settings(self.warn)
        })
    }
}

/// What the derivative is with respect to.
#[derive(Debug, Args)]
pub struct WrtArgs {
    /// The parameters to differentiate with respect to [default: all that hold Reals].
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    pub wrt: Vec<String>,
}

/// How to evaluate.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// The engine of differentiation.
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Fuse functions of numbers: with `--engine delta`, each call leaves one binding.
    #[arg(long)]
    pub fuse: bool,
    /// What a derivative at a tie or an edge of a domain is: by convention, or an error.
    #[arg(long, value_name = "WHICH", default_value = "trace")]
    pub domain: Domain,
    /// The most memory that the input file and all values may take, such as 512M or 4G.
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_memory: Option<usize>,
    /// The most memory that a loop may save for reverse mode before it gets checkpoints: with `--engine ir`.
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_tape: Option<usize>,
    /// The longest time that the command may take (for `test`, each evaluation), such as 10s or 500ms.
    #[arg(long, value_name = "TIME", value_parser = units::seconds)]
    pub timeout: Option<f64>,
    /// How deep the calls of every recursive function may nest [default: any depth].
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,
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

impl SettingsArgs {
    /// As the driver wants them.
    pub fn settings(&self, warn: WarnArgs) -> Settings {
        Settings {
            warn_kinks: warn.warn == Some(Warn::Kinks),
            trace_nan: false,
            verbose: false,
            fp: None,
            target: Target::default(),
            engine: self.engine.clone(),
            fuse: self.fuse,
            strict: self.domain == Domain::Strict,
            max_memory: self.max_memory,
            max_tape: self.max_tape,
            timeout: self.timeout,
            fuel: self.fuel,
            steps: None,
        }
    }
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn negative_arguments_are_arguments() {
        let options = Options::try_parse_from(["pullback", "run", "a.pull", "f", "-1.0", "--json"]);
        let Command::Run { call, output } = options.unwrap().command else { panic!("not run") };
        assert_eq!(call.args, ["-1.0"]);
        assert!(output.json);
    }
}
