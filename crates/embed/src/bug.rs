//! What happens when an earlier stage has not kept a promise: a mistake in Pullback, not in the program.

/// Stops where something is not as an earlier stage promises: a bug in Pullback, never a wrong answer.
#[cold]
#[track_caller]
pub(crate) fn bug(promise: &str) -> ! {
    pullback_base::unkept("embed", promise)
}
