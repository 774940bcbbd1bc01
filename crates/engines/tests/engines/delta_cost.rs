//! What the three translations cost, by counting what runs: `delta1` a factor of the number of inputs,
//! `delta2` exponential where a program shares, `delta` a constant factor (Theorem 5), fused `delta` one
//! binding for each call of a function of numbers. And separate compilation.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::support::deep;
use crate::support::renumbered::renumbered;
use crate::support::source::source;
use pullback_compile::Mode;
use pullback_engines::source::prepared;
use pullback_engines::{EngineInfo, How, Variant, engine_named, evaluate, run, variant};
use pullback_eval::{Budget, Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{DefId, ExprKind, Program};
use pullback_reduce::{Transforms, reachable};

fn named(name: &str) -> &'static EngineInfo {
    engine_named(name).unwrap()
}

fn fused_delta() -> &'static EngineInfo {
    variant(named("delta"), Variant::Fused).unwrap()
}

/// Primitives executed and elements copied for the gradient, and the gradient.
fn cost(engine: &EngineInfo, program: &Program, f: DefId, x: Value) -> (u64, Value) {
    let mode = Mode::Vjp(Value::Real(1.0));
    let answer = run(engine, program, f, x, &mode, &Options::default()).unwrap();
    (answer.counts.total() + answer.counts.copied, answer.derivative.unwrap())
}

fn ones(n: usize) -> Value {
    Value::reals(vec![1.0; n])
}

/// A chain of twenty products on the first two inputs, whatever the number of inputs is.
const CHAIN: &str = "def f (x: []Real): Real = loop y = x[0] for i < 20 do y * x[1] * 0.5 + x[0]";

#[test]
fn vectors_cost_a_factor_of_the_inputs() {
    deep(|| {
        let (program, roots) = source(CHAIN, &["f"]);
        let at = |engine: &str, n| cost(named(engine), &program, roots[0], ones(n)).0 as f64;
        let small = at("delta1", 32);
        let large = at("delta1", 256);
        assert!(large / small > 6.0, "eight times the inputs: {small} and {large}");
        for engine in ["delta2", "delta"] {
            let (small, large) = (at(engine, 32), at(engine, 256));
            // What depends on the inputs is only their own slots.
            assert!((large - small) / 224.0 < 12.0, "{engine}: {small} and {large}");
        }
    });
}

/// `x1 = x + x; x2 = x1 + x1; …`
fn doubling(n: usize) -> String {
    let mut text = String::from("def f (x: Real): Real =\n  let x0 = x in\n");
    for index in 0..n {
        text.push_str(&format!("  let x{} = x{index} + x{index} in\n", index + 1));
    }
    text + &format!("  x{n}")
}

#[test]
fn trees_explode_where_a_program_shares_and_names_do_not() {
    deep(|| {
        let at = |engine: &str, n| {
            let (program, roots) = source(&doubling(n), &["f"]);
            let (count, slope) = cost(named(engine), &program, roots[0], Value::Real(1.0));
            assert_eq!(slope.as_real(), Some((1u64 << n) as f64));
            count as f64
        };
        let trees: Vec<f64> = [6, 8, 10, 12].map(|n| at("delta2", n)).into();
        for pair in trees.windows(2) {
            assert!(pair[1] / pair[0] > 3.0, "two more steps, four times the work: {trees:?}");
        }
        let names: Vec<f64> = [10, 20, 30, 40].map(|n| at("delta", n)).into();
        let steps: Vec<f64> = names.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step == steps[0]), "linear: {names:?}");
        assert!(names[3] < trees[2], "{names:?} {trees:?}");
    });
}

#[test]
fn a_tree_that_explodes_is_refused_and_the_engine_to_use_is_named() {
    deep(|| {
        let (program, roots) = source(&doubling(30), &["f"]);
        let mode = Mode::Vjp(Value::Real(1.0));
        let engine = named("delta2");
        let problem = run(engine, &program, roots[0], Value::Real(1.0), &mode, &Options::default());
        let problem = problem.unwrap_err();
        assert_eq!(problem.code, "E0717", "{problem:?}");
        assert!(problem.title.contains("delta2"), "{problem:?}");
        let (program, roots) = source(CHAIN, &["f"]);
        let problem =
            run(named("delta1"), &program, roots[0], ones(600), &mode, &Options::default());
        assert_eq!(problem.unwrap_err().code, "E0717");
    });
}

/// Theorem 5: work and bindings are linear in the operations of the program.
#[test]
fn names_cost_a_constant_factor() {
    deep(|| {
        let programs = [
            "def f (x: (Real, Int)): Real = loop y = x.0 for i < x.1 do sin (y * x.0) + y",
            "def go (y: Real) (n: Int): Real = if n == 0 then y else go (y * 0.9 + sin y) (n - 1)\ndef f (x: (Real, Int)): Real = go x.0 x.1",
            "def f (x: (Real, Int)): Real = sum [ sum [ x.0 * real (i * j) | i < 3 ] | j < x.1 ]",
        ];
        for text in programs {
            let (program, roots) = source(text, &["f"]);
            let argument = |n| Value::tuple(vec![Value::Real(0.3), Value::Int(n)]);
            let mode = Mode::Value;
            let mut ratios = vec![];
            for n in [50, 200, 800] {
                let plain = run(
                    named("delta"),
                    &program,
                    roots[0],
                    argument(n),
                    &mode,
                    &Options::default(),
                );
                let plain = plain.unwrap().counts.total() as f64;
                let (count, _) = cost(named("delta"), &program, roots[0], argument(n));
                ratios.push(count as f64 / plain);
            }
            assert!(ratios.iter().all(|ratio| *ratio < 40.0), "{text}: {ratios:?}");
            assert!((ratios[2] / ratios[1] - 1.0).abs() < 0.05, "{text}: {ratios:?}");
        }
    });
}

/// Primitives are at most five times those of the program, and a constant for its input.
#[test]
fn names_cost_at_most_five_times_the_program() {
    deep(|| {
        let programs = [
            "def f (x: (Real, Int)): Real = loop y = x.0 for _ < x.1 do y * x.0",
            "def f (x: (Real, Int)): Real = loop y = x.0 for _ < x.1 do sin (y * x.0) + y",
            "def f (x: (Real, Int)): Real = sum [ sin (x.0 * real i) | i < x.1 ]",
            "def pow (n: Int) (x: Real): Real = if n == 0 then 1.0 else x * pow (n - 1) x\ndef f (x: (Real, Int)): Real = pow x.1 x.0",
            "def f (x: (Real, Int)): Real = let v = [ x.0 * real i | i < x.1 ] in dot v v",
            "def f (x: (Real, Int)): Real = loop y = x.0 for i < x.1 do if i % 2 == 0 then y * y / 2.0 else y + x.0",
        ];
        for text in programs {
            let (program, roots) = source(text, &["f"]);
            let operations = |mode: &Mode| {
                let x = Value::tuple(vec![Value::Real(0.3), Value::Int(500)]);
                let answer = run(named("delta"), &program, roots[0], x, mode, &Options::default());
                answer.unwrap().counts.total()
            };
            let (plain, derived) =
                (operations(&Mode::Value), operations(&Mode::Vjp(Value::Real(1.0))));
            assert!(derived <= 5 * plain + 16, "{text}: {derived}, of {plain}");
        }
    });
}

/// Quotients and powers keep the law as the engines that record do, by the weights of the table.
#[test]
fn names_cost_at_most_five_times_the_weight_of_the_program() {
    deep(|| {
        for step in ["y / x.0", "x.0 / y", "y ^ x.0", "x.0 ^ y", "atan2 y x.0", "hypot y x.0"] {
            let text = format!("def f (x: (Real, Int)): Real = loop y = x.0 for _ < x.1 do {step}");
            let (program, roots) = source(&text, &["f"]);
            let weight = |mode: &Mode| {
                let x = Value::tuple(vec![Value::Real(0.9), Value::Int(500)]);
                let answer = run(named("delta"), &program, roots[0], x, mode, &Options::default());
                answer.expect("an answer").counts.weight()
            };
            let (plain, derived) = (weight(&Mode::Value), weight(&Mode::Vjp(Value::Real(1.0))));
            assert!(derived <= 5 * plain + 16, "{step}: {derived}, of {plain}");
        }
    });
}

/// Bindings lie side by side, as the nodes of a tape do, and no call is made for one: a step of at most three bindings
/// takes an iteration of the program, and for each of them one that makes its slot of the map and one of the way back.
#[test]
fn bindings_cost_twice_a_tape_at_most() {
    deep(|| {
        for step in ["y * x.0", "sin (y * x.0) + y", "y / x.0 + y", "exp (y * y) - x.0"] {
            let text = format!("def f (x: (Real, Int)): Real = loop y = x.0 for _ < x.1 do {step}");
            let (program, roots) = source(&text, &["f"]);
            let counts = |engine: &str, mode: &Mode| {
                let x = Value::tuple(vec![Value::Real(0.9), Value::Int(20_000)]);
                let answer = run(named(engine), &program, roots[0], x, mode, &Options::default());
                answer.expect("an answer").counts
            };
            let back = Mode::Vjp(Value::Real(1.0));
            let (tape, bindings) = (counts("trace", &back).peak, counts("delta", &back).peak);
            assert!(bindings <= 2 * tape + 20_000, "{step}: {bindings} bytes, of a tape {tape}");
            let (plain, derived) = (counts("delta", &Mode::Value), counts("delta", &back));
            assert!(derived.steps <= 7 * plain.steps + 16, "{step}: {derived:?}, of {plain:?}");
        }
    });
}

/// A loop goes round with the number, the delta, the next name and the bindings side by side: an iteration makes no pair and no
/// record.
#[test]
fn loops_carry_states_in_pieces() {
    deep(|| {
        let text = "def g (x: Real): Real = loop y = x for _ < 3 do y * x + sin y
             def f: Real = grad g 0.5";
        let (program, roots) = source(text, &["f"]);
        let How::Transform { vjp, jvp, .. } = named("delta").how else { panic!("a translation") };
        let transforms = Transforms { engine: "delta", vjp, jvp };
        let (made, root, engine) = prepared(transforms, &program, roots[0]).expect("a program");
        let mut loops = 0;
        for def in made.defs.iter() {
            def.body.visit(&mut |node| {
                if let ExprKind::Loop { init, .. } = &node.kind {
                    let parts = init.ty.components().unwrap_or_default();
                    assert!(!parts.iter().any(|part| made.is_state(part)), "{:?}", init.ty);
                    loops += usize::from(parts.len() == 4);
                }
            });
        }
        assert_eq!(loops, 1, "the loop of `g`");
        let image = compile(&made);
        let found = Machine::new(&image, engine, Options::default()).global(root).expect("a value");
        // Forward differences would do; here the recurrence of the derivative itself.
        let (mut y, mut dy, x) = (0.5f64, 1.0, 0.5);
        for _ in 0..3 {
            (y, dy) = (y * x + y.sin(), dy * x + y + y.cos() * dy);
        }
        let found = found.as_real().expect("a Real");
        assert!((found - dy).abs() < 1e-12 * dy.abs(), "{found} {dy}");
    });
}

/// How many bindings a run of the translation leaves: the `next` of its state less the inputs.
fn bindings(engine: &EngineInfo, text: &str, x: Value, inputs: i64) -> i64 {
    let (program, roots) = source(text, &["f"]);
    let How::Transform { vjp, .. } = engine.how else { panic!("a transformation") };
    let mut program = program.clone();
    let f = pullback_reduce::unary(&mut program, roots[0]);
    let before = program.defs.len();
    vjp(&mut program, f).unwrap();
    // The translated function is the first definition made after the library that has its name.
    let name = format!("D{{{}}}", program.defs[f].name);
    let made = program.defs.ids().skip(before).find(|def| program.defs[*def].name == name);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let function = machine.global(made.unwrap()).unwrap();
    // `{ next, binds = Empty }`, and the input as variable 0.
    let input = Value::tuple(vec![x, Value::data(1, vec![Value::Int(0)])]);
    let state = Value::tuple(vec![Value::Int(inputs), Value::data(0, vec![])]);
    let result = machine.call(function, vec![input, state]).unwrap();
    result.as_tuple().unwrap()[1].as_tuple().unwrap()[0].as_int().unwrap() - inputs
}

/// The example of §8.7, called a hundred times.
const FUSED: &str = "def g (x: Real): Real = x * sin x
def f (x: Real): Real = loop y = x for i < 100 do g y";

#[test]
fn fused_functions_leave_one_binding_for_a_call() {
    deep(|| {
        let plain = bindings(named("delta"), FUSED, Value::Real(0.3), 1);
        let one = bindings(fused_delta(), FUSED, Value::Real(0.3), 1);
        assert_eq!((plain, one), (200, 100));
        // No node of a delta is made but those of these rows, and the one that the wrapper makes of the cotangent: none in a
        // fused body.
        let (program, roots) = source(FUSED, &["f"]);
        let nodes = |engine| {
            let mode = Mode::Vjp(Value::Real(1.0));
            let answer =
                run(engine, &program, roots[0], Value::Real(0.3), &mode, &Options::default());
            answer.expect("an answer").counts.nodes
        };
        assert_eq!((nodes(named("delta")), nodes(fused_delta())), (201, 101));
        let (program, roots) = source(FUSED, &["f"]);
        let (_, expected) = cost(named("trace"), &program, roots[0], Value::Real(0.3));
        let (_, found) = cost(fused_delta(), &program, roots[0], Value::Real(0.3));
        let (expected, found) = (expected.as_real().unwrap(), found.as_real().unwrap());
        assert!((expected - found).abs() <= 1e-12 * expected.abs(), "{expected} {found}");
    });
}

/// Functions to be fused, of several types, and how often each is called: `f x n` begins from `x`, and goes round `n` times.
const OF_TYPES: [(&str, &str); 14] = [
    (
        "def g (x: Real) (y: Real): (Real, Real) = let a = x * y in (sin a + a, a * a)",
        "let (a, b) = g y x in a * b",
    ),
    ("def g (x: Real) (y: Real): (Real, Real) = let a = x * y in (sin a + a, a * a)", "(g y x).0"),
    ("def g (x: Real): Real = x * sin x * exp (-x)", "g y"),
    (
        "def g (x: Real) (y: Real): (Real, Real) = (x * sin (x * y) * y, cos (x * y) * x * x)",
        "let (a, b) = g y x in a + b",
    ),
    (
        "type Point = { a: Real, b: Real }\ndef g (p: Point): Point = { a = p.a * p.b * sin p.a, b = exp (p.a * p.b) * 0.1 }",
        "let p = g { a = y, b = x } in p.a * p.b",
    ),
    (
        "type Shape = Disk Real | Box Real Real\ndef g (s: Shape): Shape =\n  match s with\n  | Disk r -> Box (r * sin r * r) (cos r * r)\n  | Box a b -> Disk (a * b * sin (a * b))",
        "match g (if y > 0.5 then Disk y else Box y x) with | Disk r -> r | Box a b -> a + b",
    ),
    (
        "def g (x: Real) (k: Int): Real = if k == 0 then x * x * sin x else (if x > 0.3 then x * x * x else 2.0) * x",
        "g y (n % 2)",
    ),
    ("def g (x: Real) (y: Real): Real = max (x * x) (sin y) * max x y * 0.9", "g y x"),
    ("def g (x: Real) (y: Real): Real = sqrt (max (x * x * y) 0.0) * x", "g y x"),
    (
        "def h (x: Real): Real = x * x * cos x\ndef g (x: Real) (y: Real): Real = h x * h y + h (x * y)",
        "g y x",
    ),
    ("def g (w: Real) (x: Real) (b: Real): Real = tanh (w * x + b) * w", "g y 0.5 x"),
    ("def g (x: Real) (y: Real): Real = x * (y * sin y * exp y)", "g y 0.5"),
    ("def g (x: Real): Real = loop z = x for _ < 3 do z * z * 0.5", "g y"),
    ("def g (x: Real) (y: Real): Real = stop_gradient x * y * sin y * x + atan2 x y", "g y x"),
];

/// Fused code gives the derivatives of `trace`, and executes no more primitives and makes no more nodes than what it stands
/// for. A fifth of the runs here saves both: where only one of several results may be used, little is fused.
#[test]
fn fusion_never_adds_work() {
    deep(|| {
        let mut saving = 0;
        for (functions, step) in OF_TYPES {
            let text = format!(
                "{functions}\ndef f (p: (Real, Int)): Real =\n  let (x, n) = p in\n  loop y = x for _ < n do ({step})"
            );
            let (program, roots) = source(&text, &["f"]);
            for x in [0.2, 0.7, 0.0] {
                let derivative = |engine: &EngineInfo| {
                    let argument = Value::tuple(vec![Value::Real(x), Value::Int(7)]);
                    let mode = Mode::Vjp(Value::Real(1.0));
                    let options = Options::default();
                    let answer = run(engine, &program, roots[0], argument, &mode, &options);
                    let answer = answer.expect("an answer");
                    let slope = answer.derivative.expect("a derivative");
                    (answer.counts, slope.as_tuple().expect("a pair")[0].as_real())
                };
                let (_, expected) = derivative(named("trace"));
                let (plain, _) = derivative(named("delta"));
                let (fused, found) = derivative(fused_delta());
                let (expected, found) = expected.zip(found).expect("two Reals");
                let near = (expected - found).abs() <= 1e-12 * (1.0 + expected.abs());
                assert!(
                    near || expected.is_nan() && found.is_nan(),
                    "{text} {x}: {expected} {found}"
                );
                assert!(fused.total() <= plain.total(), "{text} {x}: {fused:?}, of {plain:?}");
                assert!(fused.nodes <= plain.nodes, "{text} {x}: {fused:?}, of {plain:?}");
                saving += usize::from(fused.total() < plain.total() && fused.nodes < plain.nodes);
            }
        }
        assert!(saving > 8, "{saving} of 42");
    });
}

/// An array that is only summed leaves no binding for an element.
#[test]
fn a_sum_of_a_comprehension_leaves_one_binding() {
    deep(|| {
        let dot = "def f (x: Real): Real = let v = [ x * real i | i < 5 ] in dot v v";
        // One for each element of `v`, which is used twice, and one for the sum.
        assert_eq!(bindings(named("delta"), dot, Value::Real(0.3), 1), 6);
        let inside = "def f (x: Real): Real = sum [ sin (x * x) * x | _ < 5 ]";
        assert_eq!(bindings(named("delta"), inside, Value::Real(0.3), 1), 11);
    });
}

/// The vectorised operations of §8.2: a dot product, and each row of a matrix times a vector, leave one binding however
/// long the vector is.
#[test]
fn a_dot_product_and_a_row_of_a_matrix_leave_one_binding() {
    deep(|| {
        for n in [1, 5, 40] {
            let vector = format!("let v = [ x * real (i + 1) | i < {n} ] in");
            let dot = format!("def f (x: Real): Real = {vector} dot v v");
            assert_eq!(bindings(named("delta"), &dot, Value::Real(0.3), 1), n + 1);
            let matrix = format!(
                "def f (x: Real): Real = {vector}
                   let w = [ sum [ real (i - j) * v[j] | j < {n} ] | i < 3 ] in dot w w"
            );
            assert_eq!(bindings(named("delta"), &matrix, Value::Real(0.3), 1), n + 3 + 1);
            // `v = x u`, so the square of the length of `A v` is `x² |A u|²`, and its derivative twice that over `x`.
            let row = |i: i64| (0..n).map(|j| ((i - j) * (j + 1)) as f64).sum::<f64>();
            let expected = 2.0 * 0.3 * (0..3).map(|i| row(i).powi(2)).sum::<f64>();
            let (program, roots) = source(&matrix, &["f"]);
            let (_, found) = cost(named("delta"), &program, roots[0], Value::Real(0.3));
            let found = found.as_real().expect("a Real");
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{n}: {found} {expected}");
        }
    });
}

/// How many nodes of deltas the gradient of a function takes.
fn nodes(text: &str) -> u64 {
    let (program, roots) = source(text, &["f"]);
    let mode = Mode::Vjp(Value::Real(1.0));
    let x = Value::Real(0.3);
    let answer = run(named("delta"), &program, roots[0], x, &mode, &Options::default());
    answer.unwrap_or_else(|problem| panic!("{problem:?}")).counts.nodes
}

/// A sum of products is a pair of vectors (§8.3): a node for each place of a factor, however many elements there are. Each
/// row of a matrix takes its node and its name, and the vector a name for each element.
#[test]
fn a_sum_of_products_is_a_node_for_each_place_of_a_factor() {
    deep(|| {
        let dot = |n: u64| {
            nodes(&format!("def f (x: Real): Real = let v = [ x * real i | i < {n} ] in dot v v"))
        };
        let product = |n: u64| {
            nodes(&format!(
                "def f (x: Real): Real = let v = [ x * real (i + 1) | i < {n} ] in
                   let w = [ sum [ real (i - j) * v[j] | j < {n} ] | i < 3 ] in dot w w"
            ))
        };
        assert_eq!([dot(40) - dot(20), product(40) - product(20)], [20, 20]);
        assert!(dot(20) <= 20 + 6 && product(20) <= 20 + 3 * 2 + 6, "{} {}", dot(20), product(20));
    });
}

/// Where no element depends on an input the sum is `Zero`, and its partial derivatives are never multiplied.
#[test]
fn a_sum_of_constants_binds_nothing() {
    deep(|| {
        let constant = "def g (y: Real): Real = sum [ sqrt y | _ < 3 ]
def f (x: Real): Real = g 0.0 + x";
        // The sum with `x` is `x`.
        assert_eq!(bindings(named("delta"), constant, Value::Real(0.3), 1), 0);
        let partly = "def f (x: Real): Real = sum [ sqrt y | y <- [0.0, x, 0.0] ]";
        let (program, roots) = source(partly, &["f"]);
        let (_, found) = cost(named("delta"), &program, roots[0], Value::Real(4.0));
        assert_eq!(found.as_real(), Some(0.25), "an infinite partial derivative meets no zero");
    });
}

/// The translations of all definitions of a program, by the names of the definitions, up to the numbers of
/// variables, definitions and types.
fn translations(text: &str, root: &str) -> BTreeMap<String, String> {
    let (mut program, roots) = source(text, &[root]);
    let f = pullback_reduce::unary(&mut program, roots[0]);
    let before = program.defs.len();
    let How::Transform { vjp, .. } = named("delta").how else { panic!("a transformation") };
    vjp(&mut program, f).unwrap();
    let mut found = BTreeMap::new();
    for def in program.defs.ids().skip(before) {
        let name = program.defs[def].name.to_string();
        if name.starts_with("D{") {
            let again = found.insert(name.clone(), renumbered(&program.print_def(def)));
            assert!(again.is_none(), "{name} is translated twice");
        }
    }
    found
}

#[test]
fn a_definition_is_translated_once_and_without_its_callers() {
    deep(|| {
        let library = "def g (x: Real) (y: Real): Real = x * sin y\ndef h (x: Real): Real = g x x + g x 2.0\n";
        let one =
            translations(&format!("{library}def one (x: Real): Real = h x * h (x + 1.0)"), "one");
        let other = translations(
            &format!(
                "{library}def other (x: []Real): Real = loop s = 0.0 for i < size x do s + h x[i] * g s 1.0"
            ),
            "other",
        );
        for name in ["D{g}", "D{h}"] {
            assert_eq!(one[name], other[name]);
        }
    });
}

#[test]
fn a_budget_of_steps_is_kept() {
    deep(|| {
        let (program, roots) = source(
            "def f (x: Real): Real = loop y = x for i < 100000 do y * 0.5\ndef main: Real = grad f 1.0",
            &["main"],
        );
        let budget = Some(Budget { steps: 50_000, exceeded: "too many steps" });
        let options = Options { budget, ..Options::default() };
        let problem = evaluate(named("delta"), &program, roots[0], &options).unwrap_err();
        assert_eq!(problem.code, "E0719", "{problem:?}");
    });
}

/// `exp (2 x)`, differentiated so many times.
fn nested(order: usize) -> String {
    let mut text = String::from("def f0 (x: Real): Real = exp (2.0 * x)\n");
    for order in 1..=order {
        text.push_str(&format!("def f{order} (x: Real): Real = grad f{} x\n", order - 1));
    }
    text
}

/// The nodes of the program that takes all the derivatives of [`nested`], and the calls, iterations and operations
/// of a run.
fn size_and_steps(order: usize) -> [f64; 2] {
    let How::Transform { vjp, jvp, .. } = named("delta").how else { panic!("a transformation") };
    let transforms = Transforms { engine: "delta", vjp, jvp };
    let (program, roots) = source(&nested(order), &[&format!("f{order}")]);
    let (program, def, engine) = prepared(transforms, &program, roots[0]).unwrap();
    let reached = reachable(&program, def);
    let nodes: usize = reached.iter().map(|def| program.defs[*def].body.size()).sum();
    let image = compile(&program);
    let mut machine = Machine::new(&image, engine, Options::default());
    let function = machine.global(def).expect("the program is closed");
    machine.call(function, vec![Value::Real(0.5)]).expect("a derivative");
    let counts = machine.counts();
    [nodes as f64, (counts.steps + counts.total()) as f64]
}

/// What an order adds grows with the order, but no order doubles what those before it cost: code and work
/// are at most cubic in the number of orders.
#[test]
fn nested_derivatives_cost_a_power_of_the_order() {
    deep(|| {
        let costs = [3, 6, 12].map(size_and_steps);
        for pair in costs.windows(2) {
            let ratios = [pair[1][0] / pair[0][0], pair[1][1] / pair[0][1]];
            assert!(ratios.iter().all(|ratio| *ratio < 8.0), "twice the orders: {costs:?}");
        }
    });
}
