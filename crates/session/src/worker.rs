//! Work on a thread of its own, whose stack is large enough for the deepest tree.
//!
//! Only what may leave a thread comes back: texts and data, never a program or a value of the evaluator.

use std::thread::{Builder, scope};

/// The front end recurses over syntax, whose depth the parser bounds; this holds the deepest.
pub const STACK_BYTES: usize = 256 << 20;

/// Does the work and waits for it. Where there is no thread to be had it is done here. A panic goes on here.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let done = scope(|scope| {
        let all = &mut work;
        let thread = Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, move || all.take().map(|work| work()));
        thread.ok().map(|thread| match thread.join() {
            Ok(answer) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    });
    match (done.flatten(), work) {
        (Some(answer), _) => answer,
        (None, Some(work)) => work(),
        (None, None) => crate::bug::bug("work is done once"),
    }
}

#[cfg(test)]
mod tests {
    use super::on_large_stack;

    #[test]
    fn work_gives_its_answer() {
        let text = "a".to_owned();
        assert_eq!(on_large_stack(|| text.len() + 1), 2);
    }

    #[test]
    #[should_panic(expected = "as it was")]
    fn a_panic_goes_on_as_it_was() {
        on_large_stack(|| panic!("as it was"));
    }
}
