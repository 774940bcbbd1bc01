//! `--warn kinks` and `--trace-nan`: what a run met, told as warnings.
//!
//! Input: a program, a function, an argument, and what was asked of the engine. Output: warnings, in the
//! order of the text. Each evaluates the program once more, under a watch, so nothing is slower unless
//! it is asked for. Ties and edges do not depend on the engine; the first NaN is that of the engine
//! chosen, or of the default one if the engine cannot be watched.

#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::{Diagnostic, Severity};
use pullback_compile::Mode;
use pullback_data::shape::leaves;
use pullback_eval::Value;
use pullback_eval::watch::{Kink, Part, Watch};
use pullback_lambda::DefId;
use pullback_prim::Prim;
use words::{given, kink, nan, unexplained, written};

use crate::engine::{Code, Engine};
use crate::parts::{Part as Parameter, components};
use crate::query::Query;
use crate::settings::Settings;

/// A run to be watched.
pub struct Run<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The program.
    pub code: &'a Code,
    /// The function.
    pub function: DefId,
    /// Its argument.
    pub argument: &'a Value,
    /// What is asked of the engine.
    pub mode: &'a Mode,
    /// The parameters in the argument.
    pub parts: &'a [Parameter],
}

/// Watches a run as far as the settings ask for it, and reports what it met. `failed` says that the run
/// itself ended in an error, which is told elsewhere.
pub fn watch(query: &mut Query<'_>, settings: &Settings, run: &Run<'_>, failed: bool) {
    if !settings.warn_kinks && !settings.trace_nan {
        return;
    }
    let code = run.code.watched();
    let mut found = Vec::new();
    if settings.warn_kinks {
        let watch = Rc::new(Watch::for_kinks());
        let engine = run.engine.watched(&watch);
        let outcome = if let Mode::Value = run.mode {
            engine.try_run(&code, run.function, run.argument.clone(), run.mode).map(drop)
        } else {
            engine.follow(&code, run.function, run.argument.clone())
        };
        let differentiated = !matches!(run.mode, Mode::Value);
        found.extend(kinks(&watch.kinks(), differentiated));
        if let (Err(fault), false) = (outcome, failed) {
            found.push(ended(*fault));
        }
    }
    if settings.trace_nan {
        found.extend(nans(&code, run));
    }
    found.sort_by_key(Diagnostic::span);
    query.diagnostics.extend(found);
}

/// The run itself had no error, but under a watch it ended early: it takes more time and memory.
fn ended(mut fault: Diagnostic) -> Diagnostic {
    fault.severity = Severity::Warning;
    fault.note("the run under watch ended here; ties and edges after this are not reported")
}

/// One warning for each place. Where a derivative was asked for, what it does not pass through does
/// not matter; neither does what a function of the library with its own rule compares to find its way to
/// the value, such as a pivot, since the rule gives the derivative of the value.
pub fn kinks(found: &[Kink], differentiated: bool) -> Vec<Diagnostic> {
    let mut places: BTreeMap<(_, Prim), Vec<&Kink>> = BTreeMap::new();
    for kink in found {
        let of_library = kink.place.at != kink.place.call;
        let decided = kink.part == Part::Ruled && of_library && finds_the_way(kink.prim);
        if !decided && (!differentiated || kink.part != Part::None) {
            places.entry((kink.place, kink.prim)).or_default().push(kink);
        }
    }
    places.values().filter_map(|kinks| kink(kinks)).collect()
}

/// Whether the primitive serves comparisons, and makes no tie that a rule would share out.
fn finds_the_way(prim: Prim) -> bool {
    use Prim::{Abs, Eq, Ge, Gt, Le, Lt, Ne};
    matches!(prim, Lt | Le | Gt | Ge | Eq | Ne | Abs)
}

/// The first NaN, and NaNs that were given.
fn nans(code: &Code, run: &Run<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let values = components(run.argument, run.parts.len());
    for (value, part) in values.iter().zip(run.parts) {
        found.extend(given(&format!("the parameter `{}`", part.name), &leaves(value)));
    }
    let seed = match run.mode {
        Mode::Value => None,
        Mode::Vjp(y_bar) => Some(("the cotangent", y_bar)),
        Mode::Jvp(x_dot) => Some(("the tangent", x_dot)),
    };
    if let Some((name, value)) = seed {
        found.extend(given(name, &leaves(value)));
    }
    let (mut watch, answer) = under_nan_watch(code, run);
    let mut witness = run.engine.witness();
    let has_nan = |value: &Value| leaves(value).iter().any(|x| x.is_nan());
    let is_open = watch.first_nan().is_none() && watch.constant().is_none() && found.is_empty();
    if is_open && answer.as_ref().is_some_and(has_nan) {
        // An engine of the evaluator that notes no steps of its own.
        let first = run.engine.evaluated();
        watch = under_nan_watch(code, &Run { engine: &first, ..*run }).0;
        witness = first.name();
    }
    // The argument may have been made of the constant already.
    if found.is_empty() {
        found.extend(watch.constant().map(written));
    }
    let differentiated = !matches!(run.mode, Mode::Value);
    let given = !found.is_empty();
    let first = watch.first_nan().map(|first| nan(&first, differentiated, given));
    found.extend(first.map(|first| seen_by(first, witness, run.engine.name())));
    let explained = !found.is_empty();
    if let (Some(answer), false) = (answer, explained)
        && has_nan(&answer)
    {
        found.push(unexplained());
    }
    found
}

/// A warning of what an engine did: it says so if another one was asked for.
fn seen_by(warning: Diagnostic, witness: &str, asked: &str) -> Diagnostic {
    if witness == asked {
        return warning;
    }
    warning.note(format!("this is what `{witness}` does: the steps of `{asked}` cannot be watched"))
}

/// The place of the first NaN of a run, as words and a place for another diagnostic.
pub fn first_nan(run: &Run<'_>) -> Option<Diagnostic> {
    let (watch, _) = under_nan_watch(&run.code.watched(), run);
    watch.first_nan().map(|first| nan(&first, !matches!(run.mode, Mode::Value), false))
}

/// What a watch for NaN saw, and all that the run gave.
fn under_nan_watch(code: &Code, run: &Run<'_>) -> (Rc<Watch>, Option<Value>) {
    let watch = Rc::new(Watch::for_nans());
    let engine = run.engine.watched(&watch);
    let answer = engine.try_run(code, run.function, run.argument.clone(), run.mode);
    let answer = answer
        .ok()
        .map(|answer| Value::tuple([answer.value].into_iter().chain(answer.derivative).collect()));
    (watch, answer)
}

/// Watches the evaluation of a constant that ends in an error, and reports what it met before.
pub fn watch_constant(
    query: &mut Query<'_>,
    settings: &Settings,
    engine: &Engine,
    code: &Code,
    def: DefId,
) {
    let code = code.watched();
    let mut found = Vec::new();
    let look = |watch: Watch| {
        let watch = Rc::new(watch);
        // The error itself is told by whoever asked for the value.
        drop(engine.watched(&watch).value(&code, def));
        watch
    };
    if settings.warn_kinks {
        let watch = look(Watch::for_kinks());
        found.extend(kinks(&watch.kinks(), false));
    }
    if settings.trace_nan {
        let watch = look(Watch::for_nans());
        found.extend(watch.constant().map(written));
        found.extend(watch.first_nan().map(|first| nan(&first, false, false)));
    }
    found.sort_by_key(Diagnostic::span);
    query.diagnostics.extend(found);
}

/// Ties and edges that the constants of a program meet, such as lines of expectation.
pub struct Lines {
    code: Code,
    watch: Rc<Watch>,
}

impl Lines {
    /// Nothing has been met yet.
    pub fn new(code: &Code) -> Self {
        let watch = Rc::new(Watch::for_kinks());
        Self { code: code.watched(), watch }
    }
    /// Evaluates a constant.
    pub fn look(&self, engine: &Engine, def: DefId) {
        // An error of a line is told by its test.
        drop(engine.watched(&self.watch).value(&self.code, def));
    }
    /// What was met.
    pub fn kinks(&self) -> Vec<Diagnostic> {
        kinks(&self.watch.kinks(), false)
    }
}
