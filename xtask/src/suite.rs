//! Every expectation of the repository's programs, with steps enough for engines that transform programs. The
//! tests give up on what takes more than a few seconds.

use std::path::Path;

use pullback_driver::Disk;
use pullback_suite::{corpus, deep, held, root};

/// What does not hold, one text for each file; a line on standard error tells what took too many steps.
pub fn suite(steps: u64) -> Vec<String> {
    let paths = corpus(&["tests/run", "tests/ad", "examples", "lib"], "pull");
    paths.iter().filter_map(|path| file(path, steps).err()).collect()
}

fn file(path: &Path, steps: u64) -> Result<(), String> {
    let name = path.strip_prefix(root()).unwrap_or(path).display();
    let report = deep(|| held(&Disk, path, steps)).and_then(|report| report);
    let report = report.map_err(|problem| format!("{name}: {problem}"))?;
    for (engine, count) in &report.too_long {
        eprintln!("{name}: {count} lines take more than {steps} steps on {engine}");
    }
    Ok(())
}
