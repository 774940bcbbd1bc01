//! `delta1`, `delta2`, `delta` and fused `delta`: the same values and derivatives as `trace`, in both modes,
//! for every form of the language; closed forms; what they show.

use crate::support::deep;
use crate::support::source::{source, value};
use pullback_engines::delta::{
    delta_jvp, delta_vjp, delta1_jvp, delta1_vjp, delta2_jvp, delta2_vjp, fused_jvp, fused_vjp,
};
use pullback_engines::{Answer, ENGINES, EngineInfo, How, Mode, engine_named, evaluate, run};
use pullback_eval::{Options, Value, walk};
use pullback_lambda::{DefId, Program, Stage, verify};

const fn engine(name: &'static str, how: How) -> EngineInfo {
    EngineInfo::unlisted(name, how, &[])
}

static ALL: [EngineInfo; 4] = [
    engine(
        "delta1",
        How::Transform {
            vjp: delta1_vjp,
            jvp: delta1_jvp,
            reverse: pullback_engines::Pullbacks::Linear,
        },
    ),
    engine(
        "delta2",
        How::Transform {
            vjp: delta2_vjp,
            jvp: delta2_jvp,
            reverse: pullback_engines::Pullbacks::Linear,
        },
    ),
    engine(
        "delta",
        How::Transform {
            vjp: delta_vjp,
            jvp: delta_jvp,
            reverse: pullback_engines::Pullbacks::Any,
        },
    ),
    engine(
        "delta-fused",
        How::Transform {
            vjp: fused_vjp,
            jvp: fused_jvp,
            reverse: pullback_engines::Pullbacks::Linear,
        },
    ),
];

fn trace() -> &'static EngineInfo {
    engine_named("trace").unwrap()
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn reals(value: &Value) -> Vec<f64> {
    walk::real_leaves(value).unwrap().iter().map(|leaf| leaf.as_real().unwrap()).collect()
}

fn same(found: &Value, expected: &Value, what: &str) {
    let (found, expected) = (reals(found), reals(expected));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(close(*found, *expected), "{what}: {found} is not {expected}");
    }
}

fn answer(engine: &EngineInfo, program: &Program, f: DefId, x: &Value, mode: &Mode) -> Answer {
    run(engine, program, f, x.clone(), mode, &Options::default())
        .unwrap_or_else(|problem| panic!("{}: {problem:?}", engine.name))
}

/// Numbers that are no special case of anything.
fn direction(count: usize) -> impl Iterator<Item = Value> {
    (0..count).map(|index| Value::Real(0.7 + 0.31 * index as f64))
}

/// `f` at `x` agrees with `trace` in both modes, on every engine; what they make is well-formed.
#[track_caller]
fn agrees(text: &str) {
    let text = text.to_owned();
    deep(move || {
        let (program, roots) = source(&text, &["f", "x"]);
        let x = value(trace(), &program, roots[1]).unwrap();
        let f = roots[0];
        let y = answer(trace(), &program, f, &x, &Mode::Value).value;
        let y_bar = walk::tangent_of(&y, direction(reals(&y).len())).unwrap();
        let x_dot = walk::tangent_of(&x, direction(reals(&x).len())).unwrap();
        for mode in [Mode::Vjp(y_bar), Mode::Jvp(x_dot)] {
            let expected = answer(trace(), &program, f, &x, &mode);
            for engine in &ALL {
                well_formed(engine, &program, f, &text);
                let found = answer(engine, &program, f, &x, &mode);
                let what = format!("{} {mode:?} of\n{text}", engine.name);
                same(&found.value, &expected.value, &what);
                same(&found.derivative.unwrap(), expected.derivative.as_ref().unwrap(), &what);
            }
        }
    });
}

fn well_formed(engine: &EngineInfo, program: &Program, f: DefId, text: &str) {
    let How::Transform { vjp, jvp, .. } = engine.how else { panic!("a transformation") };
    for forward in [false, true] {
        let mut program = program.clone();
        let f = pullback_reduce::unary(&mut program, f);
        if forward { jvp(&mut program, f, 0) } else { vjp(&mut program, f) }.unwrap();
        if let Err(problems) = verify(&program, Stage::Any) {
            panic!("{}: {problems:#?}\n{}\n{text}", engine.name, program.print());
        }
    }
}

#[test]
fn straight_line() {
    agrees("def f (x: Real): Real = x * sin x\ndef x = 1.3");
    agrees(
        "def f (x: (Real, Real)): Real = let (a, b) = x in let c = a * b in c * c - a / b\ndef x = (1.3, 0.4)",
    );
    agrees(
        "def f (x: (Real, Real)): (Real, Real) = (atan2 x.0 x.1, hypot x.0 x.1 ^ 3)\ndef x = (1.3, 0.4)",
    );
    agrees("def f (x: Real): Real = max x 1.0 + min x 2.0 + abs (-x) + x ^ 2.5\ndef x = 1.3");
    agrees("def f (x: Real): Real = 3.0\ndef x = 1.3");
    agrees("def f (x: Real): Real = x\ndef x = 1.3");
}

#[test]
fn discrete_data_passes_through() {
    agrees(
        "def f (x: (Int, Real, Bool)): (Real, Int) = if x.2 then (x.1 ^ x.0, x.0 + 1) else (real x.0, 2)\ndef x = (3, 1.5, true)",
    );
    agrees(
        "def f (x: (Int, Real, Bool)): (Real, Int) = if x.2 then (x.1 ^ x.0, x.0 + 1) else (real x.0, 2)\ndef x = (3, 1.5, false)",
    );
    agrees(
        "def f (x: Real): Real = if x > 1.0 && x < 2.0 then x * x else real (int x)\ndef x = 1.3",
    );
}

#[test]
fn functions_are_values() {
    agrees(
        "def f (x: Real): Real = let g = \\y z -> y * z + x in let h = g 2.0 in h (h x)\ndef x = 1.3",
    );
    agrees(
        "def twice (g: Real -> Real) (x: Real): Real = g (g x)\ndef f (x: Real): Real = twice (twice (\\y -> y * x)) (x + 1.0)\ndef x = 1.3",
    );
    agrees(
        "def compose2 g h x = g (h x)\ndef f (x: Real): Real = let k = if x > 0.0 then sin else cos in compose2 k (\\y -> x * y) 2.0\ndef x = 1.3",
    );
    agrees(
        "def f (x: Real): Real = sum (map (\\g -> g x) [sin, cos, \\y -> y * y * x])\ndef x = 1.3",
    );
    agrees(
        "def const3 a b c = a * b\ndef f (x: Real): Real = let p = const3 x in let q = p (x + 1.0) in q 1 + q 2\ndef x = 1.3",
    );
}

#[test]
fn arrays() {
    agrees("def f (x: []Real): Real = sum [ y * y | y <- x ]\ndef x = [1.0, 2.0, 3.0]");
    agrees("def f (x: [][]Real): []Real = map sum x\ndef x = [[1.0, 2.0], [3.0, 4.0]]");
    agrees(
        "def f (x: []Real): []Real = let y = x with [1] = x[0] * x[2] in concat y[0:2] (reverse x)\ndef x = [1.0, 2.0, 3.0]",
    );
    agrees("def f (x: []Real): Real = x[0] * x[0] + x[size x - 1]\ndef x = [1.5, 2.0, 3.0]");
    agrees(
        "def f (x: []Real): Real = product x + maximum x + logsumexp x\ndef x = [1.5, 2.0, 3.0]",
    );
    agrees("def f (x: []Real): ([]Real, []Int) = (sort x, argsort x)\ndef x = [1.5, -2.0, 3.0]");
    agrees(
        "def f (x: []Real): []Real = flatten [ [ x[i] * x[j] | i < size x ] | j < size x ]\ndef x = [1.5, -2.0]",
    );
    agrees("def f (x: []Real): Real = sum x\ndef x = []");
    agrees(
        "def f (x: ([][]Real, []Real)): []Real = [ dot r x.1 | r <- x.0 ]\ndef x = ([[1.5, -2.0], [0.3, 0.4]], [1.0, 3.0])",
    );
    agrees("def f (x: []Real): []Real = scan (*) 1.0 x\ndef x = [1.5, -2.0, 0.5]");
}

#[test]
fn loops_and_recursion() {
    agrees("def f (x: Real): Real = loop y = x for i < 5 do y * x + real i\ndef x = 0.9");
    agrees("def f (x: Real): Real = loop y = x while y < 50.0 do y * (x + 1.0)\ndef x = 0.9");
    agrees(
        "def f (x: Real): (Real, Real) = loop (a, b) = (x, 1.0) for i < 4 do (b, a * b + x)\ndef x = 0.9",
    );
    agrees(
        "def power (x: Real) (n: Int): Real = if n == 0 then 1.0 else x * power x (n - 1)\ndef f (x: Real): Real = power x 6\ndef x = 0.9",
    );
    agrees(
        "def f (x: Real): Real = let rec even n y = if n == 0 then y else odd (n - 1) (y * x) and odd n y = if n == 0 then -y else even (n - 1) (y + x) in even 5 x\ndef x = 0.9",
    );
    agrees(
        "def f (x: []Real): []Real = loop a = x for i < size x - 1 do a with [i + 1] = a[i] * a[i + 1]\ndef x = [0.9, 2.0, 3.0, 0.1]",
    );
}

#[test]
fn sums() {
    let tree = "type Tree = Leaf Real | Node Tree Int Tree\n";
    agrees(&format!(
        "{tree}def total t = match t with | Leaf x -> x * x | Node l n r -> total l * real n + total r\ndef f (t: Tree): Real = total t\ndef x = Node (Leaf 1.5) 3 (Node (Leaf 2.0) 1 (Leaf 0.5))"
    ));
    agrees(&format!(
        "{tree}def grow t = match t with | Leaf x -> Node (Leaf (x * x)) 1 (Leaf (sin x)) | Node l n r -> Node (grow r) n l\ndef f (t: Tree): Tree = grow t\ndef x = Node (Leaf 1.5) 3 (Node (Leaf 2.0) 1 (Leaf 0.5))"
    ));
    agrees(
        "type Shape = Circle Real | Box { w: Real, h: Real } | Empty\ndef f (s: (Shape, []Shape)): Real = let area = \\s -> match s with | Circle r -> 3.0 * r ^ 2 | Box b -> b.w * b.h | Empty -> 0.0 in area s.0 + sum (map area s.1)\ndef x = (Circle 2.0, [Box { w = 1.0, h = 3.0 }, Empty, Circle 0.5])",
    );
    agrees(
        "type Op = Op (Real -> Real)\ndef f (x: Real): Real = let ops = [Op sin, Op (\\y -> y * x)] in sum [ (match o with | Op g -> g x) | o <- ops ]\ndef x = 0.4",
    );
}

#[test]
fn rules_of_their_own() {
    agrees(
        "def f (x: Real): Real = custom_vjp (\\x -> x * x) (\\x -> (x * x, \\d -> 10.0 * d * x)) (x * 3.0) * x\ndef x = 0.4",
    );
    agrees(
        "def f (x: Real): Real = custom_jvp (\\x -> x * x) (\\x dx -> (x * x, 10.0 * dx * x)) (x * 3.0) * x\ndef x = 0.4",
    );
    agrees(
        "def f (x: Real): Real = custom_vjp (\\y -> y * x) (\\y -> (y, \\d -> 10.0 * d * x)) (x * 3.0) * x\ndef x = 0.4",
    );
    agrees(
        "def f (x: Real): Real = custom_jvp (\\y -> y * x) (\\y dy -> (y, 10.0 * dy * x)) (x * 3.0) * x\ndef x = 0.4",
    );
    agrees(
        "def f (x: (Real, []Real)): Real = let r = custom_vjp (\\(a, b) -> (a * b[0], [a, b[1]])) (\\(a, b) -> ((a, b), \\(d, e) -> (d + e[0], [2.0 * d, 3.0 * e[1]]))) x in r.0 * r.1[0] + r.1[1]\ndef x = (0.4, [2.0, 3.0])",
    );
    agrees("def f (x: Real): Real = stop_gradient (x * x) * x\ndef x = 0.4");
    agrees(
        "def f (x: []Real): []Real = let z = zeros x in [ z[i] + x[i] * x[i] | i < size x ]\ndef x = [0.4, 2.0]",
    );
    agrees("def f (x: []Real): Real = maximum x * minimum x + norm x\ndef x = [0.4, 2.0, 2.0]");
    agrees(
        "def my g r x = custom_vjp g r x\ndef f (x: Real): Real = my (\\y -> y * x) (\\y -> (y, \\d -> d * 4.0)) x\ndef x = 0.4",
    );
}

/// `main` evaluates to the same with every engine, nested derivatives and all.
#[track_caller]
fn evaluates(text: &str) {
    let text = text.to_owned();
    deep(move || {
        let (program, roots) = source(&text, &["main"]);
        let expected = value(trace(), &program, roots[0]).unwrap();
        for engine in &ALL {
            let found = evaluate(engine, &program, roots[0], &Options::default())
                .unwrap_or_else(|problem| panic!("{}: {problem:?}\n{text}", engine.name));
            same(&found, &expected, &format!("{} of\n{text}", engine.name));
        }
    });
}

#[test]
fn derivatives_of_derivatives() {
    evaluates("def main: Real = grad (\\x -> x * grad (\\y -> x * y * y) (3.0 * x)) 0.7");
    evaluates("def main = hessian (\\(x: []Real) -> x[0] * x[0] * x[1] + sin x[1]) [0.3, 0.4]");
    evaluates(
        "def main = (jvp (\\x -> grad (\\y -> y ^ 3 * x) x) 0.7 1.0, grad (\\x -> (jvp (\\y -> y ^ 3 * x) x 1.0).1) 0.7)",
    );
    evaluates(
        "def main = grad (\\x -> grad (\\y -> custom_vjp (\\z -> z * z) (\\z -> (z * z, \\d -> d * z * z)) (y * x)) x) 0.7",
    );
    evaluates("def main = grad (\\x -> grad (\\y -> stop_gradient (y * x) * y) x) 0.7");
    evaluates("def main = grad (grad (grad exp)) 0.7");
}

/// What a function captured is structurally constant in forward mode, on every engine: an infinite or NaN
/// partial derivative by it contributes nothing.
#[test]
fn captured_variables_are_structural_zeros() {
    deep(|| {
        let text = "\
            def f (x: Real) (y: Real): Real = (jvp (\\t -> x * t) y 1.0).1\n\
            def g (x: Real) (y: Real): Real = (linearize (\\t -> x * t) y).1 1.0\n\
            def h (x: (Int, [2]Real)): Real = (jvp (\\t -> x.1[0] / t + t * x.1[1]) 1.0 1.0).1\n\
            def a = f 0.0 inf\ndef b = g 0.0 inf\ndef c = f 2.0 nan\ndef d = h (3, [0.0, 4.0])\n\
            def e = (jvp (\\y -> (jvp (\\t -> y * t) inf 1.0).1) 3.0 1.0).1";
        let (program, roots) = source(text, &["a", "b", "c", "d", "e"]);
        for engine in ENGINES {
            for (root, expected) in roots.iter().zip([0.0, 0.0, 2.0, 4.0, 1.0]) {
                match evaluate(engine, &program, *root, &Options::default()) {
                    Ok(found) => assert_eq!(found.as_real(), Some(expected), "{}", engine.name),
                    Err(problem) => assert_eq!(problem.code, "E0717", "{}", engine.name),
                }
            }
        }
    });
}
