//! Lines on standard error: what goes wrong, what a program tells as it runs, and below them the one of progress, which
//! goes away before any other.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// What stands in the last line of the terminal: standard error is one for the whole process, and so is this.
static LAST: Mutex<Last> = Mutex::new(Last::Free);

/// What the last line is.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing.
    Free,
    /// The line of progress.
    Progress,
    /// Nothing, and no progress comes any more.
    Closed,
}

/// Back to the beginning of the line, and nothing behind it.
const CLEAR: &str = "\r\u{1b}[K";

/// Prints a line to standard error.
pub fn error_line(text: &str) {
    on_last(|last, out| {
        clear(last, out);
        // If standard error is closed there is nobody left to tell.
        let _ = writeln!(out, "{text}");
    });
}

/// Prints what `print` of a program of Knossos tells, to standard output; other lines to standard error.
pub fn told_line(line: &str) {
    let Some(text) = pullback_session::knossos::printed(line) else { return error_line(line) };
    on_last(clear);
    let mut out = io::stdout().lock();
    // If standard output is closed there is nobody left to tell.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Shows a line of progress in place of the one before, or none.
pub fn progress_line(text: Option<&str>) {
    on_last(|last, out| match text {
        _ if *last == Last::Closed => {}
        None => clear(last, out),
        Some(text) => {
            let _ = write!(out, "{CLEAR}{text}");
            let _ = out.flush();
            *last = Last::Progress;
        }
    });
}

/// Clears the line of progress for good.
pub fn no_more_progress() {
    on_last(|last, out| {
        clear(last, out);
        *last = Last::Closed;
    });
}

fn on_last(act: impl FnOnce(&mut Last, &mut io::StderrLock<'static>)) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    act(&mut last, &mut io::stderr().lock());
}

fn clear(last: &mut Last, out: &mut io::StderrLock<'static>) {
    if *last == Last::Progress {
        let _ = write!(out, "{CLEAR}");
        let _ = out.flush();
        *last = Last::Free;
    }
}
