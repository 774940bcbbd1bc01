//! `D→` as a translation of programs (*Higher-order reverse AD* §4, §9.1): what comes out type checks and
//! has the translated type, its first components are what the program computes, and wrapper F gives the
//! derivatives of closed forms, of the oracle that knows no rule, and of `trace`.

use std::path::Path;

use crate::support::deep;
use crate::support::source::{expectations, files, source, value};
use pullback_engines::delta::{forward_jvp, forward_translation, forward_vjp};
use pullback_engines::{ENGINES, EngineInfo, How, Mode, engine_named, evaluate, run};
use pullback_eval::{Budget, Machine, NoEngine, Options, Value, compile, walk};
use pullback_lambda::{DataId, DefId, Program, Stage, Type, TypeKind, verify};
use pullback_oracle::{Config, Mode as Kind, bytes_of_seed, generate, of_value, taylor, to_value};
use pullback_reduce::{Transforms, eliminate, unary};

const TRANSFORMS: Transforms = Transforms { engine: "dual", vjp: forward_vjp, jvp: forward_jvp };

/// `dual` by the translation.
fn dual() -> EngineInfo {
    let known = engine_named("dual").unwrap();
    EngineInfo {
        how: How::Transform {
            vjp: forward_vjp,
            jvp: forward_jvp,
            reverse: pullback_engines::Pullbacks::Linear,
        },
        ..*known
    }
}

/// Whether `dual` is `D→{ty}`: figure 3 on types, written out once more.
fn is_translated(
    program: &Program,
    ty: &Type,
    dual: &Type,
    seen: &mut Vec<(DataId, DataId)>,
) -> bool {
    match (ty.kind(), dual.kind()) {
        (TypeKind::Real, TypeKind::Tuple(pair)) => *pair == [Type::real(), Type::real()],
        (TypeKind::Int, TypeKind::Int)
        | (TypeKind::Bool, TypeKind::Bool)
        | (TypeKind::Str, TypeKind::Str) => true,
        (TypeKind::Tuple(items), TypeKind::Tuple(duals)) => {
            items.len() == duals.len()
                && items.iter().zip(duals).all(|(a, b)| is_translated(program, a, b, seen))
        }
        (TypeKind::Record(items), TypeKind::Record(duals)) => {
            items.len() == duals.len()
                && items
                    .iter()
                    .zip(duals)
                    .all(|(a, b)| a.0 == b.0 && is_translated(program, &a.1, &b.1, seen))
        }
        (TypeKind::Array(item), TypeKind::Array(dual)) => is_translated(program, item, dual, seen),
        (TypeKind::Fun(from, to), TypeKind::Fun(from_dual, to_dual)) => {
            is_translated(program, from, from_dual, seen)
                && is_translated(program, to, to_dual, seen)
        }
        (TypeKind::Data(data), TypeKind::Data(dual)) => {
            if seen.contains(&(*data, *dual)) {
                return true;
            }
            seen.push((*data, *dual));
            let (cons, duals) =
                (&program.datas[*data].constructors, &program.datas[*dual].constructors);
            cons.len() == duals.len()
                && cons.iter().zip(duals).all(|(con, dual)| {
                    con.name == dual.name
                        && con.fields.len() == dual.fields.len()
                        && con
                            .fields
                            .iter()
                            .zip(&dual.fields)
                            .all(|(a, b)| is_translated(program, a, b, seen))
                })
        }
        _ => false,
    }
}

/// `D→{f}` of a definition: it type checks, and so does all it calls, at the type `D→{A}`.
fn translated(program: &Program, def: DefId, what: &str) -> (Program, DefId) {
    let mut program = program.clone();
    let before = program.defs.len();
    let made =
        forward_translation(&mut program, def).unwrap_or_else(|why| panic!("{what} {why:?}"));
    if let Err(problems) = verify(&program, Stage::Any) {
        panic!("{what}: {problems:#?}\n{}", program.print());
    }
    let (ty, dual) = (&program.defs[def].ty, &program.defs[made].ty);
    assert!(
        is_translated(&program, ty, dual, &mut vec![]),
        "{what}: {} is not the translation of {}",
        program.show_type(dual),
        program.show_type(ty)
    );
    assert!(program.defs.len() > before || made == def, "{what}: a definition is made");
    (program, made)
}

fn reals(value: &Value) -> Vec<f64> {
    walk::real_leaves(value).unwrap().iter().map(|leaf| leaf.as_real().unwrap()).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// The primals and tangents of a structure of dual numbers of type `D→{ty}`, from left to right.
fn duals(program: &Program, ty: &Type, value: &Value, out: &mut Vec<(f64, f64)>) {
    match ty.kind() {
        TypeKind::Real => {
            let pair = value.as_tuple().unwrap();
            out.push((pair[0].as_real().unwrap(), pair[1].as_real().unwrap()));
        }
        TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(_, _) => {}
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            for (ty, value) in ty.components().unwrap().into_iter().zip(value.as_tuple().unwrap()) {
                duals(program, ty, value, out);
            }
        }
        TypeKind::Array(element) => {
            value.as_array().unwrap().iter().for_each(|item| duals(program, element, &item, out));
        }
        TypeKind::Data(data) => {
            let (tag, fields) = value.as_data().unwrap();
            let types = &program.datas[*data].constructors[tag].fields;
            for (ty, value) in types.iter().zip(fields) {
                duals(program, ty, value, out);
            }
        }
    }
}

/// Programs `f` at `x`; where the derivative is known, the tangent of `f` along the direction of
/// [`direction`].
const PROGRAMS: &[(&str, Option<&[f64]>)] = &[
    ("def f (x: Real): Real = x * sin x\ndef x = 1.3", None),
    ("def f (x: Real): Real = 3.0\ndef x = 1.3", Some(&[0.0])),
    (
        "def f (x: (Real, Real)): (Real, Real) = (x.1 * x.1, x.0 / x.1)\ndef x = (1.5, 0.5)",
        Some(&[1.01, 1.4 - 6.06]),
    ),
    (
        "def f (x: (Int, Real, Bool)): (Real, Int) = if x.2 then (x.1 ^ x.0, x.0 + 1) else (real x.0, 2)\ndef x = (3, 1.5, true)",
        Some(&[0.7 * 6.75]),
    ),
    // Functions as arguments, as results, captured, partially applied and in structures.
    (
        "def twice f x = f (f x)\ndef f (x: Real): Real = twice (twice (\\y -> y * x)) 3.0\ndef x = 2.0",
        Some(&[0.7 * 12.0 * 8.0]),
    ),
    (
        "def add (a: Real) (b: Real) (c: Real): Real = a * b + c\ndef f (x: Real): Real = let g = add x in let h = g 2.0 in h x + h 1.0\ndef x = 1.5",
        Some(&[0.7 * 5.0]),
    ),
    (
        "def f (x: Real): Real = let fs = [sin, cos, \\y -> y * x] in sum (map (\\g -> g x) fs)\ndef x = 0.4",
        None,
    ),
    (
        "def f (x: Real): Real = let p = { f = \\y -> y * y * x, c = x } in p.f p.c\ndef x = 2.0",
        Some(&[0.7 * 12.0]),
    ),
    (
        "def compose f g x = f (g x)\ndef power (n: Int): (Real -> Real) -> Real -> Real = if n == 0 then \\f -> \\x -> x else \\f -> compose f (power (n - 1) f)\ndef f (x: Real): Real = power 3 (\\y -> x * y) 1.0\ndef x = 2.0",
        Some(&[0.7 * 12.0]),
    ),
    // Sums, recursion.
    (
        "type Shape = Circle Real | Rect { w: Real, h: Real } | Empty\ndef area (s: Shape): Real = match s with | Circle r -> r * r | Rect q -> q.w * q.h | Empty -> 1.0\ndef f (x: []Shape): Real = sum (map area x)\ndef x = [Circle 3.0, Empty, Rect { w = 2.0, h = 5.0 }]",
        Some(&[0.7 * 6.0 + 1.01 * 5.0 + 1.32 * 2.0]),
    ),
    (
        "type Tree = Leaf Real | Node Tree Tree\ndef total (t: Tree): Real = match t with | Leaf x -> x * x | Node l r -> total l * total r\ndef f (x: Tree): (Real, Tree) = (total x, Node x (Leaf (total x)))\ndef x = Node (Node (Leaf 1.0) (Leaf 2.0)) (Leaf 3.0)",
        None,
    ),
    (
        "type Step = Stop | Go Real (Real -> Step)\ndef follow (s: Step) (x: Real): Real = match s with | Stop -> x | Go k next -> follow (next (x * k)) (x * k)\ndef f (x: Real): Real = follow (Go x (\\y -> if y > 20.0 then Stop else Go (x + y) (\\z -> Stop))) 2.0\ndef x = 1.5",
        None,
    ),
    (
        "def f (x: Real): Real = let rec even n y = if n == 0 then y else odd (n - 1) (y * x) and odd n y = if n == 0 then 0.0 else even (n - 1) (y + x) in even 6 x\ndef x = 1.1",
        None,
    ),
    // Arrays, loops, records.
    (
        "def f (x: [3]Real): [3]Real = [ x[i] * x[0] | i < 3 ]\ndef x = [2.0, 3.0, 4.0]",
        Some(&[2.8, 2.0 * 1.01 + 3.0 * 0.7, 2.0 * 1.32 + 4.0 * 0.7]),
    ),
    (
        "def f (x: [2][2]Real): Real = let y = x @ x in y[0, 1] + sum (flatten x)\ndef x = [[1.0, 2.0], [3.0, 4.0]]",
        None,
    ),
    (
        "def f (x: []Real): Real = loop acc = 1.0 for i < size x do acc * x[i]\ndef x = [2.0, 3.0, 4.0]",
        Some(&[0.7 * 12.0 + 1.01 * 8.0 + 1.32 * 6.0]),
    ),
    (
        "def f (x: { w: []Real, b: Real }): { y: Real, ws: []Real } = { y = dot x.w x.w + x.b, ws = (x.w with [0] = x.b) }\ndef x = { w = [2.0, 3.0], b = 0.5 }",
        Some(&[4.0 * 0.7 + 6.0 * 1.01 + 1.32, 1.32, 1.01]),
    ),
    ("def f (x: Real): Real = loop y = x while y < 100.0 do y * y\ndef x = 1.5", None),
    (
        "def f (x: []Real): Real = product x + logsumexp x + norm x + maximum x\ndef x = [2.0, 3.0, 4.0]",
        None,
    ),
    // Rules of their own, and what stops derivatives.
    (
        "def f (x: Real): Real = stop_gradient x * x + custom_jvp (\\y -> y) (\\y dy -> (y, 3.0 * dy)) x\ndef x = 2.0",
        Some(&[0.7 * 5.0]),
    ),
    (
        "def f (x: (Real, Real)): Real = let y = custom_vjp (\\(a, b) -> (a * b, a)) (\\(a, b) -> ((a * b, a), \\(u, v) -> (2.0 * u + v, 5.0 * u))) x in y.0 + y.1\ndef x = (2.0, 3.0)",
        Some(&[3.0 * 0.7 + 5.0 * 1.01]),
    ),
    // Derivatives inside.
    (
        "def f (x: Real): Real = grad (\\y -> x * y * y * y) x + (jvp (\\y -> x * y) x 1.0).1\ndef x = 2.0",
        Some(&[0.7 * 37.0]),
    ),
];

/// Numbers that are no special case of anything.
fn direction(count: usize) -> Vec<f64> {
    (0..count).map(|index| 0.7 + 0.31 * index as f64).collect()
}

fn check(text: &str, known: Option<&[f64]>) {
    let (program, roots) = source(text, &["f", "x"]);
    let trace = engine_named("trace").unwrap();
    let x = value(trace, &program, roots[1]).unwrap();
    let options = Options::default();
    let along = direction(reals(&x).len());
    let x_dot = walk::tangent_of(&x, along.iter().map(|v| Value::Real(*v))).unwrap();
    let mode = Mode::Jvp(x_dot);
    let expected = run(trace, &program, roots[0], x.clone(), &mode, &options).unwrap();
    let found = run(&dual(), &program, roots[0], x.clone(), &mode, &options).unwrap();
    // The value: bit for bit.
    let bits = |value: &Value| reals(value).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found.value), bits(&expected.value), "{text}");
    let (slopes, truth) = (reals(&found.derivative.unwrap()), reals(&expected.derivative.unwrap()));
    assert_eq!(slopes.len(), truth.len(), "{text}");
    assert!(slopes.iter().zip(&truth).all(|(a, b)| close(*a, *b, 1e-12)), "{slopes:?} {text}");
    if let Some(known) = known {
        assert_eq!(slopes.len(), known.len(), "{text}");
        assert!(slopes.iter().zip(known).all(|(a, b)| close(*a, *b, 1e-12)), "{slopes:?} {text}");
    }
    // The oracle knows no operators of differentiation and no rules of the program's own.
    let data = of_value(&x).unwrap();
    if let Ok(series) = taylor(&program, roots[0], &[data], &along, 1)
        && !text.contains("custom")
        && !text.contains("stop")
    {
        let series: Vec<f64> = series.iter().map(|coefficients| coefficients[1]).collect();
        assert_eq!(slopes.len(), series.len(), "{text}");
        assert!(slopes.iter().zip(&series).all(|(a, b)| close(*a, *b, 1e-10)), "{series:?} {text}");
    }
    // Reverse mode by one pass for each input.
    let y_bar =
        walk::tangent_of(&found.value, direction(slopes.len()).into_iter().map(Value::Real));
    let mode = Mode::Vjp(y_bar.unwrap());
    let expected = run(trace, &program, roots[0], x.clone(), &mode, &options).unwrap();
    let found = run(&dual(), &program, roots[0], x, &mode, &options).unwrap();
    let (found, expected) =
        (reals(&found.derivative.unwrap()), reals(&expected.derivative.unwrap()));
    assert!(found.iter().zip(&expected).all(|(a, b)| close(*a, *b, 1e-12)), "{found:?} {text}");
}

#[test]
fn wrapper_f_gives_values_and_tangents() {
    deep(|| PROGRAMS.iter().for_each(|(text, known)| check(text, *known)));
}

#[test]
fn the_translation_has_the_translated_type_and_keeps_what_is_computed() {
    deep(|| {
        for (text, _) in PROGRAMS {
            let (mut program, roots) = source(text, &["f", "x"]);
            let trace = engine_named("trace").unwrap();
            let x = value(trace, &program, roots[1]).unwrap();
            let def = eliminate(&mut program, TRANSFORMS, roots[0]).unwrap();
            let def = unary(&mut program, def);
            let options = Options::default();
            let y = run(trace, &program, def, x.clone(), &Mode::Value, &options).unwrap().value;
            let (from, to) = program.defs[def].ty.as_fun().unwrap();
            let (from, to) = (from.clone(), to.clone());
            // Everything that the definition reaches, one by one: functions of functions included.
            for reached in pullback_reduce::reachable(&program, def) {
                translated(&program, reached, text);
            }
            let (program, made) = translated(&program, def, text);
            let image = compile(&program);
            let mut machine = Machine::new(&image, std::rc::Rc::new(NoEngine), options);
            let function = machine.global(made).unwrap();
            for slope in [0.0, 1.0, f64::NAN] {
                let point = dual_of(&program, &from, &x, slope);
                let result = machine.call(function.clone(), vec![point]).unwrap();
                let mut found = vec![];
                duals(&program, &to, &result, &mut found);
                let primals: Vec<u64> = found.iter().map(|(primal, _)| primal.to_bits()).collect();
                let expected: Vec<u64> = reals(&y).iter().map(|x| x.to_bits()).collect();
                assert_eq!(primals, expected, "tangents {slope}: {text}");
            }
        }
    });
}

/// Every Real with this tangent.
fn dual_of(program: &Program, ty: &Type, value: &Value, slope: f64) -> Value {
    match ty.kind() {
        TypeKind::Real => Value::tuple(vec![value.clone(), Value::Real(slope)]),
        TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(_, _) => value.clone(),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let types = ty.components().unwrap();
            let parts = types.into_iter().zip(value.as_tuple().unwrap());
            Value::tuple(parts.map(|(ty, part)| dual_of(program, ty, part, slope)).collect())
        }
        TypeKind::Array(element) => {
            let items = value.as_array().unwrap();
            Value::array(items.iter().map(|item| dual_of(program, element, &item, slope)).collect())
        }
        TypeKind::Data(data) => {
            let (tag, fields) = value.as_data().unwrap();
            let types = &program.datas[*data].constructors[tag].fields;
            let parts = types.iter().zip(fields);
            let parts = parts.map(|(ty, part)| dual_of(program, ty, part, slope)).collect();
            Value::data(tag, parts)
        }
    }
}

/// A rule that must not run where its argument is a constant: figure 3 gives a constant the number zero as
/// its tangent, so nothing tells that it is one. The engine itself has structural zeros.
const RULES_OF_CONSTANTS: &[&str] = &["rules_nested wanted_14"];

/// Compares the translation with `trace` on the expectations of `tests/ad`: values with derivatives inside.
#[test]
fn the_suite_agrees_with_trace() {
    deep(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ad");
        let mut paths: Vec<_> =
            std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let (mut agreed, mut refused, mut wrong) = (0, 0, vec![]);
        for path in paths {
            let text = std::fs::read_to_string(&path).unwrap();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            // Both engines must be among those that the file names.
            let excluded = |line: &str| {
                let both = ["dual", "trace"].iter().all(|name| line.contains(name));
                line.starts_with("import ") || line.starts_with("--@ engines") && !both
            };
            if text.lines().any(excluded) {
                continue;
            }
            let (text, names) = expectations(&text);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (program, defs) = files(&[("main", &text)], &names);
            for (def, name) in defs.into_iter().zip(names) {
                let options = Options::default();
                let truth = evaluate(&ENGINES[0], &program, def, &options);
                // Reverse mode by forward passes, nested, is exponential in the order.
                let budget = Budget { steps: 500_000, exceeded: "enough" };
                let bounded = Options { budget: Some(budget), ..options };
                let found = evaluate(&dual(), &program, def, &bounded);
                let same = match (&truth, &found) {
                    (Ok(truth), Ok(found)) => {
                        let (truth, found) = (reals(truth), reals(found));
                        truth.len() == found.len()
                            && truth.iter().zip(&found).all(|(a, b)| close(*a, *b, 1e-9))
                    }
                    (_, Err(fault)) if ["E0717", "E0719"].contains(&fault.code) => {
                        refused += 1;
                        continue;
                    }
                    (Err(truth), Err(found)) => truth.code == found.code,
                    (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
                };
                let place = format!("{stem} {name}");
                if same {
                    agreed += 1;
                } else if !RULES_OF_CONSTANTS.contains(&place.as_str()) {
                    wrong.push(format!("{place}: {truth:?} {found:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{agreed} agree, {} do not:\n{}", wrong.len(), wrong.join("\n"));
        assert!(agreed > 700 && refused * 4 < agreed, "{agreed} agree, {refused} refused");
    });
}

#[test]
fn random_programs_are_translated_to_programs_of_the_translated_type() {
    deep(|| {
        let mut compared = 0;
        for seed in 0..400 {
            let config = Config { mode: Kind::Smooth, size: 60, nested_ad: false };
            let made = generate(&bytes_of_seed(seed, 400), &config);
            translated(&made.program, made.def, &format!("seed {seed}"));
            let x = to_value(&made.arg);
            let dots = made.direction.iter().map(|v| Value::Real(*v));
            let mode = Mode::Jvp(walk::tangent_of(&x, dots).unwrap());
            let found = run(&dual(), &made.program, made.def, x, &mode, &Options::default());
            let series = taylor(&made.program, made.def, &[made.arg], &made.direction, 1);
            if let (Ok(found), Ok(series)) = (found, series) {
                let slope = found.derivative.unwrap().as_real().unwrap();
                let (value, expected) = (series[0][0], series[0][1]);
                assert!(close(found.value.as_real().unwrap(), value, 1e-9), "seed {seed}");
                if expected.is_finite() && expected.abs() < 1e9 {
                    assert!(close(slope, expected, 1e-6), "seed {seed}: {slope} {expected}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 300, "{compared}");
    });
}
