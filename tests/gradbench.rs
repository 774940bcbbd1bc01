//! The programs of `examples/gradbench` on the recorded inputs of the GradBench suite: each function
//! gives the recorded output, derivatives included, to 1e-8.
//!
//! The same through the protocol of the suite, as native code, one message a line.
//!
//! `tests/gradbench/EVAL.jsonl` holds one object a line: `function`, `workload`, `input`, `output`.
//! The outputs come from other tools (hand-written C++, and the median of several AD tools), so they
//! share nothing with the engines here. Every eval's file must have its program and its lines.

use std::io;
use std::path::{Path, PathBuf};

use pullback_base::{Style, render};
use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Files, Query, Settings, run};
use pullback_tools::Gradbench;
use serde_json::{Value, json};

use crate::configurations::Configuration;
use crate::corpus::root;

/// How far numbers may be from the recorded ones, relative to them or, below 1, absolute.
const TOLERANCE: f64 = 1e-8;

/// The evals, and how many lines are recorded of each.
pub const RECORDED: &[(&str, usize)] = &[
    ("ba", 12),
    ("det", 10),
    ("gmm", 10),
    ("hello", 12),
    ("ht", 4),
    ("kmeans", 8),
    ("llsq", 8),
    ("lse", 8),
    ("lstm", 8),
    ("ode", 14),
    ("particle", 4),
    ("saddle", 4),
];

/// The program of an eval.
fn program(eval: &str) -> PathBuf {
    let folder = if eval == "gmm" { "examples" } else { "examples/gradbench" };
    root().join(folder).join(format!("{eval}.pull"))
}

/// What a recorded function is called in the program. A name that would hide the operator `jacobian`
/// from the program's own text is avoided there.
fn entry<'a>(eval: &str, function: &'a str) -> &'a str {
    match (eval, function) {
        ("ba", "jacobian") => "jacobian_sample",
        ("ht", "jacobian") => "jacobian_matrix",
        _ => function,
    }
}

/// The recorded input as the arguments by parameter name.
fn arguments(eval: &str, input: &Value) -> Value {
    match eval {
        "hello" => json!({ "x": input }),
        // Names of values are lower-case.
        "det" => json!({ "a": input["A"], "ell": input["ell"] }),
        _ => input.clone(),
    }
}

/// The file system, and one file beside it.
struct Beside {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Files for Beside {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.bytes.clone()) } else { Disk.read_at_most(path, most) }
    }
    fn identity(&self, path: &Path) -> PathBuf {
        Disk.identity(path)
    }
}

/// The first place where two values differ.
fn difference(found: &Value, expected: &Value, place: &str) -> Option<String> {
    let differ = || Some(format!("{place} is {found} and should be {expected}"));
    match (found, expected) {
        (Value::Number(_), Value::Number(_)) => {
            let (Some(x), Some(y)) = (found.as_f64(), expected.as_f64()) else { return differ() };
            let near = (x - y).abs() <= TOLERANCE * y.abs().max(1.0);
            if near { None } else { differ() }
        }
        (Value::Array(xs), Value::Array(ys)) if xs.len() == ys.len() => (xs.iter().zip(ys))
            .enumerate()
            .find_map(|(i, (x, y))| difference(x, y, &format!("{place}[{i}]"))),
        (Value::Object(xs), Value::Object(ys)) if xs.len() == ys.len() => ys
            .iter()
            .find_map(|(key, y)| difference(xs.get(key)?, y, &format!("{place}.{key}")))
            .or_else(|| ys.keys().any(|key| !xs.contains_key(key)).then(|| place.to_owned())),
        _ if found == expected => None,
        _ => differ(),
    }
}

/// Runs one recorded line on the compiler, or on the default engine; the problem, if there is one. A configuration that
/// may refuse programs may refuse the line.
pub fn gradbench(
    eval: &str,
    recorded: &Value,
    configuration: Option<&Configuration>,
) -> Option<String> {
    let function = recorded["function"].as_str().unwrap_or_default();
    let what = format!("{eval} {function} {}", recorded["workload"]);
    let path = root().join("recorded.json");
    let bytes = arguments(eval, &recorded["input"]).to_string().into_bytes();
    let files = Beside { path: path.clone(), bytes };
    let mut query = Query::new(&files, REGISTRY);
    let mut settings = Settings::default();
    if let Some(configuration) = configuration {
        query.without_passes.clone_from(&configuration.without);
        settings.engine = Some(configuration.engine().to_owned());
    }
    let call = Call {
        file: program(eval),
        entry: entry(eval, function).to_owned(),
        args: vec![],
        inputs: vec![path.into()],
        settings,
        ..Call::default()
    };
    let Ok(answer) = run(&mut query, &call) else {
        let is_refused = query.diagnostics.iter().any(|problem| problem.code == "E0717");
        if is_refused && configuration.is_some_and(Configuration::may_refuse) {
            return None;
        }
        let problems = query.diagnostics.iter();
        let texts: Vec<String> =
            problems.map(|problem| render(&query.sources, problem, Style::Plain)).collect();
        return Some(format!("{what}: {}", texts.join("\n")));
    };
    let found: Value = serde_json::from_str(&answer.json()).unwrap_or_default();
    difference(&found, &recorded["output"], "the answer").map(|told| format!("{what}: {told}"))
}

/// The recorded lines of an eval.
pub fn recorded(eval: &str) -> Result<Vec<Value>, String> {
    let path = root().join("tests/gradbench").join(format!("{eval}.jsonl"));
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string())).collect()
}

/// The tool, in its default engine or another one.
pub fn tool(engine: Option<&str>) -> Gradbench {
    let mut query = Query::new(&Disk, REGISTRY);
    let settings = Settings { engine: engine.map(str::to_owned), ..Settings::default() };
    Gradbench::new(&mut query, &settings).expect("the engine is there")
}

/// Sends a recorded line as messages of the protocol; the problem, if there is one.
pub fn replayed(tool: &mut Gradbench, eval: &str, recorded: &Value) -> Option<String> {
    let what = format!("{eval} {} {}", recorded["function"], recorded["workload"]);
    let mut input = recorded["input"].clone();
    let is_object = input.is_object();
    if is_object {
        input["min_runs"] = json!(3);
        input["min_seconds"] = json!(1e-6);
    }
    let message = json!({
        "id": [eval, 1], "kind": "evaluate", "module": eval, "function": recorded["function"], "input": input,
        "description": "recorded",
    });
    let answer: Value = match serde_json::from_str(&tool.answer(&message.to_string())) {
        Ok(answer) => answer,
        Err(error) => return Some(format!("{what}: {error}")),
    };
    if answer["id"] != message["id"] || answer["success"] != json!(true) {
        return Some(format!("{what}: {answer}"));
    }
    let timings = answer["timings"].as_array().map_or(&[][..], Vec::as_slice);
    let is_time =
        |timing: &Value| timing["name"] == "evaluate" && timing["nanoseconds"].as_u64().is_some();
    if timings.len() < if is_object { 3 } else { 1 } || !timings.iter().all(is_time) {
        return Some(format!("{what}: times {timings:?}"));
    }
    difference(&answer["output"], &recorded["output"], "the answer")
        .map(|told| format!("{what}: {told}"))
}
