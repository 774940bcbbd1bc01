//! The law of costs: reverse mode takes at most five times the operations of the program, forward mode
//! at most three times. Operations are weighed as the primitive table says (`Counts::weight`).
//!
//! Every application in an expectation of the examples and of `tests/ad` is a case: of a
//! definition to arguments, and of a derivative operator to a function and a point. Besides, there is a
//! program for each smooth primitive that does nothing else.

use std::collections::BTreeSet;

use pullback_base::{Name, Span};
use pullback_compile::Mode;
use pullback_engines::{REGISTRY, engine_named, run};
use pullback_eval::{Options, Value};
use pullback_lambda::{Def, DefId, Expr, Program as Calculus, Type};
use pullback_prim::{Prim, PrimTy};
use pullback_session::{Call, Disk, Query, Settings};
use pullback_suite::{Case, Cases, asks_for_all, corpus, deep, root};
use pullback_tools::{Operations, operations};

/// Programs of a few operations may take this much more: the share that tied elements get of the
/// derivative of `maximum`, for instance, is a division however few there are.
const SLACK: u64 = 10;

/// A rule that is called in a loop: `delta` binds its results and looks for them.
const DELTA_RULE: (&str, &str) =
    ("tests/ad/clipping.pull", "(\\x -> loop y = x for _ < 3 do 2 * clipped y)");

/// What `delta` may take for each Real of the argument: its name, its slot and its place in the gradient, which Ints count.
const AN_INPUT: usize = 8;
/// And for each Real of the result: its product with the cotangent.
const AN_OUTPUT: usize = 2;

/// What has a rule of its own costs what the rule costs, which says nothing about the engine. Forward
/// mode by dual numbers calls a rule of reverse mode once for each Real of its result.
const RULES: &[(&str, &str)] = &[
    ("examples/implicit_layer.pull", "(\\p -> (layer p)[0])"),
    ("examples/cookbook/custom_rules.pull", "switch"),
    ("examples/programs/gaussian_process.pull", "(surprise years[::3] readings[::3])"),
    ("examples/programs/gaussian_process.pull", "predict"),
    ("examples/programs/gaussian_process.pull", "surprise"),
    ("examples/programs/options.pull", "implied"),
    // The rule scales its cotangent by its norm, which the function itself does not compute.
    ("tests/ad/clipping.pull", "(\\xs -> let ys = kept xs in 0.3 * ys[0] + 0.4 * ys[1])"),
    ("tests/ad/clipping.pull", "(\\xs -> let ys = kept xs in 3 * ys[0] + 4 * ys[1])"),
    ("tests/ad/custom_rules.pull", "polar"),
    ("tests/ad/custom_rules.pull", "(\\p -> (polar p).0 * (polar p).1)"),
    ("tests/ad/custom_rules.pull", "sort_rule"),
    ("tests/ad/equal_values.pull", "(\\t -> (la.eigen (with_zeros t)).1[0, 2])"),
    ("tests/ad/equal_values.pull", "(\\t -> (la.polar [[2.0, -t], [t, 2.0]]).0[1, 0])"),
    ("tests/ad/equal_values.pull", "(beside (la.matrix_function exp))"),
    ("tests/ad/equal_values.pull", "(beside (la.matrix_function id))"),
    ("tests/ad/equal_values.pull", "(beside la.logm)"),
    ("tests/ad/equal_values.pull", "(beside la.sqrtm)"),
    ("tests/ad/equal_values.pull", "(la.spectral_sum square)"),
    ("tests/ad/equal_values.pull", "(on la.sqrtm)"),
    ("tests/ad/spectral_second.pull", "map"),
    // The derivative of an optimum solves a system of Hessian-vector products.
    ("examples/programs/kalman.pull", "fit"),
    ("examples/programs/logistic_regression.pull", "fit"),
    // The value of one function, and the derivatives of another one.
    ("tests/ad/differentiated_as.pull", "(looped 3)"),
    ("tests/ad/differentiated_as.pull", "looped"),
    ("tests/ad/differentiated_as.pull", "ruled"),
    // The share of two elements that tie, paid twice: more than the slack.
    ("tests/ad/kinks.pull", "(\\xs -> maximum xs + minimum xs)"),
    ("tests/ad/reductions.pull", "(\\m -> sum (map maximum (transpose m)))"),
    // No rule, but the point 1: factors of 1 are not counted in the derivative inside.
    ("tests/ad/captures.pull", "both"),
];

/// Files with millions of operations a line: builds that are fast enough count those with a leave and one in three
/// of the others, and all where `ALL` is set, as `cargo xtask laws` does.
const LONG: &[&str] = &[
    "examples/cart_pole.pull",
    "examples/hmc.pull",
    "examples/lstm_text.pull",
    "examples/neural_ode.pull",
    "examples/programs/gaussian_process.pull",
    "examples/programs/ilqr.pull",
    "examples/programs/lotka_volterra.pull",
    "examples/programs/options.pull",
    "examples/gradbench/particle.pull",
    "examples/gradbench/saddle.pull",
    "tests/ad/depth.pull",
];

/// Whether a file is left to `cargo xtask laws`.
fn is_left_out(name: &str) -> bool {
    let Some(place) = LONG.iter().position(|long| *long == name) else { return false };
    let has_leave = RULES.iter().any(|(file, _)| *file == name);
    let is_counted = has_leave || place % 3 == 0 || asks_for_all();
    cfg!(debug_assertions) || !is_counted
}

/// The operations of a case, or the code of the reason why it has no derivative.
fn measured(file: &Cases, case: &Case, forward: bool) -> Result<Operations, &'static str> {
    file.with(case, settings(forward), |query, call| {
        operations(query, call, forward).map_err(|_| query.diagnostics[0].code)
    })
}

/// Each mode is counted on the engine that has it as its own.
fn settings(forward: bool) -> Settings {
    let engine = if forward { "dual" } else { "trace" };
    Settings { engine: Some(engine.to_owned()), ..Settings::default() }
}

/// Whether this is more than the law allows.
fn breaks(ops: &Operations, forward: bool, slack: u64) -> bool {
    // Where an argument is returned many times over, its cotangents are added up.
    let (factor, more) = if forward { (3, 0) } else { (5, ops.outputs as u64) };
    ops.derived.weight() > factor * ops.primal.weight() + slack + more
}

/// The law holds for a part of the cases of these files, in which are those with a leave; of all there are at least `least`.
fn holds(folders: &[&str], least: usize) {
    deep(|| {
        let (mut broken, mut count, mut used) = (vec![], 0, BTreeSet::new());
        for program in corpus(folders, "pull").into_iter().map(Cases::read) {
            if is_left_out(&program.name) {
                continue;
            }
            let is_ruled = |case: &Case| RULES.contains(&(&*program.name, &*case.function));
            for case in program.part(is_ruled) {
                let ruled = is_ruled(case);
                let mut breach = false;
                let modes = if program.forward { &[false, true][..] } else { &[false][..] };
                for forward in modes {
                    match measured(&program, case, *forward) {
                        Ok(ops) => {
                            count += 1;
                            if breaks(&ops, *forward, SLACK) {
                                breach = true;
                                if !ruled {
                                    let name = &program.name;
                                    broken.push(format!("{name}: {forward} {case:?}: {ops:?}"));
                                }
                            }
                        }
                        // It has no Reals, it is not closed, the operator is a variable of that name, or
                        // an error is what the file expects.
                        Err("E0811" | "E0201" | "E0302" | "E0708" | "E0718") => {}
                        Err(code) => broken.push(format!("{}: {case:?}: {code}", program.name)),
                    }
                }
                if breach {
                    used.insert((program.name.clone(), case.function.clone()));
                }
            }
        }
        // Whatever needs no leave has none.
        for (file, function) in RULES {
            let here = folders.iter().any(|folder| file.starts_with(folder));
            if here && !used.contains(&((*file).to_owned(), (*function).to_owned())) {
                broken.push(format!("{file}: {function} keeps the law"));
            }
        }
        assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
        assert!(count >= Cases::least(least), "only {count} cases");
    })
    .expect("no panic");
}

#[test]
fn holds_on_the_examples() {
    holds(&["examples"], 200);
}

#[test]
fn holds_on_the_tests_of_derivatives() {
    holds(&["tests/ad"], 900);
}

/// Theorem 5 of *Higher-Order Reverse-Mode AD*, with its constant: `delta` keeps the law of reverse mode. Since it takes much
/// longer than it counts, one file in eight is counted, and all where `ALL` is set.
#[test]
fn holds_for_delta_on_the_tests_of_derivatives() {
    deep(|| {
        let (mut broken, mut count) = (vec![], 0);
        let one_in = if asks_for_all() { 1 } else { 8 };
        let files = corpus(&["tests/ad"], "pull").into_iter().step_by(one_in);
        for program in files.map(Cases::read) {
            if LONG.contains(&&*program.name) {
                continue;
            }
            for case in &program.cases {
                let settings = Settings { engine: Some("delta".to_owned()), ..Settings::default() };
                let measured = program.with(case, settings, |query, call| {
                    operations(query, call, false).map_err(|_| query.diagnostics[0].code)
                });
                let Ok(ops) = measured else { continue };
                // What holds no Reals has no derivative: what is counted walks over empty arrays.
                if ops.inputs == 0 {
                    continue;
                }
                count += 1;
                let of = (&*program.name, &*case.function);
                let has_leave = RULES.contains(&of) || of == DELTA_RULE;
                let ends = (AN_INPUT * ops.inputs + AN_OUTPUT * ops.outputs) as u64;
                if breaks(&ops, false, SLACK + ends) && !has_leave {
                    broken.push(format!("{}: {case:?}: {ops:?}", program.name));
                }
            }
        }
        assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
        assert!(count >= 500 / one_in, "only {count} cases");
    })
    .expect("no panic");
}

#[test]
fn holds_on_real_input() {
    deep(|| {
        for forward in [false, true] {
            let mut query = Query::new(&Disk, REGISTRY);
            let call = Call {
                file: root().join("examples/gmm.pull"),
                entry: "objective".to_owned(),
                inputs: vec![root().join("examples/data/gmm.json").into()],
                settings: settings(forward),
                ..Call::default()
            };
            let ops = operations(&mut query, &call, forward).unwrap();
            assert!(!breaks(&ops, forward, 0), "{ops:?}");
        }
    })
    .unwrap();
}

/// A program that applies a primitive to its parameters, and a point in the smooth domain.
fn only(prim: Prim, int: i64) -> Option<(Calculus, Vec<f64>)> {
    let row = prim.row();
    let smooth = row.smooth()?;
    let reals = row.params.iter().filter(|ty| **ty == PrimTy::Real).count();
    let point = [[0.6, 1.7], [1.3, 0.4], [-0.7, 2.2]].into_iter().find(|candidate| {
        let mut reals = candidate.iter();
        let of = |ty: &PrimTy| if *ty == PrimTy::Real { reals.next().copied() } else { None };
        let point: Vec<f64> = row.params.iter().map(of).map(|x| x.unwrap_or(int as f64)).collect();
        smooth.differentiable(&point, |_| true)
    })?;
    let mut program = Calculus::default();
    let ty = if reals == 1 { Type::real() } else { Type::tuple(vec![Type::real(); reals]) };
    let point_var = program.fresh("p", ty);
    let mut index = 0;
    let args = row.params.iter().map(|ty| {
        if *ty != PrimTy::Real {
            return Expr::int(int, Span::NONE);
        }
        index += 1;
        let p = program.var(point_var, Span::NONE);
        if reals == 1 { p } else { Expr::proj(p, index - 1, Span::NONE) }
    });
    let body = Expr::prim(prim, args.collect::<Vec<_>>(), Span::NONE);
    let body = program.lam(vec![point_var], body);
    let name = Name::new("f");
    program.defs.push(Def { name, ty: body.ty.clone(), body, span: Span::NONE });
    Some((program, point[..reals].to_vec()))
}

#[test]
fn holds_for_programs_of_one_primitive() {
    let value = |reals: &[f64]| match reals {
        [x] => Value::real(*x),
        _ => Value::tuple(reals.iter().map(|x| Value::real(*x)).collect()),
    };
    let mut count = 0;
    for (prim, int) in Prim::ALL.iter().flat_map(|prim| [2, 3, 7].map(|int| (*prim, int))) {
        let Some((program, point)) = only(prim, int) else { continue };
        let counts = |engine: &str, mode: Mode| {
            let engine = engine_named(engine).unwrap();
            let options = Options::default();
            run(engine, &program, DefId(0), value(&point), &mode, &options).unwrap().counts
        };
        let primal = counts("trace", Mode::Value);
        assert_eq!(primal.weight(), prim.row().weight, "{prim:?}");
        let vjp = counts("trace", Mode::Vjp(Value::real(1.0)));
        assert!(vjp.weight() <= 5 * primal.weight(), "{prim:?} {int}: {vjp:?} of {primal:?}");
        let delta = counts("delta", Mode::Vjp(Value::real(1.0)));
        let inputs = point.len() as u64;
        assert!(
            delta.weight() <= 5 * primal.weight() + inputs,
            "{prim:?} {int}: {delta:?} of {primal:?}"
        );
        let jvp = counts("dual", Mode::Jvp(value(&vec![1.0; point.len()])));
        assert!(jvp.weight() <= 3 * primal.weight(), "{prim:?} {int}: {jvp:?} of {primal:?}");
        count += 1;
    }
    assert!(count >= 120, "only {count} programs");
}
