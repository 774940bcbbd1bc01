//! A part of the suite as native code: one file in 48 of the short programs, in the order of their names, and those of
//! what fast code does in other ways than strict code.
//! `cargo xtask suite --engine native` runs all.

use std::path::PathBuf;

use pullback_session::Disk;
use pullback_suite::{corpus, deep, held_on, root};

/// One file in so many is run.
const PART: usize = 48;
/// Files of more bytes are left out: a C compiler takes minutes for some.
const SHORT: u64 = 6_000;
/// Files that are always run.
const ALWAYS: [&str; 4] =
    ["run/lanes.pull", "ad/neighbours.pull", "ad/stencils.pull", "ad/edges.pull"];

#[test]
fn a_part_of_the_suite_holds_in_native_code() {
    let is_short = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= SHORT);
    let mut paths = corpus(&["tests/run", "tests/ad", "examples", "lib"], "pull");
    paths.retain(|path| is_short(path) || ALWAYS.iter().any(|name| path.ends_with(name)));
    let (mut count, mut failures) = (0, vec![]);
    let is_meant = |(at, path): &(usize, &PathBuf)| {
        at % PART == 0 || ALWAYS.iter().any(|name| path.ends_with(name))
    };
    for (_, path) in paths.iter().enumerate().filter(is_meant) {
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
