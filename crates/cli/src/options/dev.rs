//! `dev`: what to see of the compiler.

use std::path::PathBuf;

use clap::Args;
use pullback_tools::Dev;

/// What the help of `dev` ends with.
pub const PATH: &str = "\
Stages: lambda, ir; jvp, unzip, transpose (the derivative of one definition); ad, opt,
loops, c.
`pullback show FILE --passes` lists the passes.";

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
    /// As a call takes it.
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
