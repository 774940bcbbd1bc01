//! Stacks of runs: recursive code gets a thread with a large one, and all code is told how much it may use.
//!
//! Input: whether code recurses, how much memory a run may take, and the run. Output: what the run gives.
//!
//! Invariant. What a run is told leaves room on its stack for what is not checked.

use std::thread::{Builder, ScopedJoinHandle, scope};

use pullback_base::bug;

/// How much of a stack is left free for what is not checked.
const MARGIN: usize = 1 << 20;
/// The smallest stack for recursive code.
const SMALLEST: usize = 8 << 20;
/// What code that does not recurse may assume of the stack.
const USUAL: u64 = 1 << 40;

/// Runs, on a large stack if the code recurses: as large as the limit allows and the system gives. The run is told how
/// many bytes it may use.
pub(crate) fn run_on_stack(
    recurses: bool,
    max_memory: usize,
    mut run: impl FnMut(u64) -> i32 + Send,
) -> i32 {
    if !recurses {
        return run(USUAL);
    }
    let mut size = (max_memory / 2).max(SMALLEST);
    loop {
        let stack = (size - MARGIN) as u64;
        let status = scope(|scope| {
            let run = || run(stack);
            let thread = Builder::new().stack_size(size).spawn_scoped(scope, run);
            match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(status)) => Some(status),
                Ok(Err(_)) => bug("codegen", "a run that ends"),
                Err(_) if size > SMALLEST => None,
                Err(error) => bug("codegen", format_args!("a stack of {size} bytes: {error}")),
            }
        });
        match status {
            Some(status) => return status,
            None => size = (size / 2).max(SMALLEST),
        }
    }
}
