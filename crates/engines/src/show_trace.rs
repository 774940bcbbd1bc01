//! The trace of a run as text: as terms of the paper where the program is one of the paper, else as it was recorded.

use pullback_base::Diagnostic;
use pullback_engine::{Letter, show_record};
use pullback_eval::Value;
use pullback_lambda::{DefId, Program};
use pullback_reduce::with_fuel;

use crate::semantics::show_terms;

/// The trace of a function of one argument and its derivative: as terms of the paper if it is a program
/// of the paper, else line by line. With fuel, each recursive function may be entered so many times inside itself.
pub fn show_trace(
    program: &Program,
    function: DefId,
    argument: Value,
    letter: Letter,
) -> Result<String, Box<Diagnostic>> {
    if let Some(shown) = show_terms(program, function, &argument, letter) {
        return shown;
    }
    let Some(fuel) = letter.fuel else {
        return show_record(program, function, argument, letter.is_strict);
    };
    let mut bounded = program.clone();
    with_fuel(&mut bounded, fuel);
    show_record(&bounded, function, argument, letter.is_strict)
}
