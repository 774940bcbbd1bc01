//! Random programs: every contender against every other and against the oracle.
//!
//! For each program: the value (R3), forward mode, reverse mode, the adjoint identity between them,
//! second derivatives in three ways, and the oracle's derivatives where it has them. A disagreement is
//! shrunk to the smallest bytes that show it and reported with its program as text.

mod statistics;

use std::time::Instant;

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, Def, DefId, Expr, Program, Type, ad_type, tangent};

use crate::contender::{Contender, Failure, Opened, Outcome};
use crate::generate::{Config, Feature, Generated, Mode, bytes_of_seed, generate, shrink};
pub use statistics::{Disagreement, Statistics, Verdict};

use crate::{Data, Error, ErrorKind, eval_f64, extent, jvp_complex_step, taylor, taylor_exact};

/// Which programs to try.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// The first seed; the others follow.
    pub seed: u64,
    /// How many programs.
    pub count: u64,
    /// Which part of the campaign this is, of how many that take turns.
    pub part: (u64, u64),
    /// Costly contenders are asked for derivatives of derivatives in one program of so many.
    pub costly_every: u64,
    /// One program in so many may be large: small ones say nearly as much, for much less.
    pub large_every: u64,
    /// How many disagreements to shrink and report before stopping.
    pub give_up_after: usize,
}

impl Default for Campaign {
    fn default() -> Self {
        Self {
            seed: 0,
            count: 20_000,
            part: (0, 1),
            costly_every: 1,
            large_every: 1,
            give_up_after: 10,
        }
    }
}

/// Runs a campaign; `watch` sees the numbers after each program.
pub fn run(
    campaign: &Campaign,
    contenders: &[Contender],
    watch: &mut dyn FnMut(&Statistics),
) -> Statistics {
    let mut statistics = Statistics::default();
    let (part, parts) = campaign.part;
    let seeds = (campaign.seed..).take(campaign.count as usize);
    let every = campaign.costly_every.max(1);
    // Each part has its share of the seeds that cost most.
    let seeds: Vec<u64> = seeds.filter(|seed| (seed + seed / every) % parts == part).collect();
    let together = if contenders.iter().any(Contender::is_batched) { BATCH } else { 1 };
    for seeds in seeds.chunks(together) {
        let tries: Vec<Try> = seeds.iter().map(|seed| Try::new(*seed, campaign)).collect();
        let mut opened: Vec<_> = open(&tries, contenders).into_iter().map(Vec::into_iter).collect();
        for one in &tries {
            let Try { mode, made, .. } = one;
            *statistics.programs.entry(mode_name(*mode)).or_default() += 1;
            for feature in &made.features {
                *statistics.features.entry(*feature).or_default() += 1;
            }
            let nested = one.seed.is_multiple_of(every);
            let found = one.questions.as_ref().map_err(String::clone).and_then(|questions| {
                let opened: Vec<Opened> = opened.iter_mut().filter_map(Iterator::next).collect();
                check_opened((made, questions), *mode, contenders, &opened, nested)
            });
            match found {
                Ok(verdict) => statistics.add(verdict),
                Err(told) => {
                    statistics.disagreements.push(one.shrunk(told, contenders, nested));
                    if statistics.disagreements.len() >= campaign.give_up_after {
                        return statistics;
                    }
                }
            }
            watch(&statistics);
        }
    }
    statistics
}

/// How many programs are opened together, if a contender is faster at that.
const BATCH: usize = 250;

/// A program that is tried.
struct Try {
    seed: u64,
    mode: Mode,
    config: Config,
    bytes: Vec<u8>,
    made: Generated,
    questions: Result<Questions, String>,
}

impl Try {
    fn new(seed: u64, campaign: &Campaign) -> Self {
        let large = seed.is_multiple_of(campaign.large_every.max(1));
        let (mode, config, bytes) = recipe(seed, large);
        let made = generate(&bytes, &config);
        let questions = asked(&made);
        Self { seed, mode, config, bytes, made, questions }
    }

    /// The smallest program on which they disagree. What shows only among other programs is told as it is.
    fn shrunk(&self, told: String, contenders: &[Contender], all: bool) -> Disagreement {
        let check = |made: &Generated| check(made, self.mode, contenders, all);
        let fails = |bytes: &[u8]| check(&generate(bytes, &self.config)).is_err();
        let bytes = shrink(&self.bytes, 2000, fails);
        let made = generate(&bytes, &self.config);
        let what = check(&made).err().unwrap_or(told);
        let text = format!(
            "{}\nargument {:?}\ndirection {:?}",
            made.program.print(),
            made.arg,
            made.direction
        );
        Disagreement { seed: self.seed, mode: self.mode, what, bytes, text }
    }
}

/// What each contender makes of each program, contender by contender.
fn open(tries: &[Try], contenders: &[Contender]) -> Vec<Vec<Opened>> {
    let asked: Vec<(&Questions, [DefId; 6])> = tries
        .iter()
        .filter_map(|one| one.questions.as_ref().ok().map(|all| (all, all.defs(&one.made))))
        .collect();
    let programs: Vec<(&Program, &[DefId])> =
        asked.iter().map(|(questions, defs)| (&questions.program, defs.as_slice())).collect();
    contenders.iter().map(|contender| contender.open_all(&programs)).collect()
}

/// The mode, configuration and bytes of a seed, for a program that may be large or is small.
pub fn recipe(seed: u64, large: bool) -> (Mode, Config, Vec<u8>) {
    let mode = Mode::ALL[(seed % 3) as usize];
    let (smallest, sizes, shortest, lengths) =
        if large { (10, 61, 40, 600) } else { (4, 19, 24, 101) };
    let draw = seed as usize;
    let size = smallest + (draw * 29) % sizes;
    let config = Config { mode, size, nested_ad: seed % 6 >= 3, texts_and_rules: false };
    (mode, config, bytes_of_seed(seed, shortest + (draw * 37) % lengths))
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Exact => "exact",
        Mode::Smooth => "smooth",
        Mode::Free => "free",
    }
}

/// The program with its derivatives as further definitions.
pub(crate) struct Questions {
    pub(crate) program: Program,
    /// `\x dx -> jvp main x dx`
    pub(crate) forward: DefId,
    /// `\x -> (vjp main x).1 1.0`
    pub(crate) reverse: DefId,
    /// `\x dx -> (jvp (\y -> (jvp main y dx).1) x dx).1`
    pub(crate) second: DefId,
    /// `\x dx -> (jvp (\y -> (vjp main y).1 1.0) x dx).1`
    pub(crate) forward_of_reverse: DefId,
    /// `\x dx -> (vjp (\y -> (jvp main y dx).1) x).1 1.0`
    pub(crate) reverse_of_forward: DefId,
}

impl Questions {
    /// All definitions that are asked for.
    fn defs(&self, made: &Generated) -> [DefId; 6] {
        let Self { forward, reverse, second, forward_of_reverse, reverse_of_forward, .. } = *self;
        [made.def, forward, reverse, second, forward_of_reverse, reverse_of_forward]
    }
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
pub(crate) fn as_tangent(arg: &Data<f64>, components: &mut impl Iterator<Item = f64>) -> Data<f64> {
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

/// The derivatives of a program as further definitions, or why there are none.
pub(crate) fn asked(made: &Generated) -> Result<Questions, String> {
    let Some(questions) = questions(made) else {
        return Err("the derivatives of the program are no programs".to_string());
    };
    match pullback_lambda::verify(&questions.program, pullback_lambda::Stage::Any) {
        Ok(()) => Ok(questions),
        Err(errors) => Err(format!("the program is malformed: {errors:?}")),
    }
}

/// Checks one program; an error says who disagrees about what. Without `all`, costly contenders are not
/// asked for derivatives of derivatives.
pub fn check(
    made: &Generated,
    mode: Mode,
    contenders: &[Contender],
    all: bool,
) -> Result<Verdict, String> {
    let questions = asked(made)?;
    let opened: Vec<Opened> =
        contenders.iter().map(|contender| contender.open(&questions.program)).collect();
    check_opened((made, &questions), mode, contenders, &opened, all)
}

/// As [`check`], with what each contender made of the program.
fn check_opened(
    (made, questions): (&Generated, &Questions),
    mode: Mode,
    contenders: &[Contender],
    opened: &[Opened],
    all: bool,
) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    let args = std::slice::from_ref(&made.arg);
    let plain = eval_f64(&made.program, made.def, args);
    if matches!(&plain, Err(error) if error.kind == ErrorKind::Limit) {
        verdict.unended = true;
        return Ok(verdict);
    }
    let (extent, vanishes) = extent(&made.program, made.def, args);
    let direction = as_tangent(&made.arg, &mut made.direction.iter().copied());
    let both = [made.arg.clone(), direction];
    let mut answers: Vec<(&Contender, Answers)> = Vec::new();
    for (contender, opened) in contenders.iter().zip(opened) {
        let name = contender.name.as_str();
        if vanishes && contender.flushes {
            verdict.vanished = true;
            continue;
        }
        let value = opened(made.def)(args);
        if let Err(Failure::Refused(_)) = value {
            verdict.refused.push(name.to_string());
            continue;
        }
        same_outcome(&plain, &value).map_err(|what| format!("{name}, value: {what}"))?;
        if value.is_err() {
            verdict.failed = true;
            continue;
        }
        let nested = all || !contender.costly;
        let mut ask = |what: &str, def, args: &[Data<f64>]| {
            let start = Instant::now();
            let outcome = opened(def)(args);
            verdict.taken.push((format!("{name} {what}"), start.elapsed()));
            outcome
        };
        let found = Answers {
            value,
            forward: ask("forward", questions.forward, &both),
            reverse: ask("reverse", questions.reverse, args),
            second: nested.then(|| ask("second", questions.second, &both)),
            forward_of_reverse: nested
                .then(|| ask("forward of reverse", questions.forward_of_reverse, &both)),
            reverse_of_forward: nested
                .then(|| ask("reverse of forward", questions.reverse_of_forward, &both)),
        };
        answers.push((contender, found));
    }
    verdict.value = !answers.is_empty();
    compare((made, extent), mode, &answers, &mut verdict)?;
    Ok(verdict)
}

/// What one contender says.
struct Answers {
    value: Outcome,
    forward: Outcome,
    reverse: Outcome,
    second: Option<Outcome>,
    forward_of_reverse: Option<Outcome>,
    reverse_of_forward: Option<Outcome>,
}

impl Answers {
    /// What was asked, each at its own place.
    fn all(&self) -> [(&'static str, Option<&Outcome>); 6] {
        [
            ("value", Some(&self.value)),
            ("forward", Some(&self.forward)),
            ("reverse", Some(&self.reverse)),
            ("second", self.second.as_ref()),
            ("forward of reverse", self.forward_of_reverse.as_ref()),
            ("reverse of forward", self.reverse_of_forward.as_ref()),
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

/// Compares the answers for a program, on whose way numbers became so large or small.
fn compare(
    (made, extent): (&Generated, f64),
    mode: Mode,
    answers: &[(&Contender, Answers)],
    verdict: &mut Verdict,
) -> Result<(), String> {
    let known = if answers.is_empty() { Known::Nothing } else { known(made, mode) };
    // Contenders multiply and add in different orders: what is infinite or NaN for one need not be for
    // another, and huge terms that cancel leave what rounding they like.
    // Programs of exact operations round too where numbers grow long.
    let exact = matches!(known, Known::Exactly(_));
    let rounding = match mode {
        Mode::Free if extent > 1e6 => f64::INFINITY,
        Mode::Exact if !exact => extent * 1e-12,
        Mode::Exact | Mode::Smooth | Mode::Free => 0.0,
    };
    for (contender, answer) in answers {
        let name = &contender.name;
        for (what, outcome) in answer.all() {
            if let Some(Err(failure)) = outcome {
                if let Failure::Refused(_) = failure {
                    verdict.refused.push(format!("{name} ({what})"));
                    continue;
                }
                return Err(format!("{name}, {what}: {failure}, though there is a value"));
            }
        }
        against_oracle(made, &known, rounding, contender, answer, verdict)?;
    }
    let tolerance = if exact { 0.0 } else { 1e-8 };
    for pair in answers.windows(2) {
        let ((first, a), (second, b)) = (&pair[0], &pair[1]);
        for ((what, x), (_, y)) in a.all().into_iter().zip(b.all()) {
            let (Some(Ok(x)), Some(Ok(y))) = (x, y) else { continue };
            let size =
                x.leaves().iter().chain(&y.leaves()).fold(1.0, |size: f64, x| size.max(x.abs()));
            // Free programs that differentiate inside have no extent, and values as wild as derivatives.
            let strict = what == "value" && extent.is_finite();
            let wild = !size.is_finite() || size > 1e6;
            let agree = x.agrees(y, &mut |x, y| {
                let finite = x.is_finite() && y.is_finite();
                let rounded = (x - y).abs() <= rounding;
                near(x, y, tolerance) || (!strict && (rounded || wild || !finite))
            });
            if !agree {
                let (first, second) = (&first.name, &second.name);
                return Err(format!("{what}: {first} {x:?}, {second} {y:?}"));
            }
        }
    }
    Ok(())
}

/// One contender's answers against the oracle's, and against each other up to rounding.
fn against_oracle(
    made: &Generated,
    known: &Known,
    rounding: f64,
    contender: &Contender,
    answer: &Answers,
    verdict: &mut Verdict,
) -> Result<(), String> {
    let name = &contender.name;
    let Some([value, slope]) = answer.forward() else { return Ok(()) };
    let leaf = |outcome: Option<&Outcome>| {
        outcome.and_then(|outcome| outcome.as_ref().ok()).map(Data::leaves).unwrap_or_default()
    };
    let along = |gradient: &[f64]| -> f64 {
        gradient.iter().zip(&made.direction).map(|(x, v)| if *v == 0.0 { 0.0 } else { x * v }).sum()
    };
    let plain = leaf(Some(&answer.value));
    // A derivative inside the program may add its terms in another order where they are active.
    let nested = made.features.contains(&Feature::NestedAd);
    let apart = match known {
        _ if nested => 1e-12,
        Known::Exactly(_) => 0.0,
        Known::Nearly(_) | Known::Nothing => contender.rounding,
    };
    if !plain.first().is_some_and(|x| near(*x, value, apart)) {
        return Err(format!("{name}: the value inside forward mode is {value:e}, not {plain:?}"));
    }
    verdict.moving |= slope != 0.0;
    let reverse = leaf(Some(&answer.reverse));
    let second = leaf(answer.second.as_ref());
    let mixed = leaf(answer.forward_of_reverse.as_ref());
    let other = leaf(answer.reverse_of_forward.as_ref());
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
    if rounding.is_finite()
        && tame(&reverse)
        && tame(&second)
        && tame(&mixed)
        && tame(&other)
        && tame(&[slope, value])
    {
        for (what, a, b, size) in identities {
            // Second derivatives cancel more than first ones.
            if (a - b).abs() > tolerance * 1e3 * size + rounding {
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
