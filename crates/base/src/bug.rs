//! What happens when a promise of an earlier stage does not hold: a mistake in Pullback, not in the program.

/// Stops: `pass` expected something of what an earlier stage handed to it, and it is not so. The command tells
/// that with the place of the call and ends with exit code 70; nothing is ever guessed instead.
#[cold]
#[track_caller]
pub fn bug(pass: &str, expected: impl std::fmt::Display) -> ! {
    panic!("{pass}: expected {expected}")
}

/// Stops where something is not as an earlier stage promises, in words that are a sentence.
#[cold]
#[track_caller]
pub fn unkept(part: &str, promise: &str) -> ! {
    panic!("{part}: it does not hold that {promise}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_bug_names_the_pass_and_what_it_expected() {
        let told = std::panic::catch_unwind(|| super::bug("elaborate", "an array type"));
        let message = told.expect_err("a panic");
        assert_eq!(
            message.downcast_ref::<String>().map(String::as_str),
            Some("elaborate: expected an array type")
        );
    }
}
