//! Native code of random programs gives what the evaluator gives, to the bit, or the same error: programs of every
//! form that runs, and optimised ones with what is known not to fail; and nearly that, or the same error, where sums
//! need not keep their order. `COUNT=2000` tries so many of each, `SEED=7` that one.

#[path = "../../opt/tests/generate/mod.rs"]
mod generate;
#[path = "../../ir/tests/random_programs/mod.rs"]
mod random_programs;

use std::fmt::Write as _;
use std::sync::Mutex;

use generate::Generator;
use pullback_analysis::facts::Facts;
use pullback_codegen::{
    Copied, Cuts, Directive, Directives, Fp, Level, Limits, Native, Registers, Threads, Unit, Way,
    Which, Without, emit_scheduled, optional, read_directives,
};
use pullback_ir::eval::{self, Items, Shape, Value, evaluate};
use pullback_ir::{FuncId, Program};
use pullback_opt::{Options, optimise};
use random_programs::Numbers;

/// How many programs of each kind there are.
const PROGRAMS: u64 = 20;
/// How many of them are compiled together.
const TOGETHER: usize = 200;
/// The most bytes that a run may take.
const MEMORY: usize = 64 << 20;

/// What the head of a run takes where there are no constants.
const HEAD: i64 = 16;

/// Whether a value holds no memory.
fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Tag(_))
}

fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// A value as text in which numbers are their bits.
fn show(value: &Value, out: &mut String) {
    let written = match value {
        Value::Undef => write!(out, " ?"),
        Value::Real(x) => write!(out, " {:x}", bits(*x)),
        Value::Int(n) => write!(out, " {n}"),
        Value::Bool(p) => write!(out, " {p}"),
        Value::Str(text) => write!(out, " {text:?}"),
        Value::Acc(_) => write!(out, " acc"),
        Value::Tag(_) | Value::Data(_) => {
            let (tag, fields) = value.as_data().expect("a data value");
            let begun = write!(out, " C{tag}(");
            fields.iter().for_each(|field| show(field, out));
            begun.and_then(|()| write!(out, ")"))
        }
        Value::Array(array) => {
            let begun = write!(out, " {:?}", array.sizes());
            let reals = array.reals().unwrap_or_default();
            reals.iter().for_each(|x| show(&Value::Real(*x), out));
            let ints = array.ints().unwrap_or_default();
            ints.iter().for_each(|n| show(&Value::Int(*n), out));
            let bools = array.bools().unwrap_or_default();
            bools.iter().for_each(|b| show(&Value::Bool(*b), out));
            array.values().unwrap_or_default().iter().for_each(|value| show(value, out));
            begun
        }
    };
    written.expect("room");
}

/// Results as text, or the code of an error.
fn told<E>(results: Result<Vec<Value>, E>, code: impl Fn(E) -> &'static str) -> String {
    match results {
        Ok(values) => {
            let mut out = String::new();
            values.iter().for_each(|value| show(value, &mut out));
            out
        }
        Err(problem) => code(problem).to_owned(),
    }
}

/// A program that is tried.
struct Try {
    seed: u64,
    program: Program,
    root: [FuncId; 1],
    facts: Facts,
    without: Without,
    directives: Directives,
}

impl Try {
    /// Every other program has its functions split, and its text with those of others becomes many. Every third is for
    /// few registers.
    fn unit(&self, fp: Fp) -> Unit<'_> {
        let short = Cuts { statements: 8, bytes: 60_000 };
        let cuts = if self.seed.is_multiple_of(2) { short } else { Cuts::USUAL };
        let registers =
            if self.seed.is_multiple_of(3) { Registers::NARROW } else { Registers::WIDE };
        let Self { program, root, facts, without, directives, .. } = self;
        let (worth, without) = (0.0, *without);
        Unit { fp, worth, cuts, registers, without, directives, ..Unit::of(program, root, facts) }
    }
}

/// Tries programs at arguments; many are compiled together.
fn agree(
    make: impl Fn(u64) -> Try,
    fp: Fp,
    args: &[Vec<Value>],
    differs: impl Fn(&Try, &Native, &[Vec<Value>]) -> Option<String>,
) {
    let seeds: Vec<u64> = seeds().collect();
    for seeds in seeds.chunks(TOGETHER) {
        let tries: Vec<Try> = seeds.iter().map(|seed| make(*seed)).collect();
        let units: Vec<Unit<'_>> = tries.iter().map(|one| one.unit(fp)).collect();
        let natives = Native::batch(&units, Level::Quick, None).expect("native code");
        for (one, native) in tries.iter().zip(&natives) {
            let differs = differs(one, native, args);
            assert!(differs.is_none(), "seed {}: {}", one.seed, differs.unwrap_or_default());
        }
    }
}

/// The lines that a program has told, which may run on a thread of its own.
static HEARD: Mutex<Vec<String>> = Mutex::new(vec![]);
/// Whoever hears programs, one at a time.
static HEARER: Mutex<()> = Mutex::new(());

fn hear(line: &str) {
    HEARD.lock().expect("no panic").push(line.to_owned());
}

fn heard() -> Vec<String> {
    std::mem::take(&mut HEARD.lock().expect("no panic"))
}

/// The limits of a run that tells lines to somebody.
fn limits(tell: fn(&str)) -> Limits {
    Limits { max_memory: MEMORY, timeout: None, since: None, tell, progress: None }
}

/// What differs between the evaluator and native code.
fn difference(one: &Try, native: &Native, args: &[Vec<Value>]) -> Option<String> {
    let _alone = HEARER.lock().expect("no panic");
    let limits = limits(hear);
    let evaluated = eval::Limits { max_memory: MEMORY, tell: hear, ..eval::Limits::default() };
    let (program, func) = (one.program.clone(), one.root[0]);
    args.iter().find_map(|args| {
        let wanted = evaluate(&program, func, args.clone(), evaluated.clone());
        let wanted = told(wanted.map(|(values, _)| values), |problem| problem.code);
        let lines = heard();
        let found = native.call_held(&program, 0, args, &limits);
        let others = heard();
        if let Ok((values, held)) = &found
            && values.iter().all(is_scalar)
            && *held > HEAD
        {
            return Some(format!("{args:?}: {held} bytes are left\n{}", program.print()));
        }
        let found = told(found.map(|(values, _)| values), |problem| problem.code);
        // What takes too much may take it elsewhere.
        let is_limit = |text: &str| ["E0709", "E0710"].contains(&text);
        let agree = (found == wanted && lines == others) || (is_limit(&found) && is_limit(&wanted));
        let told = || format!("{found} {others:?}, not {wanted} {lines:?}");
        (!agree).then(|| format!("{args:?}: {}\n{}", told(), program.print()))
    })
}

/// Arguments for `(f64, f64, i64, []f64, [][]f64)`.
fn arguments() -> Vec<Vec<Value>> {
    let matrix = |rows: usize, columns: usize, first: f64| {
        let items = (0..rows * columns).map(|at| first + at as f64).collect();
        Value::array(Shape::new(&[rows, columns]), Items::Real(items))
    };
    let given = |x, y, n, xs, rows| {
        vec![Value::Real(x), Value::Real(y), Value::Int(n), Value::reals(xs), rows]
    };
    vec![
        given(1.5, -2.0, 2, vec![0.1, 0.7, -1.3e16, 2.3, 1.3e16], matrix(2, 3, 0.3)),
        given(f64::NAN, f64::INFINITY, 1, vec![], matrix(0, 2, 1.0)),
        given(-0.0, 0.0, 0, vec![f64::NEG_INFINITY, -0.0], matrix(2, 0, 1.0)),
        given(f64::NEG_INFINITY, 3.0, -1, vec![f64::NAN], matrix(1, 1, -0.0)),
    ]
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| {
        std::env::var(name).ok().map(|number| number.parse::<u64>().expect("a number"))
    };
    match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("COUNT").unwrap_or(PROGRAMS),
    }
}

#[test]
fn random_programs_agree() {
    let make = |seed| {
        let mut program = random_programs::program(seed);
        let Some(func) = program.funcs.ids().next_back() else { panic!("a function") };
        let facts = Facts::nothing(&mut program);
        let (without, directives) = (Without::default(), Directives::new());
        Try { seed, program, root: [func], facts, without, directives }
    };
    agree(make, Fp::Strict, &[vec![]], difference);
}

/// An optimised program, with what is known not to fail.
fn optimised(seed: u64) -> Try {
    let (program, main) = Generator::new(seed).program();
    let mut root = [main];
    let mut program = optimise(program, &mut root, &mut Options::default());
    let facts = Facts::of(&mut program);
    let (without, directives) = (Without::default(), Directives::new());
    Try { seed, program, root, facts, without, directives }
}

/// The same without one transformation of native code, or with one of them only.
fn without_some(seed: u64) -> Try {
    let all: Vec<_> = optional().map(|one| one.which).collect();
    let which = all[(seed / 2) as usize % all.len()];
    let without = if seed.is_multiple_of(2) {
        Without::default().and(which)
    } else {
        Without::all().but(which).but(Which::Vectorise)
    };
    Try { without, ..optimised(seed) }
}

#[test]
fn optimised_programs_agree() {
    agree(optimised, Fp::Strict, &arguments(), difference);
}

/// Arguments of which no sum cancels all.
fn usual_arguments() -> Vec<Vec<Value>> {
    let matrix = |rows: usize, columns: usize| {
        let items = (0..rows * columns).map(|at| (at as f64 * 1.7).sin() + 1.5).collect();
        Value::array(Shape::new(&[rows, columns]), Items::Real(items))
    };
    let vector = |size: usize| Value::reals((0..size).map(|at| (at as f64).cos() + 1.1).collect());
    [(70, 3, 19), (33, 16, 2), (17, 2, 41), (8, 9, 9), (0, 0, 3), (1, 24, 1)]
        .map(|(size, rows, columns)| {
            let n = Value::Int(size as i64 % 7);
            vec![Value::Real(1.25), Value::Real(0.75), n, vector(size), matrix(rows, columns)]
        })
        .into()
}

/// Whether values are the same but for rounding.
fn are_close(found: &Value, wanted: &Value) -> bool {
    let close = |a: f64, b: f64| {
        bits(a) == bits(b) || a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
    };
    let reals = |value: &Value| match value {
        Value::Real(x) => Some((vec![], vec![*x])),
        Value::Array(array) => Some((array.sizes().to_vec(), array.reals()?.to_vec())),
        Value::Undef
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Acc(_)
        | Value::Tag(_)
        | Value::Data(_) => None,
    };
    match (reals(found), reals(wanted)) {
        (Some((sizes, found)), Some((others, wanted))) => {
            sizes == others && found.iter().zip(&wanted).all(|(a, b)| close(*a, *b))
        }
        (None, None) => {
            let [found, wanted] =
                [found, wanted].map(|value| told::<()>(Ok(vec![value.clone()]), |()| ""));
            found == wanted
        }
        _ => false,
    }
}

/// What differs by more than rounding between the evaluator and native code.
fn large_difference(one: &Try, native: &Native, args: &[Vec<Value>]) -> Option<String> {
    let program = one.program.clone();
    let limits = limits(|_| {});
    args.iter().find_map(|args| {
        let evaluated = eval::Limits { max_memory: MEMORY, ..eval::Limits::default() };
        let wanted = evaluate(&program, one.root[0], args.clone(), evaluated);
        let found = native.call(&program, 0, args, &limits);
        let agree = match (&found, &wanted) {
            (Ok(found), Ok((wanted, _))) => {
                found.iter().zip(wanted).all(|(found, wanted)| are_close(found, wanted))
            }
            (Err(found), Err(wanted)) => found.code == wanted.code,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        (!agree).then(|| format!("{args:?}: {found:?}, not {wanted:?}\n{}", program.print()))
    })
}

#[test]
fn fast_programs_nearly_agree() {
    agree(optimised, Fp::Fast, &usual_arguments(), large_difference);
}

#[test]
fn what_is_left_out_changes_no_bit_of_strict_code() {
    agree(without_some, Fp::Strict, &arguments(), difference);
}

#[test]
fn what_is_left_out_changes_only_the_order_of_sums() {
    agree(without_some, Fp::Fast, &usual_arguments(), large_difference);
}

/// A program by a schedule that was made up: that of the compiler, with other decisions here and there.
fn by_some_schedule(seed: u64) -> Try {
    let mut one = optimised(seed);
    let directives = {
        let unit = one.unit(Fp::Fast);
        let (code, schedule) = emit_scheduled(unit).expect("C");
        let text = schedule.print(&one.program);
        let read = read_directives(&text, &one.program).expect("a schedule");
        let (again, _) = emit_scheduled(Unit { directives: &read, ..unit }).expect("C");
        assert_eq!(code.text, again.text, "seed {seed}: {text}");
        read
    };
    let mut numbers = Numbers(seed);
    one.directives = directives;
    let vars = one.program.vars.iter_enumerated();
    let rows: Vec<Copied> =
        vars.filter(|(_, var)| var.ty.rank > 1).map(|(var, _)| Copied::Rows(var)).collect();
    for directive in one.directives.values_mut() {
        change(directive, &rows, &mut numbers);
    }
    one
}

/// Decides something else of a loop, of which it may be asked too that it copies rows of all these.
fn change(directive: &mut Directive, rows: &[Copied], numbers: &mut Numbers) {
    match numbers.below(8) {
        0 => *directive = Way::Plain.into(),
        1 => *directive = Way::OneByOne.into(),
        2 => *directive = Way::Lanes.into(),
        _ => {}
    }
    let counts: &[i64] = match directive.way {
        Way::Lanes => &[8, 16, 32],
        Way::OneByOne => &[1, 2, 4],
        Way::Plain => return,
    };
    if numbers.below(3) > 0 {
        directive.at_once = Some(counts[numbers.below(3)]);
    }
    match numbers.below(5) {
        0 => directive.tiles = Some(false),
        1 => directive.copies = Some(vec![]),
        2 => directive.copies = Some(rows.to_vec()),
        3 => directive.copies.iter_mut().for_each(|copies| copies.truncate(1)),
        _ => {}
    }
}

#[test]
fn schedules_change_only_the_order_of_sums() {
    agree(by_some_schedule, Fp::Fast, &usual_arguments(), large_difference);
}

#[test]
fn schedules_change_no_bit_of_strict_code() {
    agree(by_some_schedule, Fp::Strict, &arguments(), difference);
}

/// What differs between one thread and several.
fn difference_of_threads(one: &Try, native: &Native, args: &[Vec<Value>]) -> Option<String> {
    let program = one.program.clone();
    let limits = limits(|_| {});
    args.iter().find_map(|args| {
        let on = |most| {
            let native = native.clone().on(Threads { most, worth: 0.0 });
            told(native.call(&program, 0, args, &limits), |problem| problem.code)
        };
        let wanted = on(1);
        let differs = [2, 4].into_iter().find(|most| on(*most) != wanted);
        differs.map(|most| format!("{args:?} on {most} threads\n{}", one.program.print()))
    })
}

#[test]
fn threads_change_nothing() {
    agree(optimised, Fp::Fast, &usual_arguments(), difference_of_threads);
}
