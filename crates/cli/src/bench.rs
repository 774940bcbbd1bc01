//! `bench`: a bar on standard error while it measures, if that is a terminal; then the table or JSON.

use std::time::Duration;

use pullback_session::{Call, Query, Stop};
use pullback_tools::Effort;

use crate::options::BenchArgs;
use crate::progress::Bar;

/// How many steps the bar has.
const STEPS: u64 = 1000;

/// Measures a call; the text of what it takes.
pub fn bench(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    asked: &BenchArgs,
) -> Result<String, Stop> {
    let time = Duration::try_from_secs_f64(asked.time).unwrap_or(Duration::MAX);
    let effort = Effort { runs: asked.runs as usize, time, count: asked.count };
    let bar = Bar::new("{bar:30} {msg} {elapsed}");
    let report = pullback_tools::bench(query, call, wrt, effort, &mut |what, done| {
        bar.tell(what, (done * STEPS as f64) as u64, STEPS);
    });
    bar.clear();
    report.map(|report| if asked.json { report.json() } else { report.text() })
}
