//! The lines of `debug` that the question under way has told, on the thread that answers it.

use std::cell::RefCell;

/// How many lines are kept: a loop may tell any number.
const MOST_LINES: usize = 1000;

thread_local! {
    static HEARD: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
}

/// Keeps a line, if there are not too many.
pub(crate) fn hear(line: &str) {
    HEARD.with_borrow_mut(|heard| {
        if heard.len() < MOST_LINES {
            heard.push(line.to_owned());
        }
    });
}

/// The lines so far, which are forgotten.
pub(crate) fn heard() -> Vec<String> {
    HEARD.take()
}
