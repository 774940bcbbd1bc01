//! The oracle's two long checks: the walk over the primitive table and the campaign of random programs.
//! Both give their report as text and what went wrong, one line each.

use pullback_engines::{ENGINES, engine_named};
use pullback_oracle::fuzz::Campaign;
use pullback_suite::{contenders, deep, walk_table};

/// Every primitive × engine × order, for the engines of these names or for all.
pub fn table(names: &[String]) -> (String, Vec<String>) {
    if let Some(unknown) = names.iter().find(|name| engine_named(name).is_none()) {
        return (String::new(), vec![format!("there is no engine `{unknown}`")]);
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let engines: Vec<_> = ENGINES.iter().filter(|engine| wanted(engine.name)).collect();
    match walk_table(&engines) {
        Ok(report) => (report.to_string(), report.failures),
        Err(panic) => (String::new(), vec![panic]),
    }
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
