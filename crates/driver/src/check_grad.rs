//! `pullback check-grad`: whether the derivative of an entry is right at a point, by checks that know
//! no derivative rule.
//!
//! Input: a [`Call`]. Output: a [`GradReport`]. In random directions v and weights u:
//! dot product, `⟨u, J v⟩ = ⟨Jᵀ u, v⟩` (the two modes against each other);
//! Taylor, `f (x + h v) - f x - h J v = O(h²)` (the derivative against values only);
//! complex step, `J v = Im f (x + i h v) / h`, where the program is analytic.
//! A failure is traced to its place: a tie or an edge of a domain that the run meets, or the first
//! custom rule without which the checks hold.

use pullback_base::{Diagnostic, Span};
use pullback_engines::Mode;
use pullback_lambda::eval::Value;
use pullback_lambda::{AdOp, Expr as Term, ExprKind as TermKind, Program};

use crate::call::{Prepared, Purpose, components, prepare};
use crate::engine::{Code, Engine};
use crate::output::real_text;
use crate::request::Call;
use crate::session::{Session, Stop};
use crate::shape::{Leaves, leaves, moved, tangent_like};

/// How many random directions are tried.
const DIRECTIONS: usize = 4;
/// How closely the two modes must agree, relative to the size of what is added up.
const DOT_TOLERANCE: f64 = 1e-10;
/// How closely the complex step must agree.
const STEP_TOLERANCE: f64 = 1e-9;

/// The complex step runs on a slow evaluator: it is not tried for more Reals than this.
const MOST_REALS: usize = 100_000;

/// What the checks found.
pub struct GradReport {
    /// One line a check.
    pub lines: Vec<String>,
    /// Whether all hold.
    pub passed: bool,
}

/// A check that does not hold.
struct Failure {
    check: &'static str,
    direction: usize,
    numbers: (f64, f64),
}

/// Checks the derivative with respect to the parameters named, or all.
pub fn check_grad(
    session: &mut Session<'_>,
    call: &Call,
    wrt: &[String],
) -> Result<GradReport, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: false, direction: None };
    let prepared = prepare(session, call, &engine, &purpose)?;
    let mut point = Point::new(&prepared);
    let mut lines = Vec::new();
    let failure = match point.checks(&engine, &mut lines) {
        Ok(failure) => failure,
        Err(fault) => return session.fail(*fault),
    };
    let Some(failure) = failure else { return Ok(GradReport { lines, passed: true }) };
    let diagnostic = point.explain(&engine, &failure);
    session.diagnostics.push(diagnostic);
    Ok(GradReport { lines, passed: false })
}

/// A function at an argument.
struct Point<'p> {
    prepared: &'p Prepared,
    random: Random,
}

impl<'p> Point<'p> {
    fn new(prepared: &'p Prepared) -> Self {
        Self { prepared, random: Random(0x005e_ed0f_9d11) }
    }

    /// All checks; the first that fails is returned, and every one has a line.
    fn checks(
        &mut self,
        engine: &Engine,
        lines: &mut Vec<String>,
    ) -> Result<Option<Failure>, Box<Diagnostic>> {
        let program = &self.prepared.program;
        let code = Code::new(program);
        let mut first = None;
        let mut analytic = None;
        for direction in 0..DIRECTIONS {
            let x_dot = self.direction();
            let y = self.run(engine, &code, &Mode::Value)?.0;
            let y_bar = tangent_like(&y, &mut |_| self.random.next());
            let y_dot = self.run(engine, &code, &Mode::Jvp(x_dot.clone()))?.1;
            let x_bar = self.run(engine, &code, &Mode::Vjp(y_bar.clone()))?.1;
            let along = Along { x_dot: &x_dot, y: &y, y_dot: &y_dot };
            let found = [dot_product(&y_bar, &along, &x_bar), self.taylor(engine, &code, &along)?];
            let step = self.complex_step(&along);
            analytic = Some(step.is_ok());
            for outcome in found.into_iter().chain(step.ok()) {
                lines.push(format!("direction {}: {}", direction + 1, outcome.line()));
                if !outcome.holds && first.is_none() {
                    let Outcome { check, numbers, .. } = outcome;
                    first = Some(Failure { check, direction: direction + 1, numbers });
                }
            }
        }
        if analytic == Some(false) {
            lines
                .push("complex step: not tried, the program is not analytic throughout".to_owned());
        }
        Ok(first)
    }

    /// A random tangent of the parameters differentiated; zero for the others.
    fn direction(&mut self) -> Value {
        let parts = components(Some(&self.prepared.argument), self.prepared.parts.len());
        let mut tangents: Vec<Value> = Vec::new();
        for (value, part) in parts.iter().zip(&self.prepared.parts) {
            let wrt = part.wrt;
            tangents.push(tangent_like(value, &mut |_| if wrt { self.random.next() } else { 0.0 }));
        }
        if tangents.len() == 1 { tangents.remove(0) } else { Value::tuple(tangents) }
    }

    fn run(
        &self,
        engine: &Engine,
        code: &Code<'_>,
        mode: &Mode,
    ) -> Result<(Value, Value), Box<Diagnostic>> {
        self.run_at(engine, code, mode, self.prepared.argument.clone())
    }

    fn run_at(
        &self,
        engine: &Engine,
        code: &Code<'_>,
        mode: &Mode,
        argument: Value,
    ) -> Result<(Value, Value), Box<Diagnostic>> {
        let answer = engine.try_run(code, self.prepared.function, argument, mode)?;
        Ok((answer.value, answer.derivative.unwrap_or(Value::Unit)))
    }

    /// The remainder of the linear approximation must shrink with the square of the step until
    /// rounding hides it: the steepest slope of three steps in a row is taken.
    fn taylor(
        &self,
        engine: &Engine,
        code: &Code<'_>,
        along: &Along<'_>,
    ) -> Result<Outcome, Box<Diagnostic>> {
        let (y, y_dot) = (leaves(along.y), leaves(along.y_dot));
        let size = norm(&leaves(&self.prepared.argument)).max(1.0)
            / norm(&leaves(along.x_dot)).max(1e-300);
        let mut remainders = Vec::new();
        let mut floor: f64 = 0.0;
        for k in 3..22 {
            let h = size * 2f64.powi(-2 * k);
            let argument = moved(&self.prepared.argument, along.x_dot, h);
            let there = leaves(&self.run_at(engine, code, &Mode::Value, argument)?.0);
            if there.len() != y.len() {
                continue;
            }
            let rest: Vec<f64> = (0..y.len()).map(|i| there[i] - y[i] - h * y_dot[i]).collect();
            floor = 1e-14 * (norm(&y) + norm(&there) + h * norm(&y_dot)) * (y.len() as f64).sqrt();
            remainders.push((h, norm(&rest)));
        }
        let big = |r: f64| r > 30.0 * floor;
        // The slope is read off where the remainder stands clear of rounding.
        let clear: Vec<&(f64, f64)> = remainders.iter().take_while(|(_, r)| big(*r)).collect();
        let Some(last) = clear.last() else {
            return Ok(Outcome {
                check: "Taylor",
                numbers: (2.0, 2.0),
                holds: true,
                detail: "exact to rounding".to_owned(),
            });
        };
        let from = clear.len().saturating_sub(4);
        let first = clear[from];
        let slope = if clear.len() < 2 {
            2.0
        } else {
            (first.1 / last.1).log2() / (first.0 / last.0).log2()
        };
        let holds = slope >= 1.5;
        Ok(Outcome {
            check: "Taylor",
            numbers: (slope, 2.0),
            holds,
            detail: format!("the remainder shrinks like h^{slope:.2}"),
        })
    }

    /// The derivative as the imaginary part of a complex evaluation.
    fn complex_step(&self, along: &Along<'_>) -> Result<Outcome, ()> {
        let direction = leaves(along.x_dot);
        if direction.len() > MOST_REALS {
            return Err(());
        }
        let arg = pullback_oracle::of_value(&self.prepared.argument).map_err(drop)?;
        let (_, found) = pullback_oracle::jvp_complex_step(
            &self.prepared.program,
            self.prepared.function,
            &[arg],
            &direction,
        )
        .map_err(drop)?;
        let y_dot = leaves(along.y_dot);
        let scale = norm(&found).max(norm(&y_dot)).max(1e-300);
        let apart = y_dot.iter().zip(&found).map(|(a, b)| (a - b).abs());
        let worst = apart
            .enumerate()
            .fold((0, 0.0), |w: (usize, f64), (i, d)| if d > w.1 { (i, d) } else { w });
        let numbers = (
            y_dot.get(worst.0).copied().unwrap_or(0.0),
            found.get(worst.0).copied().unwrap_or(0.0),
        );
        let holds = worst.1 <= STEP_TOLERANCE * scale;
        let detail = format!(
            "{} by the engine, {} by the complex step",
            real_text(numbers.0),
            real_text(numbers.1)
        );
        Ok(Outcome { check: "complex step", numbers, holds, detail })
    }

    /// Says where a failure comes from.
    fn explain(&mut self, engine: &Engine, failure: &Failure) -> Diagnostic {
        let Failure { check, direction, numbers } = failure;
        let title = format!(
            "the derivative fails the {check} check in direction {direction}: {} should be {}",
            real_text(numbers.0),
            real_text(numbers.1)
        );
        let code = Code::new(&self.prepared.program);
        let x_dot = self.direction();
        let strict = engine.strict().try_run(
            &code,
            self.prepared.function,
            self.prepared.argument.clone(),
            &Mode::Jvp(x_dot),
        );
        if let Err(edge) = strict {
            return Diagnostic::error("E0821", edge.span(), title, "the first place without a derivative")
                .note(edge.title.clone())
                .hint("at such a point the derivative follows docs/language.md's table of conventions; check next to it");
        }
        if let Some(span) = self.guilty_rule(engine) {
            return Diagnostic::error(
                "E0821",
                span,
                title,
                "this rule is wrong: without it the checks hold",
            )
            .hint("compare the rule with the derivative of the function it is for");
        }
        let span = self.prepared.program.defs[self.prepared.function].span;
        Diagnostic::error("E0821", span, title, "").note("no single place accounts for it")
    }

    /// The first custom rule without which the checks hold.
    fn guilty_rule(&self, engine: &Engine) -> Option<Span> {
        let mut rules = 0;
        each_def(&self.prepared.program, &mut |term| rules += usize::from(is_rule(term)));
        for index in 0..rules {
            let (program, span) = without_rule(&self.prepared.program, index)?;
            let prepared = Prepared {
                program,
                function: self.prepared.function,
                argument: self.prepared.argument.clone(),
                result: self.prepared.result.clone(),
                parts: self.prepared.parts.clone(),
                direction: None,
            };
            let mut point = Point::new(&prepared);
            if matches!(point.checks(engine, &mut Vec::new()), Ok(None)) {
                return Some(span);
            }
        }
        None
    }
}

/// A direction at a point.
struct Along<'v> {
    x_dot: &'v Value,
    y: &'v Value,
    y_dot: &'v Value,
}

/// What a check found.
struct Outcome {
    check: &'static str,
    numbers: (f64, f64),
    holds: bool,
    detail: String,
}

impl Outcome {
    fn line(&self) -> String {
        format!("{} {}: {}", self.check, if self.holds { "holds" } else { "FAILS" }, self.detail)
    }
}

fn dot_product(y_bar: &Value, along: &Along<'_>, x_bar: &Value) -> Outcome {
    let (forward, forward_size) = dot(&leaves(y_bar), &leaves(along.y_dot));
    let (backward, backward_size) = dot(&leaves(x_bar), &leaves(along.x_dot));
    let scale = forward_size + backward_size;
    let holds = (forward - backward).abs() <= DOT_TOLERANCE * scale
        || forward == backward
        || (forward.is_nan() && backward.is_nan());
    let detail = format!("⟨u, J v⟩ = {}, ⟨Jᵀ u, v⟩ = {}", real_text(forward), real_text(backward));
    Outcome { check: "dot product", numbers: (forward, backward), holds, detail }
}

fn dot(a: &Leaves, b: &Leaves) -> (f64, f64) {
    a.iter().zip(b).fold((0.0, 0.0), |(sum, size), (x, y)| (sum + x * y, size + (x * y).abs()))
}

fn norm(items: &[f64]) -> f64 {
    items.iter().fold(0.0, |length: f64, x| length.hypot(*x))
}

/// Calls `f` on every term of the program, in order.
fn each_def(program: &Program, f: &mut impl FnMut(&Term)) {
    program.defs.iter().for_each(|def| def.body.visit(f));
}

fn is_rule(term: &Term) -> bool {
    matches!(&term.kind, TermKind::Ad(AdOp::CustomVjp | AdOp::CustomJvp, _))
}

/// The program with one application of a custom rule replaced by the function it is for.
fn without_rule(program: &Program, index: usize) -> Option<(Program, Span)> {
    let mut program = program.clone();
    let mut seen = 0;
    let mut span = None;
    for id in program.defs.ids() {
        let mut replace = |term: &mut Term| {
            if !is_rule(term) {
                return;
            }
            if seen == index
                && let TermKind::Ad(_, args) = &mut term.kind
            {
                span = Some(term.span);
                let arg = args.pop();
                let function = args.drain(..).next();
                if let (Some(function), Some(arg)) = (function, arg) {
                    term.kind = TermKind::App(Box::new(function), vec![arg]);
                }
            }
            seen += 1;
        };
        program.defs[id].body.rewrite(&mut replace);
    }
    Some((program, span?))
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
