//! The expectations of a file, on every engine in every mode.

use std::path::Path;

use pullback_base::{Diagnostic, Style, render};
use pullback_engines::{EngineInfo, How, REGISTRY, Registry};
use pullback_session::{Files, Query, Settings};
use pullback_tools::{TestReport, test};

use crate::configurations::{in_repository, number_of};
use crate::corpus::asks_for_all;

/// Tests of the language on which engines that transform programs take ten seconds to a minute and a half together.
const LONG: [&str; 5] = [
    "tests/ad/large_parameters.pull",
    "tests/ad/mixed_partials.pull",
    "tests/ad/spectral_second.pull",
    "tests/ad/towers.pull",
    "tests/run/sparse_derivatives.pull",
];

/// The engines that a test of this file takes: all. But of those that transform programs, the library, its tests, the examples
/// and the longest tests take one, by the path in the repository, so that over many files each has its turn; `cargo xtask
/// suite` takes all.
pub fn engines_for(path: &Path) -> Registry {
    let path = in_repository(path);
    let is_in = |folder: &&str| path.starts_with(folder);
    if asks_for_all() || !["lib", "tests/library", "examples"].iter().chain(&LONG).any(is_in) {
        return REGISTRY;
    }
    let transforms = |engine: &&EngineInfo| matches!(engine.how, How::Transform { .. });
    let all: Vec<&EngineInfo> = REGISTRY.engines.iter().filter(transforms).collect();
    let chosen = all[number_of(&path) as usize % all.len()].name;
    let taken = REGISTRY.engines.iter().filter(|it| !transforms(it) || it.name == chosen);
    let engines: &'static [EngineInfo] = taken.copied().collect::<Vec<_>>().leak();
    Registry { engines, has_all: false, ..REGISTRY }
}

/// What testing a file found, if every line of expectation holds on every engine of these that covers it, and on one at
/// least. Engines that transform programs may give up after so many steps.
pub fn held(
    files: &dyn Files,
    path: &Path,
    engines: Registry,
    steps: u64,
) -> Result<TestReport, String> {
    let report = tested(files, path, engines, None, Some(steps))?;
    if report.not_covered > 0 {
        return Err(format!("{} lines hold on no engine", report.not_covered));
    }
    Ok(report)
}

/// As [`held`] on one engine, which may leave lines to others.
pub fn held_on(
    files: &dyn Files,
    path: &Path,
    engine: Option<&str>,
    steps: u64,
) -> Result<TestReport, String> {
    // Native code counts no steps.
    let steps = (engine != Some("native")).then_some(steps);
    tested(files, path, REGISTRY, engine, steps)
}

fn tested(
    files: &dyn Files,
    path: &Path,
    engines: Registry,
    engine: Option<&str>,
    steps: Option<u64>,
) -> Result<TestReport, String> {
    let mut query = Query::new(files, engines);
    query.verify_passes = true;
    let engine = engine.map(str::to_owned);
    let settings = Settings { steps, engine, ..Settings::default() };
    let Ok(report) = test(&mut query, path, &settings) else {
        return Err(rendered(&query, &query.diagnostics));
    };
    let failures: Vec<Diagnostic> =
        report.failed.iter().map(|failure| failure.diagnostic()).collect();
    if failures.is_empty() { Ok(report) } else { Err(rendered(&query, &failures)) }
}

/// Diagnostics of a query as text.
pub fn rendered(query: &Query<'_>, diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| render(&query.sources, diagnostic, Style::Plain) + "\n\n")
        .collect()
}
