//! The engines of The Differentiable Curry: right derivatives, both modes, any order; what list tangents
//! recompute; what arrays cost; packages with checked tags.

use crate::support::deep;
use crate::support::source::source;
use pullback_engines::curry;
use pullback_engines::{Answer, EngineInfo, Mode, engine_named, run};
use pullback_eval::{Options, Value, equal, walk};
use pullback_lambda::{DefId, Program, Stage, verify};

const ENGINES: [&str; 2] = ["curry-list", "curry-env"];

fn engine(name: &str) -> &'static EngineInfo {
    engine_named(name).unwrap()
}

fn apply(name: &str, program: &Program, def: DefId, x: &Value, mode: &Mode) -> Answer {
    run(engine(name), program, def, x.clone(), mode, &Options::default())
        .unwrap_or_else(|problem| panic!("{name}: {problem:?}"))
}

fn close(a: &Value, b: &Value) -> bool {
    let (a, b) = (walk::real_leaves(a).unwrap(), walk::real_leaves(b).unwrap());
    let near = |(a, b): (&Value, &Value)| {
        let (a, b) = (a.as_real().unwrap(), b.as_real().unwrap());
        (a - b).abs() <= 1e-9 * (1.0 + b.abs()) || (a.is_nan() && b.is_nan()) || a == b
    };
    a.len() == b.len() && a.iter().zip(&b).all(near)
}

/// Gradients by closed forms, at Real inputs.
#[test]
fn derivatives_have_their_closed_forms() {
    deep(|| {
        let text = "
def product (x: Real): Real = x * sin x
def captured (x: Real): Real = let f y = x * y in f 3.0 + f x
def branches (x: Real): Real = if x > 1.0 then x * x else 3.0 * x
def looped (x: Real): Real = loop s = 1.0 for i < 4 do s * x + real i
def whiled (x: Real): Real = loop s = x while s < 100.0 do s * s
def recursive (x: Real): Real = let rec go n y = if n < 1 then y else go (n - 1) (y * x) in go 3 x
def higher (x: Real): Real = let twice f y = f (f y) in twice (\\y -> y * y * x) 2.0
def in_data (x: Real): Real = let fs = [\\y -> y, \\y -> x * y, \\y -> x * x * y] in sum [ f 2.0 | f <- fs ]
def arrays (x: Real): Real = sum (map (\\y -> y * x) [1.0, x, x * x])
def sums (x: Real): Real = match Some (x * x) with | None -> 0.0 | Some y -> y * x
def ruled (x: Real): Real = custom_vjp (\\y -> y * y) (\\y -> (y * y, \\g -> 7.0 * g)) x
def ruled_forward (x: Real): Real = custom_jvp (\\y -> y * y) (\\y d -> (y * y, 7.0 * d)) x
def stopped (x: Real): Real = x * stop_gradient x
def no_path (x: Real): Real = let r = sqrt (x - 2.0) in if x > 0.0 then x else r
";
        let cases: [(&str, f64); 14] = [
            ("product", 2f64.sin() + 2.0 * 2f64.cos()),
            ("captured", 3.0 + 4.0),
            ("branches", 4.0),
            // ((((x) x + 1) x + 2) x + 3): the derivative of x^4 + x^2 + 2 x + 3.
            ("looped", 4.0 * 8.0 + 2.0 * 2.0 + 2.0),
            ("whiled", 8.0 * 128.0),
            ("recursive", 32.0),
            ("higher", 3.0 * 16.0 * 4.0),
            ("in_data", 2.0 + 8.0),
            ("arrays", 1.0 + 4.0 + 12.0),
            ("sums", 12.0),
            ("ruled", 7.0),
            ("ruled_forward", 7.0),
            ("stopped", 2.0),
            // The square root has an infinite derivative here, but nothing flows through it.
            ("no_path", 1.0),
        ];
        let names: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
        let (program, defs) = source(text, &names);
        for (&def, (name, expected)) in defs.iter().zip(cases) {
            for engine in ENGINES {
                let x = Value::Real(2.0);
                let expected = Value::Real(expected);
                let back = apply(engine, &program, def, &x, &Mode::Vjp(Value::Real(1.0)));
                let found = back.derivative.unwrap();
                assert!(close(&found, &expected), "{engine} {name}: {found:?}");
                let along = apply(engine, &program, def, &x, &Mode::Jvp(Value::Real(1.0)));
                let found = along.derivative.unwrap();
                assert!(close(&found, &expected), "{engine} {name} forward: {found:?}");
                let value = apply(engine, &program, def, &x, &Mode::Value).value;
                assert!(equal(&back.value, &value) && equal(&along.value, &value), "{name}");
            }
        }
    });
}

/// The discussion's `vjp` as an operator of the language: derivatives inside programs, of any order.
#[test]
fn derivatives_nest() {
    deep(|| {
        let text = "
def second (x: Real): Real = grad (\\z -> z ^ 3) x
def inner (x: Real): Real = x * grad (\\y -> x * y * y) 3.0
def pulled (x: Real): Real = let (y, back) = vjp (\\z -> z * z * x) x in y + back x
def mixed (x: Real): Real = (jvp (grad (\\z -> sin (z * x))) x 1.0).1
";
        let at: f64 = 1.25;
        // d/dz of x cos (z x) is -x² sin (z x); at z = x its derivative by x is taken too.
        let mixed = -2.0 * at * (at * at).sin() - 2.0 * at.powi(3) * (at * at).cos();
        // `pulled` is x³ + 2 x³: the pullback of z² x at z = x multiplies by 2 x².
        let pulled = 9.0 * at * at;
        let cases =
            [("second", 6.0 * at), ("inner", 12.0 * at), ("pulled", pulled), ("mixed", mixed)];
        let names: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
        let (program, defs) = source(text, &names);
        for (&def, (name, expected)) in defs.iter().zip(cases) {
            for engine in ENGINES {
                let mode = Mode::Vjp(Value::Real(1.0));
                let found = apply(engine, &program, def, &Value::Real(at), &mode).derivative;
                let found = found.unwrap();
                assert!(close(&found, &Value::Real(expected)), "{engine} {name}: {found:?}");
            }
        }
    });
}

/// A chain of n functions, each of which captures the one before and the input.
fn chain(n: usize) -> String {
    let mut text = String::from("def chained (c: Real): Real =\n  let f0 x = c * x in\n");
    for k in 1..n {
        text.push_str(&format!("  let f{k} x = f{} (x + c) in\n", k - 1));
    }
    format!("{text}  f{} 1.0\n", n - 1)
}

/// List tangents run each function of the chain again for the call that its successor recorded, and
/// with it all before; environment tangents run everything once.
#[test]
fn list_tangents_recompute_and_environments_do_not() {
    deep(|| {
        let count = |name: &str, n: usize| {
            let (program, defs) = source(&chain(n), &["chained"]);
            let mode = Mode::Vjp(Value::Real(1.0));
            let answer = apply(name, &program, defs[0], &Value::Real(1.5), &mode);
            let expected = Value::Real(1.0 + 2.0 * (n - 1) as f64 * 1.5);
            assert!(close(&answer.derivative.unwrap(), &expected), "{name} {n}");
            answer.counts.total()
        };
        let (list, env) = (ENGINES[0], ENGINES[1]);
        let (small, large) = (count(env, 8), count(env, 16));
        assert!(large <= 2 * small + 8, "linear: {small} {large}");
        let (small_list, large_list) = (count(list, 8), count(list, 16));
        assert!(large_list >= 3 * small_list, "quadratic: {small_list} {large_list}");
        assert!(large_list > 2 * large, "more than environments: {large_list} {large}");
    });
}

/// Arrays that a loop reads and updates, written, shifted, read out of order and two at a time.
const ARRAYS: &str = "
def running ((n, x): (Int, Real)): Real =
  sum (loop w = build n (\\i -> x * real i) for i < n - 1 do w with [i + 1] = w[i] * 0.5 + w[i + 1])
def gathered ((n, x): (Int, Real)): Real =
  let v = build n (\\i -> x * real i) in sum (build n (\\i -> v[i] * v[(i * 7) % n]))
def paired ((n, x): (Int, Real)): Real =
  let (w, s) =
    loop (w, s) = (build n (\\i -> x * real i), 0.0) for i < n - 1 do
      let t = w[i] in (w with [i + 1] = sin t, s + t) in
  s + sum w
";

/// A read and an update cost a constant on the way back, whatever the size of the array.
#[test]
fn arrays_cost_a_constant_factor_in_both_modes() {
    deep(|| {
        let names = ["running", "gathered", "paired"];
        let (program, defs) = source(ARRAYS, &names);
        for (name, def) in names.into_iter().zip(defs) {
            for engine in ENGINES {
                let unit = Value::tuple(vec![]);
                let tangent = Value::tuple(vec![unit, Value::Real(1.0)]);
                for mode in [Mode::Vjp(Value::Real(1.0)), Mode::Jvp(tangent)] {
                    let cost = |n: i64| {
                        let point = Value::tuple(vec![Value::Int(n), Value::Real(0.1)]);
                        let counts = apply(engine, &program, def, &point, &mode).counts;
                        (counts.total() + counts.copied) as f64
                    };
                    let (small, large) = (cost(100), cost(400));
                    assert!(large < 4.5 * small, "{engine} {name} {mode:?}: {small} {large}");
                }
            }
        }
    });
}

const FORGETS: &str = "
def first ((p, q): (Real -> Real, Real -> Real)) (x: Real): Real = fst (p x, q x)
def forgets ((a, b): (Real, Real)): Real =
  let p x = a * x in
  let q x = b * x * x in
  first (p, q) (a + b)
";

/// What the transformation makes is well-typed, packages and all: no cast anywhere, and a package
/// opened under the wrong tag would be an error of its own.
#[test]
fn packages_are_sums_with_checked_tags() {
    deep(|| {
        let (mut program, defs) = source(FORGETS, &["forgets"]);
        let text = program.print();
        let unary = pullback_reduce::unary(&mut program, defs[0]);
        let made = curry::vjp_env(&mut program, unary);
        let made = made.unwrap_or_else(|problem| panic!("{problem:?}"));
        verify(&program, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert!(program.defs.len() > made.0 as usize && program.print().len() > text.len());
        let packages = program.datas.iter().find(|data| data.name == "Environment").unwrap();
        assert!(packages.constructors.len() >= 3, "the zero and one package each for p and q");
    });
}

/// Loops and recursion far deeper than any native stack would allow.
#[test]
fn depth_is_not_native() {
    let text = "
def looped (x: Real): Real = loop s = x for i < 100000 do s * 0.9999 + x
def deep (n: Int) (x: Real): Real = if n < 1 then x else x + deep (n - 1) x
def recursive (x: Real): Real = deep 100000 x
";
    let (program, defs) = source(text, &["looped", "recursive"]);
    for engine in ENGINES {
        let x = Value::Real(1.0);
        let found = apply(engine, &program, defs[1], &x, &Mode::Vjp(Value::Real(1.0)));
        assert!(close(&found.derivative.unwrap(), &Value::Real(100_001.0)), "{engine}");
        let found = apply(engine, &program, defs[0], &x, &Mode::Vjp(Value::Real(1.0)));
        let geometric = (0..100_000).fold(1.0, |s, _| s * 0.9999 + 1.0);
        assert!(close(&found.derivative.unwrap(), &Value::Real(geometric)), "{engine}");
    }
}
