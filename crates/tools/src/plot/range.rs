//! The ranges of a plot: numbers, or expressions in the scope of the file.
//!
//! Input: the texts of a range. Output: two finite numbers, the second one larger, or nothing if errors were reported.

use pullback_base::{Diagnostic, Span};
use pullback_eval::Value;
use pullback_session::arguments::expressions;
use pullback_session::engine::{Code, Engine};
use pullback_session::load::Modules;
use pullback_session::pipeline::typed;
use pullback_session::{Query, Stop};

use crate::bug::bug;

/// A range, from the smaller number to the larger.
pub type Range = (f64, f64);

/// The numbers of a range.
pub fn range(
    query: &mut Query<'_>,
    modules: &Modules,
    engine: &Engine,
    (from, to): &(String, String),
) -> Result<Range, Stop> {
    let from = bound(query, modules, engine, from)?;
    let to = bound(query, modules, engine, to)?;
    let is_range = from < to && (to - from).is_finite();
    if is_range {
        return Ok((from, to));
    }
    let title = format!("from {from:?} to {to:?} is no range");
    let why = if from.is_finite() && to.is_finite() && from >= to {
        "the second number is the larger one"
    } else {
        "a range is finite"
    };
    query.fail(Diagnostic::error("E0828", Span::NONE, title, "").note(why))
}

/// One end of a range. What is a number already needs no evaluation.
fn bound(
    query: &mut Query<'_>,
    modules: &Modules,
    engine: &Engine,
    text: &str,
) -> Result<f64, Stop> {
    if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
        return Ok(number);
    }
    let exprs = expressions(query, "range", &[text.to_owned()])?;
    let mut inferred = typed(query, modules);
    query.stop_on_errors()?;
    let root = inferred.real(query, &exprs[0])?;
    let (program, roots) = inferred.program(query, &[root])?;
    match engine.value(&Code::new(program), roots[0]) {
        Ok(Value::Real(number)) => Ok(number),
        Ok(_) => bug("an expression that is a Real gives one"),
        Err(fault) => query.fail(*fault),
    }
}
