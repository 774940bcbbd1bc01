//! The laws of a cartesian closed category, and figure 4 of The Differentiable Curry, as equations between
//! programs with random functions at random points: both sides have the same value and the same derivative
//! with both kinds of tangents, their derivative is what differences of the value say, which know no rule,
//! and what flows back to each function is equivalent by the paper's relation (§4.1).

use crate::equivalence::{equivalent, is_zero};
use crate::support::source::source;
use crate::support::{Random, deep};
use pullback_base::Name;
use pullback_compile::Mode;
use pullback_engines::curry::{Arrived, Call, Package, Seen, Style, function_tangents};
use pullback_engines::{engine_named, run};
use pullback_eval::{Options, Value, walk};
use pullback_lambda::{DefId, Program};

/// Each law as two bodies over `a` and `b`, with functions `f`, `g`, `h` of random text, which capture `a`
/// and `b`.
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

impl Random {
    /// Two numbers, off all that the programs of these laws write down.
    fn point(&mut self) -> (f64, f64) {
        let mut real = || self.below(3000) as f64 / 1000.0 - 1.4995;
        (real(), real())
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

/// The same value, the same derivatives as differences, equivalent tangents of these functions; gives the
/// tangents of both sides in both styles.
fn agree(
    law: &str,
    program: &Program,
    sides: [DefId; 2],
    (a, b): (f64, f64),
    functions: &[&str],
) -> Vec<[Tangents; 2]> {
    let [first, second] = sides.map(|def| value(program, def, a, b));
    assert!((first - second).abs() <= 1e-12 * (1.0 + first.abs()), "{law}: {first} {second}");
    let slopes = differences(program, sides[0], a, b);
    for engine in ["curry-list", "curry-env"] {
        let [left, right] = sides.map(|def| gradient(engine, program, def, a, b));
        for ((l, r), slope) in left.iter().zip(&right).zip(slopes) {
            let error = (l - slope).abs() / (1.0 + slope.abs());
            assert!(error < 1e-6, "{engine} {law}: {l} {slope}\n{}", program.print());
            assert!((l - r).abs() <= 1e-10 * (1.0 + l.abs()), "{engine} {law}: {l} {r}");
        }
    }
    let x = Value::tuple(vec![Value::Real(a), Value::Real(b)]);
    let mut found = vec![];
    for style in [Style::List, Style::Env(Package::Tagged)] {
        let both = sides.map(|def| function_tangents(program, def, x.clone(), style).unwrap());
        for name in functions {
            let [left, right] = [0, 1].map(|side| tangent(&both[side], name));
            let same = match (&left, &right) {
                (Some(left), Some(right)) => equivalent(left, right),
                // A function that nothing flows back to has the tangent zero.
                (Some(some), None) | (None, Some(some)) => is_zero(&Seen::Function(some.clone())),
                (None, None) => true,
            };
            assert!(same, "{law}, {name}: {left:?} {right:?}\n{}", program.print());
        }
        found.push(both);
    }
    found
}

type Tangents = Vec<(Name, Arrived)>;

fn tangent(tangents: &Tangents, name: &str) -> Option<Arrived> {
    tangents.iter().find(|(known, _)| known == name).map(|(_, arrived)| arrived.clone())
}

#[test]
fn both_engines_keep_the_laws() {
    deep(laws);
}

fn laws() {
    let mut random = Random::new(2019);
    let mut seen = 0;
    for _ in 0..4 {
        let of_two = ["x", "y", "a", "b"];
        let (f, h) = (random.term(&of_two, 3), random.term(&of_two, 3));
        let g = random.term(&["x", "a", "b"], 3);
        let (mut text, mut names) = (String::new(), vec![]);
        for (index, (_, left, right)) in LAWS.iter().enumerate() {
            for (side, body) in [("l", left), ("r", right)] {
                text.push_str(&format!(
                    "def {side}{index} ((a, b): (Real, Real)): Real =\n  let f (x, y) = {f} in\n  \
                     let g x = {g} in\n  let h (x, y) = {h} in\n  {body}\n"
                ));
                names.push(format!("{side}{index}"));
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (program, defs) = source(&text, &names);
        let point = random.point();
        for (pair, (law, ..)) in defs.chunks(2).zip(LAWS) {
            let found = agree(law, &program, [pair[0], pair[1]], point, &["f", "g", "h"]);
            seen += found.iter().flatten().map(Vec::len).sum::<usize>();
        }
    }
    // What is compared is there.
    assert!(seen > 300, "{seen}");
}

/// Figure 4, each function given what it captures.
fn figure_4(f: &str, p: &str, q: &str) -> String {
    let texts = [
        "def partial_1' (f: (Real, Real) -> Real) ((a, b): (Real, Real)): Real = (\\xb -> f (a, xb)) b",
        "def partial_2' (f: (Real, Real) -> Real) ((a, b): (Real, Real)): Real = f (a, b)",
        "def forget_1' ((f, g): (Real -> Real, Real -> Real)) (x: Real): Real = fst (f x, g x)",
        "def forget_2' ((f, g): (Real -> Real, Real -> Real)) (x: Real): Real = f x",
        "def sum_1' (f: Real -> Real) (x: Real): Real = f x + f x",
        "def sum_2' (f: Real -> Real) (x: Real): Real = let y = f x in y + y",
    ];
    let mut text = texts.join("\n") + "\n";
    for side in [1, 2] {
        text.push_str(&format!(
            "def partial_{side} ((a, b): (Real, Real)): Real =\n  \
             let f (x, y) = {f} in partial_{side}' f (a, b)\n\
             def forget_{side} ((a, b): (Real, Real)): Real =\n  \
             let p x = {p} in let q x = {q} in forget_{side}' (p, q) (a + b)\n\
             def sum_{side} ((a, b): (Real, Real)): Real =\n  \
             let g x = {p} in sum_{side}' g (a - b)\n"
        ));
    }
    text
}

fn calls(tangents: &Tangents, name: &str) -> Vec<String> {
    match tangent(tangents, name) {
        Some(Arrived::Calls(calls)) => calls
            .iter()
            .map(|Call { text, result, .. }| {
                format!("({text}, {})", if is_zero(result) { "0" } else { "g" })
            })
            .collect(),
        Some(Arrived::Environment { .. }) | None => vec![],
    }
}

#[test]
fn figure_4_holds_in_its_three_columns() {
    deep(|| {
        let mut random = Random::new(4);
        for _ in 0..6 {
            let f = random.term(&["x", "y", "a", "b"], 3);
            // Whatever the functions are, they depend on what they capture and on their argument.
            let p = format!("a * x + {}", random.term(&["x", "a", "b"], 3));
            let q = format!("b * x + {}", random.term(&["x", "a", "b"], 3));
            let names = ["partial_1", "partial_2", "forget_1", "forget_2", "sum_1", "sum_2"];
            let (program, defs) = source(&figure_4(&format!("a * b + {f}"), &p, &q), &names);
            let (a, b) = random.point();
            let column = |index: usize, functions: &[&str]| {
                let sides = [defs[2 * index], defs[2 * index + 1]];
                agree(names[2 * index], &program, sides, (a, b), functions).swap_remove(0)
            };

            let partial = column(0, &["f"]);
            let once = format!("(({a:?}, {b:?}), g)");
            assert_eq!(partial.map(|side| calls(&side, "f")), [[once.clone()], [once]]);

            let forget = column(1, &["p", "q"]);
            let x = a + b;
            assert_eq!(calls(&forget[0], "q"), [format!("({x:?}, 0)")], "[(x, 0)] against []");
            assert!(calls(&forget[1], "q").is_empty());

            let sum = column(2, &["g"]);
            let call = format!("({:?}, g)", a - b);
            assert_eq!(calls(&sum[0], "g"), [call.clone(), call.clone()]);
            assert_eq!(calls(&sum[1], "g"), [call]);
        }
    });
}

fn list(calls: &[(f64, Seen)]) -> Arrived {
    let call = |(x, g): &(f64, Seen)| Call {
        argument: Value::Real(*x),
        text: x.to_string(),
        result: g.clone(),
    };
    Arrived::Calls(calls.iter().map(call).collect())
}

#[test]
fn tangents_that_differ_are_not_equivalent() {
    let reals = |calls: &[(f64, f64)]| {
        list(&calls.iter().map(|(x, g)| (*x, Seen::Real(*g))).collect::<Vec<_>>())
    };
    assert!(equivalent(&reals(&[(1.0, 2.0), (3.0, 0.0), (1.0, 4.0)]), &reals(&[(1.0, 6.0)])));
    assert!(equivalent(&reals(&[(1.0, 2.0), (1.0, -2.0)]), &reals(&[])));
    assert!(!equivalent(&reals(&[(1.0, 2.0)]), &reals(&[(2.0, 2.0)])));
    assert!(!equivalent(&reals(&[(1.0, 2.0)]), &reals(&[(1.0, 3.0)])));
    assert!(!equivalent(&reals(&[(1.0, 2.0)]), &reals(&[])));
    // The relation is that of the results' types: here, of functions.
    let nested = |calls: &[(f64, f64)]| Seen::Function(reals(calls));
    let zero = list(&[(1.0, nested(&[(2.0, 0.0)]))]);
    assert!(equivalent(&zero, &list(&[])));
    let twice = list(&[(1.0, nested(&[(2.0, 1.0)])), (1.0, nested(&[(2.0, 3.0)]))]);
    assert!(equivalent(&twice, &list(&[(1.0, nested(&[(2.0, 4.0)]))])));
    assert!(!equivalent(&twice, &list(&[(1.0, nested(&[(2.0, 5.0)]))])));
}

/// What a definition's functions are given, as it is shown.
fn shown(text: &str, style: Style) -> Vec<String> {
    let (program, defs) = source(text, &["main"]);
    let found = function_tangents(&program, defs[0], Value::Real(1.5), style).unwrap();
    found.iter().map(|(name, arrived)| format!("{name}_bar = {}", arrived.text())).collect()
}

#[test]
fn tangents_are_shown_by_their_types() {
    deep(|| {
        let text = "def main (x: Real): Real =\n  let g y z = x * y * z in g 2.0 3.0 + g 4.0 5.0";
        assert_eq!(
            shown(text, Style::List),
            ["g_bar = [(2.0, [(3.0, 1.0)]), (4.0, [(5.0, 1.0)])]"]
        );
        let text = "def main (x: Real): Real =\n  let a = [x, x] in let s = Some x in\n  \
                    let g (n, b) = if b then a[n] else 0.0 in\n  \
                    let h y = match s with | None -> y | Some z -> y * z in g (1, true) + h 2.0";
        assert_eq!(
            shown(text, Style::List),
            ["h_bar = [(2.0, 1.0)]", "g_bar = [((1, true), 1.0)]"]
        );
        let found = shown(text, Style::Env(Package::Tagged));
        assert!(found[0].ends_with("{s = (Some 2.0)}"), "{found:?}");
        assert!(found[1].ends_with("{a = [1: 1.0]}"), "{found:?}");
        // What flows back inside a function that is made is not told: it differs from call to call.
        let text = "def main (x: Real): Real = let h y = let k z = x * y * z in k 2.0 in h 3.0";
        assert_eq!(shown(text, Style::List), ["h_bar = [(3.0, 1.0)]"]);
        let text = "def main (x: Real): Real = let rec go n y = if n == 0 then y else go (n - 1) (y * x) in go 3 1.0";
        assert!(shown(text, Style::List).is_empty());
    });
}
