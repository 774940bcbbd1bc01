//! Standard input, output and error. A closed output is the reader's choice and no error.

use std::io::{self, IsTerminal, Read, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, SourceMap, Style, render};
use pullback_session::{Disk, Files, bound, read_bounded};

pub use crate::lines::error_line;
use crate::options::{Color, PAGE};

/// The file system, where `-` is standard input.
pub struct Terminal;

impl Files for Terminal {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        if path == Path::new("-") {
            read_bounded(io::stdin().lock().by_ref(), bound_of_input(most))
        } else {
            Disk.read_at_most(path, most)
        }
    }
    fn identity(&self, path: &Path) -> PathBuf {
        if path == Path::new("-") { path.to_owned() } else { Disk.identity(path) }
    }
}

/// How much is read of standard input at most, which may be a device.
#[cfg(unix)]
fn bound_of_input(most: u64) -> u64 {
    use std::os::fd::AsFd;
    let file = io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    file.and_then(|file| file.metadata()).map_or(most, |metadata| bound(&metadata, most))
}

#[cfg(not(unix))]
fn bound_of_input(most: u64) -> u64 {
    most
}

/// Prints text and a line break to standard output. False if it cannot be written.
pub fn print(text: &str) -> bool {
    let line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut out = io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(line.as_bytes()))
        .and_then(|()| out.flush());
    match written {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => true,
        Err(error) => {
            error_line(&format!("error: cannot write the answer: {error}"));
            false
        }
    }
}

/// How wide standard output is, if it is a terminal.
pub fn page_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    io::stdout().is_terminal().then(|| size.map_or(PAGE, |(width, _)| usize::from(width.0)))
}

/// Whether a drawing on standard output has colours.
pub fn draws_colours(color: Color) -> bool {
    wants_colours(color, io::stdout().is_terminal())
}

fn wants_colours(color: Color, is_terminal: bool) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// How many diagnostics are printed; nobody reads more, and the first ones matter.
const MAX_SHOWN: usize = 100;

/// Prints diagnostics to standard error.
pub fn report(sources: &SourceMap, diagnostics: &[Diagnostic], color: Color) {
    for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
        error_line(&render(sources, diagnostic, style(color)));
        error_line("");
    }
    if diagnostics.len() > MAX_SHOWN {
        error_line(&format!("… and {} more messages\n", diagnostics.len() - MAX_SHOWN));
    }
}

fn style(color: Color) -> Style {
    if wants_colours(color, io::stderr().is_terminal()) { Style::Colour } else { Style::Plain }
}

/// Tells about a panic: a bug in Pullback itself.
pub fn report_bug(panic: &PanicHookInfo<'_>) {
    let message = panic
        .payload()
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.payload().downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let place = panic.location().map_or_else(String::new, |at| format!(" ({at})"));
    error_line(&format!("error: bug in Pullback: {message}{place}"));
    error_line(
        "This is not a mistake in your program. Please report it with the program and the command.",
    );
}
