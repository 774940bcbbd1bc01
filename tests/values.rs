//! What the definitions of a program of the calculus evaluate to, on some engines.
//!
//! The request names the engines, or `all`, and options: `memory=64M` and `time=50ms` are limits, `strict` is
//! the strict domain of differentiation, and `counts` also tells what the evaluation counted. Engines that run
//! in the evaluator do so on a small native stack.
//!
//! Reals are rounded to twelve digits. The engines must agree on every value; where one of them fails and
//! another does not, or otherwise, the answer says so.

use std::rc::Rc;
use std::time::Duration;

use pullback_base::{Diagnostic, Name};
use pullback_data::output::to_text;
use pullback_engines::{EngineInfo, How, engine_named, evaluate, modes};
use pullback_eval::{Engine, Machine, Options, Value, compile, walk};
use pullback_lambda::{DefId, Program};

use crate::calculus::read;

/// Enough for the evaluator, which needs no native stack for the depth of a program's data and calls.
const SMALL_STACK: usize = 2 << 20;

/// What is asked of every definition.
#[derive(Debug, Default)]
struct Request {
    engines: Vec<&'static EngineInfo>,
    memory: Option<usize>,
    time: Option<Duration>,
    strict: bool,
    counts: bool,
}

impl Request {
    fn read(text: &str) -> Result<Self, String> {
        let mut request = Self::default();
        for word in text.split_whitespace() {
            let unknown = || format!("`{word}` is neither an engine nor an option");
            match word.split_once('=') {
                Some(("memory", size)) => {
                    let megabytes = size.strip_suffix('M').and_then(|size| size.parse().ok());
                    let megabytes: usize = megabytes.ok_or_else(unknown)?;
                    request.memory = Some(megabytes << 20);
                }
                Some(("time", time)) => {
                    let milliseconds = time.strip_suffix("ms").and_then(|time| time.parse().ok());
                    request.time = Some(Duration::from_millis(milliseconds.ok_or_else(unknown)?));
                }
                None if word == "strict" => request.strict = true,
                None if word == "counts" => request.counts = true,
                None if word == "all" => request.engines.extend(modes()),
                Some(_) | None => request.engines.push(engine_named(word).ok_or_else(unknown)?),
            }
        }
        Ok(request)
    }

    fn options(&self) -> Options {
        let mut options = Options { strict_domain: self.strict, ..Options::default() };
        options.limits.timeout = self.time;
        if let Some(bytes) = self.memory {
            options.limits.max_memory = bytes;
        }
        options
    }
}

/// The answers to a request, a line for each definition that is no function, and further lines for engines
/// that answer something else than the first one.
pub fn valued(request: &str, text: &str) -> Result<String, String> {
    let request = Request::read(request)?;
    let mut by_engine = vec![];
    for engine in &request.engines {
        let answers = match engine.how {
            How::Runtime(make) => on_small_stack(|| {
                answers(text, |program, def| in_machine(make(), program, def, &request))
            }),
            How::Transform { .. } | How::Compiled(_) => answers(text, |program, def| {
                told(program, def, evaluate(engine, program, def, &request.options()))
            }),
        };
        by_engine.push((engine.name, answers?));
    }
    let count = by_engine.first().map_or(0, |(_, answers)| answers.len());
    (0..count).map(|at| lines(at, &by_engine)).collect()
}

/// What an engine answers for each definition.
type Answers = Vec<(Name, Answer)>;

#[derive(Debug, PartialEq)]
enum Answer {
    Value(String),
    Fault(String),
}

/// The lines of one definition: the answer of the first engine, and of those that answer something else.
fn lines(at: usize, by_engine: &[(&str, Answers)]) -> Result<String, String> {
    let mut groups: Vec<(&(Name, Answer), Vec<&str>)> = vec![];
    for (engine, answers) in by_engine {
        match groups.iter_mut().find(|(known, _)| **known == answers[at]) {
            Some((_, engines)) => engines.push(engine),
            None => groups.push((&answers[at], vec![engine])),
        }
    }
    if groups.iter().filter(|((_, answer), _)| matches!(answer, Answer::Value(_))).count() > 1 {
        return Err(format!("the engines differ: {groups:?}"));
    }
    let mut text = String::new();
    for (index, ((name, answer), engines)) in groups.iter().enumerate() {
        let on = if index == 0 { String::new() } else { format!(" on {}", engines.join(", ")) };
        match answer {
            Answer::Value(value) => text.push_str(&format!("{name}{on} = {value}\n")),
            Answer::Fault(fault) => text.push_str(&format!("{name}{on} fails {fault}\n")),
        }
    }
    Ok(text)
}

fn on_small_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        thread.join().map_err(|_| "the evaluation panicked".to_owned())?
    })
}

/// The answer for every definition that is no function.
fn answers(
    text: &str,
    answer: impl Fn(&Program, DefId) -> Result<Answer, String>,
) -> Result<Answers, String> {
    let program = read(text)?;
    let values = program.defs.iter_enumerated().filter(|(_, def)| def.ty.as_fun().is_none());
    values.map(|(id, def)| Ok((def.name.clone(), answer(&program, id)?))).collect()
}

fn in_machine(
    engine: Rc<dyn Engine>,
    program: &Program,
    def: DefId,
    request: &Request,
) -> Result<Answer, String> {
    let image = compile(program);
    let mut machine = Machine::new(&image, engine, request.options());
    let mut answer = told(program, def, machine.global(def))?;
    let counts = machine.counts();
    if let (Answer::Value(text), true) = (&mut answer, request.counts) {
        text.push_str(&format!(
            " after {} operations of weight {} and {} copies",
            counts.total(),
            counts.weight(),
            counts.copied
        ));
    }
    Ok(answer)
}

fn told(
    program: &Program,
    def: DefId,
    result: Result<Value, Box<Diagnostic>>,
) -> Result<Answer, String> {
    match result {
        Ok(value) => {
            let round = |leaf: &Value| Ok(leaf.as_real().map_or(leaf.clone(), rounded));
            let value = walk::map_leaves(&value, round);
            let value = value.map_err(|_| "the value holds a function".to_owned())?;
            Ok(Answer::Value(to_text(program, &value, &program.defs[def].ty)))
        }
        // The title of a refusal names the engine.
        Err(fault) if fault.code == "E0717" => Ok(Answer::Fault(fault.code.to_owned())),
        Err(fault) => Ok(Answer::Fault(format!("{} {}", fault.code, fault.title))),
    }
}

/// A Real with twelve digits, without the sign of zero: engines may add in different orders.
fn rounded(x: f64) -> Value {
    let text = format!("{x:.11e}");
    Value::Real(text.parse().map_or(x, |x: f64| x + 0.0))
}
