//! `pullback check-grad`: whether the derivative of an entry is right at a point, by checks that know
//! no derivative rule.
//!
//! Input: a [`Call`]. Output: a [`GradReport`]. In random directions v and weights u:
//! dot product, `⟨u, J v⟩ = ⟨Jᵀ u, v⟩` (the two modes against each other);
//! Taylor, `f (x + h v) - f x - h J v = O(h²)` (the derivative against values only);
//! complex step, `J v = Im f (x + i h v) / h`, where the program is analytic.
//! A failure is traced to its place: a tie or an edge of a domain that the run meets, or the first
//! custom rule without which the checks hold.

mod neighbour;
mod noise;
mod outcome;

use crate::rules::{rules, without_rules};
use neighbour::Neighbour;
use noise::{Noise, jittered, multiple, short_step};
use outcome::{Outcome, STEPS, Verdict, complex_step, dot_product, size, taylor};
use pullback_base::{Diagnostic, SourceMap, Span};
use pullback_compile::{Answer, Mode};
use pullback_data::output::real_text;
use pullback_data::shape::{leaves, moved, tangent_like};
use pullback_eval::Value;
use pullback_oracle::ErrorKind;
use pullback_session::call::{Prepared, Purpose, prepare};
use pullback_session::engine::{Code, Engine};
use pullback_session::parts::{components, whole};
use pullback_session::watch::{Run, first_nan, watch};
use pullback_session::{Call, Progress, Query, Settings, Stop};

/// How many random directions are tried.
const DIRECTIONS: usize = 4;
/// The complex step runs on a slow evaluator: it is not tried for more Reals than this.
const MOST_REALS: usize = 100_000;
/// Why the complex step is not tried where the program has much to do.
const TOO_LONG: &str = "the program runs too long for it";
/// How many Reals of a direction are shown for each parameter.
const SHOWN: usize = 4;

/// What the checks found.
pub struct GradReport {
    /// One line a check.
    pub lines: Vec<String>,
    /// Whether all hold.
    pub passed: bool,
}

/// A check that does not hold.
struct Failure {
    /// The check and its numbers.
    words: String,
    /// The direction.
    direction: String,
}

/// Checks the derivative with respect to the parameters named, or all.
pub fn check_grad(query: &mut Query<'_>, call: &Call, wrt: &[String]) -> Result<GradReport, Stop> {
    // The function is run at many points, of which nobody wants to hear.
    let settings = Settings { tell: None, ..call.settings.clone() };
    let engine = Engine::with_tiers(query, &settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: false, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    let mut point = Point::new(&prepared);
    let mut lines = Vec::new();
    let mode = Mode::Jvp(Point::new(&prepared).direction());
    let run = point.run_of(&engine, &mode);
    let kinks_only = Settings { trace_nan: false, ..call.settings.clone() };
    watch(query, &kinks_only, &run, true);
    let found = point.checks(&engine, (&query.sources, query.progress), &mut lines);
    if settings.verbose {
        query.notes.extend(engine.tally());
    }
    let failure = match found {
        Ok(failure) => failure,
        Err(fault) => return query.fail(*fault),
    };
    let Some(failure) = failure else { return Ok(GradReport { lines, passed: true }) };
    let nan = first_nan(&point.run_of(&engine, &mode));
    let diagnostic = point.explain(&engine, &query.sources, &failure, (prepared.entry, nan));
    query.diagnostics.push(diagnostic);
    Ok(GradReport { lines, passed: false })
}

/// What all checks found, as a line.
fn summary(held: usize, failed: usize, not_tried: usize) -> String {
    let counts = [(held, "hold"), (failed, "FAIL"), (not_tried, "not tried")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let checks = held + failed + not_tried;
    format!("{checks} checks in {DIRECTIONS} directions: {}", counts.join(", "))
}

/// A function at an argument.
struct Point<'p> {
    prepared: &'p Prepared,
    random: Random,
    /// Where the complex evaluation gave up, if it did: it would in each direction.
    too_long: Option<Span>,
}

impl<'p> Point<'p> {
    fn new(prepared: &'p Prepared) -> Self {
        Self { prepared, random: Random(0x005e_ed0f_9d11), too_long: None }
    }

    /// All checks; the first that fails is returned, and every one has a line.
    fn checks(
        &mut self,
        engine: &Engine,
        (sources, progress): (&SourceMap, Progress<'_>),
        lines: &mut Vec<String>,
    ) -> Result<Option<Failure>, Box<Diagnostic>> {
        let code = &self.prepared.code;
        let y = self.run(engine, code, &Mode::Value)?.value;
        if leaves(&y).is_empty() {
            lines.push("the result holds no Reals: there is no derivative to check".to_owned());
            return Ok(None);
        }
        if leaves(&y).iter().any(|x| x.is_nan()) {
            let words = "the value is NaN here, and so is every derivative".to_owned();
            lines.push(words.clone());
            return Ok(Some(Failure { words, direction: String::new() }));
        }
        let mut first = None;
        let (mut held, mut failed, mut not_tried) = (Vec::new(), 0, 0);
        for direction in 1..=DIRECTIONS {
            progress("directions", direction as u64 - 1, DIRECTIONS as u64);
            let x_dot = self.direction();
            for outcome in self.along(engine, code, &y, &x_dot)? {
                let mut line = format!("direction {direction}: {}", outcome.line());
                if !outcome.place.is_none() {
                    let at = sources.line_col(outcome.place);
                    let file = sources.name(outcome.place.file);
                    line.push_str(&format!(", at {file}:{}:{}", at.line, at.column));
                }
                lines.push(line);
                match outcome.verdict {
                    Verdict::Holds => held.push(outcome.check),
                    Verdict::Fails => failed += 1,
                    Verdict::NotTried => not_tried += 1,
                }
                if outcome.verdict == Verdict::Fails && first.is_none() {
                    let Outcome { check, detail, .. } = outcome;
                    first = Some(Failure {
                        words: format!(
                            "the derivative fails the {check} check in direction {direction}: {detail}"
                        ),
                        direction: format!("direction {direction} is {}", self.named(&x_dot)),
                    });
                }
            }
        }
        let summary = summary(held.len(), failed, not_tried);
        if first.is_none() && held.is_empty() {
            lines.push(summary);
            let words = "nothing can be checked here".to_owned();
            return Ok(Some(Failure { words, direction: String::new() }));
        }
        if first.is_none() && held.iter().all(|check| *check == "dot product") {
            let note = "the modes agree with each other, but nothing else could be compared here";
            lines.push(note.to_owned());
        }
        lines.push(summary);
        Ok(first)
    }

    /// The checks in one direction.
    fn along(
        &mut self,
        engine: &Engine,
        code: &Code,
        y: &Value,
        x_dot: &Value,
    ) -> Result<[Outcome; 3], Box<Diagnostic>> {
        let y_bar = tangent_like(y, &mut |_| self.random.next());
        let y_dot = leaves(&self.run(engine, code, &Mode::Jvp(x_dot.clone()))?.with_derivative().1);
        let x_bar = leaves(&self.run(engine, code, &Mode::Vjp(y_bar.clone()))?.with_derivative().1);
        let neighbours: Vec<Neighbour> = STEPS
            .filter_map(|k| {
                let step = 2f64.powi(-2 * k);
                let argument = moved(&self.prepared.argument, x_dot, step);
                // A program that stops next to the point has no value there.
                let there = self.run_at(engine, code, &Mode::Value, argument).ok()?.value;
                Some(Neighbour { step, value: leaves(&there) })
            })
            .collect();
        let along = Along { y: leaves(y), y_bar, y_dot, x_bar, x_dot, neighbours };
        let outcomes = self.outcomes(&along, &Noise::none());
        if outcomes.iter().all(|outcome| outcome.verdict != Verdict::Fails) {
            return Ok(outcomes);
        }
        // What looks wrong may be what rounding leaves of terms that cancel: how much that is shows where the
        // direction and the weights change by rounding alone.
        let noise = self.noise(engine, code, &along)?;
        Ok(self.outcomes(&along, &noise))
    }

    /// The checks on what was computed in one direction.
    fn outcomes(&mut self, along: &Along<'_>, noise: &Noise) -> [Outcome; 3] {
        let Along { y, y_bar, y_dot, x_bar, x_dot, neighbours } = along;
        let x_dot = leaves(x_dot);
        [
            dot_product(&leaves(y_bar), y_dot, x_bar, &x_dot, noise.products),
            taylor(y, y_dot, neighbours, noise),
            self.complex_step(&x_dot, y_dot, size(y, neighbours), &noise.y_dot),
        ]
    }

    /// How much rounding changes the derivatives: the spread of what both modes, and the complex step, give for
    /// multiples of the direction and the weights.
    fn noise(
        &mut self,
        engine: &Engine,
        code: &Code,
        along: &Along<'_>,
    ) -> Result<Noise, Box<Diagnostic>> {
        let mut noise = Noise::of(&along.y_dot);
        let weights = leaves(&along.y_bar);
        noise.add_products(&weights, &along.y_dot, &along.x_bar, &leaves(along.x_dot), 1.0);
        // The directions of the checks do not depend on what is asked beside them.
        let mut random = Random(!self.random.0);
        for _ in 0..noise::REPEATS {
            let (by, weight_by) = (multiple(random.next()), multiple(random.next()));
            let x_dot = tangent_like(along.x_dot, &mut |x| jittered(by * x, random.next()));
            let y_bar = tangent_like(&along.y_bar, &mut |x| jittered(weight_by * x, random.next()));
            let y_dot = self.run(engine, code, &Mode::Jvp(x_dot.clone()))?.with_derivative().1;
            let x_bar = self.run(engine, code, &Mode::Vjp(y_bar.clone()))?.with_derivative().1;
            let (y_dot, x_bar, x_dot) = (leaves(&y_dot), leaves(&x_bar), leaves(&x_dot));
            noise.add_products(&leaves(&y_bar), &y_dot, &x_bar, &x_dot, by * weight_by);
            noise.add(&y_dot, by);
            if let Some(Ok(found)) = self.by_complex_step(&x_dot) {
                noise.add_other(&found, by);
            }
            for step in [short_step(random.next()), short_step(random.next())] {
                let argument = moved(&self.prepared.argument, along.x_dot, step);
                if let Ok(there) = self.run_at(engine, code, &Mode::Value, argument) {
                    noise.add_value(&along.y, Neighbour { step, value: leaves(&there.value) });
                }
            }
        }
        Ok(noise)
    }

    /// A random tangent of the parameters differentiated, to the scale of each Real; zero for the
    /// other parameters.
    fn direction(&mut self) -> Value {
        let parts = components(&self.prepared.argument, self.prepared.parts.len());
        let mut tangents: Vec<Value> = Vec::new();
        for (value, part) in parts.iter().zip(&self.prepared.parts) {
            let wrt = part.wrt;
            tangents.push(tangent_like(value, &mut |x| {
                let scale = if x == 0.0 || !x.is_finite() { 1.0 } else { x.abs() };
                if wrt { self.random.next() * scale } else { 0.0 }
            }));
        }
        whole(tangents)
    }

    /// A direction in words.
    fn named(&self, x_dot: &Value) -> String {
        let parts = components(x_dot, self.prepared.parts.len());
        let named = parts.iter().zip(&self.prepared.parts).filter(|(_, part)| part.wrt);
        let named: Vec<String> = named
            .map(|(value, part)| {
                let reals = leaves(value);
                let mut shown: Vec<String> =
                    reals.iter().take(SHOWN).map(|x| real_text(*x)).collect();
                if reals.len() > SHOWN {
                    shown.push(format!("… ({} Reals)", reals.len()));
                }
                format!("{} = {}", part.name, shown.join(", "))
            })
            .collect();
        named.join("; ")
    }

    fn run_of<'r>(&'r self, engine: &'r Engine, mode: &'r Mode) -> Run<'r> {
        let Prepared { code, function, argument, parts, .. } = self.prepared;
        Run { engine, code, function: *function, argument, mode, parts }
    }

    fn run(&self, engine: &Engine, code: &Code, mode: &Mode) -> Result<Answer, Box<Diagnostic>> {
        self.run_at(engine, code, mode, self.prepared.argument.clone())
    }

    fn run_at(
        &self,
        engine: &Engine,
        code: &Code,
        mode: &Mode,
        argument: Value,
    ) -> Result<Answer, Box<Diagnostic>> {
        engine.try_run(code, self.prepared.function, argument, mode)
    }

    /// The derivative as the imaginary part of a complex evaluation, if that is tried.
    fn by_complex_step(&self, x_dot: &[f64]) -> Option<Result<Vec<f64>, pullback_oracle::Error>> {
        if x_dot.len() > MOST_REALS || self.too_long.is_some() {
            return None;
        }
        let arg = pullback_oracle::of_value(&self.prepared.argument).ok()?;
        let Prepared { code, function, .. } = self.prepared;
        let found = pullback_oracle::jvp_complex_step(code.program(), *function, &[arg], x_dot);
        Some(found.map(|(_, found)| found))
    }

    /// The check of a derivative by the complex step.
    fn complex_step(&mut self, x_dot: &[f64], y_dot: &[f64], size: f64, noise: &[f64]) -> Outcome {
        const CHECK: &str = "complex step";
        let not_tried = |why: &str| Outcome::not_tried(CHECK, why);
        if x_dot.len() > MOST_REALS {
            return not_tried("there are too many Reals");
        }
        if let Some(place) = self.too_long {
            return Outcome { place, ..not_tried(TOO_LONG) };
        }
        let Some(found) = self.by_complex_step(x_dot) else {
            return not_tried("the argument has no complex form");
        };
        match found {
            Ok(found) => complex_step(y_dot, &found, size, noise),
            Err(error) => {
                let why = match error.kind {
                    ErrorKind::Limit => {
                        self.too_long = Some(error.span);
                        TOO_LONG.to_owned()
                    }
                    ErrorKind::Unsupported => {
                        format!("no complex numbers pass {}", error.what)
                    }
                    ErrorKind::Malformed
                    | ErrorKind::Index
                    | ErrorKind::Size
                    | ErrorKind::Overflow
                    | ErrorKind::DivisionByZero
                    | ErrorKind::Negative
                    | ErrorKind::NoInt
                    | ErrorKind::Message => format!("it ends in an error: {}", error.what),
                };
                Outcome { place: error.span, ..not_tried(&why) }
            }
        }
    }

    /// Says where a failure comes from.
    fn explain(
        &mut self,
        engine: &Engine,
        sources: &SourceMap,
        failure: &Failure,
        (entry, nan): (Span, Option<Diagnostic>),
    ) -> Diagnostic {
        let told = |span: Span, label: &str| {
            let told = Diagnostic::error("E0821", span, failure.words.clone(), label);
            if failure.direction.is_empty() { told } else { told.note(failure.direction.clone()) }
        };
        let code = &self.prepared.code;
        let mode = Mode::Jvp(self.direction());
        let fault = self.run(&engine.strict(), code, &mode).err();
        let is_infinite = fault.as_ref().is_some_and(|fault| fault.code == "E0721");
        if let (Some(edge), false) = (&fault, is_infinite) {
            return told(edge.span(), "the first place without a derivative")
                .note(edge.title.clone())
                .hint("at such a point the derivative follows docs/language.md's table of conventions; check next to it");
        }
        if let Some((span, label)) = self.guilty_rule(engine, sources) {
            return told(span, label)
                .hint("compare the rule with the derivative of the function it is for");
        }
        if leaves(&self.prepared.argument).iter().any(|x| x.is_nan()) {
            return told(entry, "checked here").note("the argument holds NaN");
        }
        if let Some(nan) = nan {
            return told(nan.span(), "NaN arises here").note(nan.title.clone());
        }
        if let (Some(fault), true) = (&fault, is_infinite) {
            return told(fault.span(), "the first number that is not finite")
                .note(fault.title.clone());
        }
        told(entry, "checked here").note("no single place accounts for it")
    }

    /// The first custom rule without which the checks hold. If several are wrong, the one that still
    /// has to go after all before it.
    fn guilty_rule(&self, engine: &Engine, sources: &SourceMap) -> Option<(Span, &'static str)> {
        let spans = rules(self.prepared.code.program());
        let holds = |numbers: std::ops::Range<usize>| {
            let program = without_rules(self.prepared.code.program(), numbers);
            let prepared = self.prepared.with_program(program);
            let mut point = Point::new(&prepared);
            matches!(point.checks(engine, (sources, &|_, _, _| {}), &mut Vec::new()), Ok(None))
        };
        if let Some(alone) = (0..spans.len()).find(|index| holds(*index..*index + 1)) {
            return Some((spans[alone], "this rule is wrong: without it the checks hold"));
        }
        let last = (1..spans.len()).find(|index| holds(0..*index + 1))?;
        Some((spans[last], "this rule is wrong, and so is at least one before it"))
    }
}

/// What was computed in one direction.
struct Along<'v> {
    y: Vec<f64>,
    y_bar: Value,
    y_dot: Vec<f64>,
    x_bar: Vec<f64>,
    x_dot: &'v Value,
    neighbours: Vec<Neighbour>,
}

/// A small generator of numbers between -1 and 1: the checks are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
