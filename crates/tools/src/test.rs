//! `pullback test`: the expectations of a file, on every engine.
//!
//! Input: the path of a file. Output: a [`TestReport`] with how many lines hold and what is wrong with
//! the others. Mistakes in the file itself are reported to the query.

use std::collections::BTreeMap;
use std::path::Path;

use pullback_base::{Diagnostic, Span};
use pullback_data::output::to_text;
use pullback_engines::{ENGINES, EngineInfo, How, engine_named};
use pullback_eval::Value;
use pullback_lambda::{DefId, Program};
use pullback_session::engine::{Code, Engine};
use pullback_session::expect::{Expectation, ExpectationKind, Failure, NO_COMPARISON, Reason};
use pullback_session::expected::{check_type, infer_with_expectations, load_with_expectations};
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::watch::Lines;
use pullback_session::{Query, Settings, Stop, Variant, knossos, tiers};
use pullback_types::tir::GlobalId;

use crate::compare::agree;

/// What testing a file found.
#[derive(Debug, Default)]
pub struct TestReport {
    /// How many lines of expectation hold on every engine that takes them.
    pub passed: usize,
    /// How many none of the engines covers.
    pub not_covered: usize,
    /// What is wrong with the others.
    pub failed: Vec<Failure>,
    /// The engines that gave up after the steps that tests give them, and on how many lines.
    pub too_long: BTreeMap<String, usize>,
}

/// How many steps (calls and iterations of loops) a line of expectation is given on an engine that
/// transforms programs, if nothing else is wished: a file of tests takes seconds on all engines. The first engine goes
/// on as native code, and `dual` is given as much as that one is before.
pub const STEPS: u64 = 500_000;

/// Tests a file.
pub fn test(query: &mut Query<'_>, path: &Path, settings: &Settings) -> Result<TestReport, Stop> {
    test_lines(query, path, settings, &|_| true)
}

/// Tests the expectations of a file that begin in the lines that are wanted, which count from 1.
pub fn test_lines(
    query: &mut Query<'_>,
    path: &Path,
    settings: &Settings,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Result<TestReport, Stop> {
    if knossos::is_program(path) {
        return knossos_test(query, path, settings);
    }
    let (modules, mut lines) = load_with_expectations(query, path)?;
    lines.retain(|line| {
        matches!(line.kind, ExpectationKind::Engines(_))
            || is_wanted(query.sources.line_col(line.span).line)
    });
    let (inferred, ids) = infer_with_expectations(query, &modules, &lines);
    query.stop_on_errors()?;
    let engines = engines(query, &lines, settings)?;
    let mut report = TestReport::default();
    for line in &lines {
        if let ExpectationKind::Type(name, text) = &line.kind {
            let failure = check_type(&inferred, line.span, name, text);
            report.passed += usize::from(failure.is_none());
            report.failed.extend(failure);
        }
    }
    let (evaluated, roots): (Vec<&Expectation>, Vec<GlobalId>) =
        lines.iter().zip(&ids).filter_map(|(line, id)| Some((line, (*id)?))).unzip();
    let (program, defs) = inferred.program(query, &roots)?;
    let code = Code::new(program);
    let batches: Vec<_> = engines.iter().map(|engine| engine.batch(&code, &defs)).collect();
    let watched = settings.warn_kinks.then(|| Lines::new(&code));
    let count = defs.len() as u64;
    for (done, (line, def)) in (0..).zip(evaluated.into_iter().zip(defs)) {
        (query.progress)("lines", done, count);
        let checked = engines.iter().zip(&batches).map(|(engine, batch)| {
            // Every evaluation has the time limit to itself.
            let engine = engine.afresh(&query.clock);
            let value = match batch {
                Some(batch) => batch.value(def, engine.options()),
                None => engine.value(&code, def),
            };
            (engine.answered(), check_line(code.program(), def, line, value))
        });
        report.add(line.span, checked.collect());
        if let (Some(watched), Some(engine)) = (&watched, engines.first()) {
            watched.look(engine, def);
        }
    }
    query.diagnostics.extend(watched.iter().flat_map(Lines::kinks));
    if settings.verbose {
        query.notes.extend(engines.iter().find_map(Engine::tally));
    }
    report.failed.sort_by_key(|failure| failure.span);
    Ok(report)
}

/// Tests a program of Knossos: what `main` prints behind `TESTS FOLLOW`, on every engine.
fn knossos_test(
    query: &mut Query<'_>,
    path: &Path,
    settings: &Settings,
) -> Result<TestReport, Stop> {
    let modules = load(query, path)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let mut report = TestReport::default();
    let Some(translation) = &modules.main().knossos else { return Ok(report) };
    let (Some(output), Some(span)) = (&translation.output, translation.main) else {
        return Ok(report);
    };
    let id = inferred.entry(query, output)?;
    let (program, defs) = inferred.program(query, &[id])?;
    let code = Code::new(program);
    let quiet = Settings { tell: None, ..settings.clone() };
    let mut lines: BTreeMap<(usize, String), Vec<(&str, Found)>> = BTreeMap::new();
    for engine in engines(query, &[], &quiet)? {
        let engine = engine.afresh(&query.clock);
        let printed = engine.value(&code, defs[0]);
        for (line, found) in printed_tests(printed) {
            lines.entry(line).or_default().push((engine.answered(), found));
        }
    }
    lines.into_values().for_each(|checked| report.add(span, checked));
    Ok(report)
}

/// The tests in what was printed, by their place and name.
fn printed_tests(printed: Result<Value, Box<Diagnostic>>) -> Vec<((usize, String), Found)> {
    let whole = |found| vec![((0, String::new()), found)];
    let value = match printed {
        Ok(value) => value,
        Err(fault) if fault.code == "E0719" => return whole(Found::TooLong),
        Err(fault) if fault.code == "E0717" => return whole(Found::NotCovered),
        Err(fault) => return whole(Found::Fails(Reason::Failed(fault))),
    };
    let Some(text) = value.as_str() else { return vec![] };
    let lines: Vec<&str> =
        text.lines().skip_while(|line| *line != "TESTS FOLLOW").skip(1).collect();
    let tests = lines.chunks(3).enumerate().map(|(at, group)| match group {
        ["----", name, "1"] => ((at, (*name).to_owned()), Found::Holds),
        ["----", name, "0"] => {
            let reason = Reason::Other(format!("the test `{name}` printed 0"));
            ((at, (*name).to_owned()), Found::Fails(reason))
        }
        [first, ..] => {
            let reason = format!(
                "behind `TESTS FOLLOW` come groups of three lines, `----`, a name, and 0 or 1, not `{first}`"
            );
            ((at, String::new()), Found::Fails(Reason::Other(reason)))
        }
        [] => ((at, String::new()), Found::Holds),
    });
    tests.collect()
}

fn engines(
    query: &mut Query<'_>,
    lines: &[Expectation],
    settings: &Settings,
) -> Result<Vec<Engine>, Stop> {
    let registry = query.registry;
    let is_there = |engine: &&EngineInfo| registry.named(engine.name).is_some();
    let tested = ENGINES.iter().filter(|engine| !engine.needs_compiler()).filter(is_there);
    let mut names: Vec<String> = tested.map(|engine| engine.name.to_owned()).collect();
    names.retain(|name| is_taken(lines, name));
    if settings.engine.is_some() || settings.max_tape.is_some() {
        let engine = Engine::resolve(query, settings)?;
        let wanted = settings.engine.as_deref().unwrap_or_else(|| engine.name());
        let engine = if let Some(steps) = settings.steps { engine.within(steps) } else { engine };
        return Ok(if is_taken(lines, wanted) { vec![engine] } else { vec![] });
    }
    let steps = settings.steps.unwrap_or(STEPS);
    let of_runs = settings.steps.unwrap_or(tiers::STEPS);
    let mut engines = Vec::new();
    for name in names {
        if name == ENGINES[0].name {
            engines.push(Engine::with_tiers(query, settings)?);
            continue;
        }
        // All engines tell the same, which is heard once.
        let tell = if engines.is_empty() { settings.tell } else { None };
        let plain = Settings { engine: Some(name), tell, ..settings.clone() };
        let engine = Engine::resolve(query, &plain)?;
        let steps = if matches!(engine.how(), How::Runtime(_)) { of_runs } else { steps };
        let engine = engine.within(steps);
        // What is erased is checked by the tags of the engine itself.
        let fused = engine.has(Variant::Fused).then_some(Variant::Fused);
        engines.push(engine);
        if fused.is_some() {
            let plain = Settings { variant: fused, tell: None, ..plain };
            engines.push(Engine::resolve(query, &plain)?.within(steps));
        }
    }
    Ok(engines)
}

/// Whether a file takes an engine: all, unless it lists some. What `ir` runs is run natively too.
fn is_taken(lines: &[Expectation], name: &str) -> bool {
    let is_native = engine_named(name).is_some_and(EngineInfo::needs_compiler);
    lines.iter().all(|line| match &line.kind {
        ExpectationKind::Engines(listed) => {
            listed.iter().any(|other| other == name || (is_native && other == "ir"))
        }
        ExpectationKind::Equal(..)
        | ExpectationKind::Close(..)
        | ExpectationKind::Fails(..)
        | ExpectationKind::Type(..) => true,
    })
}

/// What an engine makes of a line.
enum Found {
    Holds,
    NotCovered,
    TooLong,
    Fails(Reason),
}

/// What the value of a line comes to.
fn check_line(
    program: &Program,
    def: DefId,
    line: &Expectation,
    value: Result<Value, Box<Diagnostic>>,
) -> Found {
    match value {
        Err(fault) if fault.code == "E0719" => Found::TooLong,
        Err(fault) if fault.code == "E0717" => Found::NotCovered,
        result => mismatch(program, def, line, result).map_or(Found::Holds, Found::Fails),
    }
}

/// Why a line does not hold, given what its evaluation came to.
fn mismatch(
    program: &Program,
    def: DefId,
    line: &Expectation,
    result: Result<Value, Box<Diagnostic>>,
) -> Option<Reason> {
    let ty = &program.defs[def].ty;
    if let ExpectationKind::Fails(_, wanted) = &line.kind {
        return match result {
            Ok(value) => Some(Reason::Succeeded(to_text(program, &value, ty))),
            Err(fault) if fault.code == wanted => None,
            Err(fault) => Some(Reason::Failed(fault)),
        };
    }
    let tolerance =
        if let ExpectationKind::Close(_, _, tolerance) = line.kind { tolerance } else { 0.0 };
    let value = match result {
        Ok(value) => value,
        Err(fault) => return Some(Reason::Failed(fault)),
    };
    let Some([left, right]) = value.as_tuple() else {
        return Some(Reason::Other("the two sides did not come as a pair".to_owned()));
    };
    let shown = |side: &Value, index| {
        ty.component(index).map_or_else(String::new, |ty| to_text(program, side, ty))
    };
    match agree(left, right, tolerance) {
        Some(true) => None,
        Some(false) => Some(Reason::Differs { found: shown(left, 0), expected: shown(right, 1) }),
        None => Some(Reason::Other(NO_COMPARISON.to_owned())),
    }
}

impl TestReport {
    /// Adds what the engines made of a line.
    fn add(&mut self, span: Span, checked: Vec<(&str, Found)>) {
        let (count, mut holds) = (checked.len(), false);
        let mut failures: Vec<Failure> = Vec::new();
        for (engine, found) in checked {
            let engine = engine.to_owned();
            match found {
                Found::Holds => holds = true,
                Found::NotCovered => {}
                Found::TooLong => *self.too_long.entry(engine).or_default() += 1,
                Found::Fails(reason) => {
                    match failures.iter_mut().find(|failure| failure.reason == reason) {
                        Some(same) => same.engines.push(engine),
                        None => failures.push(Failure { span, engines: vec![engine], reason }),
                    }
                }
            }
        }
        if let [only] = failures.as_mut_slice()
            && only.engines.len() == count
        {
            only.engines.clear();
        }
        match (holds, failures.is_empty()) {
            (true, true) => self.passed += 1,
            (false, true) => self.not_covered += 1,
            (_, false) => self.failed.extend(failures),
        }
    }
    /// How many lines fail on some engine.
    pub fn failed_lines(&self) -> usize {
        let mut spans: Vec<Span> = self.failed.iter().map(|failure| failure.span).collect();
        spans.dedup();
        spans.len()
    }
}
