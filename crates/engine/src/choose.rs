//! Derivatives on chosen sides of ties.
//!
//! Input: a function of one argument, a direction, and sides for the ties that it meets
//! ([`pullback_eval::ties`]). Output: the value and the derivative in that direction of the smooth piece that has these
//! sides; or the fault of the run, which ends at the first tie without a side.

use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_compile::{Answer, Mode};
use pullback_eval::ties::Ties;
use pullback_eval::{Image, Options, Value};
use pullback_lambda::DefId;

use crate::dual;
use crate::run::run_in_machine;

/// The derivative of a function in a direction, on these sides.
pub fn choose(
    image: &Image,
    function: DefId,
    argument: Value,
    direction: Value,
    (ties, options): (&Rc<Ties>, &Options),
) -> Result<Answer, Box<Diagnostic>> {
    let options = Options { ties: Some(ties.clone()), strict_domain: false, ..options.unheard() };
    run_in_machine(dual::engine(), image, function, argument, &Mode::Jvp(direction), &options)
}
