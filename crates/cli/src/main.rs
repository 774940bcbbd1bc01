//! The `pullback` command: the only place that prints.
//!
//! Input: a command line. Output: answers on standard output, diagnostics on standard error, and the
//! exit code: 0 success; 1 the program or its input is wrong; 2 wrong usage or a file that cannot be
//! read; 70 a bug in Pullback itself.

mod commands;
mod options;
mod terminal;
mod units;

use std::process::ExitCode;

use clap::Parser;

use options::Options;

/// Tells a bug in Pullback from a mistake in a program, as in `sysexits.h`.
const BUG: u8 = 70;

/// The front end recurses over syntax, whose depth the parser bounds; this holds the deepest.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            // Help and version are no errors; they go to standard output, which may be closed.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    std::panic::set_hook(Box::new(terminal::report_bug));
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let outcome = worker.spawn(move || commands::execute(&options)).map(|worker| worker.join());
    match outcome {
        Ok(Ok(code)) => ExitCode::from(code),
        // The hook has told about the panic.
        Ok(Err(_)) => ExitCode::from(BUG),
        Err(error) => {
            terminal::error_line(&format!("error: cannot start a thread: {error}"));
            ExitCode::from(2)
        }
    }
}
