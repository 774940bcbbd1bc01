//! Tests of which `cargo test` runs a part, with all files and many random programs: what fails in them, by name; they
//! tell more on standard error.

use std::process::Command;

/// A package, its test, which functions of it, what is set for it, and for how many random programs it is run once.
const TESTS: [(&str, &str, &str, &str, u64); 9] = [
    ("pullback-suite", "library", "", "ALL", 1),
    ("pullback-suite", "compiled_law", "", "ALL", 1),
    ("pullback-cli", "commands", "", "ALL", 1),
    ("pullback-suite", "law", "", "ALL", 1),
    ("pullback-suite", "erased", "", "ALL", 1),
    ("pullback-opt", "random", "", "COUNT", 1),
    ("pullback-codegen", "random", "", "COUNT", 5),
    ("pullback-codegen", "sanitized", "", "COUNT", 50),
    ("pullback-engines", "engines", "partial_semantics", "COUNT", 1),
];

/// Runs them with so many random programs.
pub fn laws(count: u64) -> Vec<String> {
    let run = |(package, test, only, variable, share): (&str, &str, &str, &str, u64)| {
        let mut command = Command::new("cargo");
        command.args(["test", "--release", "--locked", "-q", "-p", package, "--test", test]);
        command.args(["--", only]);
        command.env(variable, (count / share).max(1).to_string());
        match command.status() {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("{package}, {test}: {status}")),
            Err(problem) => Some(format!("{package}, {test}: {problem}")),
        }
    };
    TESTS.into_iter().filter_map(run).collect()
}
