//! A part of the suite as native code: one file in 24 of the programs, in the order of their names.
//! `cargo xtask suite --engine native` runs all.

use pullback_driver::Disk;
use pullback_suite::{corpus, deep, held_on, root};

/// One file in so many is run.
const PART: usize = 24;

#[test]
fn a_part_of_the_suite_holds_in_native_code() {
    let paths = corpus(&["tests/run", "tests/ad", "examples", "lib"], "pull");
    let (mut count, mut failures) = (0, vec![]);
    for path in paths.iter().step_by(PART) {
        let report = deep(|| held_on(&Disk, path, Some("native"), 0)).and_then(|report| report);
        match report {
            Ok(report) => count += report.passed,
            Err(problem) => {
                let name = path.strip_prefix(root()).unwrap_or(path).display();
                failures.push(format!("{name}: {problem}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 25, "only {count} lines");
}
