//! Derivatives of derivatives by the engines of The Differentiable Curry: order 10 in both modes against closed forms,
//! the growth of the code by order, and what forward mode costs.

use crate::support::deep;
use crate::support::source::source;
use pullback_compile::Mode;
use pullback_engines::{EngineInfo, engine_named, run};
use pullback_eval::{Options, Value};
use pullback_lambda::{DefId, Program};

const ENGINES: [&str; 2] = ["curry-list", "curry-env"];
const HIGHEST: usize = 10;

fn engine(name: &str) -> &'static EngineInfo {
    engine_named(name).expect("an engine of the table")
}

/// `of_1`, `of_2`, …: the derivatives of a function of one Real, each by that before.
fn orders(function: &str, mode: &str) -> String {
    let mut text = format!("def of_0 (x: Real): Real = {function}\n");
    for order in 1..=HIGHEST {
        let before = order - 1;
        let body = match mode {
            "reverse" => format!("grad of_{before} x"),
            _ => format!("(jvp of_{before} x 1.0).1"),
        };
        text.push_str(&format!("def of_{order} (x: Real): Real = {body}\n"));
    }
    text
}

/// The value at a point, and how many primitives ran.
fn derived(name: &str, program: &Program, def: DefId, x: f64) -> (f64, f64) {
    let options = Options::default();
    let answer = run(engine(name), program, def, Value::Real(x), &Mode::Value, &options)
        .unwrap_or_else(|problem| panic!("{name} {}: {problem:?}", program.defs[def].name));
    (answer.value.as_real().expect("a Real"), answer.counts.total() as f64)
}

/// The derivatives of `sin (exp x)`: `d/dx [exp x^k cos] = k exp x^k cos - exp x^(k+1) sin`.
fn sine_of_exponential(x: f64, order: usize) -> f64 {
    let u = x.exp();
    // Coefficients of u^k sin u and of u^k cos u.
    let mut terms = vec![[0.0; 2]; order + 1];
    terms[0][0] = 1.0;
    for _ in 0..order {
        let mut next = vec![[0.0; 2]; order + 1];
        for (k, [sine, cosine]) in terms.iter().enumerate() {
            next[k][0] += k as f64 * sine;
            next[k][1] += k as f64 * cosine;
            if k < order {
                next[k + 1][1] += sine;
                next[k + 1][0] -= cosine;
            }
        }
        terms = next;
    }
    let power = |k: usize| u.powi(k as i32);
    terms.iter().enumerate().map(|(k, [s, c])| power(k) * (s * u.sin() + c * u.cos())).sum()
}

/// The derivatives of `x * x * x * x`.
fn fourth_power(x: f64, order: usize) -> f64 {
    let falling: f64 = (0..order).map(|k| 4.0 - k as f64).product();
    if order > 4 { 0.0 } else { falling * x.powi(4 - order as i32) }
}

#[test]
fn order_ten_has_the_closed_forms_and_both_modes_grow_with_a_power_of_the_order() {
    deep(|| {
        type Closed = fn(f64, usize) -> f64;
        let functions: [(&str, Closed); 3] = [
            ("exp (2.0 * x)", |x, order| 2.0_f64.powi(order as i32) * (2.0 * x).exp()),
            ("x * x * x * x", fourth_power),
            ("sin (exp x)", sine_of_exponential),
        ];
        for (function, closed) in functions {
            for mode in ["reverse", "forward"] {
                let text = orders(function, mode);
                let asked = [5, 6, HIGHEST].map(|order| (order, format!("of_{order}")));
                let names: Vec<&str> = asked.iter().map(|(_, name)| name.as_str()).collect();
                let (program, defs) = source(&text, &names);
                for name in ENGINES {
                    let mut counts = vec![];
                    for ((order, _), def) in asked.iter().zip(&defs) {
                        let (value, count) = derived(name, &program, *def, 0.7);
                        let expected = closed(0.7, *order);
                        let near = (value - expected).abs() <= 1e-9 * (1.0 + expected.abs());
                        assert!(near, "{name} {mode} {function} {order}: {value} {expected}");
                        counts.push(count);
                    }
                    let power = counts[2] <= 12.0 * counts[0] + 12.0;
                    assert!(power, "{name} {mode} {function}: {counts:?}");
                }
            }
        }
    });
}

/// The table of the engine's page: how many primitives a run of each order executes.
#[test]
fn the_page_tells_how_many_primitives_each_order_executes() {
    deep(|| {
        let page = include_str!("../../../../docs/engines/curry.md");
        let mut rows = vec![];
        for mode in ["forward", "reverse"] {
            for function in ["exp (2.0 * x)", "x * x * x * x", "sin (exp x)"] {
                let names: Vec<String> = (1..=8).map(|order| format!("of_{order}")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let (program, defs) = source(&orders(function, mode), &names);
                let count = |def: &DefId| derived("curry-env", &program, *def, 0.7).1.to_string();
                let counts: Vec<String> = defs.iter().map(count).collect();
                rows.push(format!("| {mode} | `{function}` | {} |", counts.join(" | ")));
            }
        }
        let rows = rows.join("\n");
        assert!(page.contains(&rows), "the page should have\n{rows}");
    });
}

/// A loop, a recursion with a captured function, and arrays.
const PROGRAMS: [&str; 3] = [
    "def f ((x, n): (Real, Int)): Real = loop y = x for i < n do sin (y * x) + y",
    "def go (g: Real -> Real) (y: Real) (n: Int): Real = if n == 0 then y else go g (g y) (n - 1)\n\
     def f ((x, n): (Real, Int)): Real = go (\\y -> y * x + sin y) x n",
    "def f ((x, n): (Real, Int)): Real = let v = [ x * real i | i < n ] in sum [ v[i] * v[n - 1 - i] | i < n ]",
];

/// The pullback of the pullback would run the program three times and keep what it read.
#[test]
fn forward_mode_is_an_arrow_of_its_own_and_linear() {
    deep(|| {
        for text in PROGRAMS {
            let (program, defs) = source(text, &["f"]);
            for name in ENGINES {
                let cost = |n: i64, mode: &Mode| {
                    let point = Value::tuple(vec![Value::Real(0.3), Value::Int(n)]);
                    let options = Options::default();
                    let answer = run(engine(name), &program, defs[0], point, mode, &options)
                        .unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
                    answer.counts.total() as f64
                };
                let tangent = Value::tuple(vec![Value::Real(1.0), Value::tuple(vec![])]);
                let forward = Mode::Jvp(tangent);
                let (small, large) = (cost(100, &forward), cost(400, &forward));
                assert!(large < 4.2 * small, "{name} {text}: {small} {large}");
                let (value, reverse) =
                    (cost(400, &Mode::Value), cost(400, &Mode::Vjp(Value::Real(1.0))));
                assert!(large < 4.0 * value, "{name} {text}: {large} {value}");
                assert!(large < 1.2 * reverse, "{name} {text}: {large} {reverse}");
            }
        }
    });
}
