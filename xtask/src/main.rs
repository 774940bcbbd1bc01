//! House tasks: `cargo xtask tidy`, `cargo xtask fuzz-mutate`, `cargo xtask oracle`, `cargo xtask fuzz`,
//! `cargo xtask suite`, `cargo xtask laws`, `cargo xtask passes`, `cargo xtask bench`, `cargo xtask examples`,
//! `cargo xtask names`, `cargo xtask sanitize`, `cargo xtask yardsticks`, `cargo xtask proofs`, `cargo xtask playground`,
//! `cargo xtask reference`, `cargo xtask install`.

mod bench;
mod examples;
mod install;
mod laws;
mod names;
mod oracle;
mod playground;
mod reference;
#[cfg(unix)]
mod sanitize;
mod suite;
mod tidy;
mod yardsticks;

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Parser, Subcommand};
use pullback_oracle::fuzz::Campaign as Programs;
use pullback_oracle::table::HIGHEST;
use pullback_suite::{Campaign, fuzz};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "House tasks of Pullback")]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the house rules that no compiler checks.
    Tidy,
    /// Change programs and inputs at random: each must end in a diagnostic or a value.
    FuzzMutate {
        /// How many cases.
        #[arg(long, default_value_t = 10_000)]
        count: u64,
        /// The first case's seed [default: from the clock].
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Give programs names and texts at random, and compile the C that is made of them.
    Names {
        /// How many programs.
        #[arg(long, default_value_t = 20)]
        count: u64,
        /// The first program's seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Check every primitive × engine × order against the oracle and print the table.
    Oracle {
        /// Only these engines [default: all].
        #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
        engine: Vec<String>,
        /// Up to this order of derivatives.
        #[arg(long, default_value_t = HIGHEST as u8, value_parser = clap::value_parser!(u8).range(1..=HIGHEST as i64))]
        orders: u8,
    },
    /// Run random programs on all engines, against each other and against the oracle. `native` compiles 250 at once.
    Fuzz {
        /// How many programs.
        #[arg(long, default_value_t = 20_000)]
        count: u64,
        /// The first program's seed [default: from the clock].
        #[arg(long)]
        seed: Option<u64>,
        /// Ask engines that transform programs for derivatives of derivatives in one program of so many.
        #[arg(long, default_value_t = 1000)]
        costly_every: u64,
        /// Let one program in so many be large.
        #[arg(long, default_value_t = 30)]
        large_every: u64,
        /// Only these engines [default: all].
        #[arg(long, visible_alias = "engines", value_name = "NAME,…", value_delimiter = ',')]
        engine: Vec<String>,
        /// Also run them on the compiler without passes: as `cargo xtask passes` does.
        #[arg(long)]
        passes: bool,
    },
    /// Check every expectation of the tests, the examples and the library on all engines but `native`, or on one.
    Suite {
        /// Only this engine.
        #[arg(long)]
        engine: Option<String>,
        /// How many calls and iterations a line may take on an engine that transforms programs.
        #[arg(long, default_value_t = 16_000_000)]
        steps: u64,
        /// Only files whose path has this in it.
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Check them as native code under AddressSanitizer and UndefinedBehaviorSanitizer.
    #[cfg(unix)]
    Sanitize {
        /// Only files whose path has this in it.
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Check the same, and the recorded lines of GradBench, on the compiler: with all passes, with none, without
    /// the optimiser, with each pass alone left out, and with checkpoints in every loop.
    Passes {
        /// How many calls and iterations a line may take.
        #[arg(long, default_value_t = 16_000_000)]
        steps: u64,
        /// Only these configurations, such as `ir without cse` [default: all].
        #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Check the laws of costs on all files, and passes and native code on many random programs of the IR.
    Laws {
        /// How many random programs; native code under sanitizers takes one in 50 of them.
        #[arg(long, default_value_t = 5000)]
        count: u64,
    },
    /// Measure the evaluator and the cost of derivatives, as ratios on this machine.
    Bench,
    /// Measure functions written by hand in C beside those of Pullback and their derivatives, in one run.
    Yardsticks {
        /// Only these, such as `gmm` [default: all].
        names: Vec<String>,
    },
    /// Compare the engine `trace` with the reference implementation in Coq on random programs: first `make -C proofs reference`.
    Reference {
        /// How many programs.
        #[arg(long, default_value_t = 1000)]
        count: usize,
        /// The first program's seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write what the Coq proofs read of the compiler into `proofs`.
    Proofs,
    /// Make the page of the playground.
    Playground,
    /// Install the program as users do, below `target/install`: it must work and be small.
    Install,
    /// Measure every example: the time of its value and of its gradient.
    Examples,
}

#[expect(clippy::print_stdout, reason = "this is a command")]
fn main() -> ExitCode {
    let problems = match Options::parse().task {
        Task::Tidy => tidy::tidy(&tidy::root()).unwrap_or_else(|error| vec![error.to_string()]),
        Task::FuzzMutate { count, seed } => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let seed = seed.unwrap_or(now.as_secs() * 1_000_000);
            println!("{count} cases from seed {seed}");
            let report = fuzz(Campaign { seed, count, limit: Duration::from_secs(20) });
            println!("{} rejected, {} accepted", report.rejected, report.accepted);
            report.bugs
        }
        Task::Oracle { engine, orders } => {
            let (table, problems) = oracle::table(&engine, orders.into());
            println!("{table}");
            problems
        }
        Task::Fuzz { count, seed, costly_every, large_every, engine, passes } => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let seed = seed.unwrap_or(now.as_secs() * 1_000_000);
            println!("{count} programs from seed {seed}");
            let campaign =
                Programs { seed, count, costly_every, large_every, ..Programs::default() };
            let (statistics, problems) = oracle::fuzz(campaign, &engine, passes);
            println!("{statistics}");
            problems
        }
        Task::Suite { engine, steps, only } => {
            suite::suite(engine.as_deref(), steps, only.as_deref())
        }
        Task::Laws { count } => laws::laws(count),
        #[cfg(unix)]
        Task::Sanitize { only } => sanitize::sanitize(only.as_deref()),
        Task::Passes { steps, only } => suite::passes(steps, &only),
        Task::Yardsticks { names } => {
            yardsticks::yardsticks(&names, &mut |line| println!("{line}"))
        }
        Task::Names { count, seed } => names::names(seed, count),
        Task::Reference { count, seed } => reference::reference(seed, count),
        Task::Proofs => {
            let written = pullback_proofs::files()
                .into_iter()
                .map(|(name, text)| std::fs::write(tidy::root().join("proofs").join(name), text));
            written.filter_map(Result::err).map(|error| error.to_string()).collect()
        }
        Task::Playground => playground::playground(&tidy::root()),
        Task::Install => install::install(&tidy::root(), &mut |line| println!("{line}")),
        Task::Examples => {
            for line in examples::table() {
                println!("{line}");
            }
            vec![]
        }
        Task::Bench => {
            for line in bench::bench() {
                println!("{line}");
            }
            vec![]
        }
    };
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let problems = tidy::tidy(&tidy::root()).unwrap();
        assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
    }
}
