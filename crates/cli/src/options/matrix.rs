//! A matrix of derivatives: of what, and whether all entries of it are computed.

use clap::Args;

use super::call::{RequiredCallArgs, WrtArgs};
use super::output::OutputArgs;

/// A matrix of derivatives.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    #[command(flatten)]
    pub call: RequiredCallArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub wrt: WrtArgs,
    /// Find out which entries can be other than zero, and compute these alone, in few sweeps.
    #[arg(long)]
    pub sparse: bool,
}
