//! What tests of kernels share: the levels at which they compile, and limits that they do not reach.

use pullback_codegen::{Level, Limits};

/// Code for tests and for long runs, for much code, for every machine, and for AVX2, where this machine has that.
pub fn levels() -> Vec<Level> {
    #[cfg(target_arch = "x86_64")]
    let narrow = is_x86_feature_detected!("avx2").then_some(Level::V3);
    #[cfg(not(target_arch = "x86_64"))]
    let narrow = None;
    let levels = [Level::Quick, Level::Fast, Level::Large, Level::Portable];
    levels.into_iter().chain(narrow).collect()
}

pub fn limits() -> Limits {
    Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None }
}
