//! A line that says how far a long run is, on a terminal.
//!
//! Input: the stand of the outermost loop, which evaluation tells from another thread. Output: a line on standard error
//! that changes five times a second, from one second on, and goes away when the watcher does.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pullback_base::{Counted, Progress, Stand};

use crate::lines::progress_line;
use crate::options::PAGE;

/// How long a run goes on without a word.
const DELAY: Duration = Duration::from_secs(1);
/// How often it is looked at.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a loop is watched before its end is foretold.
const ENOUGH: Duration = Duration::from_secs(1);

/// Somebody who watches a run.
pub struct Watcher {
    /// Dropped at the end, which wakes the thread up.
    at_work: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    progress: Arc<Progress>,
}

impl Watcher {
    /// Begins to watch a run, if standard error is a terminal that can take a line back.
    pub fn start() -> Option<Self> {
        Self::over(Arc::default())
    }
    /// Begins to watch runs that tell this.
    pub fn over(progress: Arc<Progress>) -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_dumb || !io::stderr().is_terminal() {
            return None;
        }
        let (at_work, ended) = channel::<()>();
        let watched = progress.clone();
        let watch = move || {
            let started = Instant::now();
            let mut pace = Pace::default();
            while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                let now = Instant::now();
                let line = watched.stand().map(|stand| pace.line(stand, now));
                watched.ask();
                if now - started >= DELAY {
                    progress_line(line.map(fitting).as_deref());
                }
            }
        };
        // Without a thread the run goes on unwatched.
        let thread = std::thread::Builder::new().spawn(watch).ok()?;
        Some(Self { at_work: Some(at_work), thread: Some(thread), progress })
    }
    /// Who is to be told.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.at_work.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        progress_line(None);
    }
}

/// As much of a line as the terminal has room for: one that is broken could not be taken back.
fn fitting(line: String) -> String {
    let size = terminal_size::terminal_size_of(io::stderr());
    let width = size.map_or(PAGE, |(width, _)| usize::from(width.0));
    line.chars().take(width.saturating_sub(1)).collect()
}

/// How fast a loop goes: where it was when it was first seen.
#[derive(Default)]
struct Pace {
    first: Option<(Stand, Instant)>,
    latest: u64,
}

impl Pace {
    /// The line for a stand.
    fn line(&mut self, stand: Stand, now: Instant) -> String {
        let is_same = |first: &(Stand, Instant)| {
            first.0.counted == stand.counted
                && first.0.all == stand.all
                && stand.done >= self.latest
        };
        let (first, since) = *match self.first.take_if(|first| is_same(first)) {
            Some(first) => self.first.insert(first),
            None => self.first.insert((stand, now)),
        };
        self.latest = stand.done;
        let what = match stand.counted {
            Counted::Iterations => "iteration",
            Counted::Backward => "backward, iteration",
            Counted::Operations => "backward, operation",
        };
        let done = grouped(stand.done);
        let Some(all) = stand.all else { return format!("{what} {done}") };
        let percent = u128::from(stand.done) * 100 / u128::from(all.max(1));
        let line = format!("{what} {done} of {}  {percent} %", grouped(all));
        let (watched, advance) = (now - since, stand.done - first.done);
        if watched < ENOUGH || advance == 0 {
            return line;
        }
        let left = watched.as_secs_f64() * (all - stand.done) as f64 / advance as f64;
        format!("{line}  {} left in this loop", time(left))
    }
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in its two largest units.
fn time(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        (1..=9_999, ..) => format!("{days} d {} h", hours % 24),
        (10_000.., ..) => "many years".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(done: u64, all: Option<u64>) -> Stand {
        Stand { counted: Counted::Iterations, done, all }
    }

    #[test]
    fn the_end_is_foretold_from_the_pace_so_far() {
        let mut pace = Pace::default();
        let start = Instant::now();
        let mut line = |done, millis| {
            pace.line(stand(done, Some(10_000)), start + Duration::from_millis(millis))
        };
        assert_eq!(line(1_000, 0), "iteration 1,000 of 10,000  10 %");
        assert_eq!(line(1_050, 500), "iteration 1,050 of 10,000  10 %");
        // 200 in 2 seconds: 8,800 more take 88.
        assert_eq!(
            line(1_200, 2_000),
            "iteration 1,200 of 10,000  12 %  1 min 28 s left in this loop"
        );
    }

    #[test]
    fn another_loop_has_a_pace_of_its_own() {
        let mut pace = Pace::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        pace.line(stand(0, Some(100)), start);
        assert!(pace.line(stand(50, Some(100)), at(10)).ends_with("10 s left in this loop"));
        assert_eq!(pace.line(stand(1, Some(100)), at(20)), "iteration 1 of 100  1 %");
        assert!(pace.line(stand(2, Some(100)), at(21)).ends_with("1 min 38 s left in this loop"));
        let backward = Stand { counted: Counted::Backward, ..stand(5, Some(100)) };
        assert_eq!(pace.line(backward, at(22)), "backward, iteration 5 of 100  5 %");
        assert_eq!(pace.line(stand(1_234_567, None), at(23)), "iteration 1,234,567");
    }

    #[test]
    fn times_have_two_units() {
        let texts = [0.2, 59.4, 63.0, 3_600.0, 90_000.0, 1e300].map(time);
        assert_eq!(texts, ["1 s", "1 min 0 s", "1 min 3 s", "1 h 0 min", "1 d 1 h", "many years"]);
    }
}
