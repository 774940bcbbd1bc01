//! `pullback dev`: the path from a program to code that runs, watched pass by pass.
//!
//! Input: a [`Call`] whose file is a program or the text of a stage of the IR, and a [`Dev`]. Output: the stage
//! asked for, what each pass took, what the code costs.

mod literal;
mod native;

use std::path::{Path, PathBuf};

use pullback_ad::{Until, derivation};
use pullback_base::{Diagnostic, Limits, Span, did_you_mean};
use pullback_codegen::{TRANSFORMATIONS, Without};
use pullback_compile::{
    Form, JVP, LOWER, Mode, Plan, Seen, TRANSPOSE, UNZIP, Work, compile, counted, optional_passes,
    resolve, simplified,
};
use pullback_eval::Value;
use pullback_ir::eval::Counts;
use pullback_ir::{Func, FuncId, Var, trimmed};
use pullback_lambda::TypeKind;
use pullback_reduce::SPECIALISE;
use pullback_session::arguments::expressions;
use pullback_session::call::{Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::{Call, Query, Settings, Stop};

use crate::bug::bug;
use crate::show::{calculus, show};
use crate::table::{aligned, milliseconds};

/// What is asked of `pullback dev`.
#[derive(Clone, Debug, Default)]
pub struct Dev {
    /// The stage to print; the last one if nothing else is asked for.
    pub dump: Option<String>,
    /// The pass to stop after.
    pub stop_after: Option<String>,
    /// Passes to leave out.
    pub without: Vec<String>,
    /// Whether to print what each pass took.
    pub time: bool,
    /// Whether to verify what each pass makes.
    pub verify: bool,
    /// Whether to run the entry and print what it costs.
    pub count: bool,
    /// A file that says how loops go in native code.
    pub schedule: Option<PathBuf>,
}

/// What `--dump` prints, in the order of the path. Those of differentiation are of one function, the others of the
/// whole program.
const STAGES: &[&str] =
    &["lambda", "ir", JVP.name, UNZIP.name, TRANSPOSE.name, "ad", "opt", "loops", "c"];

/// The passes, and whether they may be left out.
fn passes() -> impl Iterator<Item = (&'static str, bool)> {
    let needed = [LOWER, JVP, UNZIP, TRANSPOSE].map(|pass| (pass.name, false));
    let mut optional = optional_passes().map(|name| (name, true));
    optional.next().into_iter().chain(needed).chain(optional)
}

/// What may be named as left out: passes, and transformations of native code.
fn left_out() -> impl Iterator<Item = (&'static str, bool)> {
    passes().chain(TRANSFORMATIONS.iter().map(|one| (one.name, one.is_optional)))
}

/// The stage that a pass ends.
fn stage_after(pass: &str) -> &str {
    let ends = [(SPECIALISE.name, "lambda"), (LOWER.name, "ir"), (TRANSPOSE.name, "ad")];
    match ends.iter().find(|(name, _)| *name == pass) {
        Some((_, stage)) => stage,
        None if STAGES.contains(&pass) => pass,
        None => "opt",
    }
}

/// How far a derivative goes that is shown of one function.
fn until(stage: &str) -> Option<Until> {
    let stages = [(JVP, Until::Jvp), (UNZIP, Until::Unzip), (TRANSPOSE, Until::Transpose)];
    stages.iter().find(|(pass, _)| pass.name == stage).map(|(_, until)| *until)
}

/// The answer, as text.
pub fn dev(query: &mut Query<'_>, call: &Call, asked: &Dev) -> Result<String, Stop> {
    check_names(query, asked)?;
    query.verify_passes |= asked.verify;
    query.without_passes.extend(asked.without.iter().cloned());
    let without = Without::named(asked.without.iter().map(String::as_str));
    let stage = stage(query, asked)?;
    let is_code = call.file.extension().is_some_and(|ending| ending == "ir");
    let mut parts = vec![];
    if let Some(name) = stage.filter(|name| until(name).is_some() && !is_code) {
        // The form of one function is that which `show` prints.
        let call = Call { args: vec![], named: vec![], inputs: vec![], ..call.clone() };
        parts.push(show(query, &call, name)?);
    }
    let mut watched = if is_code {
        code(query, call, asked, stage)?
    } else {
        program(query, call, asked, stage)?
    };
    parts.extend(watched.text.take());
    if let (Some(name @ ("loops" | "c")), Some((code, roots))) = (stage, &watched.code) {
        let decided = (asked.schedule.as_deref(), without);
        parts.push(native::text(query, decided, code, roots, name == "loops")?);
    }
    if asked.time {
        parts.push(times(&watched.works));
        if let (Some("native"), Some((code, roots))) =
            (call.settings.engine.as_deref(), &watched.code)
        {
            parts.push(native::times(code, roots, without));
        }
    }
    if asked.verify {
        let names: Vec<&str> = watched.works.iter().map(|work| work.pass).collect();
        parts.push(format!("the rules hold after {}\n", names.join(", ")));
    }
    if asked.count {
        parts.push(if call.entry.is_empty() {
            statements(&watched)
        } else if is_code {
            counts_of_code(query, call, &watched)?
        } else {
            counts(query, call, asked)?
        });
    }
    Ok(parts.join("\n"))
}

/// Refuses names that are no stages or passes, and passes without which there is no code.
fn check_names(query: &mut Query<'_>, asked: &Dev) -> Result<(), Stop> {
    if let Some(name) = asked.dump.as_deref()
        && !STAGES.contains(&name)
    {
        let title = format!("there is no stage `{name}`");
        let hint = did_you_mean("stage", name, STAGES.iter().copied());
        return query.fail(Diagnostic::error("E0813", Span::NONE, title, "").hint(hint));
    }
    let none = |name: &str, known: &[&'static str]| {
        let title = format!("there is no pass `{name}`");
        let hint = did_you_mean("pass", name, known.iter().copied());
        Diagnostic::error("E0819", Span::NONE, title, "").hint(hint)
    };
    if let Some(name) = &asked.stop_after
        && !passes().any(|(known, _)| known == name)
    {
        if TRANSFORMATIONS.iter().any(|one| one.name == name) {
            let title = format!("`{name}` is no pass to stop after");
            let diagnostic = Diagnostic::error("E0819", Span::NONE, title, "")
                .note("it is a transformation on the way to C, where there is no text between two of them")
                .hint(format!("see what it does with `--dump c` and `--dump c --without {name}`"));
            return query.fail(diagnostic);
        }
        let known: Vec<_> = passes().map(|(name, _)| name).collect();
        return query.fail(none(name, &known));
    }
    for name in &asked.without {
        if !left_out().any(|(known, _)| known == name) {
            let known: Vec<_> = left_out().map(|(name, _)| name).collect();
            return query.fail(none(name, &known));
        }
        if left_out().any(|(known, may_go)| known == name && !may_go) {
            let title = format!("the pass `{name}` cannot be left out");
            let diagnostic = Diagnostic::error("E0819", Span::NONE, title, "")
                .note("without it there is no code")
                .hint(if passes().any(|(known, _)| known == name) {
                    format!("stop after it by `--stop-after {name}`")
                } else {
                    "`pullback show FILE --passes` says which can be".to_owned()
                });
            return query.fail(diagnostic);
        }
    }
    Ok(())
}

/// The stage to print, if any: by name, or that which the last pass ends.
fn stage(query: &mut Query<'_>, asked: &Dev) -> Result<Option<&'static str>, Stop> {
    let position = |stage: &str| {
        let at = STAGES.iter().position(|known| *known == stage);
        at.unwrap_or_else(|| bug("the name of a stage"))
    };
    let last = asked.stop_after.as_deref().map_or("c", stage_after);
    let end = position(last);
    let Some(name) = asked.dump.as_deref() else {
        let only_numbers = asked.time || asked.verify || asked.count;
        return Ok((!only_numbers).then_some(STAGES[end.min(position("opt"))]));
    };
    let at = position(name);
    if at > end {
        let title = format!("the stage `{name}` comes after that pass");
        let diagnostic = Diagnostic::error("E0813", Span::NONE, title, "")
            .note(format!("`--stop-after` leaves out all that follows the stage `{last}`"))
            .hint("leave out `--stop-after`, or name an earlier stage");
        return query.fail(diagnostic);
    }
    Ok(Some(STAGES[at]))
}

/// What was seen on the path.
#[derive(Default)]
struct Watched {
    /// The stage asked for.
    text: Option<String>,
    works: Vec<Work>,
    /// The code at the end.
    code: Option<(pullback_ir::Program, Vec<FuncId>)>,
}

impl Watched {
    fn see(&mut self, seen: Seen<'_>, wanted: Option<&str>) {
        match seen {
            Seen::Pass(work) => self.works.push(work),
            Seen::Stage(name, form) if wanted == Some(name) => {
                self.text = Some(match form {
                    Form::Calculus(program) => program.print(),
                    Form::Code(code, roots) => trimmed(code, roots).0.print(),
                });
            }
            Seen::Stage(..) => {}
        }
    }
}

/// The path of a program: its entry, or all that its file defines.
fn program(
    query: &mut Query<'_>,
    call: &Call,
    asked: &Dev,
    stage: Option<&str>,
) -> Result<Watched, Stop> {
    let (program, roots, _) = calculus(query, call)?;
    let mut watched = Watched::default();
    let mut observe = |seen: Seen<'_>| watched.see(seen, stage);
    let mut plan = asked.plan(&call.settings);
    plan.observe = Some(&mut observe);
    match compile(&program, &roots, &mut plan) {
        Ok(lowered) => watched.code = lowered.map(|lowered| (lowered.program, lowered.roots)),
        Err(fault) => return query.fail(*fault),
    }
    Ok(watched)
}

impl Dev {
    fn plan(&self, settings: &Settings) -> Plan<'_> {
        // Of a whole program there is nothing between the first and the last pass of differentiation.
        let within = |pass: &str| pass == JVP.name || pass == UNZIP.name;
        let stop_after = self.stop_after.as_deref();
        let stop_after = stop_after.map(|pass| if within(pass) { LOWER.name } else { pass });
        Plan {
            text_alone: false,
            without: self.without.iter().map(String::as_str).collect(),
            stop_after,
            verifies: self.verify,
            max_tape: settings.max_tape,
            most: None,
            observe: None,
        }
    }
}

/// The path of the text of a stage, from there on.
fn code(
    query: &mut Query<'_>,
    call: &Call,
    asked: &Dev,
    stage: Option<&str>,
) -> Result<Watched, Stop> {
    let file = query.read_text(&call.file)?;
    let code = match pullback_ir::parse(query.sources.text(file), file) {
        Ok(code) => code,
        Err(diagnostic) => return query.fail(diagnostic),
    };
    broken(query, &call.file, &code)?;
    let mut roots = match call.entry.as_str() {
        "" => code.funcs.ids().collect(),
        name => vec![function(query, &code, name)?],
    };
    let mut watched = Watched::default();
    if stage == Some("lambda") {
        let diagnostic = Diagnostic::error("E0813", Span::NONE, "code has no stage `lambda`", "")
            .note("a file that ends in `.ir` is the text of the stage `ir` or of a later one")
            .hint("name the stage `ir` or a later one");
        return query.fail(diagnostic);
    }
    if let Some(until) = stage.and_then(until) {
        let name = if call.entry.is_empty() { "main" } else { &call.entry };
        let func = function(query, &code, name)?;
        let mut entry = [func];
        let plan = asked.plan(&call.settings);
        let ready = simplified(code.clone(), &mut entry, &plan);
        let derived =
            derivation(ready, entry[0], until, &mut |code, roots| simplified(code, roots, &plan));
        match derived {
            Ok((code, roots)) => watched.text = Some(trimmed(&code, &roots).0.print()),
            Err(fault) => return query.fail(*fault),
        }
    }
    if stage == Some("ir") {
        watched.text = Some(trimmed(&code, &roots).0.print());
    }
    let mut plan = asked.plan(&call.settings);
    if plan.stop_after == Some(SPECIALISE.name) || plan.stop_after == Some(LOWER.name) {
        return Ok(watched);
    }
    let mut observe = |seen: Seen<'_>| watched.see(seen, stage);
    plan.observe = Some(&mut observe);
    match resolve(code, &mut roots, &mut plan) {
        Ok(code) => watched.code = Some((code, roots)),
        Err(fault) => return query.fail(*fault),
    }
    Ok(watched)
}

/// Reports the rules that a text breaks.
fn broken(query: &mut Query<'_>, file: &Path, code: &pullback_ir::Program) -> Result<(), Stop> {
    let Err(breaches) = pullback_ir::verify(code, pullback_ir::Stage::default()) else {
        return Ok(());
    };
    let title = format!("`{}` breaks the rules of code", file.display());
    let mut diagnostic = Diagnostic::error("E0191", Span::NONE, title, "");
    for breach in &breaches {
        diagnostic = diagnostic.note(breach.to_string());
    }
    query.fail(diagnostic.hint("start from the printed text of a stage and change a part of it"))
}

/// The function of a name, or of a name with its number.
fn function(
    query: &mut Query<'_>,
    code: &pullback_ir::Program,
    name: &str,
) -> Result<FuncId, Stop> {
    let wanted = name.trim_start_matches('@');
    let numbered: Vec<String> = code
        .funcs
        .iter_enumerated()
        .map(|(id, func)| format!("{}.{}", func.name, pullback_base::Id::index(id)))
        .collect();
    let mut named = code.funcs.iter_enumerated().zip(&numbered).filter(|((_, func), numbered)| {
        func.name.as_str() == wanted || numbered.as_str() == wanted
    });
    match (named.next(), named.next()) {
        (Some(((id, _), _)), None) => Ok(id),
        (Some(_), Some(_)) => {
            let title = format!("there are several functions `{name}`");
            let hint = did_you_mean("function", "", numbered.iter().map(String::as_str));
            query.fail(Diagnostic::error("E0809", Span::NONE, title, "").hint(hint))
        }
        (None, _) => {
            let title = format!("there is no function `{name}`");
            let hint = did_you_mean("function", wanted, numbered.iter().map(String::as_str));
            query.fail(Diagnostic::error("E0809", Span::NONE, title, "").hint(hint))
        }
    }
}

fn times(works: &[Work]) -> String {
    let head = ["pass", "runs", "time", "size"].map(str::to_owned).to_vec();
    let rows = works.iter().map(|work| {
        vec![
            work.pass.to_owned(),
            work.runs.to_string(),
            milliseconds(work.time),
            work.size.to_string(),
        ]
    });
    aligned(std::iter::once(head).chain(rows).collect())
}

/// What the entry costs at its arguments, alone and with its gradient if it gives a Real.
fn counts(query: &mut Query<'_>, call: &Call, asked: &Dev) -> Result<String, Stop> {
    let last = asked.stop_after.as_deref().map_or("opt", stage_after);
    if last != "ad" && last != "opt" {
        return stops_before(query);
    }
    let settings = Settings { engine: Some("ir".to_owned()), ..call.settings.clone() };
    let engine = Engine::resolve(query, &settings)?;
    let call = Call { settings, ..call.clone() };
    let derivative = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
    let prepared = match prepare(query, &call, &engine, &derivative) {
        Ok(prepared) => Ok((prepared, true)),
        // Nothing to differentiate with respect to.
        Err(Stop) => match query.diagnostics.pop_if(|last| last.code == "E0811") {
            Some(_) => {
                prepare(query, &call, &engine, &Purpose::Value).map(|prepared| (prepared, false))
            }
            None => Err(Stop),
        },
    };
    let (prepared, can_move) = prepared?;
    let mut columns = vec![("value", Mode::Value)];
    if can_move && matches!(prepared.result.kind(), TypeKind::Real) {
        columns.push(("gradient", Mode::Vjp(Value::Real(1.0))));
    }
    let mut head = vec![String::new()];
    let mut all = vec![];
    for (name, mode) in columns {
        head.push(name.to_owned());
        let (program, argument) = (prepared.code.program(), prepared.argument.clone());
        let mut plan = asked.plan(&call.settings);
        let options = engine.options();
        match counted(program, prepared.function, argument, &mode, options, &mut plan) {
            Ok((_, counts)) => all.push(counts),
            Err(fault) => return query.fail(*fault),
        }
    }
    Ok(account(head, &all))
}

/// How many statements each function has in the end, where none is named to be run.
fn statements(watched: &Watched) -> String {
    let mut rows = vec![vec!["function".to_owned(), "statements".to_owned()]];
    if let Some((code, roots)) = &watched.code {
        let funcs = trimmed(code, roots).0.funcs;
        rows.extend(
            funcs.iter().map(|func| vec![func.name.to_string(), func.body.size().to_string()]),
        );
    }
    aligned(rows)
}

fn stops_before<T>(query: &mut Query<'_>) -> Result<T, Stop> {
    let title = "there is nothing to count before derivatives are made";
    let diagnostic = Diagnostic::error("E0819", Span::NONE, title, "")
        .hint("stop after `transpose` or a later pass, or leave out `--count`");
    query.fail(diagnostic)
}

/// What a function of a text costs at its arguments.
fn counts_of_code(query: &mut Query<'_>, call: &Call, watched: &Watched) -> Result<String, Stop> {
    let Some((code, root)) = watched.code.as_ref().map(|(code, roots)| (code, roots[0])) else {
        return stops_before(query);
    };
    let arguments = arguments_of_code(query, call, code, &code.funcs[root])?;
    let settings = Settings { engine: Some("ir".to_owned()), ..call.settings.clone() };
    let limits = Engine::resolve(query, &settings)?.limits();
    let limits = Limits { tell: |_| {}, progress: None, ..limits };
    match pullback_ir::eval::evaluate(code, root, arguments, limits) {
        Ok((_, counts)) => Ok(account(vec![String::new(), "value".to_owned()], &[counts])),
        Err(fault) => query.fail(*fault),
    }
}

/// The arguments of a call, for a function of the IR.
fn arguments_of_code(
    query: &mut Query<'_>,
    call: &Call,
    code: &pullback_ir::Program,
    func: &Func,
) -> Result<Vec<pullback_ir::eval::Value>, Stop> {
    let exprs = expressions(query, "argument", &call.args)?;
    let (count, needed) = (exprs.len(), func.params.len());
    if count != needed {
        let id = if count > needed { "E0808" } else { "E0827" };
        let title =
            format!("`{}` takes another number of arguments: {needed}, not {count}", func.name);
        let diagnostic = Diagnostic::error(id, Span::NONE, title, "").hint(
            "give an argument for each parameter: a number, a truth value, or an array of them",
        );
        return query.fail(diagnostic);
    }
    let mut values = vec![];
    for (expr, param) in exprs.iter().zip(&func.params) {
        let Var { name, ty, .. } = &code.vars[*param];
        match literal::value(expr, *ty) {
            Some(value) => values.push(value),
            None => {
                let title =
                    format!("this is no value for the parameter `{name}` of `{}`", func.name);
                let label = format!("this must be of the type `{}`", code.print_type(*ty));
                let diagnostic = Diagnostic::error("E0804", expr.span, title, label)
                    .note("code takes numbers, truth values, and arrays of them with rows of one size")
                    .hint("for other types add a function to the text that makes the value and calls this one");
                return query.fail(diagnostic);
            }
        }
    }
    Ok(values)
}

/// The account of runs, side by side.
fn account(head: Vec<String>, counts: &[Counts]) -> String {
    type Entry = (&'static str, fn(&Counts) -> u64);
    const ENTRIES: [Entry; 6] = [
        ("operations", |counts| counts.operations),
        ("weight", |counts| counts.weight()),
        ("bytes", |counts| counts.allocated),
        ("peak", |counts| counts.peak),
        ("copied", |counts| counts.copied),
        ("steps", |counts| counts.steps),
    ];
    let rows = ENTRIES.iter().map(|(name, of)| {
        let numbers = counts.iter().map(|counts| of(counts).to_string());
        std::iter::once((*name).to_owned()).chain(numbers).collect()
    });
    aligned(std::iter::once(head).chain(rows).collect())
}
