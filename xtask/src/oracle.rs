//! The oracle's two long checks: the walk over the primitive table and the campaign of random programs.
//! Both give their report as text and what went wrong, one line each.

use pullback_engines::{ENGINES, engine_named};
use pullback_oracle::fuzz::{Campaign, Disagreement};
use pullback_suite::{random_programs, walk_table};

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

/// Random programs from `seed` on. Engines that transform programs are asked for derivatives of
/// derivatives in one program of `costly_every`.
pub fn fuzz(seed: u64, count: u64, costly_every: u64) -> (String, Vec<String>) {
    let campaign = Campaign { seed, count, costly_every, ..Campaign::default() };
    let line = |found: &Disagreement| format!("seed {}: {}", found.seed, found.what);
    match random_programs(campaign) {
        Ok(statistics) => {
            (statistics.to_string(), statistics.disagreements.iter().map(line).collect())
        }
        Err(panic) => (String::new(), vec![panic]),
    }
}
