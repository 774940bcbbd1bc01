//! Compiling through categories: CL keeps the meaning, its types are checked, and the two halves give
//! the derivative.

use crate::linear_maps_forms::wrap;
use crate::support::deep;
use crate::support::source::{expectations, files, source, value};
use pullback_base::Span;
use pullback_engines::categories::{self, check, convert, custom, meaning, print};
use pullback_engines::{
    ENGINES, EngineInfo, How, Mode, evaluate, run, run_in_machine, trace_engine,
};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{Def, DefId, Expr, Program, Stage, Type, tangent, verify};
use pullback_prim::Prim;

const CATEGORIES: EngineInfo = EngineInfo::unlisted(
    "categories",
    How::Transform {
        vjp: categories::vjp,
        jvp: categories::jvp,
        reverse: pullback_engines::Pullbacks::Any,
    },
    categories::STAGES,
);

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
    // Without turns there is what the loop starts with, also where no turn would look at it.
    (
        "def f (x: Real) = ((loop s = (1, x) while s.0 > 0 do (s.0 - 1, 0.0)).1, (loop s = (0, x) while s.0 > 0 do (s.0 - 1, 0.0)).1)",
        "0.5",
    ),
    ("def f (x: Real) = (loop a = x for i < 0 do 0.0, loop a = x * x for i < int x do x)", "0.5"),
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
    (
        "def root x = custom_jvp sqrt (\\x x_dot -> let y = root x in (y, x_dot / (2.0 * y))) x\ndef f (x: Real) = root x * x",
        "4.0",
    ),
    (
        "def f (p: (Real, Real)) = custom_vjp (\\q -> (q.0 * q.1, [q.0, p.1])) (\\q -> ((q.0 * q.1, [q.0, p.1]), \\d -> (d.0 * q.1 + 2.0 * d.1[0], d.0 * q.0))) (p.1, p.0)",
        "(3.0, 0.5)",
    ),
    (
        "def f (x: Real) = let r = custom_jvp (\\v -> (v[0], x)) (\\v v_dot -> ((v[0], x), (v_dot[0] * v[1], 0.0))) [x, 2.0] in r.0 * r.1",
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
    pullback_eval::walk::map_leaves(value, |leaf| {
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
            verify(&work, Stage::Any).unwrap_or_else(|why| panic!("{text}: {why:?}"));
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
        verify(&work, Stage::Any).unwrap_or_else(|why| panic!("{text}: {why:?}\n{}", work.print()));
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

/// Compares this engine with the trace on every expectation of every `step`th file: how many agree, how
/// many are refused, and what differs.
fn compare_with_trace(folder: &str, step: usize) -> (usize, usize, Vec<String>) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(root).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let (mut agreed, mut refused, mut differing) = (0, 0, vec![]);
    for path in paths.into_iter().step_by(step) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let resources = path.ends_with("runtime_resources.pull");
        if text.contains("\nimport ") || text.starts_with("import ") || resources {
            continue;
        }
        let (text, names) = expectations(&text);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (program, defs) = files(&[("main", &text)], &names);
        for def in defs {
            let options = Options::default();
            let truth = evaluate(&ENGINES[0], &program, def, &options);
            match (truth, evaluate(&CATEGORIES, &program, def, &options)) {
                (_, Err(fault)) if fault.code == "E0717" => refused += 1,
                (Ok(truth), Ok(found)) if close(&truth, &found) => agreed += 1,
                (Err(truth), Err(found)) if truth.code == found.code => agreed += 1,
                (truth, found) => {
                    let name = &program.defs[def].name;
                    differing.push(format!("{} {name}: {truth:?} {found:?}", path.display()));
                }
            }
        }
    }
    (agreed, refused, differing)
}

#[test]
fn the_suite_agrees_with_the_trace() {
    deep(|| {
        for (folder, step) in [("tests/run", 1), ("tests/ad", 1), ("lib", 1)] {
            let (agreed, refused, differing) = compare_with_trace(folder, step);
            assert!(differing.is_empty(), "{}", differing.join("\n"));
            assert!(refused * 4 < agreed, "{folder}: {agreed} agree, {refused} refused");
        }
    });
}

/// Programs at points where contributions are zero, negative zero or infinite, in every order of modes:
/// what is absent must stay so in derivatives of derivatives.
const NESTED: &[&str] = &[
    "grad (grad (\\x -> let a = [sqrt x, x * x] in a[1])) 0.0",
    "grad (\\x -> (jvp (\\y -> let a = [sqrt y, y * y] in a[1]) x 1.0).1) 0.0",
    "(jvp (grad (\\x -> let a = [sqrt x, x * x] in a[1])) 0.0 1.0).1",
    "(jvp (\\x -> (jvp (\\y -> let a = [sqrt y, y * y] in a[1]) x 1.0).1) 0.0 1.0).1",
    "grad (\\x -> (jvp (\\y -> x * y * y) x 1.0).1) 0.0",
    "grad (\\x -> (jvp (\\y -> (jvp (\\z -> x * y * z * z) y 1.0).1) x 1.0).1) 0.0",
    "(jvp (\\x -> grad (\\y -> (jvp (\\z -> x * y * z * z) y 1.0).1) x) 0.0 1.0).1",
    "grad (\\x -> (vjp (\\y -> x * y) 3.0).1 (0.0 * x)) 2.0",
    "grad (\\x -> (vjp (\\y -> y * y) x).1 (-0.0 * x)) 2.0",
    "(vjp sqrt 0.0).1 (-0.0)",
    "(jvp sqrt 0.0 (-0.0)).1",
    "(jvp (\\x -> (0.0 / 0.0) * x) 1.0 1.0).1",
    "let a = 1.0 / 0.0 in (jvp (\\x -> a * x) 0.0 1.0).1",
    "let a = 0.0 in (jvp (\\x -> x / a) 1.0 1.0).1",
    "let a = 0.5 in (jvp (\\x -> a ^ x) 0.0 1.0).1",
    "(vjp (\\v -> (loop w = v for i < 2 do w with [i] = w[i + 1])[0]) [sqrt 0.0, 2.0, 3.0]).1 1.0",
    "grad (\\x -> (loop w = [sqrt x, x, x] for i < 2 do w with [i] = w[i + 1])[0]) 0.0",
    "grad (grad (\\x -> (loop w = [sqrt x, x, x * x] for i < 2 do w with [i] = w[i + 1])[1])) 0.0",
    "grad (\\x -> if x > 0.0 then sqrt x else hypot x 0.0 + x) 0.0",
    "grad (grad (\\x -> maximum [x, 2.0 * x, x * x] + hypot x x)) 0.0",
    "hessian (\\v -> norm v * v[0] + product v) [0.0, 0.0]",
    "grad (\\x -> (jvp (\\y -> custom_vjp (\\z -> z * z) (\\z -> (z * z, \\d -> d * x * z)) y) x 1.0).1) 0.0",
    "grad (\\x -> (jvp (\\y -> (loop s = (1, y) while s.0 > 0 do (s.0 - 1, 0.0)).1) x x).1) 0.5",
    "grad (\\x -> fold (\\a y -> a * y) x [x, 0.0, sqrt 0.0]) 0.0",
];

#[test]
fn what_is_absent_stays_so_in_derivatives_of_derivatives() {
    for text in NESTED {
        let (program, defs) = source(&format!("def main = {text}"), &["main"]);
        let truth = value(&ENGINES[0], &program, defs[0]).expect("a value");
        let found = evaluate(&CATEGORIES, &program, defs[0], &Options::default());
        let found = found.unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        assert!(close(&truth, &found), "{text}: {truth:?} {found:?}");
    }
}

/// `\\x -> flatten [[x, x x], [x], [x x x, x]]`, whose rows differ in size.
fn rows() -> (Program, DefId) {
    let mut program = Program::default();
    let span = Span::NONE;
    let x = program.fresh("x", Type::real());
    let power =
        |n: i64| Expr::prim(Prim::PowInt, vec![program.var(x, span), Expr::int(n, span)], span);
    let row = |powers: &[i64]| {
        Expr::array(powers.iter().map(|n| power(*n)).collect(), Type::real(), span)
    };
    let rows = vec![row(&[1, 2]), row(&[1]), row(&[3, 1])];
    let rows = Expr::array(rows, Type::array(Type::real()), span);
    let body = program.lam(vec![x], Expr::prim(Prim::Flatten, vec![rows], span));
    let (name, ty) = ("f".into(), body.ty.clone());
    let def = program.defs.push(Def { name, ty, body, span });
    (program, def)
}

#[test]
fn rows_that_are_made_flat_may_differ_in_size() {
    let (program, f) = rows();
    let options = Options::default();
    let weights: Vec<Value> = (1..=5).map(|n| Value::Real(f64::from(n))).collect();
    let vjp = Mode::Vjp(Value::array(weights));
    let found = run(&CATEGORIES, &program, f, Value::Real(2.0), &vjp, &options).expect("a value");
    // 1 + 2 (2 x) + 3 + 4 (3 x x) + 5
    assert_eq!(found.derivative.and_then(|x_bar| x_bar.as_real()), Some(65.0));
    let jvp = Mode::Jvp(Value::Real(1.0));
    let found = run(&CATEGORIES, &program, f, Value::Real(2.0), &jvp, &options).expect("a value");
    let y_dot = found.derivative.expect("a tangent");
    let y_dot: Vec<_> = y_dot.as_array().expect("an array").iter().collect();
    let y_dot: Vec<_> = y_dot.iter().filter_map(Value::as_real).collect();
    assert_eq!(y_dot, [1.0, 4.0, 1.0, 12.0, 1.0]);
}

#[test]
fn a_loop_may_start_with_an_array_of_another_size_than_it_gives() {
    let mut program = Program::default();
    let span = Span::NONE;
    let x = program.fresh("x", Type::real());
    let point = program.var(x, span);
    let state = program.fresh("a", Type::array(Type::real()));
    let index = program.fresh("i", Type::int());
    let start = Expr::array(vec![point.clone(), point.clone()], Type::real(), span);
    let next = Expr::array(vec![Expr::real(1.0, span)], Type::real(), span);
    let done = Expr::loop_for(state, start, index, Expr::int(1, span), next, span);
    let sum = Expr::prim(Prim::Sum, vec![done], span);
    let body = program.lam(vec![x], Expr::prim(Prim::Add, vec![sum, point], span));
    let (name, ty) = ("f".into(), body.ty.clone());
    let f = program.defs.push(Def { name, ty, body, span });
    for mode in [Mode::Vjp(Value::Real(1.0)), Mode::Jvp(Value::Real(1.0))] {
        let found = run(&CATEGORIES, &program, f, Value::Real(2.0), &mode, &Options::default());
        let derivative = found.expect("a value").derivative.and_then(|found| found.as_real());
        assert_eq!(derivative, Some(1.0));
    }
}

#[test]
fn the_halves_of_what_is_differentiated_have_the_types_of_the_paper() {
    for (text, argument) in SAMPLES {
        let (program, f, _) = sample(text, argument);
        if text.contains("grad (") || text.contains("hessian") {
            continue;
        }
        let (mut work, halves, f) = categories::halves(&program, f).expect("within the fragment");
        let (from, to) =
            work.defs[f].ty.as_fun().map(|(a, b)| (a.clone(), b.clone())).expect("a function");
        let halves = &halves[&f];
        // `revf$f : S -> (T, X)` and `revr$f : (X, δT) -> δS`
        let pair = Type::tuple(vec![to.clone(), halves.saved.clone()]);
        assert_eq!(work.defs[halves.forward].ty, Type::fun(from.clone(), pair), "{text}");
        let from_dot = tangent(&mut work.datas, &from).expect("first order");
        let to_dot = tangent(&mut work.datas, &to).expect("first order");
        let wanted = Type::fun(Type::tuple(vec![halves.saved.clone(), to_dot]), from_dot);
        assert_eq!(work.defs[halves.reverse].ty, wanted, "{text}");
    }
}

#[test]
fn every_form_is_shown() {
    for (text, argument) in SAMPLES {
        let (program, f, _) = sample(text, argument);
        for stage in categories::STAGES {
            let shown = (stage.show)(&program, f, None);
            let shown = shown.unwrap_or_else(|fault| panic!("{text}: {}: {fault:?}", stage.name));
            let sign = match stage.name {
                "cl" | "cl-pruned" => "=>",
                "cl-rev" => "X of ",
                "cl-fwd" => "fwd$",
                _ => "def ",
            };
            assert!(shown.contains(sign), "{text}: {}\n{shown}", stage.name);
        }
    }
}

/// A definition of several parameters and the one that takes them as a tuple have two types, and two names.
#[test]
fn halves_are_told_apart_by_their_parameters() {
    let text = "def pow (x: Real) (n: Int): Real = if n == 0 then 1.0 else x * pow x (n - 1)";
    let (mut program, defs) = source(text, &["pow"]);
    let of_tuple = wrap(&mut program, defs[0]);
    let stage = categories::STAGES.iter().find(|stage| stage.name == "cl-rev").expect("a stage");
    let shown = (stage.show)(&program, of_tuple, None).expect("halves");
    let told: Vec<&str> = shown.lines().filter(|line| line.starts_with("X of ")).collect();
    assert_eq!(told, ["X of pow = X pow", "X of pow (x, n) = (X pow,)"], "{shown}");
}

#[test]
fn forward_mode_is_one_pass_however_many_results_there_are() {
    let cost = |n: usize| {
        let text = format!("def f (x: Real) = [ sin (x * real i) | i < {n} ]");
        let (program, f, x) = sample(&text, "1.5");
        let options = Options::default();
        let plain = run(&CATEGORIES, &program, f, x.clone(), &Mode::Value, &options);
        let jvp = run(&CATEGORIES, &program, f, x, &Mode::Jvp(Value::Real(1.0)), &options);
        (plain.expect("a value").counts.total(), jvp.expect("a value").counts.total())
    };
    for n in [10, 100, 1000] {
        let (plain, jvp) = cost(n);
        assert!(jvp <= 8 * plain + 20, "{n}: {plain} {jvp}");
    }
}

/// The nodes of the values that a program saves: the size of `X`.
fn saved(text: &str, argument: &str) -> usize {
    let (program, f, x) = sample(text, argument);
    let (work, halves, f) = categories::halves(&program, f).expect("within the fragment");
    let image = compile(&work);
    let mut machine = Machine::new(&image, std::rc::Rc::new(NoEngine), Options::default());
    let forward = machine.global(halves[&f].forward).expect("a function");
    let both = machine.call(forward, vec![x]).expect("a value");
    let mut todo = vec![both.as_tuple().expect("a pair")[1].clone()];
    let mut count = 0;
    while let Some(value) = todo.pop() {
        count += 1;
        if let Some(items) = value.as_tuple() {
            todo.extend(items.iter().cloned());
        } else if let Some((_, items)) = value.as_data() {
            todo.extend(items.iter().cloned());
        } else if let Some(array) = value.as_array() {
            todo.extend(array.iter());
        }
    }
    count
}

#[test]
fn what_is_saved_is_linear_in_the_turns_and_leaves_out_what_is_not_needed() {
    let squares = |n: usize| format!("def f (x: Real) = loop y = x for i < {n} do y * y * 0.5");
    let (ten, twenty, forty) =
        (saved(&squares(10), "1.0"), saved(&squares(20), "1.0"), saved(&squares(40), "1.0"));
    assert_eq!(forty - twenty, 2 * (twenty - ten));
    assert!(forty < 40 * 5, "{forty}");
    // Linear programs save nothing of their turns, however many there are.
    let sums = |n: usize| format!("def f (x: Real) = loop y = x for i < {n} do y + 3.0 * x");
    assert_eq!(saved(&sums(10), "1.0"), saved(&sums(1000), "1.0"));
    assert_eq!(saved("def f (x: Real) = x + x", "1.0"), 1);
}

#[test]
fn reverse_mode_costs_a_constant_times_the_program() {
    let cost = |text: &str, argument: &str| {
        let (program, f, x) = sample(text, argument);
        let options = Options::default();
        let mode = Mode::Vjp(Value::Real(1.0));
        let plain = run(&CATEGORIES, &program, f, x.clone(), &Mode::Value, &options);
        let plain = plain.expect("a value").counts.total();
        let reverse = run(&CATEGORIES, &program, f, x, &mode, &options).expect("a value");
        (plain, reverse.counts.total())
    };
    // Chained squarings, and reads of every element of an array in a loop.
    let chain = |n: usize| {
        let lets: String =
            (1..=n).map(|k| format!("let y{k} = y{j} * y{j} in ", j = k - 1)).collect();
        format!("def f (y0: Real) = {lets} y{n}")
    };
    for n in [5, 20, 60] {
        let (plain, reverse) = cost(&chain(n), "1.0");
        assert!(reverse <= 8 * plain + 20, "{n}: {plain} {reverse}");
    }
    for n in [10, 100, 400] {
        let text =
            format!("def f (v: [{n}]Real) = loop s = 0.0 for i < {n} do s + v[i] * v[{n} - 1 - i]");
        let (plain, reverse) = cost(&text, &format!("[ real i | i < {n} ]"));
        assert!(reverse <= 16 * plain + 20, "{n}: {plain} {reverse}");
    }
}

#[test]
fn the_type_checker_rejects_broken_arrows() {
    use pullback_engines::categories::cl::{Cl, ClKind, Function};
    /// Breaks one arrow after the other; the number of arrows.
    fn break_at(cl: &mut Cl, at: &mut usize) -> bool {
        if *at == 0 {
            let other = match &cl.kind {
                ClKind::Function(Function::Component(k)) => {
                    ClKind::Function(Function::Component(k + 7))
                }
                ClKind::Prune(kept, n) => ClKind::Prune(kept.clone(), n + 1),
                ClKind::Constant(_) => ClKind::Identity,
                ClKind::Identity
                | ClKind::Function(_)
                | ClKind::Compose(..)
                | ClKind::Tuple(_)
                | ClKind::If(..)
                | ClKind::Let(..)
                | ClKind::Build(..)
                | ClKind::Fold { .. }
                | ClKind::While { .. }
                | ClKind::Case(..) => ClKind::Constant(pullback_lambda::Lit::Str("broken".into())),
            };
            cl.kind = other;
            return true;
        }
        *at -= 1;
        match &mut cl.kind {
            ClKind::Compose(a, b) | ClKind::Let(_, a, b) | ClKind::Build(a, _, b) => {
                break_at(a, at) || break_at(b, at)
            }
            ClKind::Tuple(items) => items.iter_mut().any(|item| break_at(item, at)),
            ClKind::If(a, b, c)
            | ClKind::Fold { init: a, count: b, body: c, .. }
            | ClKind::While { init: a, cond: b, body: c, .. } => {
                break_at(a, at) || break_at(b, at) || break_at(c, at)
            }
            ClKind::Case(scrutinee, arms, default) => {
                break_at(scrutinee, at)
                    || arms.iter_mut().any(|arm| break_at(&mut arm.body, at))
                    || default.iter_mut().any(|default| break_at(default, at))
            }
            ClKind::Identity | ClKind::Constant(_) | ClKind::Prune(..) | ClKind::Function(_) => {
                false
            }
        }
    }
    let texts = [
        "def f (p: (Real, Real)) = if p.0 > 0.0 then p.0 * p.1 else sum [ p.1 | i < 3 ]",
        "def f (p: (Real, Real)) = loop a = p.0 for i < 3 do loop b = a while b < 9.0 do b * b + p.1",
        "type T = L Real | N T\ndef f (p: (Real, Real)) = match N (L p.0) with L x -> x | N _ -> p.1",
    ];
    for text in texts {
        let (program, f, _) = sample(text, "(1.0, 2.0)");
        let (work, customs) = custom::prepare(&program, f).expect("within the fragment");
        let arrows = convert::convert(&work, &customs, f, true).expect("within the fragment");
        check::check(&work, &arrows).expect("well-typed");
        let size = arrows[&f].body.size();
        assert!(size > 10);
        for at in 0..size {
            let mut broken = arrows.clone();
            let def = broken.get_mut(&f).expect("converted");
            assert!(break_at(&mut def.body, &mut { at }), "{text}: arrow {at} of {size}");
            let found = check::check(&work, &broken);
            assert!(found.is_err(), "{text}: arrow {at} of {size} is not noticed");
        }
    }
}
