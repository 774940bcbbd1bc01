//! The oracle's two long checks: the walk over the primitive table and the campaign of random programs.
//! Both give their report as text and what went wrong, one line each.

use pullback_engines::{EngineInfo, modes};
use pullback_oracle::fuzz::{Campaign, Disagreement};
use pullback_oracle::table::HIGHEST;
use pullback_suite::{random_programs, walk_table};

/// Every primitive × engine × order, for the engines of these names or for all.
pub fn table(names: &[String]) -> (String, Vec<String>) {
    match engines(names).and_then(|engines| walk_table(&engines, HIGHEST)) {
        Ok(report) => (report.to_string(), report.failures),
        Err(problem) => (String::new(), vec![problem]),
    }
}

/// The engines and modes of these names, or all.
fn engines(names: &[String]) -> Result<Vec<&'static EngineInfo>, String> {
    if let Some(unknown) = names.iter().find(|name| !modes().any(|mode| mode.name == **name)) {
        return Err(format!("there is no engine `{unknown}`"));
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    Ok(modes().filter(|engine| wanted(engine.name)).collect())
}

/// Random programs, for the engines of these names or for all.
pub fn fuzz(campaign: Campaign, names: &[String]) -> (String, Vec<String>) {
    let line = |found: &Disagreement| format!("seed {}: {}", found.seed, found.what);
    match engines(names).and_then(|engines| random_programs(campaign, &engines)) {
        Ok(statistics) => {
            (statistics.to_string(), statistics.disagreements.iter().map(line).collect())
        }
        Err(problem) => (String::new(), vec![problem]),
    }
}
