//! The laws of a cartesian closed category, as equations between programs with random functions: both
//! sides have the same value and the same derivative with both kinds of tangents, and their derivative
//! is what differences of the value say, which know no rule.

use crate::support::source::source;
use pullback_engines::{Mode, engine_named, run};
use pullback_lambda::eval::{Options, Value, walk};
use pullback_lambda::{DefId, Program};

/// Each law as two bodies over `a` and `b`, with functions `f`, `g`, `h` of random text. `P` and `Q` are
/// the first and second function of a pair, `C` curries.
const LAWS: &[(&str, &str, &str)] = &[
    ("beta", "let k = \\x -> \\y -> f (x, y) in k a b", "f (a, b)"),
    ("eta", "let k = \\y -> f (a, y) in (\\z -> k z) b", "let k = \\y -> f (a, y) in k b"),
    ("identity left", "f ((\\p -> p) (a, b))", "f (a, b)"),
    ("identity right", "(\\y -> y) (f (a, b))", "f (a, b)"),
    (
        "associativity",
        "let gf = \\x -> g (f (x, b)) in let k = \\x -> h (gf x, a) in k a",
        "let hg = \\y -> h (g y, a) in hg (f (a, b))",
    ),
    ("first projection", "fst (f (a, b), h (b, a))", "f (a, b)"),
    ("second projection", "snd (f (a, b), h (b, a))", "h (b, a)"),
    ("surjective pairing", "let p = (g a, g b) in h (fst p, snd p)", "let p = (g a, g b) in h p"),
    (
        "naturality of curry",
        "let c = \\x -> \\y -> f (x, y) in (\\x -> c (g x)) a b",
        "let c = \\x -> \\y -> f (g x, y) in c a b",
    ),
    (
        "composition after curry",
        "let c = \\x -> \\y -> g (f (x, y)) in c a b",
        "let c = \\x -> \\y -> f (x, y) in g (c a b)",
    ),
    ("sharing", "h (g a, g a)", "let y = g a in h (y, y)"),
    ("forgetting", "let k = \\y -> f (b, y) in fst (g a, k b)", "g a"),
    (
        "functions in pairs",
        "let p = (\\x -> f (a, x), \\x -> h (x, b)) in fst p b + snd p a",
        "f (a, b) + h (a, b)",
    ),
    (
        "functions from branches",
        "let k = if a > 0.0 then \\x -> f (a, x) else \\x -> h (x, b) in k b",
        "if a > 0.0 then f (a, b) else h (b, b)",
    ),
    (
        "recursion unrolls",
        "let rec go n x = if n < 1 then f (x, b) else go (n - 1) (g x) in go 2 a",
        "f (g (g a), b)",
    ),
    ("functions in arrays", "sum [ k b | k <- [\\x -> f (a, x), \\x -> g x] ]", "f (a, b) + g b"),
];

/// Numbers for tests.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// A smooth expression over these variables.
    fn term(&mut self, vars: &[&str], depth: u32) -> String {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(3) {
                0 => format!("{:?}", self.below(30) as f64 / 10.0 - 1.45),
                _ => vars[self.below(vars.len() as u64) as usize].to_string(),
            };
        }
        let mut sub = || self.term(vars, depth - 1);
        let (first, second) = (sub(), sub());
        match self.below(6) {
            0 => format!("sin ({first})"),
            1 => format!("tanh ({first})"),
            2 => format!("({first} + {second})"),
            3 => format!("({first} - {second})"),
            4 => format!("exp (sin ({first}))"),
            _ => format!("(({first}) * ({second}))"),
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_real().unwrap()
}

fn value(program: &Program, def: DefId, a: f64, b: f64) -> f64 {
    let x = Value::tuple(vec![Value::Real(a), Value::Real(b)]);
    let trace = engine_named("trace").unwrap();
    number(&run(trace, program, def, x, &Mode::Value, &Options::default()).unwrap().value)
}

fn gradient(engine: &str, program: &Program, def: DefId, a: f64, b: f64) -> Vec<f64> {
    let x = Value::tuple(vec![Value::Real(a), Value::Real(b)]);
    let mode = Mode::Vjp(Value::Real(1.0));
    let info = engine_named(engine).unwrap();
    let answer = run(info, program, def, x, &mode, &Options::default())
        .unwrap_or_else(|problem| panic!("{engine}: {problem:?}"));
    walk::real_leaves(&answer.derivative.unwrap()).unwrap().iter().map(number).collect()
}

/// The derivative along both axes, by central differences with one extrapolation.
fn differences(program: &Program, def: DefId, a: f64, b: f64) -> [f64; 2] {
    let central = |h: f64, da: f64, db: f64| {
        let up = value(program, def, a + h * da, b + h * db);
        let down = value(program, def, a - h * da, b - h * db);
        (up - down) / (2.0 * h)
    };
    [(1.0, 0.0), (0.0, 1.0)].map(|(da, db)| {
        let (h, coarse) = (1e-4, central(2e-4, da, db));
        let fine = central(h, da, db);
        fine + (fine - coarse) / 3.0
    })
}

#[test]
fn both_engines_keep_the_laws() {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(laws).unwrap().join().unwrap();
}

fn laws() {
    let mut random = Random(2019);
    for round in 0..3 {
        let (f, g, h) =
            (random.term(&["x", "y"], 3), random.term(&["x"], 3), random.term(&["x", "y"], 3));
        let mut text = format!(
            "def f ((x, y): (Real, Real)): Real = {f}\ndef g (x: Real): Real = {g}\n\
             def h ((x, y): (Real, Real)): Real = {h}\n"
        );
        let mut names = vec![];
        for (index, (_, left, right)) in LAWS.iter().enumerate() {
            for (side, body) in [("l", left), ("r", right)] {
                text.push_str(&format!(
                    "def {side}{index} ((a, b): (Real, Real)): Real = {body}\n"
                ));
                names.push(format!("{side}{index}"));
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (program, defs) = source(&text, &names);
        let (a, b) = (0.7 - 0.4 * round as f64, 0.3 + 0.2 * round as f64);
        for (pair, (law, ..)) in defs.chunks(2).zip(LAWS) {
            let (left, right) = (pair[0], pair[1]);
            let (first, second) = (value(&program, left, a, b), value(&program, right, a, b));
            assert!(
                (first - second).abs() <= 1e-12 * (1.0 + first.abs()),
                "{law}: {first} {second}"
            );
            let slopes = differences(&program, left, a, b);
            for engine in ["curry-list", "curry-env"] {
                for def in [left, right] {
                    let found = gradient(engine, &program, def, a, b);
                    for (found, slope) in found.iter().zip(slopes) {
                        let error = (found - slope).abs() / (1.0 + slope.abs());
                        assert!(error < 1e-6, "{engine} {law}: {found} {slope}\n{text}");
                    }
                }
                let (l, r) = (
                    gradient(engine, &program, left, a, b),
                    gradient(engine, &program, right, a, b),
                );
                for (l, r) in l.iter().zip(&r) {
                    assert!((l - r).abs() <= 1e-10 * (1.0 + l.abs()), "{engine} {law}: {l} {r}");
                }
            }
        }
    }
}
