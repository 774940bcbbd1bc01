//! The files of `tests/ir/run`: programs, and what running their functions without parameters gives.
//!
//! `--@ run @f = VALUES` wants these results, `--@ fail @f CODE PLACE: TITLE` an error with a title
//! that starts like this, at the statement or function that starts with this word (`-` for nowhere), `--@ count @f NAME NUMBER, …` these counts.
//! `--@ memory BYTES`, `--@ steps NUMBER` and `--@ seconds NUMBER` limit every evaluation of the file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pullback_base::{Budget, Diagnostic, SourceMap};
use pullback_ir::eval::{Array, Counts, Limits, Value};
use pullback_ir::{Elem, FuncId, Program, Stage, Type, parse, verify};

/// A file.
pub struct Case {
    /// Its path.
    pub name: String,
    /// What it says.
    pub text: String,
    /// The program.
    pub program: Program,
    /// The limits of each run.
    pub limits: Limits,
}

/// What a run gives, and what it counted if it counts.
pub type Ran = Result<(Vec<Value>, Option<Counts>), Box<Diagnostic>>;

impl Case {
    /// Reads a file.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a text");
        let name = path.display().to_string();
        let mut sources = SourceMap::default();
        let file = sources.add(&name, &text);
        let program = parse(&text, file).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        if let Err(breaches) = verify(&program, Stage { resolved: false, linear: false }) {
            let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
            panic!("{name}:\n{}", breaches.join("\n"));
        }
        let limit = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let number = |name: &str| limit(name).map(|number| number.parse().expect("a number"));
        let mut limits = Limits::default();
        if let Some(bytes) = number("--@ memory ") {
            limits.max_memory = bytes;
        }
        if let Some(steps) = number("--@ steps ") {
            limits.budget = Some(Budget { steps: steps as u64, exceeded: "too many steps" });
        }
        if let Some(seconds) = limit("--@ seconds ") {
            limits.timeout = Some(Duration::from_secs_f64(seconds.parse().expect("a number")));
        }
        Self { name, text, program, limits }
    }

    fn func(&self, name: &str) -> FuncId {
        let name = name.strip_prefix('@').expect("the name of a function");
        let mut funcs = self.program.funcs.iter_enumerated();
        let func = funcs.find(|(_, func)| func.name == name);
        func.unwrap_or_else(|| panic!("{}: no function {name}", self.name)).0
    }

    /// The lines of expectations, and the function of each that is about one.
    pub fn lines(&self) -> impl Iterator<Item = (&str, Option<FuncId>)> {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("--@ "));
        lines.map(|line| {
            let mut words = line.split(' ');
            let is_limit = matches!(words.next(), Some("memory" | "steps" | "seconds"));
            let name = words.next().filter(|_| !is_limit);
            (line, name.map(|name| self.func(name)))
        })
    }

    /// What a line of expectation says and what is so, if that differs.
    pub fn check(&self, line: &str, func: FuncId, ran: Ran) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').expect("a kind of expectation");
        let (_, wanted) = rest.split_once(' ').expect("a function and what is wanted");
        let types = &self.program.funcs[func].results;
        let shown = |values: &[Value]| {
            let shown: Vec<String> = values
                .iter()
                .zip(types)
                .map(|(value, ty)| show(value, *ty, &self.program))
                .collect();
            shown.join(", ")
        };
        let told = match (kind, ran) {
            ("run", Ok((values, _))) => {
                let wanted = wanted.strip_prefix("= ").unwrap_or_default();
                let shown = shown(&values);
                return if shown == wanted { Ok(()) } else { Err(shown) };
            }
            ("fail", Err(problem)) => {
                let span = problem.span();
                let place = if span.is_none() { "-" } else { &self.text[span.lo as usize..] };
                let is_end = |c: char| c.is_whitespace() || c == ':' || c == '(';
                let place = place.split(is_end).next().unwrap_or_default();
                let told = format!("{} {place}: {}", problem.code, problem.title);
                return if told.starts_with(wanted) { Ok(()) } else { Err(told) };
            }
            ("count", Ok((_, Some(counts)))) => {
                let counts = shown_counts(counts);
                let is_so = |one: &str| counts.iter().any(|count| count == one);
                if wanted.split(", ").all(is_so) {
                    return Ok(());
                }
                counts.join(", ")
            }
            (_, Ok((values, _))) => shown(&values),
            (_, Err(problem)) => format!("{} {}", problem.code, problem.title),
        };
        Err(told)
    }
}

fn shown_counts(counts: Counts) -> Vec<String> {
    let Counts { operations, copied, moved, steps, .. } = counts;
    let numbers = [
        ("operations", operations),
        ("weight", counts.weight()),
        ("copied", copied),
        ("moved", moved),
        ("steps", steps),
    ];
    numbers.iter().map(|(name, number)| format!("{name} {number}")).collect()
}

fn show(value: &Value, ty: Type, program: &Program) -> String {
    match value {
        Value::Undef => "undef".to_string(),
        Value::Real(x) => format!("{x:?}"),
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Str(text) => format!("{text:?}"),
        Value::Acc(_) => "an accumulator".to_string(),
        Value::Array(array) => show_array(array, ty.elem, program),
        Value::Tag(_) | Value::Data(_) => {
            let Elem::Data(data) = ty.elem else { panic!("{value:?} of the type {ty:?}") };
            let (tag, fields) = value.as_data().expect("a data value");
            let constructor = &program.datas[data].constructors[tag as usize];
            let mut text = constructor.name.to_string();
            for (field, ty) in fields.iter().zip(&constructor.fields) {
                write!(text, " ({})", show(field, *ty, program)).expect("room");
            }
            text
        }
    }
}

fn show_array(array: &Array, elem: Elem, program: &Program) -> String {
    let sizes: Vec<String> = array.sizes().iter().map(ToString::to_string).collect();
    let element = Type::scalar(elem);
    let elements: Vec<String> = if let Some(reals) = array.reals() {
        reals.iter().map(|x| format!("{x:?}")).collect()
    } else if let Some(ints) = array.ints() {
        ints.iter().map(ToString::to_string).collect()
    } else if let Some(bools) = array.bools() {
        bools.iter().map(ToString::to_string).collect()
    } else if let Some(values) = array.values() {
        values.iter().map(|value| show(value, element, program)).collect()
    } else {
        vec!["unit".to_string()]
    };
    if let [_] = sizes.as_slice() {
        return format!("[{}]", elements.join(", "));
    }
    format!("{}[{}]", sizes.join("x"), elements.join(", "))
}

/// The paths of all files, in order.
pub fn paths() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/run");
    let entries = std::fs::read_dir(folder).expect("the folder of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}
