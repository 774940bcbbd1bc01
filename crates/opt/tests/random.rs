//! Random programs mean the same before and after every pass, and after all of them: values to the bit, with NaN,
//! infinities, empty arrays and failing code among what they meet, and what they tell up to then. `COUNT=20000` tries so many programs,
//! `SEED=7` that one.

mod generate;

use std::cell::RefCell;

use generate::Generator;
use pullback_base::Budget;
use pullback_ir::eval::{Array, Image, Items, Limits, Machine, Shape, Value};
use pullback_ir::{FuncId, Program, Stage, verify};
use pullback_opt::{Options, PASSES, optimise};

/// How many programs there are.
const PROGRAMS: u64 = 150;

/// What comes of a program.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// Values, as text in which numbers are their bits.
    Values(String),
    Failure,
    /// It came to a limit of memory or steps.
    Limit,
}

thread_local! {
    /// The lines that a program has told.
    static TOLD: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
}

/// What comes of a program, and what it tells meanwhile.
fn outcome(program: &Program, func: FuncId, args: &[Value]) -> (Outcome, Vec<String>) {
    let budget = Some(Budget { steps: 100_000, exceeded: "too many steps" });
    let tell = |line: &str| TOLD.with_borrow_mut(|told| told.push(line.to_owned()));
    let limits = Limits { max_memory: 4 << 20, tell, ..Limits::default() };
    let image = Image::new(program);
    let outcome = match Machine::new(&image, limits).within(budget).call(func, args.to_vec()) {
        Ok(values) => {
            let mut out = String::new();
            values.iter().for_each(|value| show(value, &mut out));
            Outcome::Values(out)
        }
        Err(problem) if problem.code < "E0709" => Outcome::Failure,
        Err(_) => Outcome::Limit,
    };
    (outcome, TOLD.take())
}

fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

fn show(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str(" ?"),
        Value::Real(x) => out.push_str(&format!(" {:x}", bits(*x))),
        Value::Int(n) => out.push_str(&format!(" {n}")),
        Value::Bool(p) => out.push_str(&format!(" {p}")),
        Value::Str(text) => out.push_str(text),
        Value::Tag(_) | Value::Data(_) => {
            let (tag, fields) = value.as_data().expect("a data value");
            out.push_str(&format!(" C{tag}("));
            fields.iter().for_each(|field| show(field, out));
            out.push(')');
        }
        Value::Array(array) => show_array(array, out),
        Value::Acc(_) => out.push_str(" acc"),
    }
}

fn show_array(array: &Array, out: &mut String) {
    out.push_str(&format!(" {:?}", array.sizes()));
    for x in array.reals().expect("Reals") {
        out.push_str(&format!(" {:x}", bits(*x)));
    }
}

/// Arguments for `(f64, f64, i64, []f64, [][]f64)`.
fn arguments() -> Vec<Vec<Value>> {
    let matrix = |rows: usize, columns: usize, first: f64| {
        let items = (0..rows * columns).map(|at| first + at as f64).collect();
        Value::array(Shape::new(&[rows, columns]), Items::Real(items))
    };
    vec![
        vec![
            Value::Real(1.5),
            Value::Real(-2.0),
            Value::Int(2),
            // Sums of these differ with their order.
            Value::reals(vec![0.1, 0.7, -1.3e16, 2.3, 1.3e16]),
            matrix(2, 3, 0.3),
        ],
        vec![
            Value::Real(f64::NAN),
            Value::Real(f64::INFINITY),
            Value::Int(1),
            Value::reals(vec![]),
            matrix(0, 2, 1.0),
        ],
        vec![
            Value::Real(-0.0),
            Value::Real(0.0),
            Value::Int(0),
            Value::reals(vec![f64::NEG_INFINITY, -0.0]),
            matrix(2, 0, 1.0),
        ],
        vec![
            Value::Real(f64::NEG_INFINITY),
            Value::Real(3.0),
            Value::Int(-1),
            Value::reals(vec![f64::NAN]),
            matrix(1, 1, -0.0),
        ],
    ]
}

fn check(program: &Program, what: &str) {
    if let Err(breaches) = verify(program, Stage { resolved: true, linear: false }) {
        let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
        panic!("{what}:\n{}\n{}", breaches.join("\n"), program.print());
    }
}

/// The ways to run the optimiser, by name: all passes, and each alone.
fn ways() -> Vec<(String, Vec<&'static str>)> {
    let others = |name: &str| {
        let others = PASSES.iter().map(|pass| pass.name).filter(|other| *other != name);
        others.collect::<Vec<_>>()
    };
    let alone = PASSES.iter().map(|pass| (format!("{} alone", pass.name), others(pass.name)));
    alone.chain([("all".to_owned(), vec![])]).collect()
}

#[test]
fn random_programs_keep_their_meaning() {
    let (mut values, mut failures, mut smaller, mut lines) = (0, 0, 0, 0);
    let args = arguments();
    let number = |name: &str| {
        std::env::var(name).ok().map(|number| number.parse::<u64>().expect("a number"))
    };
    let (from, count) = match number("SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("COUNT").unwrap_or(PROGRAMS)),
    };
    for seed in from..from + count {
        let (program, main) = Generator::new(seed).program();
        check(&program, &format!("seed {seed}"));
        let before: Vec<_> = args.iter().map(|args| outcome(&program, main, args)).collect();
        for (name, without) in ways() {
            let mut roots = [main];
            // Numbers that such programs call absent are there.
            let without = [without, vec!["drop_strong_zeros"]].concat();
            let mut options = Options { without, verify: true, ..Options::default() };
            let optimised = optimise(program.clone(), &mut roots, &mut options);
            for (args, before) in args.iter().zip(&before) {
                let after = outcome(&optimised, roots[0], args);
                if before.0 == Outcome::Limit || after.0 == Outcome::Limit {
                    continue;
                }
                assert_eq!(
                    *before,
                    after,
                    "seed {seed}, {name}, {args:?}\n{}\nbecomes\n{}",
                    program.print(),
                    optimised.print()
                );
            }
            if name == "all" {
                smaller += usize::from(optimised.print().len() < program.print().len());
            }
        }
        values += before.iter().filter(|one| matches!(one.0, Outcome::Values(_))).count();
        failures += before.iter().filter(|one| one.0 == Outcome::Failure).count();
        lines += before.iter().map(|one| one.1.len()).sum::<usize>();
    }
    println!(
        "{values} values, {failures} failures, {smaller} programs became smaller, {lines} lines"
    );
    if count > 1 {
        let count = count as usize;
        assert!(values > count && failures > count / 2 && smaller > count * 9 / 10);
        assert!(lines > count, "only {lines} lines were told");
    }
}
