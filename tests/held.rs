//! The expectations of a file, on every engine in every mode.

use std::path::Path;

use pullback_base::{Diagnostic, Style, render};
use pullback_engines::REGISTRY;
use pullback_session::{Files, Query, Settings};
use pullback_tools::{TestReport, test};

/// What testing a file found, if every line of expectation holds on every engine that covers it, and on one at
/// least. Engines that transform programs may give up after so many steps.
pub fn held(files: &dyn Files, path: &Path, steps: u64) -> Result<TestReport, String> {
    let report = held_on(files, path, None, steps)?;
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
    let mut query = Query::new(files, REGISTRY);
    query.verify_passes = true;
    let engine = engine.map(str::to_owned);
    // Native code counts no steps.
    let steps = (engine.as_deref() != Some("native")).then_some(steps);
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
