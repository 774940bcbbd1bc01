//! Every expectation of the repository's programs, with steps enough for engines that transform programs. The
//! tests give up on what takes more than a few seconds.

use std::path::Path;

use pullback_engines::REGISTRY;
use pullback_session::Disk;
use pullback_suite::{
    Configuration, RECORDED, corpus, deep, gradbench, held, held_on, recorded, root,
};

/// What does not hold, one text for each file; a line on standard error tells what took too many steps.
pub fn suite(engine: Option<&str>, steps: u64, only: Option<&str>) -> Vec<String> {
    let folders = ["tests/run", "tests/ad", "tests/library", "examples", "lib"];
    let mut paths = corpus(&folders, "pull");
    paths.retain(|path| only.is_none_or(|only| path.to_string_lossy().contains(only)));
    paths.iter().filter_map(|path| file(path, engine, steps).err()).collect()
}

fn file(path: &Path, engine: Option<&str>, steps: u64) -> Result<(), String> {
    let name = path.strip_prefix(root()).unwrap_or(path).display();
    let test = || match engine {
        Some(_) => held_on(&Disk, path, engine, steps),
        None => held(&Disk, path, REGISTRY, steps),
    };
    let report = deep(test).and_then(|report| report);
    let report = report.map_err(|problem| format!("{name}: {problem}"))?;
    for (engine, count) in &report.too_long {
        eprintln!("{name}: {count} lines take more than {steps} steps on {engine}");
    }
    Ok(())
}

/// What does not hold on the compiler in one of its configurations, or one of those that are named: the
/// expectations, and the recorded lines of GradBench.
pub fn passes(steps: u64, names: &[String]) -> Vec<String> {
    let mut configurations = Configuration::all();
    configurations.push(Configuration::saving());
    configurations.extend(Configuration::native());
    for name in names {
        if !configurations.iter().any(|configuration| configuration.name == *name) {
            return vec![format!("there is no configuration `{name}`")];
        }
    }
    configurations.retain(|one| names.is_empty() || names.contains(&one.name));
    let mut problems = vec![];
    for path in corpus(&["tests/run", "tests/ad", "examples", "lib"], "pull") {
        problems.extend(in_each(&configurations, &path, steps));
    }
    for (eval, _) in RECORDED {
        let lines = match recorded(eval) {
            Ok(lines) => lines,
            Err(problem) => return vec![format!("{eval}: {problem}")],
        };
        for configuration in &configurations {
            let run = |line| gradbench(eval, line, Some(configuration));
            let told = deep(|| lines.iter().filter_map(run).collect::<Vec<_>>());
            let told = told.unwrap_or_else(|problem| vec![problem]);
            let name = &configuration.name;
            problems.extend(told.into_iter().map(|problem| format!("{name}: {problem}")));
        }
    }
    problems
}

/// What does not hold of a file.
fn in_each(configurations: &[Configuration], path: &Path, steps: u64) -> Vec<String> {
    let path_in = path.strip_prefix(root()).unwrap_or(path);
    let (file, mut refused, mut problems) = (path_in.display(), None, vec![]);
    for configuration in configurations.iter().filter(|one| one.takes(path_in)) {
        let name = &configuration.name;
        match deep(|| configuration.held(&Disk, path, steps)).and_then(|report| report) {
            Err(problem) => problems.push(format!("{file}: {problem}")),
            Ok(report) => {
                for count in report.too_long.values() {
                    eprintln!("{file}: {name}: {count} lines take more than {steps} steps");
                }
                let count = report.not_covered;
                if !configuration.may_refuse() && *refused.get_or_insert(count) != count {
                    problems.push(format!("{file}: {name} refuses {count} lines, not as others"));
                }
            }
        }
    }
    problems
}
