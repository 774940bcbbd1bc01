//! The files of `tests/ir/run`: programs, and what evaluating their functions without parameters gives.
//!
//! `--@ run @f = VALUES` wants these results, `--@ fail @f CODE PLACE: TITLE` an error with a title
//! that starts like this, at the statement or function that starts with this word (`-` for nowhere), `--@ count @f NAME NUMBER, …` these counts.
//! `--@ memory BYTES`, `--@ steps NUMBER` and `--@ seconds NUMBER` limit every evaluation of the file.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use pullback_base::{Budget, Diagnostic, SourceMap, memory};
use pullback_ir::eval::{Array, Counts, Image, Limits, Machine, Value};
use pullback_ir::{Elem, FuncId, Program, Stage, Type, parse, verify};

/// A file.
struct Case {
    name: String,
    text: String,
    program: Program,
    limits: Limits,
}

impl Case {
    fn read(path: &Path) -> Self {
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

    fn evaluate(&self, func: FuncId) -> Result<(String, Counts), Box<Diagnostic>> {
        let image = Image::new(&self.program);
        let mut machine = Machine::new(&image, self.limits.clone());
        let values = machine.call(func, vec![])?;
        let types = &self.program.funcs[func].results;
        let shown: Vec<String> =
            values.iter().zip(types).map(|(value, ty)| show(value, *ty, &self.program)).collect();
        Ok((shown.join(", "), machine.counts()))
    }

    /// What a line of expectation says and what is so, if that differs.
    fn check(&self, line: &str) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').expect("a kind of expectation");
        if matches!(kind, "memory" | "steps" | "seconds") {
            return Ok(());
        }
        let (name, wanted) = rest.split_once(' ').expect("a function and what is wanted");
        let before = memory::live();
        let result = self.evaluate(self.func(name));
        assert_eq!(memory::live(), before, "{}: {name} leaves something in the account", self.name);
        let told = match (kind, result) {
            ("run", Ok((shown, _))) => {
                let wanted = wanted.strip_prefix("= ").unwrap_or_default();
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
            ("count", Ok((_, counts))) => {
                let counts = shown_counts(counts);
                let is_so = |one: &str| counts.iter().any(|count| count == one);
                if wanted.split(", ").all(is_so) {
                    return Ok(());
                }
                counts.join(", ")
            }
            (_, Ok((shown, _))) => shown,
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

#[test]
fn functions_give_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/run");
    let entries = std::fs::read_dir(folder).expect("the folder of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let (mut count, mut failures) = (0, vec![]);
    for path in paths {
        let case = Case::read(&path);
        for line in case.text.lines().filter_map(|line| line.strip_prefix("--@ ")) {
            count += 1;
            if let Err(told) = case.check(line) {
                failures.push(format!("{}: {line}\n    {told}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 50, "only {count} expectations");
}
