//! Random programs: every contender against every other and against the oracle.
//!
//! For each program: the value (R3), forward mode, reverse mode, the adjoint identity between them,
//! second derivatives in three ways, and the oracle's derivatives where it has them. A disagreement is
//! shrunk to the smallest bytes that show it and reported with its program as text.

use std::collections::BTreeMap;
use std::fmt;

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, Def, DefId, Expr, Program, Type, ad_type, tangent};

use crate::contender::{Contender, Failure, Outcome};
use crate::generate::{Config, Feature, Generated, Mode, bytes_of_seed, generate, shrink};
use crate::{Data, Error, ErrorKind, eval_f64, extent, jvp_complex_step, taylor, taylor_exact};

/// Which programs to try.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// The first seed; the others follow.
    pub seed: u64,
    /// How many programs.
    pub count: u64,
    /// About how many terms a program may have.
    pub size: usize,
    /// How many disagreements to shrink and report before stopping.
    pub give_up_after: usize,
}

impl Default for Campaign {
    fn default() -> Self {
        Self { seed: 0, count: 20_000, size: 100, give_up_after: 10 }
    }
}

/// What was tried and found.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Programs tried, by mode.
    pub programs: BTreeMap<&'static str, u64>,
    /// Programs with a value.
    pub values: u64,
    /// Programs that fail at run time, everywhere alike.
    pub failures: u64,
    /// Programs that ran too long for the oracle and were passed over.
    pub unended: u64,
    /// Programs whose derivative the oracle confirmed.
    pub confirmed: u64,
    /// Programs with a derivative other than zero.
    pub moving: u64,
    /// Programs that a contender declined, by contender.
    pub refused: BTreeMap<String, u64>,
    /// Programs with a feature.
    pub features: BTreeMap<Feature, u64>,
    /// What went wrong.
    pub disagreements: Vec<Disagreement>,
}

/// A program on which not all agree.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Its seed.
    pub seed: u64,
    /// What it was made for.
    pub mode: Mode,
    /// Who says what.
    pub what: String,
    /// The smallest bytes found.
    pub bytes: Vec<u8>,
    /// The smallest program and its argument, as text.
    pub text: String,
}

/// How one program went.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    value: bool,
    failed: bool,
    unended: bool,
    confirmed: bool,
    moving: bool,
    refused: Vec<String>,
}

/// Runs a campaign.
pub fn run(campaign: &Campaign, contenders: &[Contender]) -> Statistics {
    let mut statistics = Statistics::default();
    for seed in (campaign.seed..).take(campaign.count as usize) {
        let (mode, config, bytes) = recipe(seed, campaign.size);
        let made = generate(&bytes, &config);
        *statistics.programs.entry(mode_name(mode)).or_default() += 1;
        for feature in &made.features {
            *statistics.features.entry(*feature).or_default() += 1;
        }
        match check(&made, mode, contenders) {
            Ok(verdict) => statistics.add(verdict),
            Err(_) => {
                let fails =
                    |bytes: &[u8]| check(&generate(bytes, &config), mode, contenders).is_err();
                let bytes = shrink(&bytes, 2000, fails);
                let made = generate(&bytes, &config);
                let what = check(&made, mode, contenders).err().unwrap_or_default();
                let text = format!(
                    "{}\nargument {:?}\ndirection {:?}",
                    made.program.print(),
                    made.arg,
                    made.direction
                );
                statistics.disagreements.push(Disagreement { seed, mode, what, bytes, text });
                if statistics.disagreements.len() >= campaign.give_up_after {
                    break;
                }
            }
        }
    }
    statistics
}

/// The mode, configuration and bytes of a seed.
pub fn recipe(seed: u64, size: usize) -> (Mode, Config, Vec<u8>) {
    let mode = Mode::ALL[(seed % 3) as usize];
    let config = Config { mode, size, nested_ad: seed % 6 >= 3 };
    (mode, config, bytes_of_seed(seed, 40 + (seed as usize * 37) % 600))
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Exact => "exact",
        Mode::Smooth => "smooth",
        Mode::Free => "free",
    }
}

/// The program with its derivatives as further definitions.
struct Questions {
    program: Program,
    /// `\x dx -> jvp main x dx`
    forward: DefId,
    /// `\x -> (vjp main x).1 1.0`
    reverse: DefId,
    /// `\x dx -> (jvp (\y -> (jvp main y dx).1) x dx).1`
    second: DefId,
    /// `\x dx -> (jvp (\y -> (vjp main y).1 1.0) x dx).1`
    forward_of_reverse: DefId,
    /// `\x dx -> (vjp (\y -> (jvp main y dx).1) x).1 1.0`
    reverse_of_forward: DefId,
}

fn at(expr: Expr, index: usize) -> Expr {
    Expr::proj(expr, index, Span::NONE)
}

fn questions(made: &Generated) -> Option<Questions> {
    let mut program = made.program.clone();
    let main = program.global(made.def, Span::NONE);
    let input = main.ty.as_fun()?.0.clone();
    let direction = tangent(&mut program.datas, &input)?;
    let ad = |program: &mut Program, op, args: Vec<Expr>| -> Option<Expr> {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty.clone()).collect();
        let ty = ad_type(&mut program.datas, op, &types).ok()?;
        Some(Expr::ad(op, args, ty, Span::NONE))
    };
    let one = || Expr::real(1.0, Span::NONE);
    let gradient = |program: &mut Program, function: Expr, x: Expr| {
        let pair = ad(program, AdOp::Vjp, vec![function, x])?;
        Some(Expr::app(at(pair, 1), vec![one()], Span::NONE))
    };
    let define = |program: &mut Program, params, body| {
        let body = program.lam(params, body);
        let (name, ty) = (Name::new("derivative"), body.ty.clone());
        program.defs.push(Def { name, ty, body, span: Span::NONE })
    };
    let jvp = |program: &mut Program, function: Expr, x: Expr, dx: Expr| {
        let types = [function.ty.clone(), x.ty.clone(), dx.ty.clone()];
        let ty = ad_type(&mut program.datas, AdOp::Jvp, &types).ok()?;
        Some(Expr::ad(AdOp::Jvp, vec![function, x, dx], ty, Span::NONE))
    };
    let fresh = |program: &mut Program| {
        let x = program.fresh("x", input.clone());
        let dx = program.fresh("dx", direction.clone());
        (x, dx, program.var(x, Span::NONE), program.var(dx, Span::NONE))
    };

    let (x, dx, at_x, along) = fresh(&mut program);
    let body = jvp(&mut program, main.clone(), at_x, along)?;
    let forward = define(&mut program, vec![x, dx], body);

    let (x, _, at_x, _) = fresh(&mut program);
    let body = gradient(&mut program, main.clone(), at_x)?;
    let reverse = define(&mut program, vec![x], body);

    // \y -> (jvp main y dx).1
    let slope = |program: &mut Program, along: &Expr| {
        let (y, _, at_y, _) = fresh(program);
        let body = at(jvp(program, main.clone(), at_y, along.clone())?, 1);
        Some(program.lam(vec![y], body))
    };
    let (x, dx, at_x, along) = fresh(&mut program);
    let inner = slope(&mut program, &along)?;
    let body = at(jvp(&mut program, inner, at_x, along)?, 1);
    let second = define(&mut program, vec![x, dx], body);

    let (x, dx, at_x, along) = fresh(&mut program);
    let (y, _, at_y, _) = fresh(&mut program);
    let inner = gradient(&mut program, main.clone(), at_y)?;
    let inner = program.lam(vec![y], inner);
    let body = at(jvp(&mut program, inner, at_x, along)?, 1);
    let forward_of_reverse = define(&mut program, vec![x, dx], body);

    let (x, dx, at_x, along) = fresh(&mut program);
    let inner = slope(&mut program, &along)?;
    let body = gradient(&mut program, inner, at_x)?;
    let reverse_of_forward = define(&mut program, vec![x, dx], body);
    Some(Questions { program, forward, reverse, second, forward_of_reverse, reverse_of_forward })
}

/// A direction as a tangent of the argument's shape.
fn as_tangent(arg: &Data<f64>, components: &mut impl Iterator<Item = f64>) -> Data<f64> {
    let mut all =
        |items: &[Data<f64>]| items.iter().map(|item| as_tangent(item, components)).collect();
    match arg {
        Data::Tuple(items) => Data::Tuple(all(items)),
        Data::Con(tag, items) => Data::Con(*tag, all(items)),
        Data::Array(items) => Data::Array(all(items)),
        Data::Real(_) => Data::Real(components.next().unwrap_or(0.0)),
        Data::Int(_) | Data::Bool(_) | Data::Str(_) => Data::Tuple(vec![]),
    }
}

/// What the oracle knows of value, slope and second derivative along the direction.
enum Known {
    Exactly([f64; 3]),
    Nearly([f64; 3]),
    Nothing,
}

fn known(made: &Generated, mode: Mode) -> Known {
    let args = std::slice::from_ref(&made.arg);
    let series = match taylor(&made.program, made.def, args, &made.direction, 2) {
        Ok(series) if series.len() == 1 => [series[0][0], series[0][1], 2.0 * series[0][2]],
        Ok(_) | Err(_) => return Known::Nothing,
    };
    let moderate = series.iter().all(|x| x.abs() < 1e6);
    match mode {
        Mode::Exact if moderate => {
            match taylor_exact(&made.program, made.def, args, &made.direction, 2) {
                // With more bits the engines' own intermediate numbers would round.
                Ok(exact) if exact[0].iter().all(|x| x.bits() <= 36) => {
                    let [a, b, c] = [0, 1, 2].map(|k| exact[0][k].to_f64());
                    Known::Exactly([a, b, 2.0 * c])
                }
                Ok(_) | Err(_) => Known::Nothing,
            }
        }
        Mode::Smooth if moderate => {
            match jvp_complex_step(&made.program, made.def, args, &made.direction) {
                Ok((value, slope)) => Known::Nearly([value[0], slope[0], series[2]]),
                Err(_) => Known::Nothing,
            }
        }
        Mode::Exact | Mode::Smooth | Mode::Free => Known::Nothing,
    }
}

/// Checks one program; an error says who disagrees about what.
pub fn check(made: &Generated, mode: Mode, contenders: &[Contender]) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    let args = std::slice::from_ref(&made.arg);
    let plain = eval_f64(&made.program, made.def, args);
    if matches!(&plain, Err(error) if error.kind == ErrorKind::Limit) {
        verdict.unended = true;
        return Ok(verdict);
    }
    let Some(questions) = questions(made) else {
        return Err("the derivatives of the program are no programs".to_string());
    };
    if let Err(errors) = pullback_lambda::verify(&questions.program) {
        return Err(format!("the program is malformed: {errors:?}"));
    }
    let direction = as_tangent(&made.arg, &mut made.direction.iter().copied());
    let both = [made.arg.clone(), direction];
    let mut answers: Vec<(&str, Answers)> = Vec::new();
    for contender in contenders {
        let name = contender.name.as_str();
        let value = contender.run(&questions.program, made.def, args);
        if let Err(Failure::Refused(_)) = value {
            verdict.refused.push(name.to_string());
            continue;
        }
        same_outcome(&plain, &value).map_err(|what| format!("{name}, value: {what}"))?;
        if value.is_err() {
            verdict.failed = true;
            continue;
        }
        let ask = |def, args: &[Data<f64>]| contender.run(&questions.program, def, args);
        let found = Answers {
            value,
            forward: ask(questions.forward, &both),
            reverse: ask(questions.reverse, args),
            second: ask(questions.second, &both),
            forward_of_reverse: ask(questions.forward_of_reverse, &both),
            reverse_of_forward: ask(questions.reverse_of_forward, &both),
        };
        answers.push((name, found));
    }
    verdict.value = !answers.is_empty();
    compare(made, mode, &answers, &mut verdict)?;
    Ok(verdict)
}

/// What one contender says.
struct Answers {
    value: Outcome,
    forward: Outcome,
    reverse: Outcome,
    second: Outcome,
    forward_of_reverse: Outcome,
    reverse_of_forward: Outcome,
}

impl Answers {
    fn all(&self) -> [(&'static str, &Outcome); 6] {
        [
            ("value", &self.value),
            ("forward", &self.forward),
            ("reverse", &self.reverse),
            ("second", &self.second),
            ("forward of reverse", &self.forward_of_reverse),
            ("reverse of forward", &self.reverse_of_forward),
        ]
    }

    /// Value and slope along the direction.
    fn forward(&self) -> Option<[f64; 2]> {
        let leaves = self.forward.as_ref().ok()?.leaves();
        <[f64; 2]>::try_from(leaves).ok()
    }
}

fn same_outcome(oracle: &Result<Data<f64>, Error>, found: &Outcome) -> Result<(), String> {
    match (oracle, found) {
        (Ok(a), Ok(b)) if a.agrees(b, &mut |a, b| near(a, b, 1e-12)) => Ok(()),
        (Err(error), Err(Failure::RunTime(kind))) if error.kind == *kind => Ok(()),
        // Programs that differentiate inside are beyond the oracle.
        (Err(error), Ok(_) | Err(Failure::RunTime(_))) if error.kind == ErrorKind::Unsupported => {
            Ok(())
        }
        (oracle, Ok(found)) => Err(format!("{found:?}, the oracle {oracle:?}")),
        (oracle, Err(failure)) => Err(format!("{failure}, the oracle {oracle:?}")),
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn compare(
    made: &Generated,
    mode: Mode,
    answers: &[(&str, Answers)],
    verdict: &mut Verdict,
) -> Result<(), String> {
    let known = if answers.is_empty() { Known::Nothing } else { known(made, mode) };
    for (name, answer) in answers {
        for (what, outcome) in answer.all() {
            if let Err(failure) = outcome {
                if let Failure::Refused(_) = failure {
                    verdict.refused.push(format!("{name} ({what})"));
                    continue;
                }
                return Err(format!("{name}, {what}: {failure}, though there is a value"));
            }
        }
        against_oracle(made, &known, name, answer, verdict)?;
    }
    let extent = extent(&made.program, made.def, std::slice::from_ref(&made.arg));
    let huge = mode == Mode::Free && extent > 1e6;
    // Contenders multiply and add in different orders: what is infinite or NaN for one need not be for
    // another, and huge terms that cancel leave what rounding they like.
    let tolerance = if matches!(known, Known::Exactly(_)) { 0.0 } else { 1e-8 };
    for pair in answers.windows(2) {
        let ((first, a), (second, b)) = (&pair[0], &pair[1]);
        for ((what, x), (_, y)) in a.all().into_iter().zip(b.all()) {
            let (Ok(x), Ok(y)) = (x, y) else { continue };
            let size =
                x.leaves().iter().chain(&y.leaves()).fold(1.0, |size: f64, x| size.max(x.abs()));
            // Free programs that differentiate inside have no extent, and values as wild as derivatives.
            let strict = what == "value" && extent.is_finite();
            let wild = huge || !size.is_finite() || size > 1e6;
            let agree = x.agrees(y, &mut |x, y| {
                let finite = x.is_finite() && y.is_finite();
                near(x, y, tolerance) || (!strict && (wild || !finite))
            });
            if !agree {
                return Err(format!("{what}: {first} {x:?}, {second} {y:?}"));
            }
        }
    }
    Ok(())
}

/// One contender's answers against the oracle's and against each other.
fn against_oracle(
    made: &Generated,
    known: &Known,
    name: &str,
    answer: &Answers,
    verdict: &mut Verdict,
) -> Result<(), String> {
    let Some([value, slope]) = answer.forward() else { return Ok(()) };
    let leaf = |outcome: &Outcome| outcome.as_ref().ok().map(Data::leaves).unwrap_or_default();
    let along = |gradient: &[f64]| -> f64 {
        gradient.iter().zip(&made.direction).map(|(x, v)| if *v == 0.0 { 0.0 } else { x * v }).sum()
    };
    let plain = leaf(&answer.value);
    if !plain.first().is_some_and(|x| near(*x, value, 0.0)) {
        return Err(format!("{name}: the value inside forward mode is {value:e}, not {plain:?}"));
    }
    verdict.moving |= slope != 0.0;
    let reverse = leaf(&answer.reverse);
    let second = leaf(&answer.second);
    let (mixed, other) = (leaf(&answer.forward_of_reverse), leaf(&answer.reverse_of_forward));
    // Each identity scaled by the size of the terms that it adds up.
    let size = |terms: &[f64]| -> f64 {
        terms.iter().zip(&made.direction).map(|(x, v)| (x * v).abs()).sum::<f64>() + 1.0
    };
    let tame = |terms: &[f64]| terms.iter().all(|x| x.abs() < 1e6);
    let tolerance = if matches!(known, Known::Exactly(_)) { 0.0 } else { 1e-10 };
    // What was refused is not compared.
    let mut identities = vec![];
    let curvature = second.first().copied();
    for (what, a, gradient) in [
        ("adjoint identity", Some(slope), &reverse),
        ("second derivative of reverse", curvature, &mixed),
        ("second derivative of forward", curvature, &other),
    ] {
        if let (Some(a), false) = (a, gradient.is_empty()) {
            identities.push((what, a, along(gradient), size(gradient)));
        }
    }
    if tame(&reverse) && tame(&second) && tame(&mixed) && tame(&other) && tame(&[slope, value]) {
        for (what, a, b, size) in identities {
            // Second derivatives cancel more than first ones.
            if (a - b).abs() > tolerance * 1e3 * size {
                return Err(format!("{name}, {what}: {a:e} and {b:e}"));
            }
        }
    }
    let (expected, tolerance) = match known {
        Known::Exactly(expected) => (*expected, [0.0, 0.0, 0.0]),
        Known::Nearly(expected) => (*expected, [1e-11, 1e-10, 1e-7]),
        Known::Nothing => return Ok(()),
    };
    let found = [Some(value), Some(slope), curvature];
    for (order, found) in found.into_iter().enumerate() {
        let Some(found) = found else { continue };
        let scale = if order == 0 { 0.0 } else { size(&reverse) + size(&mixed) };
        let allowed = tolerance[order] * (1.0 + expected[order].abs() + scale);
        if (found - expected[order]).abs() > allowed || found.is_nan() {
            return Err(format!(
                "{name}, order {order}: {found:e}, the oracle {:e}",
                expected[order]
            ));
        }
    }
    verdict.confirmed = true;
    Ok(())
}

impl Statistics {
    fn add(&mut self, verdict: Verdict) {
        self.values += u64::from(verdict.value);
        self.failures += u64::from(verdict.failed);
        self.unended += u64::from(verdict.unended);
        self.confirmed += u64::from(verdict.confirmed);
        self.moving += u64::from(verdict.moving);
        for name in verdict.refused {
            *self.refused.entry(name).or_default() += 1;
        }
    }

    /// How many programs were tried.
    pub fn count(&self) -> u64 {
        self.programs.values().sum()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs {:?}", self.count(), self.programs)?;
        writeln!(
            f,
            "{} with a value, {} failing alike, {} passed over",
            self.values, self.failures, self.unended
        )?;
        writeln!(
            f,
            "{} with a derivative other than zero, {} confirmed by the oracle",
            self.moving, self.confirmed
        )?;
        writeln!(f, "features {:?}", self.features)?;
        writeln!(f, "refused {:?}", self.refused)?;
        writeln!(f, "{} disagreements", self.disagreements.len())?;
        for found in &self.disagreements {
            writeln!(
                f,
                "\nseed {} ({:?}): {}\n{}",
                found.seed, found.mode, found.what, found.text
            )?;
        }
        Ok(())
    }
}
