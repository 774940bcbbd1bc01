//! Compiling through categories: CL keeps the meaning, its types are checked, and the two halves give
//! the derivative.

#[allow(dead_code, reason = "each test uses a part of it")]
mod support;

use pullback_engines::categories::{self, check, convert, custom, meaning, print};
use pullback_engines::{
    ENGINES, EngineInfo, How, Mode, evaluate, run, run_in_machine, trace_engine,
};
use pullback_lambda::eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{DefId, Program, verify};
use support::source::source;

const CATEGORIES: EngineInfo = EngineInfo {
    name: "categories",
    summary: "",
    paper: "",
    covers: "",
    cost: "",
    how: How::Transform { vjp: categories::vjp, jvp: categories::jvp },
    stages: categories::STAGES,
};

/// Programs of every form, with arguments.
const SAMPLES: &[(&str, &str)] = &[
    ("def f (x: Real) = x * x", "3.0"),
    ("def f (x: Real) = let y = x * x in let z = x + y in y * z", "1.5"),
    ("def f (p: (Real, Real)) = sin (p.0 * p.1) / (p.0 + 2.0)", "(1.5, 0.5)"),
    ("def f (x: Real) = if x > 0.0 then x * sin x else cos x", "2.0"),
    ("def f (x: Real) = if x > 0.0 then x * sin x else cos x", "(-2.0)"),
    ("def g (x: Real) (y: Real) = x * y + x\ndef f (x: Real) = g (g x 2.0) (g x x)", "1.5"),
    ("def f (v: [3]Real) = [ v[i] * v[2 - i] | i < 3 ]", "[1.0, 2.0, 4.0]"),
    ("def f (v: [3]Real) = sum [ x * x | x <- v ]", "[1.0, 2.0, 4.0]"),
    ("def f (x: Real) = loop a = 1.0 for i < 5 do a * x + real i", "0.5"),
    ("def f (x: Real) = loop a = x while a < 100.0 do a * a + x", "1.5"),
    (
        "def f (v: [4]Real) = loop w = v for i < 3 do w with [i + 1] = w[i] * w[i + 1]",
        "[1.0, 2.0, 3.0, 0.5]",
    ),
    (
        "def pow (x: Real) (n: Int) = if n == 0 then 1.0 else x * pow x (n - 1)\ndef f (x: Real) = pow x 5",
        "1.25",
    ),
    (
        "type Tree = Leaf Real | Node Tree Tree\ndef total t = match t with Leaf x -> x * x | Node l r -> total l * total r\ndef f (x: Real) = total (Node (Leaf x) (Node (Leaf (x + 1.0)) (Leaf 3.0)))",
        "1.5",
    ),
    (
        "def f (m: [2][2]Real) = sum (flatten (map (map (\\x -> x * x * x)) m))",
        "[[1.0, 2.0], [3.0, 4.0]]",
    ),
    ("def f (v: [3]Real) = fold (\\a x -> a * x + sin a) 1.0 v", "[0.5, 1.5, 2.5]"),
    ("def f (v: [3]Real) = maximum v * minimum v + norm v + logsumexp v", "[0.5, 1.5, 2.5]"),
    (
        "def f (v: [4]Real) = let s = concat v[1:3] (map exp v) in scan (+) 0.0 s",
        "[0.5, 1.5, 2.5, 1.0]",
    ),
    (
        "def f (r: { w: [2]Real, b: Real }) = let s = r with .b = r.b * 2.0 in { w = map (\\x -> x * s.b) s.w, b = dot s.w r.w }",
        "{ w = [1.0, 2.0], b = 3.0 }",
    ),
    (
        "def f (x: Real) = custom_vjp (\\y -> y * y) (\\y -> (y * y, \\d -> d * 100.0 * y)) x * x",
        "3.0",
    ),
    (
        "def f (x: Real) = custom_jvp (\\y -> y * x) (\\y y_dot -> (y * x, 10.0 * y_dot)) (x * 2.0)",
        "3.0",
    ),
    ("def f (x: Real) = stop_gradient x * x + x", "3.0"),
    ("def f (v: [3]Real) = sum (sort v) * (sort v)[0]", "[3.0, 1.0, 2.0]"),
    ("def f (x: Real) = grad (\\y -> y * y * x) (x * 2.0)", "3.0"),
    ("def f (v: [2]Real) = hessian (\\w -> w[0] * w[0] * w[1]) v", "[3.0, 2.0]"),
    ("def f (x: Real) = (0.0 * sqrt x, [sqrt x, x][1])", "0.0"),
    ("def f (p: (Int, Real, Bool)) = if p.2 then p.1 ^ p.0 else real p.0 * p.1", "(3, 2.0, true)"),
];

fn sample(text: &str, argument: &str) -> (Program, DefId, Value) {
    let (program, defs) = source(&format!("{text}\ndef argument = {argument}"), &["f", "argument"]);
    let image = compile(&program);
    let mut machine = Machine::new(&image, trace_engine(), Options::default());
    let argument = machine.global(defs[1]).expect("an argument");
    (program, defs[0], argument)
}

/// Unlike `equal`, this tolerates rounding.
fn close(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (a.as_real(), b.as_real()) {
        return (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    }
    if let (Some(a), Some(b)) = (a.as_tuple(), b.as_tuple()) {
        return a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b));
    }
    if let (Some((s, a)), Some((t, b))) = (a.as_data(), b.as_data()) {
        return s == t && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b));
    }
    if let (Some(a), Some(b)) = (a.as_array(), b.as_array()) {
        return a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| close(&a, &b));
    }
    a.as_int() == b.as_int() && a.as_bool() == b.as_bool() && a.as_str() == b.as_str()
}

/// A tangent of the shape of a value, with Reals of all sizes.
fn direction(value: &Value) -> Value {
    let mut next = 0.5;
    pullback_lambda::eval::walk::map_leaves(value, |leaf| {
        if leaf.as_real().is_none() {
            return Ok(Value::Unit);
        }
        next = -next * 1.5;
        Ok(Value::Real(next))
    })
    .expect("data")
}

#[test]
fn values_and_derivatives_agree_with_the_trace() {
    for (text, argument) in SAMPLES {
        let (program, f, x) = sample(text, argument);
        let options = Options::default();
        let image = compile(&program);
        let truth = |mode: &Mode| {
            run_in_machine(trace_engine(), &image, f, x.clone(), mode, &options).expect("a value")
        };
        let found = |mode: &Mode| {
            run(&CATEGORIES, &program, f, x.clone(), mode, &options)
                .unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
        };
        let value = truth(&Mode::Value).value;
        let modes = [Mode::Value, Mode::Vjp(direction(&value)), Mode::Jvp(direction(&x))];
        for mode in &modes {
            let (truth, found) = (truth(mode), found(mode));
            assert!(
                close(&truth.value, &found.value),
                "{text}: {:?} {:?}",
                truth.value,
                found.value
            );
            let (Some(truth), Some(found)) = (truth.derivative, found.derivative) else { continue };
            assert!(close(&truth, &found), "{text}\n{mode:?}\n{truth:?}\n{found:?}");
        }
    }
}

#[test]
fn converted_programs_are_well_typed_and_mean_the_same() {
    for (text, argument) in SAMPLES {
        let (program, f, x) = sample(text, argument);
        if text.contains("grad (") || text.contains("hessian") {
            continue;
        }
        for prune in [false, true] {
            let (mut work, customs) = custom::prepare(&program, f).expect("within the fragment");
            let arrows = convert::convert(&work, &customs, f, prune).expect("within the fragment");
            check::check(&work, &arrows).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert!(!print::print(&work, &arrows).is_empty());
            meaning::replace(&mut work, &arrows);
            verify(&work).unwrap_or_else(|why| panic!("{text}: {why:?}"));
            let value = |program: &Program| {
                let image = compile(program);
                let mut machine =
                    Machine::new(&image, std::rc::Rc::new(NoEngine), Options::default());
                let function = machine.global(f).expect("a function");
                machine.call(function, vec![x.clone()]).expect("a value")
            };
            let (before, after) = (value(&program), value(&work));
            assert!(close(&before, &after), "{text}: {before:?} {after:?}");
            // Converting what was meant gives an arrow with the same meaning again.
            let again = convert::convert(&work, &customs, f, prune).expect("within the fragment");
            check::check(&work, &again).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
    }
}

#[test]
fn halves_are_well_typed() {
    for (text, argument) in SAMPLES {
        let (program, f, _) = sample(text, argument);
        if text.contains("grad (") || text.contains("hessian") {
            continue;
        }
        let (work, halves, f) = categories::halves(&program, f).expect("within the fragment");
        verify(&work).unwrap_or_else(|why| panic!("{text}: {why:?}\n{}", work.print()));
        assert!(halves.contains_key(&f));
    }
}

#[test]
fn derivatives_inside_programs_are_taken_by_this_engine() {
    let text = "
def cube x = x * x * x
def main = (grad cube 2.0, grad (grad cube) 2.0, (jvp (\\x -> (x * x, x)) 3.0 1.0).1, hessian (\\v -> v[0] * v[1]) [1.0, 2.0], let a = 3.0 in map (grad (\\x -> a * x * x)) [1.0, 2.0])
";
    let (program, defs) = source(text, &["main"]);
    let found = evaluate(&CATEGORIES, &program, defs[0], &Options::default()).expect("a value");
    let truth = evaluate(&ENGINES[0], &program, defs[0], &Options::default()).expect("a value");
    assert!(close(&found, &truth), "{found:?} {truth:?}");
}
