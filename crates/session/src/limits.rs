//! What a command may take: time from its start, and memory for all that it holds.
//!
//! Input: the settings of a query and its [`Clock`]. Output: [`Limits`], which evaluation and the readers of input files keep, and the diagnostics of those that were exceeded.
//! Evaluation says where in the program it was; a reader names its file. What looks at no limit (the
//! type checker, the translations of engines) is watched from outside, by whoever holds the clock.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pullback_base::memory::live;
use pullback_base::{Diagnostic, Exceeded, Instant, Limits, Since, Span, bug};

use crate::settings::Settings;

/// How long the command, or the part of it that has the time limit to itself, has been at work. Clones
/// are the same clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<Work>>);

#[derive(Clone, Copy, Debug)]
struct Work {
    started: Instant,
    /// What comes after the work, such as printing to a reader who takes his time, has no limit.
    done: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Work { started: Instant::now(), done: false })))
    }
}

impl Clock {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// When the work began.
    pub fn started(&self) -> Instant {
        self.work().started
    }
    /// Other work begins.
    pub fn restart(&self) {
        *self.work() = Work { started: Instant::now(), done: false };
    }
    /// The work is done.
    pub fn stop(&self) {
        self.work().done = true;
    }
    /// How much of this time is left to the work; `None` when there is none under way.
    pub fn left(&self, time: Duration) -> Option<Duration> {
        let work = *self.work();
        (!work.done).then(|| time.saturating_sub(work.started.elapsed()))
    }
}

/// The limits of a query whose clock this is. Memory counts from now.
pub fn limits(settings: &Settings, clock: &Clock) -> Limits {
    Limits {
        since: Some(Since { time: clock.started(), bytes: live() }),
        timeout: settings.timeout.and_then(|time| Duration::try_from_secs_f64(time).ok()),
        max_memory: settings.max_memory.unwrap_or(Limits::default().max_memory),
        ..Limits::default()
    }
}

/// Says that reading an input file exceeded a limit; `at` is a place in the file.
pub fn exceeded_by_input(limits: &Limits, exceeded: Exceeded, path: &Path, at: Span) -> Diagnostic {
    let path = path.display();
    match exceeded {
        Exceeded::Time => {
            let Some(timeout) = limits.timeout else {
                bug("session", "a limit of time where time is over")
            };
            time_is_over(at, timeout.as_secs_f64())
                .note(format!("the input file `{path}` was being read"))
                .hint("make the input smaller, or raise the limit with `--timeout`")
        }
        Exceeded::Memory => Diagnostic::error(
            "E0709",
            at,
            format!("not enough memory for the input file `{path}`"),
            "",
        )
        .note(format!(
            "the limit is {}, for the file, its values and all that is made of them",
            pullback_eval::amount(limits.max_memory as u128)
        ))
        .hint("make the input smaller, or raise the limit with `--max-memory`"),
    }
}

/// Says that a command that looked at no limit has been stopped from outside.
pub fn stopped_late(seconds: f64) -> Diagnostic {
    time_is_over(Span::NONE, seconds)
        .note(
            "it went by while the program was checked, translated or taken apart, not while it ran",
        )
        .hint("make the program or its input smaller, or raise the limit with `--timeout`")
}

fn time_is_over(at: Span, seconds: f64) -> Diagnostic {
    Diagnostic::error("E0711", at, format!("the time limit of {seconds} s is over"), "")
}

#[cfg(test)]
mod tests {
    use pullback_engine::BUILT_IN;
    use pullback_eval::memory::Charge;

    use super::*;

    #[test]
    fn memory_counts_from_the_start_and_time_from_the_clock() {
        let clock = Clock::default();
        let settings =
            Settings { max_memory: Some(1000), timeout: Some(60.0), ..Settings::default() };
        let kept = limits(&settings, &clock);
        assert_eq!(kept.check(1000), Ok(()));
        let held = Charge::new(400);
        assert_eq!(kept.room(), 600);
        assert_eq!(kept.check(601), Err(Exceeded::Memory));
        drop(held);
        assert_eq!(kept.check(1000), Ok(()));
        let settings = Settings { timeout: Some(1e-9), ..settings };
        assert!(clock.left(Duration::from_secs(60)).is_some_and(|left| !left.is_zero()));
        clock.stop();
        assert_eq!(clock.left(Duration::from_secs(60)), None);
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(limits(&settings, &clock).check(0), Err(Exceeded::Time));
    }

    fn codes_and_titles(settings: Settings, name: &str, bytes: Vec<u8>) -> Vec<String> {
        let program = "def f [n] (xs: [n]Real): Real = sum xs";
        let files = crate::Memory::default().with("f.pull", program).with(name, bytes);
        let mut query = crate::Query::new(&files, BUILT_IN);
        let call = crate::Call {
            file: "f.pull".into(),
            entry: "f".to_owned(),
            inputs: vec![std::path::PathBuf::from(name).into()],
            settings,
            ..crate::Call::default()
        };
        assert!(crate::run(&mut query, &call).is_err());
        let told = |found: &Diagnostic| format!("{} {found:?}", found.code);
        query.diagnostics.iter().map(told).collect()
    }

    #[test]
    fn an_input_file_counts_for_both_limits() {
        let numbers = format!("{{\"xs\": [{}1]}}", "1,".repeat(100_000)).into_bytes();
        // The file fits, the tape of its values does not; then not even the file does.
        for max_memory in [1 << 20, 1 << 10] {
            let settings = Settings { max_memory: Some(max_memory), ..Settings::default() };
            let found = codes_and_titles(settings, "in.json", numbers.clone());
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("E0709") && found[0].contains("in.json"), "{found:?}");
        }
        let settings = Settings { timeout: Some(1e-9), ..Settings::default() };
        let found = codes_and_titles(settings, "in.json", numbers);
        assert!(found[0].starts_with("E0711") && found[0].contains("in.json"), "{found:?}");
    }
}
