//! The engines of The Differentiable Curry: what list tangents recompute; what arrays cost; packages with checked
//! tags; depth. Their derivatives are compared with the oracle's on `tests/forms`.

use crate::support::deep;
use crate::support::source::source;
use pullback_compile::{Answer, Mode};
use pullback_engines::curry;
use pullback_engines::{EngineInfo, engine_named, run};
use pullback_eval::{Options, Value, walk};
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
        let translated = curry::vjp_env(&mut program, unary);
        let translated = translated.unwrap_or_else(|problem| panic!("{problem:?}"));
        verify(&program, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert!(program.defs.len() > translated.0 as usize && program.print().len() > text.len());
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
        let answer = apply(engine, &program, defs[1], &x, &Mode::Vjp(Value::Real(1.0)));
        assert!(close(&answer.derivative.unwrap(), &Value::Real(100_001.0)), "{engine}");
        let answer = apply(engine, &program, defs[0], &x, &Mode::Vjp(Value::Real(1.0)));
        let geometric = (0..100_000).fold(1.0, |s, _| s * 0.9999 + 1.0);
        assert!(close(&answer.derivative.unwrap(), &Value::Real(geometric)), "{engine}");
    }
}
