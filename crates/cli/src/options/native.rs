//! How native code computes, and for which machines it is.

use clap::{Args, ValueEnum};
use pullback_session::{Fp, Settings, Target};

/// How native code computes.
#[derive(Clone, Copy, Debug, Args)]
pub struct FpArgs {
    /// Whether native code computes as the evaluator does to the last bit, or may add in another order
    /// [default: fast with `--engine native`, `bench` and `gradbench`, else strict].
    #[arg(long, value_name = "HOW")]
    fp: Option<FpArg>,
    /// The most threads that native code computes on, with the same results.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
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
    /// As a call takes it.
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

impl FpArgs {
    /// Settings with these.
    pub fn of(self, settings: Settings) -> Settings {
        let fp = self.fp.map(|fp| match fp {
            FpArg::Strict => Fp::Strict,
            FpArg::Fast => Fp::Fast,
        });
        let threads = Some(self.threads as usize);
        Settings { fp, threads, target: self.target.target(), ..settings }
    }
}
