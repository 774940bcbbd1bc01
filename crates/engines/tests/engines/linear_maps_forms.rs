//! The forms of the working notes: every stage of the demonstration evaluated at points, against
//! difference quotients of the original program; the crucial property.
//!
//! The oracle is central differences of the evaluator's values, which know no derivative rule.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at few cases")]

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::support::source::source;
use pullback_engines::linear_maps::matrix::matrix;
use pullback_engines::linear_maps::notes::eval::{Datum, Evaluation};
use pullback_engines::linear_maps::notes::forms::{TITLES, demo, print_form, tupled_forms};
use pullback_engines::linear_maps::notes::term::{Book, Form};
use pullback_engines::linear_maps::notes::{Tupling, print_demo};
use pullback_engines::linear_maps::vector::Vector;
use pullback_engines::{Mode, engine_named, run};
use pullback_eval::{Options, Value, walk};
use pullback_lambda::{DefId, Program};

/// Programs with points to differentiate them at.
const PROGRAMS: &[(&str, &str, &[&[f64]])] = &[
    ("f", "def f (x: Real): Real = let y = x * x in let z = x + y in y * z", &[&[1.0], &[-0.7]]),
    (
        "f",
        "def g (x: Real): Real = sin x * exp x
         def h ((x, y): (Real, Real)): Real = g x / (1.0 + y * y) - g (x * y)
         def f (x: Real) (y: Real): (Real, Real) = (h (x, y), atan2 x y)",
        &[&[0.3, 0.8], &[-1.2, 2.0]],
    ),
    (
        "f",
        "def f (x: Real): Real =
           let y = if x > 0.0 then x * x else -x in
           if y > 1.0 && x < 5.0 then log y else y ^ 3",
        &[&[0.5], &[2.0], &[-3.0], &[7.0]],
    ),
    (
        "f",
        "def f (v: [3]Real) (w: [3]Real): Real = sum (build 3 (\\i -> v[i] * w[2 - i] * sin v[i]))",
        &[&[1.0, 2.0, 0.5, -1.0, 0.25, 3.0]],
    ),
    (
        "f",
        "def f (s: Real) (v: [3]Real): Real = loop acc = s for i < size v do acc * v[i] + s",
        &[&[0.5, 1.5, -2.0, 3.0]],
    ),
    (
        "f",
        "def f (s: Real) (v: [4]Real): [4]Real = scan (\\a b -> a * b + sin a) s v",
        &[&[0.5, 1.5, -2.0, 3.0, 0.1]],
    ),
    (
        "f",
        "def f (m: [2][2]Real) (v: [2]Real): [2]Real =
           loop x = v for _ < 3 do build 2 (\\i -> sum (build 2 (\\j -> tanh (m[i, j] * x[j]))))",
        &[&[0.5, 1.5, -2.0, 0.3, 0.1, 0.9]],
    ),
    ("f", "def f (x: Real): Real = loop y = x while y < 100.0 do y * y + 1.0", &[&[1.5], &[0.2]]),
    ("f", "def f (x: Real): Real = x * stop_gradient (2.0) - stop_gradient 2.0 * x ^ 2", &[&[1.5]]),
    (
        "f",
        "def power (n: Int) (x: Real): Real = if n == 0 then 1.0 else x * power (n - 1) x
         def f (x: Real): Real = power 5 x + x",
        &[&[1.3]],
    ),
    (
        "f",
        "def f (x: Real) (v: [3]Real): [6]Real =
           let w = build 3 (\\i -> x * v[i]) in
           let u = build 3 (\\i -> w[i] * w[2 - i]) in
           concat (w with [1] = x) (concat u[1:3] [sum u])",
        &[&[0.5, 1.5, -2.0, 3.0]],
    ),
    (
        "f",
        "def f (v: [4]Real): (Real, Int, Real) =
           let n = size v in
           let total = fold (\\a x -> a + x * x) 0.0 v in
           (total, n, max v[0] (real n * v[1]))",
        &[&[0.5, 1.5, -2.0, 3.0]],
    ),
    (
        "f",
        "def square (v: [2]Real): [2]Real = map (\\x -> x * x) v
         def f (v: [2]Real): Real =
           let a = square v in
           let b = square (a + v) in
           let c = square (b + a) in
           sum (c + b + a)",
        &[&[0.5, 0.25]],
    ),
    // Elements that are read twice, at one place and at two, and written.
    (
        "f",
        "def f (v: [3]Real): Real =
           sum (build 3 (\\i -> v[i] * v[i] + sin v[i] * v[2 - i] + (if i == 1 then v[i] else v[0] * v[i])))",
        &[&[0.5, 1.5, -2.0]],
    ),
    (
        "f",
        "def f (v: [3]Real): [3]Real =
           loop w = v for i < 3 do (w with [i] = w[2 - i] * v[i]) with [1] = w[1] + w[i] * v[i]",
        &[&[0.5, 1.5, -2.0]],
    ),
    // A condition on an index need not hold for any.
    (
        "f",
        "def f (v: [3]Real): Real =
           sum (build 3 (\\i -> if i == 7 then v[0] * v[1] else 0.0)) + v[2]
           + sum (build 3 (\\i -> if i == size v then v[0] else 0.0 * v[1]))",
        &[&[0.5, 1.5, -2.0]],
    ),
];

/// The value of an argument of this many numbers, in the shape of `like`.
fn point(program: &Program, def: DefId, numbers: &[f64]) -> (Value, Vec<Value>) {
    let mut rest = numbers.iter().copied();
    let mut ty = program.defs[def].ty.clone();
    let mut args = vec![];
    while let Some((from, to)) = ty.as_fun() {
        args.push(shaped(from, &mut rest));
        ty = to.clone();
    }
    assert!(rest.next().is_none(), "too many numbers");
    (Value::tuple(args.clone()), args)
}

/// Arrays in these programs are square or take all numbers that are left but for the last parameters.
fn shaped(ty: &pullback_lambda::Type, numbers: &mut dyn Iterator<Item = f64>) -> Value {
    use pullback_lambda::TypeKind;
    match ty.kind() {
        TypeKind::Real => Value::Real(numbers.next().unwrap()),
        TypeKind::Tuple(items) => {
            Value::tuple(items.iter().map(|item| shaped(item, numbers)).collect())
        }
        TypeKind::Array(element) => {
            let count = SIZE.with(std::cell::Cell::get);
            Value::array((0..count).map(|_| shaped(element, numbers)).collect())
        }
        _ => panic!("no shape for {ty:?}"),
    }
}

thread_local! {
    /// The size of every array parameter of the program under test.
    static SIZE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn size_in(text: &str) -> usize {
    let text = &text[text.rfind("def f").unwrap()..];
    let digits = text.split('[').find_map(|part| part.split(']').next()?.parse().ok());
    digits.unwrap_or(0)
}

pub(crate) fn reals(value: &Value) -> Vec<f64> {
    walk::real_leaves(value).unwrap().iter().map(|leaf| leaf.as_real().unwrap()).collect()
}

/// A program with its wrapper of one argument, and its oracle.
pub(crate) struct Case {
    pub(crate) program: Program,
    def: DefId,
    pub(crate) wrapped: DefId,
}

impl Case {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        SIZE.with(|size| size.set(size_in(text)));
        let (mut program, defs) = source(text, &[name]);
        let def = defs[0];
        let wrapped = wrap(&mut program, def);
        Self { program, def, wrapped }
    }

    fn value(&self, args: &[Value]) -> Value {
        let engine = engine_named("trace").unwrap();
        let arg = self.argument(args);
        let answer =
            run(engine, &self.program, self.wrapped, arg, &Mode::Value, &Options::default());
        answer.unwrap_or_else(|problem| panic!("{problem:?}")).value
    }

    fn argument(&self, args: &[Value]) -> Value {
        if let [only] = args { only.clone() } else { Value::tuple(args.to_vec()) }
    }

    /// The Jacobian by central differences: a row for each Real of the result.
    fn jacobian(&self, numbers: &[f64]) -> Vec<Vec<f64>> {
        let columns: Vec<Vec<f64>> = (0..numbers.len())
            .map(|at| {
                let shifted = |by: f64| {
                    let mut moved = numbers.to_vec();
                    moved[at] += by;
                    reals(&self.value(&point(&self.program, self.def, &moved).1))
                };
                let h = 1e-6;
                let (up, down) = (shifted(h), shifted(-h));
                up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            })
            .collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|c| c[row]).collect()).collect()
    }
}

/// `\s -> f s.0 s.1 …`
pub(crate) fn wrap(program: &mut Program, def: DefId) -> DefId {
    use pullback_lambda::{Def, Expr, Type};
    let Def { name, ty, span, .. } = program.defs[def].clone();
    let (mut types, mut rest) = (vec![], ty);
    while let Some((from, to)) = rest.as_fun() {
        types.push(from.clone());
        rest = to.clone();
    }
    let single = types.len() == 1;
    let from = if single { types[0].clone() } else { Type::tuple(types.clone()) };
    let s = program.fresh("s", from);
    let args = (0..types.len())
        .map(|at| {
            let whole = program.var(s, span);
            if single { whole } else { Expr::proj(whole, at, span) }
        })
        .collect();
    let body = Expr::app(program.global(def, span), args, span);
    let body = program.lam(vec![s], body);
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], what: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 2e-5 * (1.0 + a.abs().max(b.abs()));
    let same = found.len() == expected.len() && found.iter().zip(expected).all(near);
    assert!(same, "{what}: {found:?} is not {expected:?}");
}

/// The unit tangents of arguments, argument by argument.
fn units(args: &[Value]) -> Vec<Vec<Vector>> {
    let shapes: Vec<Vector> = args.iter().map(|arg| Datum::of_value(arg).vector()).collect();
    let mut out = vec![];
    for (at, shape) in shapes.iter().enumerate() {
        for unit in shape.basis() {
            let mut parts = vec![Vector::Zero; shapes.len()];
            parts[at] = unit;
            out.push(parts);
        }
    }
    out
}

fn whole(mut parts: Vec<Vector>) -> Vector {
    if parts.len() == 1 { parts.remove(0) } else { Vector::Parts(parts) }
}

/// Evaluates one stage and compares it with value or Jacobian.
fn check_stage(case: &Case, book: &Book, def: DefId, form: Form, numbers: &[f64], what: &str) {
    let (_, args) = point(&case.program, case.def, numbers);
    let value = case.value(&args);
    let expected = case.jacobian(numbers);
    let mut book = book.clone();
    let mut evaluation = Evaluation::new(&mut book);
    let data: Vec<Datum> = args.iter().map(Datum::of_value).collect();
    let result_shape = Datum::of_value(&value).vector();
    let argument_shape = whole(args.iter().map(|arg| Datum::of_value(arg).vector()).collect());
    let column = |at: usize| -> Vec<f64> { expected.iter().map(|row| row[at]).collect() };
    match form {
        Form::Original => {
            let found = evaluation.call(def, form, data).unwrap();
            close(&found.numbers(&value).unwrap(), &reals(&value), what);
        }
        Form::Jacobian | Form::Transposed => {
            let map = evaluation.call(def, form, data).unwrap();
            for (at, unit) in units(&args).into_iter().enumerate() {
                let unit = whole(unit);
                let y = if form == Form::Jacobian {
                    evaluation.apply(&map, unit)
                } else {
                    evaluation.apply_reverse(unit, &map)
                };
                let y = y.unwrap_or_else(|fault| panic!("{fault:?}: {what}"));
                close(&y.coordinates(&result_shape), &column(at), what);
            }
            for (row, unit) in result_shape.basis().into_iter().enumerate() {
                let x = if form == Form::Jacobian {
                    evaluation.apply_reverse(unit, &map)
                } else {
                    evaluation.apply(&map, unit)
                };
                let x = x.unwrap_or_else(|fault| panic!("{fault:?}: {what}"));
                close(&x.coordinates(&argument_shape), &expected[row], what);
            }
        }
        Form::Forward => {
            for (at, unit) in units(&args).into_iter().enumerate() {
                let tangents = unit.into_iter().map(Datum::Space);
                let all = data.iter().cloned().chain(tangents).collect();
                let y = evaluation.call(def, form, all);
                let y = y.unwrap_or_else(|fault| panic!("{fault:?}: {what}")).vector();
                close(&y.coordinates(&result_shape), &column(at), what);
            }
        }
        Form::Reverse => {
            for (row, unit) in result_shape.basis().into_iter().enumerate() {
                let all = data.iter().cloned().chain([Datum::Space(unit)]).collect();
                let x = evaluation.call(def, form, all);
                let x = x.unwrap_or_else(|fault| panic!("{fault:?}: {what}")).vector();
                close(&x.coordinates(&argument_shape), &expected[row], what);
            }
        }
        Form::Tupled | Form::Polymorphic => panic!("not a stage"),
    }
}

#[test]
fn every_stage_computes_the_derivative() {
    for (name, text, points) in PROGRAMS {
        let case = Case::new(name, text);
        let (stages, def) = demo(&case.program, case.wrapped).unwrap();
        assert_eq!(stages.len(), TITLES.len());
        for stage in &stages {
            for numbers in *points {
                let shown = print_form(&stage.book, stage.form);
                let what = format!("{} of\n{text}\nat {numbers:?}:\n{shown}", stage.title);
                check_stage(&case, &stage.book, def, stage.form, numbers, &what);
            }
        }
    }
}

#[test]
fn optimised_derivatives_hold_no_linear_maps() {
    for (name, text, _) in PROGRAMS {
        let case = Case::new(name, text);
        let (stages, _) = demo(&case.program, case.wrapped).unwrap();
        for stage in [5, 6, 10, 11] {
            let shown = print_form(&stages[stage].book, stages[stage].form);
            assert!(!shown.contains("lm"), "{} of\n{text}\n{shown}", stages[stage].title);
        }
    }
}

/// The engine, with its matrix, agrees with the same oracle.
#[test]
fn the_engine_computes_the_derivative() {
    let engine = engine_named("linear-maps").unwrap();
    for (name, text, points) in PROGRAMS {
        let case = Case::new(name, text);
        for numbers in *points {
            let (_, args) = point(&case.program, case.def, numbers);
            let arg = case.argument(&args);
            let expected = case.jacobian(numbers);
            let found = matrix(&case.program, case.wrapped, &arg).unwrap();
            close(&found.concat(), &expected.concat(), text);
            let y = case.value(&args);
            for (row, expected) in expected.iter().enumerate() {
                let count = reals(&y).len();
                let y_bar = (0..count).map(|at| Value::Real(f64::from(at == row)));
                let mode = Mode::Vjp(walk::tangent_of(&y, y_bar).unwrap());
                let answer = run(
                    engine,
                    &case.program,
                    case.wrapped,
                    arg.clone(),
                    &mode,
                    &Options::default(),
                );
                close(&reals(&answer.unwrap().derivative.unwrap()), expected, text);
            }
        }
    }
}

/// Value and map of a tupled form.
#[test]
fn tupled_forms_compute_value_and_derivative() {
    for (name, text, points) in PROGRAMS {
        let case = Case::new(name, text);
        for numbers in *points {
            let (_, args) = point(&case.program, case.def, numbers);
            let (mut book, def) =
                tupled_forms(&case.program, case.wrapped, Tupling::Basic).unwrap();
            let shown = print_form(&book, Form::Tupled);
            let mut evaluation = Evaluation::new(&mut book);
            let data = args.iter().map(Datum::of_value).collect();
            let pair = evaluation.call(def, Form::Tupled, data).unwrap();
            let Datum::Items(parts) = pair else { panic!("no pair") };
            let value = case.value(&args);
            close(&parts[0].numbers(&value).unwrap(), &reals(&value), &shown);
            let expected = case.jacobian(numbers);
            let shape = Datum::of_value(&value).vector();
            for (at, unit) in units(&args).into_iter().enumerate() {
                let y = evaluation.apply(&parts[1], whole(unit)).unwrap();
                let column: Vec<f64> = expected.iter().map(|row| row[at]).collect();
                close(&y.coordinates(&shape), &column, &shown);
            }
        }
    }
}

/// (CP): `∂f(x, m) ⊙ dx = fwd$f(x, m ⊙ dx)`, and the same from the other side:
/// `dr ⊙ᴿ ∂f(x, m) = (rev$f(x, dr)) ⊙ᴿ m`, for maps `m` that are not `1`.
#[test]
fn the_crucial_property_holds() {
    for (name, text, points) in PROGRAMS {
        let case = Case::new(name, text);
        for numbers in *points {
            let (_, args) = point(&case.program, case.def, numbers);
            let value = case.value(&args);
            let shape = Datum::of_value(&value).vector();
            let (mut book, def) =
                tupled_forms(&case.program, case.wrapped, Tupling::Polymorphic).unwrap();
            let shown = print_form(&book, Form::Polymorphic);
            let mut evaluation = Evaluation::new(&mut book);
            // Each argument comes from a source of one Real and its own space: S(k) of its own part,
            // plus a constant direction times the Real.
            let mut pairs = vec![];
            for (at, arg) in args.iter().enumerate() {
                let k = Value::Real(1.5 + at as f64);
                let ones = Datum::of_value(arg).vector();
                let map = evaluation
                    .build(|maps, arith| {
                        let (own, scale) = (maps.select(at as u32 + 1)?, maps.scale(k)?);
                        let first = maps.select(0)?;
                        let constant = constant(maps, &ones)?;
                        let scaled = maps.compose(arith, scale, own)?;
                        let spread = maps.compose(arith, constant, first)?;
                        maps.sum(arith, vec![scaled, spread])
                    })
                    .unwrap();
                pairs.push(Datum::Items(Rc::new(vec![Datum::of_value(arg), map])));
            }
            let map = |pair: &Datum| {
                if let Datum::Items(parts) = pair { parts[1].clone() } else { panic!() }
            };
            let maps: Vec<Datum> = pairs.iter().map(map).collect();
            let pair = evaluation.call(def, Form::Polymorphic, pairs).unwrap();
            let Datum::Items(parts) = pair else { panic!("no pair") };
            let source = std::iter::once(Vector::real(1.0))
                .chain(args.iter().map(|arg| Datum::of_value(arg).vector()))
                .collect();
            let source = Vector::Parts(source);
            let (stages, stage_def) = demo(&case.program, case.wrapped).unwrap();
            for dx in source.basis() {
                let left = evaluation.apply(&parts[1], dx.clone()).unwrap();
                let tangents: Vec<Datum> = maps
                    .iter()
                    .map(|map| Datum::Space(evaluation.apply(map, dx.clone()).unwrap()))
                    .collect();
                let mut forward = stages[5].book.clone();
                let data = args.iter().map(Datum::of_value).chain(tangents).collect();
                let right =
                    Evaluation::new(&mut forward).call(stage_def, Form::Forward, data).unwrap();
                let right = right.vector().coordinates(&shape);
                close(&left.coordinates(&shape), &right, &format!("(CP) for\n{shown}"));
            }
            let reverse = stages.iter().find(|stage| stage.form == Form::Reverse).unwrap();
            for dr in shape.basis() {
                let left = evaluation.apply_reverse(dr.clone(), &parts[1]).unwrap();
                let data = args.iter().map(Datum::of_value).chain([Datum::Space(dr)]).collect();
                let mut book = reverse.book.clone();
                let x_bar = Evaluation::new(&mut book).call(stage_def, Form::Reverse, data);
                let x_bar = x_bar.unwrap().vector();
                let mut right = vec![0.0; source.basis().len()];
                for (at, map) in maps.iter().enumerate() {
                    let part = if maps.len() == 1 { x_bar.clone() } else { x_bar.part(at as u32) };
                    let share = evaluation.apply_reverse(part, map).unwrap().coordinates(&source);
                    right.iter_mut().zip(share).for_each(|(sum, x)| *sum += x);
                }
                close(&left.coordinates(&source), &right, &format!("reversed (CP) for\n{shown}"));
            }
        }
    }
}

/// The map from a Real to this vector times it.
fn constant(
    maps: &mut pullback_engines::linear_maps::maps::Maps,
    vector: &Vector,
) -> Result<pullback_engines::linear_maps::maps::Map, pullback_eval::Fault> {
    match vector {
        Vector::Parts(parts) => {
            let parts: Result<_, _> = parts.iter().map(|part| constant(maps, part)).collect();
            maps.vcat(parts?)
        }
        Vector::Real(_) => maps.scale(Value::Real(0.75)),
        Vector::Zero | Vector::Sparse(_) => Ok(pullback_engines::linear_maps::maps::ZERO),
    }
}

/// What the demonstration must end in, at 1: 3x² + 4x³ = 7, where the notes print 8.
#[test]
fn the_demonstration_has_the_right_numbers() {
    let case = Case::new(
        "f2",
        "def f2 (x: Real): Real = let y = x * x in let z = x + y in y * z\ndef f = 0",
    );
    let text = print_demo(&case.program, case.wrapped).unwrap();
    for title in TITLES {
        let rule = "-".repeat(28);
        assert!(text.contains(&format!("{rule}\n{title}\n{rule}\nfun ")), "{title}");
    }
    let (stages, def) = demo(&case.program, case.wrapped).unwrap();
    for (x, expected) in [(1.0, 7.0), (2.0, 44.0), (-0.5, 0.25)] {
        for (at, form) in
            [(4, Form::Forward), (6, Form::Forward), (9, Form::Reverse), (11, Form::Reverse)]
        {
            let mut book = stages[at].book.clone();
            let args = vec![Datum::Space(Vector::real(x)), Datum::Space(Vector::real(1.0))];
            let found = Evaluation::new(&mut book).call(def, form, args).unwrap();
            assert_eq!(found.numbers(&Value::Real(0.0)).unwrap(), [expected], "{}", TITLES[at]);
        }
    }
    assert!(text.contains("fun f2`(x, dr)\n  = let { t1 = x * x }"), "{text}");
}

/// Names are unique in what is printed.
#[test]
fn printed_functions_bind_every_name_once() {
    for (name, text, _) in PROGRAMS {
        let case = Case::new(name, text);
        let (stages, _) = demo(&case.program, case.wrapped).unwrap();
        for stage in &stages {
            for function in print_form(&stage.book, stage.form).split("fun ") {
                let bound: Vec<&str> = function
                    .split("let { ")
                    .skip(1)
                    .filter_map(|rest| rest.split(" = ").next())
                    .collect();
                let unique: BTreeSet<&&str> = bound.iter().collect();
                assert_eq!(unique.len(), bound.len(), "{function}");
            }
        }
    }
}
