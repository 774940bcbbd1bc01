//! The tool's side of the protocol of GradBench: messages, one a line, and their answers.
//!
//! Input: lines of JSON. Output: an answer to each, one line of JSON. Whatever a line holds there is an answer to
//! it; what is wrong with a message is told in its answer. Functions are compiled once and kept.

mod evals;
mod program;

use std::time::Duration;

use evals::{EVALS, Eval, Function};
use program::Ready;
use pullback_base::{Instant, Limits};
use pullback_data::input::{Kind, Stopped, Tape};
use pullback_session::engine::Engine;
use pullback_session::{Query, Settings, Stop};

use crate::json::quoted;
use crate::timed::is_timed;

/// The most runs that a message can ask for: their times are kept until the answer.
const MOST_RUNS: f64 = 1e8;
/// The longest that they can be asked to take, in seconds.
const MOST_SECONDS: f64 = 1e6;

/// The tool, with the functions that it has compiled.
pub struct Gradbench {
    engine: Engine,
    ready: Vec<((&'static str, &'static str), Ready)>,
}

/// What a message says.
struct Message<'m> {
    tape: &'m Tape<'m>,
}

impl Message<'_> {
    fn field(&self, name: &str) -> Option<u32> {
        if self.tape.entry(0).kind != Kind::Object {
            return None;
        }
        let mut fields = self.tape.fields(0).filter(|(key, _)| self.tape.string(*key) == name);
        fields.next().map(|(_, entry)| entry)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let entry = self.field(name).ok_or_else(|| format!("the message has no `{name}`"))?;
        let kind = self.tape.entry(entry).kind;
        if kind != Kind::Str {
            return Err(format!("`{name}` is {}, not a string", kind.noun()));
        }
        Ok(self.tape.string(entry).into_owned())
    }

    /// A number of the input, from 0 to the most that makes sense, or another one if it is not there.
    fn number(&self, input: u32, name: &str, most: f64, absent: f64) -> Result<f64, String> {
        if self.tape.entry(input).kind != Kind::Object {
            return Ok(absent);
        }
        let mut fields = self.tape.fields(input).filter(|(key, _)| self.tape.string(*key) == name);
        let Some((_, entry)) = fields.next() else { return Ok(absent) };
        let number = match self.tape.entry(entry).kind {
            Kind::Number => self.tape.slice(entry).parse().ok(),
            Kind::Null | Kind::Bool(_) | Kind::Str | Kind::List | Kind::Object => None,
        };
        let number = number.filter(|number: &f64| (0.0..=most).contains(number));
        number.ok_or_else(|| format!("`{name}` is not a number from 0 to {most}"))
    }
}

impl Gradbench {
    /// The tool with the engine of the settings, or `native`.
    pub fn new(query: &mut Query<'_>, settings: &Settings) -> Result<Self, Stop> {
        let engine = settings.engine.clone().unwrap_or_else(|| "native".to_owned());
        let settings = Settings { engine: Some(engine), ..settings.clone() };
        let engine = Engine::resolve(query, &settings)?;
        if let Err(diagnostic) = is_timed(&engine) {
            return query.fail(*diagnostic);
        }
        Ok(Self { engine, ready: vec![] })
    }

    /// The answer to a message.
    pub fn answer(&mut self, line: &str) -> String {
        let limits = self.engine.limits();
        let tape = match Tape::parse(line, &limits) {
            Ok(tape) => tape,
            Err(Stopped::Wrong(error)) => {
                let id = id_before(line, error.at, &limits);
                return refused(id, &format!("not JSON: {} at byte {}", error.title, error.at));
            }
            Err(Stopped::Exceeded(_)) => return refused("null", "the message is too large"),
        };
        let message = Message { tape: &tape };
        let Some(id) = message.field("id") else {
            return refused("null", "the message is no object with an `id`");
        };
        let id = tape.slice(id);
        let kind = match message.text("kind") {
            Ok(kind) => kind,
            Err(wrong) => return refused(id, &wrong),
        };
        let answered = match kind.as_str() {
            "start" => Ok(r#""tool": "pullback""#.to_owned()),
            "define" => self.define(&message),
            "evaluate" => self.evaluate(&message),
            _ => return format!("{{\"id\": {id}}}"),
        };
        match answered {
            Ok(rest) => format!("{{\"id\": {id}, {rest}}}"),
            Err(wrong) => refused(id, &wrong),
        }
    }

    /// Compiles what an eval has.
    fn define(&mut self, message: &Message<'_>) -> Result<String, String> {
        let eval = eval(&message.text("module")?)?;
        let started = Instant::now();
        for function in eval.functions {
            self.ready(eval, function)?;
        }
        let time = started.elapsed().as_nanos();
        let timings = format!(r#"[{{"name": "compile", "nanoseconds": {time}}}]"#);
        Ok(format!(r#""success": true, "timings": {timings}"#))
    }

    fn evaluate(&mut self, message: &Message<'_>) -> Result<String, String> {
        let (eval, name) = (eval(&message.text("module")?)?, message.text("function")?);
        let named = eval.functions.iter().find(|function| function.name == name);
        let function = named.ok_or_else(|| format!("`{}` has no function `{name}`", eval.name))?;
        let input = message.field("input").ok_or("the message has no `input`")?;
        let min_runs = message.number(input, "min_runs", MOST_RUNS, 1.0)?;
        let min_seconds = message.number(input, "min_seconds", MOST_SECONDS, 0.0)?;
        let ready = self.ready(eval, function)?;
        let (mut times, mut total) = (vec![], Duration::ZERO);
        let output = self.ready[ready].1.run(&self.engine, message.tape, input, &mut |ran| {
            times.push(ran.time);
            total += ran.time;
            (times.len() as f64) < min_runs || total.as_secs_f64() < min_seconds
        })?;
        let timing = |time: &Duration| {
            format!(r#"{{"name": "evaluate", "nanoseconds": {}}}"#, time.as_nanos())
        };
        let timings: Vec<String> = times.iter().map(timing).collect();
        let timings = timings.join(", ");
        Ok(format!(r#""success": true, "output": {output}, "timings": [{timings}]"#))
    }

    /// Where a function is among those that have been compiled.
    fn ready(&mut self, eval: &'static Eval, function: &'static Function) -> Result<usize, String> {
        let key = (eval.name, function.name);
        if let Some(at) = self.ready.iter().position(|(known, _)| *known == key) {
            return Ok(at);
        }
        self.ready.push((key, Ready::new(&self.engine, eval, function)?));
        Ok(self.ready.len() - 1)
    }
}

fn eval(name: &str) -> Result<&'static Eval, String> {
    let eval = EVALS.iter().find(|eval| eval.name == name);
    eval.ok_or_else(|| format!("there is no module `{name}`"))
}

/// The id of a message that is no JSON at a place, such as where a NaN stands, if it comes before that.
fn id_before<'l>(line: &'l str, end: usize, limits: &Limits) -> &'l str {
    // It is one of the first fields.
    let mut ends = line[..end].match_indices(',').map(|(at, _)| at).take(8);
    let id = ends.find_map(|at| {
        let text = format!("{}}}", &line[..at]);
        let tape = Tape::parse(&text, limits).ok()?;
        let id = tape.entry(Message { tape: &tape }.field("id")?);
        line.get(id.lo as usize..id.hi as usize)
    });
    id.unwrap_or("null")
}

/// The answer to a message that asks for what cannot be.
pub fn refused(id: &str, why: &str) -> String {
    format!("{{\"id\": {id}, \"success\": false, \"error\": {}}}", quoted(why))
}
