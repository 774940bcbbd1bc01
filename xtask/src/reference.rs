//! The engine `trace` beside the reference implementation that Coq extracts, on random programs.

use std::io::Write;
use std::process::{Command, Stdio};

use pullback_oracle::reference::case;
use pullback_suite::{contenders, deep};

use crate::tidy::root;

/// Compares them on so many programs, which begin with this seed. The program of the reference reads a line for each and
/// says what differs; it ends without success if something does.
pub fn reference(seed: u64, count: usize) -> Vec<String> {
    let text = match deep(|| cases(seed, count)) {
        Ok(Ok(text)) => text,
        Ok(Err(problem)) | Err(problem) => return vec![problem],
    };
    let program = root().join("proofs/reference/compare");
    if !program.exists() {
        return vec!["there is no reference: `make -C proofs reference` makes it".to_owned()];
    }
    match compare(&program, &text) {
        Ok(true) => vec![],
        Ok(false) => vec!["the engine `trace` and the reference disagree".to_owned()],
        Err(problem) => vec![format!("{}: {problem}", program.display())],
    }
}

/// The lines of so many programs that the reference covers.
fn cases(seed: u64, count: usize) -> Result<String, String> {
    let contenders = contenders();
    let found = contenders.iter().find(|contender| contender.name == "trace");
    let trace = found.ok_or("there is no engine `trace`")?;
    let mut lines = (seed..).filter_map(|seed| case(seed, trace).transpose());
    lines.by_ref().take(count).map(|line| line.map(|line| line + "\n")).collect()
}

/// Whether the program of the reference finds no difference; it tells what it finds itself.
fn compare(program: &std::path::Path, text: &str) -> std::io::Result<bool> {
    let mut child = Command::new(program).stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    Ok(child.wait()?.success())
}
