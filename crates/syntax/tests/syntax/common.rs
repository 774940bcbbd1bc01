//! What the tests of this crate share.

use pullback_base::{Diagnostic, FileId};
use pullback_syntax::{Parse, parse};

/// Runs on a stack of the size tests must do with.
pub fn with_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test).expect("a thread");
    thread.join().expect("the test passes");
}

/// The sample programs.
pub fn samples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of samples")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// Parses a text.
pub fn read(text: &str) -> Parse {
    parse(text, FileId(0))
}

/// The codes of a text's diagnostics, in order.
pub fn codes(text: &str) -> Vec<&'static str> {
    read(text).diagnostics.iter().map(|diagnostic: &Diagnostic| diagnostic.code).collect()
}

/// A fixed stream of numbers.
pub struct Lcg(pub u64);

impl Lcg {
    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }
}
