//! Tests of running the IR: programs, and what their functions without parameters give, evaluated and as native code.
//!
//! `--@ run @f = VALUES` wants these results, `--@ fail @f CODE PLACE: TITLE` an error with a title
//! that starts like this, at the statement or function that starts with this word (`-` for nowhere), `--@ count @f NAME NUMBER, …` these counts.
//! `--@ memory BYTES`, `--@ steps NUMBER` and `--@ seconds NUMBER` limit every evaluation of the file.

use std::fmt::Write as _;
use std::str::FromStr;
use std::time::Duration;

use pullback_analysis::facts::Facts;
use pullback_base::{Budget, Diagnostic, memory};
use pullback_codegen::{Fp, Level, Native};
use pullback_ir::eval::{Array, Counts, Image, Limits, Machine, Value};
use pullback_ir::{Elem, FuncId, Program, Stage, Type};

use crate::ir_text::{keeps_rules, read};

/// Runs the functions of a file in every way that there is.
pub fn ir_run_test(text: &str) -> Result<(), String> {
    let mut case = Case::read(text)?;
    let facts = Facts::nothing(&mut case.program);
    let lines = case.lines()?;
    let mut failures = vec![];
    for (line, func) in &lines {
        let before = memory::live();
        if let Err(told) = case.check(line, *func, case.evaluated(*func)) {
            failures.push(format!("{line}\n    {told}"));
        }
        if memory::live() != before {
            failures.push(format!("{line}\n    leaves something in memory"));
        }
    }
    // Native code counts no steps.
    let compiled: Vec<_> =
        lines.into_iter().filter(|(line, _)| !line.starts_with("count")).collect();
    if case.budget.is_none() && !compiled.is_empty() {
        failures.extend(case.differs_natively(&compiled, &facts)?);
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// A file.
struct Case<'t> {
    text: &'t str,
    program: Program,
    limits: Limits,
    budget: Option<Budget>,
}

/// What a run gives, and what it counted if it counts.
type Ran = Result<(Vec<Value>, Option<Counts>), Box<Diagnostic>>;

/// The number in the line that begins like this.
fn limit<N: FromStr>(text: &str, name: &str) -> Result<Option<N>, String> {
    let number = text.lines().find_map(|line| line.strip_prefix(name));
    let number = number.map(str::parse).transpose();
    number.map_err(|_| format!("the line `{name}` has no number"))
}

impl<'t> Case<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let program = read(text)?;
        keeps_rules(&program, Stage::default())?;
        let mut limits = Limits::default();
        if let Some(bytes) = limit(text, "--@ memory ")? {
            limits.max_memory = bytes;
        }
        limits.timeout = limit(text, "--@ seconds ")?.map(Duration::from_secs_f64);
        let steps = limit(text, "--@ steps ")?;
        let budget = steps.map(|steps| Budget { steps, exceeded: "too many steps" });
        Ok(Self { text, program, limits, budget })
    }

    /// The lines that say what a function gives, each with the function.
    fn lines(&self) -> Result<Vec<(&'t str, FuncId)>, String> {
        let is_limit = |line: &&str| {
            !["memory ", "steps ", "seconds "].iter().any(|word| line.starts_with(word))
        };
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("--@ "));
        let lines = lines.filter(is_limit).map(|line| {
            let name = line.split(' ').nth(1).and_then(|name| name.strip_prefix('@'));
            let mut funcs = self.program.funcs.iter_enumerated();
            let func = funcs.find(|(_, func)| name == Some(func.name.as_str()));
            func.map(|(id, _)| (line, id)).ok_or_else(|| format!("`{line}` names no function"))
        });
        lines.collect()
    }

    fn evaluated(&self, func: FuncId) -> Ran {
        let image = Image::new(&self.program);
        let mut machine = Machine::new(&image, self.limits.clone()).within(self.budget);
        let values = machine.call(func, vec![])?;
        Ok((values, Some(machine.counts())))
    }

    /// The lines that do not hold of native code, each with what is so.
    fn differs_natively(
        &self,
        lines: &[(&str, FuncId)],
        facts: &Facts,
    ) -> Result<Vec<String>, String> {
        let roots: Vec<FuncId> = lines.iter().map(|(_, func)| *func).collect();
        let native = Native::new(&self.program, &roots, facts, Level::Quick, Fp::Strict)
            .map_err(|failure| format!("{failure:?}"))?;
        let limits = pullback_codegen::Limits {
            max_memory: self.limits.max_memory,
            timeout: self.limits.timeout,
            since: None,
            tell: |_| {},
            progress: None,
        };
        let mut failures = vec![];
        for (root, (line, func)) in lines.iter().enumerate() {
            let ran = native.call(&self.program, root, &[], &limits).map(|values| (values, None));
            if let Err(told) = self.check(line, *func, ran)
                && !is_told_elsewhere(line, &told)
            {
                failures.push(format!("{line}\n    natively {told}"));
            }
        }
        Ok(failures)
    }

    /// What a line of expectation says and what is so, if that differs.
    fn check(&self, line: &str, func: FuncId, ran: Ran) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').unwrap_or_default();
        let (_, wanted) = rest.split_once(' ').ok_or("says not what is wanted")?;
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

/// Whether the same lack of memory is told at another place: the evaluator notices what is small later.
fn is_told_elsewhere(line: &str, told: &str) -> bool {
    let title = |text: &str| text.split_once(": ").map(|(_, title)| title.to_owned());
    line.contains(" E0709 ") && title(told) == title(line)
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
            let (Elem::Data(data), Some((tag, fields))) = (ty.elem, value.as_data()) else {
                return format!("{value:?} of the type {ty:?}");
            };
            let constructor = &program.datas[data].constructors[tag as usize];
            let mut text = constructor.name.to_string();
            for (field, ty) in fields.iter().zip(&constructor.fields) {
                let _ = write!(text, " ({})", show(field, *ty, program));
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
