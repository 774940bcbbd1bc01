//! The forms of the working notes: every stage of the demonstration evaluated at points, against
//! difference quotients of the original program; the crucial property.
//!
//! The oracle is central differences of the evaluator's values, which know no derivative rule.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at few cases")]

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::support::source::{Form, forms, source};
use crate::vectors::{Numbers, real};
use pullback_compile::Mode;
use pullback_engines::linear_maps::maps::Of;
use pullback_engines::linear_maps::matrix::matrix;
use pullback_engines::linear_maps::notes::forms::{
    DemoStage, STEPS, demo, poly_transposed_forms, print_form, tupled_forms,
};
use pullback_engines::linear_maps::notes::term::{Book, Form as Stage};
use pullback_engines::linear_maps::notes::{Tupling, print_demo};
use pullback_engines::linear_maps::vector::Vector;
use pullback_engines::{engine_named, run};
use pullback_eval::{Options, Value, walk};
use pullback_lambda::{DefId, Program};

use crate::notes_eval::{Datum, Evaluation};

pub(crate) fn reals(value: &Value) -> Vec<f64> {
    walk::real_leaves(value).unwrap().iter().map(|leaf| leaf.as_real().unwrap()).collect()
}

/// A form of the language that the notes cover, with its oracle.
struct Case {
    form: Form,
    /// The twelve stages, and the function in them: the form without what only takes its tuple apart.
    stages: Vec<DemoStage>,
    def: DefId,
}

/// Forms whose terms the notes' evaluator does not cover, for they sort; and what differences cannot know, which
/// is what a program holds constant.
const APART: [&str; 3] = ["arrays.pull sorted", "arrays.pull smallest", "straight.pull stopped"];

/// The forms without sums, functions as values, rules and derivatives inside.
fn cases() -> Vec<Case> {
    let case = |form: Form| {
        if APART.iter().any(|name| form.name.ends_with(name)) {
            return None;
        }
        let (stages, def) = demo(&form.program, form.def).ok()?;
        Some(Case { form, stages, def })
    };
    let cases: Vec<Case> = forms(|_| true).into_iter().filter_map(case).collect();
    assert!(cases.len() >= LEAST, "{}", cases.len());
    cases
}

impl Case {
    fn value(&self, x: &Value) -> Value {
        let engine = engine_named("trace").unwrap();
        let Form { program, def, .. } = &self.form;
        let answer = run(engine, program, *def, x.clone(), &Mode::Value, &Options::default());
        answer.unwrap_or_else(|problem| panic!("{problem:?}")).value
    }

    /// The arguments of the function in the stages.
    fn arguments(&self, x: &Value) -> Vec<Value> {
        let own = self.def == self.form.def;
        if own { vec![x.clone()] } else { x.as_tuple().unwrap().to_vec() }
    }

    /// The Jacobian by central differences: a row for each Real of the result.
    fn jacobian(&self, x: &Value) -> Vec<Vec<f64>> {
        let count = reals(x).len();
        let columns: Vec<Vec<f64>> = (0..count)
            .map(|at| {
                let shifted = |by: f64| {
                    let mut next = 0;
                    let moved = walk::map_leaves(x, |leaf| {
                        let Some(number) = leaf.as_real() else { return Ok(leaf.clone()) };
                        next += 1;
                        Ok(Value::Real(if next == at + 1 { number + by } else { number }))
                    });
                    reals(&self.value(&moved.unwrap()))
                };
                let h = 1e-6;
                let (up, down) = (shifted(h), shifted(-h));
                up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            })
            .collect();
        let rows = reals(&self.value(x)).len();
        (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }
}

/// The program of a text, with its definition `f` made a function of one argument.
pub(crate) fn wrapped(text: &str) -> (Program, DefId) {
    let (mut program, defs) = source(text, &["f"]);
    let def = wrap(&mut program, defs[0]);
    (program, def)
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
            let tuple = program.var(s, span);
            if single { tuple } else { Expr::proj(tuple, at, span) }
        })
        .collect();
    let body = Expr::app(program.global(def, span), args, span);
    let body = program.lam(vec![s], body);
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// So many forms are covered at least.
const LEAST: usize = 40;

#[track_caller]
fn close(answer: &[f64], expected: &[f64], what: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 2e-5 * (1.0 + a.abs().max(b.abs()));
    let same = answer.len() == expected.len() && answer.iter().zip(expected).all(near);
    assert!(same, "{what}: {answer:?} is not {expected:?}");
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

fn joined(mut parts: Vec<Vector>) -> Vector {
    if parts.len() == 1 { parts.remove(0) } else { Vector::Parts(parts) }
}

/// Evaluates one stage and compares it with value or Jacobian.
fn check_stage(case: &Case, book: &Book, form: Stage, x: &Value, what: &str) {
    let (args, def) = (case.arguments(x), case.def);
    let value = case.value(x);
    let expected = case.jacobian(x);
    let mut book = book.clone();
    let mut evaluation = Evaluation::new(&mut book);
    let data: Vec<Datum> = args.iter().map(Datum::of_value).collect();
    let result_shape = Datum::of_value(&value).vector();
    let argument_shape = joined(args.iter().map(|arg| Datum::of_value(arg).vector()).collect());
    let column = |at: usize| -> Vec<f64> { expected.iter().map(|row| row[at]).collect() };
    match form {
        Stage::Original => {
            let answer = evaluation
                .call(def, form, data)
                .unwrap_or_else(|fault| panic!("{what}: {fault:?}"));
            close(&answer.numbers(&value).unwrap(), &reals(&value), what);
        }
        Stage::Jacobian | Stage::Transposed => {
            let map = evaluation.call(def, form, data).unwrap();
            for (at, unit) in units(&args).into_iter().enumerate() {
                let unit = joined(unit);
                let y = if form == Stage::Jacobian {
                    evaluation.apply(&map, unit)
                } else {
                    evaluation.apply_reverse(unit, &map)
                };
                let y = y.unwrap_or_else(|fault| panic!("{fault:?}: {what}"));
                close(&y.coordinates(&result_shape), &column(at), what);
            }
            for (row, unit) in result_shape.basis().into_iter().enumerate() {
                let x = if form == Stage::Jacobian {
                    evaluation.apply_reverse(unit, &map)
                } else {
                    evaluation.apply(&map, unit)
                };
                let x = x.unwrap_or_else(|fault| panic!("{fault:?}: {what}"));
                close(&x.coordinates(&argument_shape), &expected[row], what);
            }
        }
        Stage::Forward => {
            for (at, unit) in units(&args).into_iter().enumerate() {
                let tangents = unit.into_iter().map(Datum::Space);
                let all = data.iter().cloned().chain(tangents).collect();
                let y = evaluation.call(def, form, all);
                let y = y.unwrap_or_else(|fault| panic!("{fault:?}: {what}")).vector();
                close(&y.coordinates(&result_shape), &column(at), what);
            }
        }
        Stage::Reverse => {
            for (row, unit) in result_shape.basis().into_iter().enumerate() {
                let all = data.iter().cloned().chain([Datum::Space(unit)]).collect();
                let x = evaluation.call(def, form, all);
                let x = x.unwrap_or_else(|fault| panic!("{fault:?}: {what}")).vector();
                close(&x.coordinates(&argument_shape), &expected[row], what);
            }
        }
        Stage::Tupled | Stage::Polymorphic | Stage::PolymorphicTransposed => {
            panic!("not a stage")
        }
    }
}

#[test]
fn every_stage_computes_the_derivative() {
    for case in cases() {
        assert_eq!(case.stages.len(), STEPS.len());
        for stage in &case.stages {
            for x in &case.form.points {
                let shown = print_form(&stage.book, stage.form);
                let name = &case.form.name;
                let what = format!("{} of {name} at {x:?}:\n{shown}", stage.title);
                check_stage(&case, &stage.book, stage.form, x, &what);
            }
        }
    }
}

#[test]
fn optimised_derivatives_hold_no_linear_maps() {
    for case in cases() {
        for stage in [5, 6, 10, 11].map(|at| &case.stages[at]) {
            let shown = print_form(&stage.book, stage.form);
            assert!(!shown.contains("lm"), "{} of {}\n{shown}", stage.title, case.form.name);
        }
    }
}

/// The matrix that the engine shows.
#[test]
fn the_matrix_is_the_derivative() {
    for case in cases() {
        for x in &case.form.points {
            let rows = matrix(&case.form.program, case.form.def, x).unwrap();
            close(&rows.concat(), &case.jacobian(x).concat(), &case.form.name);
        }
    }
}

/// Value and map of a tupled form.
#[test]
fn tupled_forms_compute_value_and_derivative() {
    for case in cases() {
        for x in &case.form.points {
            let args = case.arguments(x);
            let Form { program, def, .. } = &case.form;
            let (mut book, def) = tupled_forms(program, *def, Tupling::Basic).unwrap();
            let shown = print_form(&book, Stage::Tupled);
            let mut evaluation = Evaluation::new(&mut book);
            let data = args.iter().map(Datum::of_value).collect();
            let pair = evaluation.call(def, Stage::Tupled, data).unwrap();
            let Datum::Items(parts) = pair else { panic!("no pair") };
            let value = case.value(x);
            close(&parts[0].numbers(&value).unwrap(), &reals(&value), &shown);
            let expected = case.jacobian(x);
            let shape = Datum::of_value(&value).vector();
            for (at, unit) in units(&args).into_iter().enumerate() {
                let y = evaluation.apply(&parts[1], joined(unit)).unwrap();
                let column: Vec<f64> = expected.iter().map(|row| row[at]).collect();
                close(&y.coordinates(&shape), &column, &shown);
            }
        }
    }
}

/// `∂_R f̄(x, 1)` applied to a cotangent is `rev$f`: the map goes from the result to the argument.
#[test]
fn the_transposed_polymorphic_form_is_reverse_mode() {
    for case in cases() {
        for x in &case.form.points {
            let args = case.arguments(x);
            let Form { program, def, .. } = &case.form;
            let (mut book, def) = poly_transposed_forms(program, *def).unwrap();
            let shown = print_form(&book, Stage::PolymorphicTransposed);
            let mut evaluation = Evaluation::new(&mut book);
            let spaces: Vec<Vector> =
                args.iter().map(|arg| Datum::of_value(arg).vector()).collect();
            // `1` on the argument, part by part: into the part's place.
            let pairs: Vec<Datum> = args
                .iter()
                .enumerate()
                .map(|(at, arg)| {
                    let inject = evaluation.build(|maps| {
                        let select = maps.select(Of::Tuple, at, args.len())?;
                        maps.transpose(select)
                    });
                    let map = if args.len() == 1 { Evaluation::one() } else { inject.unwrap() };
                    Datum::Items(Rc::new(vec![Datum::of_value(arg), map]))
                })
                .collect();
            let params = &case.stages[0].book.functions[&(case.def, Stage::Original)].params;
            assert_eq!(params.len(), pairs.len(), "{shown}");
            let is_empty = |arg: &Value| arg.as_array().is_some_and(|array| array.is_empty());
            let active = |at: usize| !spaces[at].basis().is_empty() || is_empty(&args[at]);
            let data = pairs.into_iter().zip(&args).enumerate();
            let data =
                data.map(|(at, (pair, arg))| if active(at) { pair } else { Datum::of_value(arg) });
            let data: Vec<Datum> = data.collect();
            let pair = evaluation.call(def, Stage::PolymorphicTransposed, data).unwrap();
            let Datum::Items(parts) = pair else { panic!("no pair") };
            let value = case.value(x);
            close(&parts[0].numbers(&value).unwrap(), &reals(&value), &shown);
            let expected = case.jacobian(x);
            let shape = Datum::of_value(&value).vector();
            let source = if spaces.len() == 1 { spaces[0].clone() } else { Vector::Parts(spaces) };
            for (row, dr) in shape.basis().into_iter().enumerate() {
                let x_bar = evaluation.apply(&parts[1], dr).unwrap();
                close(&x_bar.coordinates(&source), &expected[row], &shown);
            }
        }
    }
}

/// (CP): `∂f(x, m) ⊙ dx = fwd$f(x, m ⊙ dx)`, and the same from the other side:
/// `dr ⊙ᴿ ∂f(x, m) = (rev$f(x, dr)) ⊙ᴿ m`, for maps `m` that are not `1`.
#[test]
fn the_crucial_property_holds() {
    for case in cases() {
        for x in &case.form.points {
            let args = case.arguments(x);
            let value = case.value(x);
            let shape = Datum::of_value(&value).vector();
            let Form { program, def, .. } = &case.form;
            let (mut book, def) = tupled_forms(program, *def, Tupling::Polymorphic).unwrap();
            let shown = print_form(&book, Stage::Polymorphic);
            let mut evaluation = Evaluation::new(&mut book);
            // Each argument comes from a source of one Real and its own space: S(k) of its own part,
            // plus a constant direction times the Real.
            let mut pairs = vec![];
            for (at, arg) in args.iter().enumerate() {
                let k = Value::Real(1.5 + at as f64);
                let ones = Datum::of_value(arg).vector();
                let map = evaluation
                    .build(|maps| {
                        let (own, scale) =
                            (maps.select(Of::Tuple, at + 1, args.len() + 1)?, maps.scale(k)?);
                        let first = maps.select(Of::Tuple, 0, args.len() + 1)?;
                        let constant = constant(maps, &ones)?;
                        let scaled = maps.compose(scale, own)?;
                        let spread = maps.compose(constant, first)?;
                        maps.sum(vec![scaled, spread])
                    })
                    .unwrap();
                pairs.push(Datum::Items(Rc::new(vec![Datum::of_value(arg), map])));
            }
            let map = |pair: &Datum| {
                if let Datum::Items(parts) = pair { parts[1].clone() } else { panic!() }
            };
            let maps: Vec<Datum> = pairs.iter().map(map).collect();
            let pair = evaluation.call(def, Stage::Polymorphic, pairs).unwrap();
            let Datum::Items(parts) = pair else { panic!("no pair") };
            let source = std::iter::once(real(1.0))
                .chain(args.iter().map(|arg| Datum::of_value(arg).vector()))
                .collect();
            let source = Vector::Parts(source);
            let (stages, stage_def) = (&case.stages, case.def);
            for dx in source.basis() {
                let left = evaluation.apply(&parts[1], dx.clone()).unwrap();
                let tangents: Vec<Datum> = maps
                    .iter()
                    .map(|map| Datum::Space(evaluation.apply(map, dx.clone()).unwrap()))
                    .collect();
                let mut forward = stages[5].book.clone();
                let data = args.iter().map(Datum::of_value).chain(tangents).collect();
                let right =
                    Evaluation::new(&mut forward).call(stage_def, Stage::Forward, data).unwrap();
                let right = right.vector().coordinates(&shape);
                close(&left.coordinates(&shape), &right, &format!("(CP) for\n{shown}"));
            }
            let reverse = stages.iter().find(|stage| stage.form == Stage::Reverse).unwrap();
            for dr in shape.basis() {
                let left = evaluation.apply_reverse(dr.clone(), &parts[1]).unwrap();
                let data = args.iter().map(Datum::of_value).chain([Datum::Space(dr)]).collect();
                let mut book = reverse.book.clone();
                let x_bar = Evaluation::new(&mut book).call(stage_def, Stage::Reverse, data);
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
            maps.stacked(Of::Tuple, parts?)
        }
        Vector::Real(_) => maps.scale(Value::Real(0.75)),
        Vector::Zero | Vector::Sparse(_) => Ok(pullback_engines::linear_maps::maps::ZERO),
    }
}

/// What the demonstration must end in, at 1: 3x² + 4x³ = 7, where the notes print 8.
#[test]
fn the_demonstration_has_the_right_numbers() {
    let (program, f) = wrapped("def f (x: Real): Real = let y = x * x in let z = x + y in y * z");
    let text = print_demo(&program, f).unwrap();
    for title in STEPS.map(|step| step.0) {
        let rule = "-".repeat(28);
        assert!(text.contains(&format!("{rule}\n{title}\n{rule}\nfun ")), "{title}");
    }
    let (stages, def) = demo(&program, f).unwrap();
    for (x, expected) in [(1.0, 7.0), (2.0, 44.0), (-0.5, 0.25)] {
        for (at, form) in
            [(4, Stage::Forward), (6, Stage::Forward), (9, Stage::Reverse), (11, Stage::Reverse)]
        {
            let mut book = stages[at].book.clone();
            let args = vec![Datum::Space(real(x)), Datum::Space(real(1.0))];
            let answer = Evaluation::new(&mut book).call(def, form, args).unwrap();
            assert_eq!(answer.numbers(&Value::Real(0.0)).unwrap(), [expected], "{}", STEPS[at].0);
        }
    }
    assert!(text.contains("fun f`(x, dr)\n  = let { t1 = x * x }"), "{text}");
}

/// Names are unique in what is printed.
#[test]
fn printed_functions_bind_every_name_once() {
    for case in cases() {
        for stage in &case.stages {
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
