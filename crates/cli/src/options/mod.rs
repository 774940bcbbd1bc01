//! The command line, by clap: the commands here, their options in a file for each kind.

mod bench;
mod bounds;
mod build;
mod call;
mod dev;
mod doc;
mod matrix;
mod native;
mod output;
mod plot;
mod settings;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::units;

pub use bench::BenchArgs;
pub use bounds::BoundsArgs;
pub use build::{BuildArgs, Emit};
pub use call::{CallArgs, RequiredCallArgs, WrtArgs};
pub use dev::DevArgs;
pub use doc::DocArgs;
pub use matrix::MatrixArgs;
pub use native::FpArgs;
pub use output::{OutputArgs, PAGE};
pub use plot::{PlotArgs, bounds_behind_dashes};
pub use settings::{CountsArgs, SettingsArgs, VerboseArgs, WarnArgs};

const EXAMPLES: &str = "\
Examples:
  pullback run  model.pull predict '{ w = 2.0, b = 1.0 }' 3.0
  pullback grad model.pull loss --input data.json --wrt w,b --json
  pullback test model.pull
  pullback explain E0301

Environment: CC is the C compiler of `--engine native`; PULLBACK_CACHE=off keeps no native code.

Exit codes: 0 success; 1 the program or its input is wrong; 2 wrong usage, or a file that cannot be
read; 70 a bug in Pullback itself.";

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

/// A language that programs are printed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Pullback.
    Pull,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Evaluate a definition, or an expression.
    Run {
        #[command(flatten)]
        call: CallArgs,
        /// Evaluate this expression in the scope of the file, instead of a definition.
        #[arg(short, long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["entry", "args", "inputs", "named"])]
        eval: Option<String>,
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
        counts: CountsArgs,
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
        counts: CountsArgs,
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
        counts: CountsArgs,
        #[command(flatten)]
        wrt: WrtArgs,
        /// The tangent of the parameters: an expression, a tuple if there are several, in the order of `--wrt` or
        /// else of the definition.
        #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
        tangent: String,
    },
    /// The matrix of derivatives of all numbers of a definition by all numbers of its parameters.
    Jacobian(MatrixArgs),
    /// The matrix of second derivatives of a Real-valued definition.
    Hessian(MatrixArgs),
    /// Draw functions with their derivatives, histories and heat maps, in the terminal or as SVG.
    #[command(after_help = plot::EXAMPLES)]
    Plot(PlotArgs),
    /// Check the derivative of a definition at a point, by ways that know no derivative rule.
    CheckGrad {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        warn: WarnArgs,
        #[command(flatten)]
        verbose: VerboseArgs,
        #[command(flatten)]
        wrt: WrtArgs,
    },
    /// The derivatives of all smooth pieces of a Real-valued definition that meet at a point (Clarke's generalised gradient).
    Clarke {
        #[command(flatten)]
        call: RequiredCallArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        wrt: WrtArgs,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// What a definition and its derivatives can be where numbers are in intervals, and how much its results can change.
    Bounds(BoundsArgs),
    /// Report every mistake in files.
    Check {
        /// The files; `-` is standard input.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Format files in place; `-` formats standard input to standard output. Programs of Knossos (`.ks`) too.
    Fmt {
        /// Change nothing: print each file in another language. `pull` takes programs of Knossos.
        #[arg(long, value_name = "LANGUAGE", conflicts_with = "check")]
        to: Option<Language>,
        /// Change nothing: list the files that are not formatted, and fail if there are any.
        #[arg(long)]
        check: bool,
        /// The files.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Check the `--@` expectations in files, on every engine; of programs of Knossos, what they print behind `TESTS FOLLOW`.
    Test {
        /// The files.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        warn: WarnArgs,
        #[command(flatten)]
        verbose: VerboseArgs,
        /// How many steps each line may take [default: 500000 on engines that transform programs, 2000000 on
        /// `dual`; no limit on `trace` or with `--engine`]. `native` counts none.
        #[arg(long, value_name = "N")]
        steps: Option<u64>,
    },
    /// Explain a diagnostic by its code.
    Explain {
        /// The code, such as E0301.
        code: String,
    },
    /// The reference of the library, of built-in operations, or of a file, made from their comments.
    #[command(after_help = doc::SUBJECTS)]
    Doc(DocArgs),
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
        /// The stage as a program, which can be saved, tested and run: for `forward`, `reverse`, `jacobian`, `cl-rev` and `cl-fwd`.
        #[arg(long, requires = "stage")]
        as_source: bool,
        /// The passes between programs, each with its type, its law and when it runs.
        #[arg(long, conflicts_with = "stage")]
        passes: bool,
    },
    /// Make a library for C of definitions and their derivatives: a C file or a shared object, with a header and a
    /// manifest.
    #[command(after_help = build::BUILD)]
    Build(BuildArgs),
    /// Watch the passes of the compiler: a program, or the text of a stage in a file that ends in `.ir`.
    #[command(after_help = dev::PATH)]
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
    /// Evaluate lines: definitions and expressions, with commands such as `:type` and `:plot` (`:help` lists them).
    Repl {
        /// A file whose definitions are there from the start.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Serve an editor: the Language Server Protocol on standard input and output.
    Lsp {
        /// Says what is so anyway; some editors insist on it.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Take part in GradBench: answer the messages of its protocol, one a line, until the input ends.
    #[command(after_help = bench::GRADBENCH)]
    Gradbench {
        /// The engine: `native` [default], `ir`, or one of the evaluator.
        #[arg(long, value_name = "NAME")]
        engine: Option<String>,
        /// The most memory that an input and all values may take, such as 512M or 4G.
        #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
        max_memory: Option<usize>,
        /// Compute on as many threads as there are processors, as GradBench asks tools to.
        #[arg(long, conflicts_with = "threads")]
        multithreaded: bool,
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
            Self::Jacobian(asked) | Self::Hessian(asked) => asked.output.settings.timeout,
            Self::Plot(asked) => asked.settings.timeout,
            Self::Bounds(asked) => asked.settings.timeout,
            Self::CheckGrad { settings, .. }
            | Self::Clarke { settings, .. }
            | Self::Test { settings, .. }
            | Self::Show { settings, .. }
            | Self::Bench { settings, .. }
            | Self::Dev { settings, .. } => settings.timeout,
            Self::Build(_)
            | Self::Check { .. }
            | Self::Fmt { .. }
            | Self::Explain { .. }
            | Self::Doc(_)
            | Self::Demo { .. }
            | Self::Repl { .. }
            | Self::Lsp { .. }
            | Self::Gradbench { .. } => None,
        }
    }
}

fn stages() -> String {
    let width = pullback_tools::stages().map(|stage| stage.name.len()).max().unwrap_or(0);
    let mut text = String::from("Stages:\n");
    for stage in pullback_tools::stages() {
        text.push_str(&format!("  {:width$}  {}\n", stage.name, stage.about));
    }
    text
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
        let Command::Run { call, output, .. } = options.unwrap().command else { panic!("not run") };
        assert_eq!(call.args, ["-1.0"]);
        assert!(output.json);
    }
}
