//! The `pullback` command: the only place that prints.
//!
//! Input: a command line. Output: answers on standard output, diagnostics on standard error, and the
//! exit code: 0 success; 1 the program or its input is wrong; 2 wrong usage or a file that cannot be
//! read; 70 a bug in Pullback itself.

mod bench;
mod build;
mod commands;
mod doc;
mod exit;
mod gradbench;
mod lines;
mod options;
mod output;
mod plot;
mod progress;
mod repl;
mod terminal;
mod units;
mod watchdog;
mod watcher;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use exit::{BUG, SUCCESS, WRONG_PROGRAM, WRONG_USAGE};
use options::Options;
use pullback_base::SourceMap;
use pullback_session::{Clock, STACK_BYTES};
use watchdog::Outcome;

/// Programs are transformed and evaluated in small allocations, which take a good part of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let options = match Options::try_parse_from(options::bounds_behind_dashes(std::env::args_os()))
    {
        Ok(options) => options,
        Err(error) => {
            // Help and version are no errors; they go to standard output, which may be closed.
            let is_told = match error.print().and_then(|()| std::io::stdout().flush()) {
                Ok(()) => true,
                Err(failed) => failed.kind() == std::io::ErrorKind::BrokenPipe,
            };
            let is_right = !error.use_stderr() && is_told;
            return ExitCode::from(if is_right { SUCCESS } else { WRONG_USAGE });
        }
    };
    pullback_codegen::keep_memory();
    std::panic::set_hook(Box::new(terminal::report_bug));
    let (color, timeout) = (options.color, options.command.timeout());
    let clock = Clock::default();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let timed = clock.clone();
    let limit = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let work = move || commands::execute(&options, &timed);
    match watchdog::guarded(worker, &clock, limit, work) {
        Ok(Outcome::Done(code)) => ExitCode::from(code),
        // The hook has told about the panic.
        Ok(Outcome::Panicked) => ExitCode::from(BUG),
        Ok(Outcome::Late(limit)) => {
            lines::no_more_progress();
            let diagnostic = pullback_session::stopped_late(limit.as_secs_f64());
            terminal::report(&SourceMap::default(), &[diagnostic], color);
            ExitCode::from(WRONG_PROGRAM)
        }
        Err(error) => {
            terminal::error_line(&format!("error: cannot start a thread: {error}"));
            ExitCode::from(WRONG_USAGE)
        }
    }
}
