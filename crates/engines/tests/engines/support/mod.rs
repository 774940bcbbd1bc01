//! Programs for tests: those of the tests of the calculus, and source text. The stack that they need,
//! and numbers to make them of.

#[path = "../../../../eval/tests/support/mod.rs"]
mod calculus;
pub mod renumbered;
pub mod source;

pub use calculus::{def, program};

use pullback_base::{FileId, Id};
use pullback_lambda::{Program, Stage, parse, verify};

/// The programs of `tests/lambda/paper`, by file: those whose `f` has derivatives inside come with the same
/// function without as `t`.
pub fn papers(derivatives_inside: bool) -> Vec<(String, Program)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lambda/paper");
    let entries = std::fs::read_dir(root).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines = text.lines().take_while(|line| *line != "--- gives");
        let lines: Vec<&str> = lines.filter(|line| !line.starts_with("--")).collect();
        let program = parse(&lines.join("\n"), FileId::from_index(0)).expect("a program");
        verify(&program, Stage::Any).expect("a program");
        (path.display().to_string(), program)
    };
    let with_truth = |(_, program): &(String, Program)| {
        program.defs.iter().any(|def| def.name == "t") == derivatives_inside
    };
    paths.into_iter().map(read).filter(with_truth).collect()
}

/// Runs a test on a deep stack: the front end recurses over syntax.
pub fn deep<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(test).expect("a thread");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Numbers that look random, the same ones for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
