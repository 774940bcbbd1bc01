//! `bench` and `gradbench`: how much to measure.

use clap::Args;

use crate::units;

/// What the help of `gradbench` ends with.
pub const GRADBENCH: &str = "\
The evals are hello, llsq, lse, det, ode, kmeans, gmm, lstm, ba, ht, particle and saddle. Their programs
are examples/gmm.pull and those of examples/gradbench. docs/gradbench.md says how to run the benchmark.";

/// How much to measure.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Print JSON, with times in nanoseconds.
    #[arg(long)]
    pub json: bool,
    /// Count the operations of long runs too, in the evaluator, which may take far longer than the runs.
    #[arg(long)]
    pub count: bool,
    /// How often each runs at least.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// How long the runs of each take together at least, such as 2s or 500ms.
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = units::seconds, allow_hyphen_values = true)]
    pub time: f64,
}
