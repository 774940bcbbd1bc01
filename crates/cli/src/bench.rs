//! `bench`: a bar on standard error while it measures, if that is a terminal; then the table or JSON.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pullback_driver::{Call, Effort, Session, Stop};

use crate::options::BenchArgs;

/// How many steps the bar has.
const STEPS: u64 = 1000;

/// Measures a call; the text of what it takes.
pub fn bench(
    session: &mut Session<'_>,
    call: &Call,
    wrt: &[String],
    asked: &BenchArgs,
) -> Result<String, Stop> {
    let time = Duration::try_from_secs_f64(asked.time).unwrap_or(Duration::MAX);
    let effort = Effort { runs: asked.runs as usize, time };
    // Nothing is drawn where standard error is no terminal.
    let bar = ProgressBar::new(STEPS);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    let report = pullback_driver::bench(session, call, wrt, effort, &mut |what, done| {
        bar.set_message(what.to_owned());
        bar.set_position((done * STEPS as f64) as u64);
    });
    bar.finish_and_clear();
    report.map(|report| if asked.json { report.json() } else { report.text() })
}
