//! The semantics is partial (§4 of the paper): predicates have no value at ties, operations none at the edges of their
//! domains or where the result is not finite. Theorems 6.1, 6.2 and 6.7 on random programs with recursion, captured
//! variables and `rd`, at ties, next to them and off them.
//!
//! The oracle is [`crate::denotation`].

use std::rc::Rc;

use pullback_engines::semantics::{
    Functions, Paper, Run, Stuck, Supply, Term, Val, Why, paper, reverse, show_run, sweep,
};
use pullback_engines::{Letter, show_trace};
use pullback_eval::Value;
use pullback_lambda::Program;
use pullback_oracle::bytes_of_seed;

use crate::denotation::{Made, Meaning};
use crate::semantics::{pair, source};
use crate::support::def;

/// On the grid of the constants in the programs, so that comparisons of them are ties.
const GRID: [(f64, f64); 5] = [(0.5, 1.0), (1.0, -1.0), (0.0, 2.0), (0.25, 0.25), (-0.5, 0.5)];
/// At a tie, next to it on either side, and off it.
const SHIFTS: [(f64, f64); 4] = [(0.0, 0.0), (1e-6, -2e-6), (-1e-6, 1e-6), (0.1379, 0.0731)];
/// How far the open set of Theorem 6.2 reaches at least, where nothing is nearer than a hundred times that.
const NEARBY: f64 = 1e-9;

fn strict_value(paper: &Paper, supply: &Supply, term: &Term, at: &Val) -> Result<Val, Stuck> {
    let mut supply = supply.clone();
    let mut run = Run::new(&mut supply, false).strict(true);
    run.bind(&paper.entry.param, at);
    run.evaluate(&Functions::of(&paper.functions, &paper.entry), term)
}

fn strict_trace(paper: &Paper, at: &Val) -> Result<(Supply, Term), Stuck> {
    let mut supply = paper.supply.clone();
    let mut run = Run::new(&mut supply, false).strict(true);
    run.bind(&paper.entry.param, at);
    let functions = Functions::of(&paper.functions, &paper.entry);
    let trace = run.symbolic(&functions, &paper.entry.body)?;
    Ok((supply, trace))
}

/// Whether numbers are equal but for rounding, where none on the way was larger than `scale`.
fn is_near(found: f64, expected: f64, scale: f64) -> bool {
    (found - expected).abs() <= 1e-12 * scale + 1e-9 * expected.abs()
}

/// How often what was checked.
#[derive(Debug, Default)]
struct Counts {
    /// Points where the program has a meaning, and its evaluation ends with it.
    defined: usize,
    /// Points where it has none, and evaluation is stuck at that.
    stuck: usize,
    /// Points on the grid among those.
    stuck_on_grid: usize,
    /// Derivatives by figure 6.
    literals: usize,
    /// Points that the rules, followed to the letter, do not get through.
    large: usize,
    /// Points where rounding decides whether there is a meaning.
    unsure: usize,
}

/// What the theorems say of a program at a point, against its meaning there.
fn check(made: &Made, paper: &Paper, (x, y): (f64, f64), counts: &mut Counts) {
    let (at, what) = (pair(x, y), format!("{} at {x}, {y}", made.text()));
    let ordinary = strict_value(paper, &paper.supply, &paper.entry.body, &at);
    let symbolic = strict_trace(paper, &at);
    if let (Err(Stuck::Trace | Stuck::Steps | Stuck::Depth), _)
    | (_, Err(Stuck::Trace | Stuck::Steps | Stuck::Depth)) = (&ordinary, &symbolic)
    {
        counts.large += 1;
        return;
    }
    match made.meaning(x, y) {
        Meaning::Unsure => counts.unsure += 1,
        Meaning::None => {
            // Correctness (6.2): what evaluates has a meaning.
            let is_undefined = |stuck: &Stuck| matches!(stuck, Stuck::Undefined(_));
            assert!(ordinary.as_ref().is_err_and(is_undefined), "{what}: {ordinary:?}");
            assert!(symbolic.as_ref().is_err_and(is_undefined), "{what}: {symbolic:?}");
            // Outside the strict domain the run goes on, and says that the table was used.
            let mut supply = paper.supply.clone();
            let mut run = Run::new(&mut supply, false);
            run.bind(&paper.entry.param, &at);
            let total =
                run.evaluate(&Functions::of(&paper.functions, &paper.entry), &paper.entry.body);
            assert!(run.conventions().is_some() || total.is_err(), "{what}");
            counts.stuck += 1;
        }
        Meaning::Some { value, slopes, margin, scale } => {
            // Completeness (6.7): what has a meaning evaluates, either way, to that.
            let ordinary = ordinary.unwrap_or_else(|stuck| panic!("{what}: {stuck:?}"));
            let (mut supply, trace) = symbolic.unwrap_or_else(|stuck| panic!("{what}: {stuck:?}"));
            assert!(
                is_near(ordinary.reals()[0], value, scale),
                "{what}: {ordinary:?} is not {value}"
            );
            // Correctness (6.2): the trace means the same here and around.
            for step in [0.0, NEARBY, -NEARBY] {
                let (x, y) = (x + step, y - 2.0 * step);
                if let Meaning::Some { value, scale, .. } = made.meaning(x, y)
                    && (step == 0.0 || margin > 100.0 * NEARBY)
                {
                    let traced = strict_value(paper, &supply, &trace, &pair(x, y));
                    let traced = traced.unwrap_or_else(|stuck| panic!("{what}: {stuck:?}"));
                    assert!(
                        is_near(traced.reals()[0], value, scale),
                        "{what}: {traced:?}, not {value}"
                    );
                }
            }
            // Theorem 6.1: both forms of the derivative are that of the meaning.
            let (w, binder) = (Val::Real(-1.5), &paper.entry.param);
            let linear = sweep(&mut supply, &w, &at, binder, &trace).unwrap();
            let literal =
                reverse(&mut supply, &w.to_term(), &at.to_term(), binder, &trace, 1 << 12);
            counts.literals += usize::from(literal.is_some());
            for form in [Some(linear), literal].into_iter().flatten() {
                let slope = strict_value(paper, &supply, &form, &at);
                let slope = slope.unwrap_or_else(|stuck| panic!("{what}: {stuck:?}")).reals();
                for (found, expected) in slope.iter().zip(slopes) {
                    assert!(
                        is_near(*found, -1.5 * expected, 1.5 * scale),
                        "{what}: {slope:?}, not {slopes:?}"
                    );
                }
            }
            counts.defined += 1;
        }
    }
}

#[test]
fn evaluation_ends_exactly_where_there_is_a_meaning() {
    // `cargo xtask laws --count 10000` tries as many.
    let count = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut counts = Counts::default();
    for seed in 0..count {
        let made = Made::new(&bytes_of_seed(seed, 160), seed % 3 == 0);
        let program = source(&made.text());
        let paper = paper(&program, def(&program, "f")).unwrap();
        let (x, y) = GRID[seed as usize % GRID.len()];
        for (index, (dx, dy)) in SHIFTS.into_iter().enumerate() {
            let before = counts.stuck;
            check(&made, &paper, (x + dx, y + dy), &mut counts);
            counts.stuck_on_grid += if index == 0 { counts.stuck - before } else { 0 };
        }
    }
    println!("{counts:?}");
    let points = 4 * count as usize;
    assert!(counts.defined > points / 5 && counts.literals > points / 15, "{counts:?}");
    assert!(counts.stuck > points / 30 && counts.stuck_on_grid > points / 60, "{counts:?}");
    assert!(counts.unsure + counts.large < points / 5, "{counts:?}");
}

const STRICT: Letter = Letter { fuel: None, is_strict: true };

fn program_of(body: &str) -> Program {
    source(&format!("def f : Real -> Real = \\($x : Real) -> {body}"))
}

#[test]
fn the_steps_are_stuck_at_the_predicate_or_operation() {
    let cases = [
        ("if lt $x 0.0 then 0.0 else $x", 0.0, "E0714", "`0.0 < 0.0`"),
        ("max 0.0 $x", 0.0, "E0715", "`max 0.0 0.0`"),
        ("log $x", -1.0, "E0715", "`log (-1.0)`"),
        ("sub (exp $x) (exp $x)", 800.0, "E0721", "`exp 800.0`"),
        ("pow $x 1.5", 0.0, "E0715", "`0.0 ^ 1.5`"),
        ("pow $x 2.0", 0.0, "E0715", "`0.0 ^ 2.0`"),
        ("div 1.0 $x", 1e-200, "E0721", "`1.0 / 1e-200`"),
    ];
    for (body, at, code, shown) in cases {
        let (program, at) = (program_of(body), Value::Real(at));
        let f = def(&program, "f");
        for fault in [
            show_run(&program, f, at.clone(), STRICT).unwrap_err(),
            show_trace(&program, f, at.clone(), STRICT).unwrap_err(),
        ] {
            assert_eq!(fault.code, code, "{body}: {fault:?}");
            let title = format!("evaluation is stuck: {shown} is undefined");
            assert_eq!(fault.title, title, "{body}");
        }
        // By the table of conventions there are steps, and one line says so.
        let steps = show_run(&program, f, at, Letter::default()).unwrap();
        let lines = steps.lines().filter(|line| line.starts_with("by the table of conventions"));
        assert_eq!(lines.count(), 1, "{steps}");
    }
}

#[test]
fn off_ties_and_edges_strict_steps_are_the_same() {
    for (body, at) in [("if lt $x 0.0 then 0.0 else $x", 1e-300), ("log $x", 2.0)] {
        let (program, at) = (program_of(body), Value::Real(at));
        let f = def(&program, "f");
        let plain = show_run(&program, f, at.clone(), Letter::default()).unwrap();
        assert!(!plain.contains("table of conventions"), "{plain}");
        assert_eq!(show_run(&program, f, at, STRICT).unwrap(), plain);
    }
}

#[test]
fn a_partial_derivative_may_compare_where_the_operation_is_smooth() {
    // The terms of `x ^ y` compare y with 0 and x with 0, and those of `max` compare x with y again.
    let program = program_of("pow $x 0.0");
    let steps = show_run(&program, def(&program, "f"), Value::Real(2.0), STRICT).unwrap();
    assert!(steps.ends_with("value      1\nderivative 0\n"), "{steps}");
    let nested = "(vjp (\\($y : Real) -> pow $y $x) 2.0).1 1.0";
    let program = program_of(nested);
    let steps = show_run(&program, def(&program, "f"), Value::Real(0.0), STRICT);
    // d/dx (x · 2^(x-1)) at 0 is 1/2.
    assert!(steps.unwrap().ends_with("value      0\nderivative 0.5\n"));
}

#[test]
fn what_is_undefined_says_why() {
    let program = program_of("log $x");
    let paper = paper(&program, def(&program, "f")).unwrap();
    let stuck = strict_value(&paper, &paper.supply, &paper.entry.body, &Val::Real(0.0));
    let Err(Stuck::Undefined(undefined)) = stuck else { panic!("{stuck:?}") };
    assert_eq!((undefined.why, &undefined.args[..]), (Why::Edge, &[0.0][..]));
    assert_eq!(undefined.reason(), "it is smooth where x > 0.0");
    let tuple = Val::Tuple(Rc::new(vec![]));
    let untyped = strict_value(&paper, &paper.supply, &paper.entry.body, &tuple);
    assert_eq!(untyped, Err(Stuck::Untyped));
}
