//! A short campaign of mutations with fixed seeds, and one with a fresh seed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pullback_suite::{Campaign, fuzz};

const LIMIT: Duration = Duration::from_secs(20);

fn run(seed: u64, count: u64) {
    let report = fuzz(Campaign { seed, count, limit: LIMIT });
    eprintln!("seed {seed}: {} rejected, {} accepted", report.rejected, report.accepted);
    assert!(report.bugs.is_empty(), "{}", report.bugs.join("\n"));
    assert!(report.rejected > 0 && report.accepted > 0, "the mutations say nothing any more");
}

#[test]
fn mutated_files_give_diagnostics() {
    run(1, 400);
}

#[test]
fn freshly_mutated_files_give_diagnostics() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    run(now.as_secs() * 1000, 200);
}
