//! What the forms of the working notes cost: the engine, and the printed functions evaluated.

use std::rc::Rc;

use pullback_compile::Mode;
use pullback_engines::linear_maps::notes::forms::{demo, poly_transposed_forms, print_form};
use pullback_engines::linear_maps::notes::reverse_source;
use pullback_engines::linear_maps::notes::term::Form;
use pullback_engines::{engine_named, run};
use pullback_eval::{Options, Value};

use crate::linear_maps_forms::{reals, wrap, wrapped};
use crate::support::source::source;
use crate::vectors::{Numbers, real};

use crate::notes_eval::{Datum, Evaluation};

/// What is used element by element in a loop is passed once, not once an element: a call, a sum.
#[test]
fn maps_used_in_loops_are_passed_once() {
    for text in [
        "def g (v: [N]Real): [N]Real = map sin (v + v)
         def f (v: [N]Real): Real = let w = g v in sum (map (\\x -> tanh x) w)",
        "def f (v: [N]Real): Real = let s = sum v in sum (build N (\\i -> v[i] / s * v[i]))",
    ] {
        let cost = |n: usize| -> u64 {
            let (program, f) = wrapped(&text.replace('N', &n.to_string()));
            let (stages, def) = demo(&program, f).unwrap();
            let mut book = stages[11].book.clone();
            let mut evaluation = Evaluation::new(&mut book);
            let v = Datum::of_value(&Value::reals(vec![0.1; n]));
            let args = vec![v, Datum::Space(real(1.0))];
            evaluation.call(def, Form::Reverse, args).unwrap();
            evaluation.plain.operations
        };
        let (a, b, c) = (cost(8), cost(16), cost(32));
        assert_eq!(c - b, 2 * (b - a), "{a} {b} {c} for {text}");
    }
}

/// The terms that the evaluation of a form at `v = [0.5, …]` and `dv` or `dr` goes through.
fn steps(text: &str, n: usize, stage: usize, form: Form) -> (u64, String) {
    let (program, f) = wrapped(&text.replace('N', &n.to_string()));
    let (stages, def) = demo(&program, f).unwrap();
    let mut book = stages[stage].book.clone();
    let shown = print_form(&book, form);
    let mut evaluation = Evaluation::new(&mut book);
    let vector = |x: f64| Datum::of_value(&Value::reals(vec![x; n]));
    let whole = form == Form::Forward || text.contains("): [N]Real");
    let last = if whole { vector(1.0) } else { Datum::Space(real(1.0)) };
    evaluation.call(def, form, vec![vector(0.5), last]).unwrap();
    (evaluation.steps, shown)
}

/// In `∂_R f̄` the maps made so far go down into calls, so a chain of calls costs as much as its steps: the cost grows with the
/// number of calls, not with how deep they are.
#[test]
fn the_transposed_polymorphic_form_does_not_pay_for_depth() {
    let cost = |text: &str, n: i64| {
        let (program, f) = wrapped(text);
        let (mut book, def) = poly_transposed_forms(&program, f).unwrap();
        let mut evaluation = Evaluation::new(&mut book);
        let x = Datum::Items(Rc::new(vec![Datum::of_value(&Value::Real(1.01)), Evaluation::one()]));
        let call = evaluation.call(def, Form::PolymorphicTransposed, vec![x, Datum::Int(n)]);
        let Datum::Items(parts) = call.unwrap() else { panic!("no pair") };
        let x_bar = evaluation.apply(&parts[1], real(1.0)).unwrap();
        let slope = x_bar.coordinates(&real(0.0))[0];
        assert!((slope - n as f64 * 1.01f64.powi(n as i32 - 1)).abs() < 1e-9 * slope, "{slope}");
        evaluation.steps + evaluation.plain.operations
    };
    let deep = "def power (x: Real) (n: Int): Real = if n == 0 then 1.0 else x * power x (n - 1)
         def f (x: Real) (n: Int): Real = power x n";
    let [a, b, c] = [20, 40, 80].map(|n| cost(deep, n));
    assert!(c - b <= 2 * (b - a) + 8, "{a} {b} {c}");
}

/// Every step counts, so comparisons with the place of a one-hot vector and the zeros beside it do too:
/// they would make these forms quadratic.
#[test]
fn no_form_goes_through_one_hot_vectors() {
    for text in [
        "def f (v: [N]Real): Real = sum (build N (\\i -> v[i] * v[i]))",
        "def f (v: [N]Real): Real = sum (build N (\\i -> v[i] * v[N - 1 - i] * sin v[i] * v[i]))",
        "def f (v: [N]Real): [N]Real = build N (\\i -> v[i] * v[(i + 1) % N] + v[i])",
        "def f (v: [N]Real): Real = sum (build N (\\i -> if v[i] > 0.0 then v[i] * v[i] else v[0]))",
        "def f (v: [N]Real): Real = loop a = 1.0 for i < N do a * v[i] + v[i] * v[N - 1 - i]",
        "def f (v: [N]Real): [N]Real = loop w = v for i < N do w with [i] = w[N - 1 - i] * v[i]",
        "def f (v: [N]Real): [N]Real = loop w = v for i < N do w with [i / 2] = w[i / 2] + v[i] * v[i]",
    ] {
        for (stage, form) in
            [(5, Form::Forward), (6, Form::Forward), (10, Form::Reverse), (11, Form::Reverse)]
        {
            let [a, b, c] = [10, 20, 40].map(|n| steps(text, n, stage, form));
            let linear = c.0 - b.0 <= 2 * (b.0 - a.0) + 4;
            assert!(linear, "{} {} {} steps for {text}\n{}", a.0, b.0, c.0, c.1);
        }
    }
}

/// n chained squarings: operations in proportion to n, counted three ways.
#[test]
fn chained_squarings_cost_linear_time() {
    let engine = engine_named("linear-maps").unwrap();
    let cost = |n: usize| -> u64 {
        let text = format!("def f (x: Real): Real = loop y = x for _ < {n} do y * y");
        let (program, f) = wrapped(&text);
        let mode = Mode::Vjp(Value::Real(1.0));
        let answer = run(engine, &program, f, Value::Real(1.0), &mode, &Options::default());
        let answer = answer.unwrap();
        let expected = 2f64.powi(n as i32);
        assert_eq!(reals(&answer.derivative.unwrap()), [expected]);
        answer.counts.derivative
    };
    assert!(cost(40) <= 6 * 40, "{}", cost(40));
    assert_eq!(cost(40) - cost(20), cost(60) - cost(40), "the same for every squaring");

    // Unrolled, through the source forms: the size of rev$f and the operations of its evaluation.
    let unrolled = |n: usize| -> (usize, u64) {
        let mut text = String::from("def f (x0: Real): Real =\n");
        for at in 0..n {
            text += &format!("  let x{} = x{at} * x{at} in\n", at + 1);
        }
        let (program, f) = wrapped(&(text + &format!("  x{n}")));
        let (stages, def) = demo(&program, f).unwrap();
        let mut book = stages[11].book.clone();
        let size = book.functions[&(def, Form::Reverse)].body.size();
        let mut evaluation = Evaluation::new(&mut book);
        let args = vec![Datum::Space(real(1.0)); 2];
        let found = evaluation.call(def, Form::Reverse, args).unwrap();
        assert_eq!(found.numbers(&Value::Real(0.0)).unwrap(), [2f64.powi(n as i32)]);
        (size, evaluation.plain.operations)
    };
    let (small, large) = (unrolled(10), unrolled(30));
    assert!(large.0 <= 4 * small.0, "sizes {} and {}", small.0, large.0);
    assert!(large.1 <= 4 * small.1, "operations {} and {}", small.1, large.1);
}

/// Figures 12 to 15 at linear cost: a fold that reads one element of a vector a step.
#[test]
fn folds_cost_linear_time() {
    let cost = |n: usize| -> u64 {
        let text = format!("def f (v: [{n}]Real): Real = loop acc = 1.0 for i < {n} do acc * v[i]");
        let (program, f) = wrapped(&text);
        let (stages, def) = demo(&program, f).unwrap();
        let mut book = stages[11].book.clone();
        let mut evaluation = Evaluation::new(&mut book);
        let v = Datum::of_value(&Value::reals(vec![1.0; n]));
        let args = vec![v, Datum::Space(real(1.0))];
        let found = evaluation.call(def, Form::Reverse, args).unwrap();
        assert_eq!(found.numbers(&Value::reals(vec![0.0; n])).unwrap(), vec![1.0; n]);
        evaluation.plain.operations
    };
    let (a, b, c) = (cost(100), cost(200), cost(400));
    assert!(a <= 10 * 100, "{a}");
    assert_eq!(c - b, 2 * (b - a), "{a} {b} {c}");
}

/// A program, and its arguments of a size.
type Grows = (&'static str, fn(usize) -> Vec<Value>);

/// Programs whose reverse derivative adds up over several indices, with arguments of size `n` and a cotangent of the result.
const SUMS: &[Grows] = &[
    ("def f (x: Real) (y: Real) (z: Real): Real = x * y * z", |_| vec![Value::Real(0.5); 4]),
    (
        "def f [n] (a: [n]Real) (b: [n]Real) (c: [n]Real): Real = sum [ a[i] * b[i] * c[i] | i < n ]",
        |n| vec![vector(n), vector(n), vector(n), Value::Real(1.0)],
    ),
    (
        "def f [n] [m] (w: [n][m]Real) (x: [m]Real): [n]Real = [ sum [ w[i][j] * x[j] | j < m ] | i < n ]",
        |n| vec![matrix(n), vector(n), vector(n)],
    ),
    (
        "def f [n] [m] (a: [n]Real) (b: [m]Real): [n][m]Real = [ [ a[i] * b[j] | j < m ] | i < n ]",
        |n| vec![vector(n), vector(n), matrix(n)],
    ),
    (
        "def f [n] (q: [n][n]Real) (x: [n]Real): Real = \
           sum [ x[i] * sum [ q[i][j] * x[j] | j < n ] | i < n ]",
        |n| vec![matrix(n), vector(n), Value::Real(1.0)],
    ),
    (
        "def f [n] (q: [n][n]Real) (x: [n]Real): Real = sum [ sum [ x[i] * q[i][j] * x[j] | j < n ] | i < n ]",
        |n| vec![matrix(n), vector(n), Value::Real(1.0)],
    ),
    (
        "def f [n] (a: [n]Real) (b: [n]Real): Real = sum [ let t = sin (a[i] * b[i]) in t * t | i < n ]",
        |n| vec![vector(n), vector(n), Value::Real(1.0)],
    ),
    (
        "def f [n] (a: [n]Real) (b: [n]Real): Real = \
           sum [ if a[i] > b[i] then a[i] * b[i] else sin b[i] | i < n ]",
        |n| vec![vector(n), vector(n), Value::Real(1.0)],
    ),
    ("def f [n] (a: [n]Real) (b: [n]Real): Real = sum [ a[i] * b[(i * 7) % n] | i < n ]", |n| {
        vec![vector(n), vector(n), Value::Real(1.0)]
    }),
    (
        "def f [n] (a: [n][n]Real) (b: [n][n]Real): Real = \
           sum [ sum [ sum [ a[i][l] * b[l][j] | l < n ] ^ 2 | j < n ] | i < n ]",
        |n| vec![matrix(n), matrix(n), Value::Real(1.0)],
    ),
];

fn vector(n: usize) -> Value {
    Value::reals((0..n).map(|at| 0.25 + 0.125 * (at % 5) as f64).collect())
}

fn matrix(n: usize) -> Value {
    Value::array((0..n).map(|_| vector(n)).collect())
}

/// The text of `rev_f` costs a constant times what the program costs, whatever the sizes: counted as it runs, with the
/// elements that are copied. So no work is done again under a binder, and no one-hot vector is added up in full.
#[test]
fn reverse_costs_a_constant_times_the_program() {
    for (text, arguments) in SUMS {
        let (program, f) = wrapped(text);
        let reverse = reverse_source(&program, f, None).expect("a form that has a text");
        let cost = |text: &str, name: &str, backwards: bool, n: usize| {
            let mut args = arguments(n);
            args.truncate(args.len() - usize::from(!backwards));
            let (mut program, defs) = source(text, &[name]);
            let def = wrap(&mut program, defs[0]);
            let trace = engine_named("trace").expect("an engine");
            let x = if args.len() == 1 { args.remove(0) } else { Value::tuple(args) };
            let answer = run(trace, &program, def, x, &Mode::Value, &Options::default());
            let counts = answer.unwrap_or_else(|problem| panic!("{problem:?}: {text}")).counts;
            (counts.total() + counts.copied) as f64
        };
        let ratio = |n: usize| cost(&reverse, "rev_f", true, n) / cost(text, "f", false, n);
        let (small, large) = (ratio(8), ratio(32));
        assert!(large <= 1.3 * small && large < 12.0, "{small} {large} for {text}\n{reverse}");
    }
}
