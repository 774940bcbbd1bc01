//! The oracle's two long checks: the walk over the primitive table and the campaign of random programs.
//! Both give their report as text and what went wrong, one line each.

use pullback_oracle::fuzz::Campaign;
use pullback_oracle::table::{Subject, report};
use pullback_suite::{contenders, deep};

/// Every primitive × engine × order.
pub fn table() -> (String, Vec<String>) {
    let walked = deep(|| {
        let contenders = contenders();
        let subjects: Vec<&dyn Subject> =
            contenders.iter().map(|one| one as &dyn Subject).collect();
        let report = report(&subjects);
        (report.to_string(), report.failures)
    });
    walked.unwrap_or_else(|panic| (String::new(), vec![panic]))
}

/// Random programs from `seed` on.
pub fn fuzz(seed: u64, count: u64) -> (String, Vec<String>) {
    let campaign = Campaign { seed, count, ..Campaign::default() };
    let run = deep(|| {
        let statistics = pullback_oracle::fuzz::run(&campaign, &contenders());
        let line = |found: &pullback_oracle::fuzz::Disagreement| {
            format!("seed {}: {}", found.seed, found.what)
        };
        (statistics.to_string(), statistics.disagreements.iter().map(line).collect())
    });
    run.unwrap_or_else(|panic| (String::new(), vec![panic]))
}
