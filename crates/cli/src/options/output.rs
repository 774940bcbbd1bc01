//! How the answer of a call is printed.

use std::path::PathBuf;

use clap::Args;
use pullback_data::output::Layout;
use pullback_session::Settings;

use super::native::FpArgs;
use super::settings::{SettingsArgs, VerboseArgs, WarnArgs};

/// How wide a page is where nothing says it.
pub const PAGE: usize = 80;

/// How the answer is printed.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the answer to a file that `--input` reads back, and print nothing (JSON with `--json`).
    #[arg(short, long, value_name = "FILE.json|.npz|.npy|.csv")]
    pub output: Option<PathBuf>,
    /// Do this so many times. An input that is the output file makes each round go on from the one before, and
    /// what the last round has written stays when the command is stopped.
    #[arg(long, value_name = "N", requires = "output", value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: Option<u64>,
    #[command(flatten)]
    pub layout: LayoutArgs,
    #[command(flatten)]
    pub settings: SettingsArgs,
    #[command(flatten)]
    pub warn: WarnArgs,
    /// Say where the first NaN arises, in the value or in the derivative.
    #[arg(long)]
    pub trace_nan: bool,
    #[command(flatten)]
    pub verbose: VerboseArgs,
    #[command(flatten)]
    pub fp: FpArgs,
}

/// How values are laid out. Any of these asks for rows; without them there are rows on a terminal only.
#[derive(Debug, Args)]
pub struct LayoutArgs {
    /// Lay the answer out in rows of so many columns, aligned [default on a terminal: its width].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..), conflicts_with_all = ["json", "output"])]
    pub width: Option<u16>,
    /// Lay the answer out and leave nothing out: all elements of arrays, with all their digits.
    #[arg(long, conflicts_with_all = ["json", "output"])]
    pub full: bool,
    /// Lay the answer out with so many significant digits [default: 6 in arrays, all elsewhere].
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(1..=17), conflicts_with_all = ["json", "output"])]
    pub precision: Option<u8>,
}

impl OutputArgs {
    /// How the answer is laid out, if it is: on a terminal of this width, or since that is asked for.
    pub fn layout(&self, terminal: Option<usize>) -> Option<Layout> {
        let LayoutArgs { width, full, precision } = self.layout;
        let asked = width.is_some() || full || precision.is_some();
        let width = width.map(usize::from).or(terminal).or(asked.then_some(PAGE))?;
        Some(Layout { width, full, precision: precision.map(usize::from) })
    }
    /// As a call takes them.
    pub fn settings(&self) -> Settings {
        self.fp.of(Settings {
            trace_nan: self.trace_nan,
            verbose: self.verbose.verbose,
            ..self.settings.settings(self.warn)
        })
    }
}
