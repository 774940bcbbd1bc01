//! Programs for tests: those of the tests of the calculus, and source text. The stack that they need,
//! and numbers to make them of.

#[path = "../../../../eval/tests/support/mod.rs"]
mod calculus;
pub mod source;

pub use calculus::{def, program};

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
