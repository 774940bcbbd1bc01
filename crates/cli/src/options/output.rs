//! How the answer of a call is printed.

use std::path::PathBuf;

use clap::Args;
use pullback_driver::Settings;

use super::native::FpArgs;
use super::settings::{SettingsArgs, WarnArgs};

/// How the answer is printed.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the answer to a file that `--input` reads back, and print nothing (JSON with `--json`).
    #[arg(short, long, value_name = "FILE.json|.npz")]
    pub output: Option<PathBuf>,
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
