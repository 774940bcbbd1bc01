//! A function of an eval as code: compiled once, then run on many inputs.
//!
//! Input: a [`Function`] of an eval, then inputs as JSON. Output: results as JSON, and the time of each run. What a
//! program or an input has wrong is told in words, for the answer of the protocol.

use std::path::PathBuf;
use std::rc::Rc;

use pullback_base::{Diagnostic, Exceeded, Limits, Span};
use pullback_compile::{Asked, Mode, More, Packing};
use pullback_data::input::{Kind, Stopped, Tape, decode};
use pullback_data::output::to_json;
use pullback_engines::{REGISTRY, run_in_machine, trace_engine};
use pullback_eval::{Image, Value, compile};
use pullback_lambda::{DefId, Program, Type};
use pullback_session::engine::Engine;
use pullback_session::entry::{Entry, Given};
use pullback_session::load::load;
use pullback_session::parts::{Slot, whole};
use pullback_session::pipeline::typed;
use pullback_session::sizes::{with_declared_sizes, wrong_size};
use pullback_session::wrap::wrap;
use pullback_session::{Query, Stop};
use pullback_types::tir::Global;
use pullback_types::{Argument, Call, InCharts};

use super::evals::{Eval, Function, files};
use crate::bug::bug;
use crate::timed::Timed;

/// A function of an eval, ready to run.
pub struct Ready {
    program: Rc<Program>,
    /// What the evaluator runs before and after the time counts.
    image: Image,
    before: Option<Step>,
    entry: Step,
    after: Option<Step>,
    timed: Timed,
}

/// A definition as a function of its arguments in one.
struct Step {
    function: DefId,
    global: Global,
    /// What the parameters are called, and their types.
    params: Vec<(String, Type)>,
    result: Type,
}

impl Ready {
    /// Checks and compiles a function.
    pub fn new(engine: &Engine, eval: &Eval, function: &Function) -> Result<Self, String> {
        let files = files();
        let mut query = Query::new(&files, REGISTRY);
        Self::build(&mut query, engine, eval, function).map_err(|Stop| words(&query.diagnostics))
    }

    fn build(
        query: &mut Query<'_>,
        engine: &Engine,
        eval: &Eval,
        function: &Function,
    ) -> Result<Self, Stop> {
        let modules = load(query, &PathBuf::from(format!("{}.pull", eval.name)))?;
        let mut inferred = typed(query, &modules);
        query.stop_on_errors()?;
        let names = [function.before, Some(function.entry), function.after];
        let (mut parts, mut roots) = (vec![], vec![]);
        for name in names.into_iter().flatten() {
            let id = inferred.entry(query, name)?;
            let global = inferred.typed().globals[id].clone();
            let entry = Entry::new(inferred.typed(), Some(&modules.main().module), &global);
            let params = entry.params.iter().take(entry.declared);
            let slots: Vec<Slot> = params.map(|param| slot(&param.name)).collect();
            let argument = || Argument { expr: None, span: Span::NONE, is_data: false };
            let question = Call {
                entry: id,
                arguments: slots.iter().map(|_| argument()).collect(),
                real_result: false,
                data_result: false,
                direction: None,
            };
            roots.push(inferred.call(query, &question)?.0);
            parts.push((slots, global));
        }
        let (mut program, roots) = inferred.program(query, &roots)?;
        let mut steps = vec![];
        for (root, (slots, global)) in roots.into_iter().zip(parts) {
            let wrapped = wrap(&mut program, root, &slots, &InCharts::default(), false);
            let names = slots.into_iter().map(|slot| slot.name);
            let params = names.zip(wrapped.types).collect();
            steps.push(Step { function: wrapped.function, global, params, result: wrapped.result });
        }
        let mut steps = steps.into_iter();
        let mut next = || steps.next().unwrap_or_else(|| bug("each name is a step"));
        let before = function.before.map(|_| next());
        let (entry, after) = (next(), function.after.map(|_| next()));
        let program = Rc::new(program);
        let packing = Packing::default();
        let timed = match Timed::new(engine, &program, entry.function, Asked::Value, packing) {
            Ok(timed) => timed,
            Err(diagnostic) => return query.fail(*diagnostic),
        };
        let image = compile(&program);
        Ok(Self { program, image, before, entry, after, timed })
    }

    /// The result for an input, of as many runs as `more` wants.
    pub fn run(
        &self,
        engine: &Engine,
        tape: &Tape<'_>,
        input: u32,
        more: More<'_>,
    ) -> Result<String, String> {
        let limits = engine.limits();
        let first = self.before.as_ref().unwrap_or(&self.entry);
        let mut argument = first.argument(&self.program, tape, input, &limits)?;
        if let Some(before) = &self.before {
            argument = self.evaluate(engine, before, argument)?;
        }
        let told = |diagnostic: Box<Diagnostic>| words(std::slice::from_ref(&*diagnostic));
        let (mut value, _) =
            self.timed.run(&argument, None, engine.options(), more).map_err(told)?;
        let mut ty = &self.entry.result;
        if let Some(after) = &self.after {
            value = self.evaluate(engine, after, value)?;
            ty = &after.result;
        }
        Ok(to_json(&self.program, &value, ty))
    }

    fn evaluate(&self, engine: &Engine, step: &Step, argument: Value) -> Result<Value, String> {
        let (function, options) = (step.function, engine.options());
        run_in_machine(trace_engine(), &self.image, function, argument, &Mode::Value, options)
            .map(|answer| answer.value)
            .map_err(|diagnostic| words(std::slice::from_ref(&*diagnostic)))
    }
}

impl Step {
    /// The argument that an input is.
    fn argument(
        &self,
        program: &Program,
        tape: &Tape<'_>,
        input: u32,
        limits: &Limits,
    ) -> Result<Value, String> {
        let mut values = vec![];
        for (at, (name, ty)) in self.params.iter().enumerate() {
            let entry = part(tape, input, name)?;
            let value =
                decode(program, tape, entry, ty, limits).map_err(|stopped| match stopped {
                    Stopped::Wrong(misfit) => {
                        let path = tape.path(misfit.entry).replacen('$', "the message", 1);
                        format!("{path}: {}", misfit.title)
                    }
                    Stopped::Exceeded(Exceeded::Memory) => "the input is too large".to_owned(),
                    Stopped::Exceeded(Exceeded::Time) => "the time is over".to_owned(),
                })?;
            values.push((at, value));
        }
        if let Some(wrong) = wrong_size(&self.global, &values) {
            return Err(format!("`{}`: {}", self.params[wrong.param].0, wrong.words));
        }
        Ok(whole(with_declared_sizes(&self.global, &values)))
    }
}

/// The part of the input that a parameter is given. An input that is no object is the argument itself; names of
/// values are lower-case here.
fn part(tape: &Tape<'_>, input: u32, name: &str) -> Result<u32, String> {
    if tape.entry(input).kind != Kind::Object {
        return Ok(input);
    }
    let is_part = |key: u32| tape.string(key).to_lowercase() == name;
    let mut parts = tape.fields(input).filter(|(key, _)| is_part(*key)).map(|(_, part)| part);
    parts.next().ok_or_else(|| format!("the input has no `{name}`"))
}

fn slot(name: &str) -> Slot {
    let name = name.to_owned();
    Slot { name, span: Span::NONE, given: Given::Message, data: true, wrt: false }
}

/// Errors in words, on one line.
fn words(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let text = |error: &Diagnostic| {
        // What failed here is nothing of the message, and its title says too little.
        let why = error.notes.first().filter(|_| error.code == "E0823");
        let why = why.map_or_else(String::new, |note| format!(": {note}"));
        format!("{}: {}{why}", error.code, error.title)
    };
    errors.map(text).collect::<Vec<_>>().join("; ")
}
