//! `D→` as a translation of programs (*Higher-order reverse AD* §4, §9.1): what comes out type checks and
//! has the translated type, its first components are what the program computes, and wrapper F gives the
//! derivatives of closed forms, of the oracle that knows no rule, and of `trace`.

use std::path::Path;

use pullback_compile::Mode;
use pullback_engines::delta::{forward_jvp, forward_translation, forward_vjp};
use pullback_engines::{ENGINES, EngineInfo, How, engine_named, evaluate, run};
use pullback_eval::{Budget, Machine, NoEngine, Options, Value, compile, walk};
use pullback_lambda::{DataId, DefId, Program, Stage, Type, TypeKind, verify};
use pullback_oracle::{Config, Generated, Mode as Kind, bytes_of_seed, generate, taylor, to_value};
use pullback_reduce::{Transforms, eliminate, unary};

use crate::support::deep;
use crate::support::source::{Form, expectations, files, forms};

const TRANSFORMS: Transforms = Transforms { engine: "dual", vjp: forward_vjp, jvp: forward_jvp };

/// `dual` by the translation.
fn dual() -> EngineInfo {
    let known = engine_named("dual").unwrap();
    EngineInfo {
        how: How::Transform {
            vjp: forward_vjp,
            jvp: forward_jvp,
            reverse: pullback_engines::Pullbacks::Linear,
            budget: None,
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
    let translation =
        forward_translation(&mut program, def).unwrap_or_else(|why| panic!("{what} {why:?}"));
    if let Err(problems) = verify(&program, Stage::Any) {
        panic!("{what}: {problems:#?}\n{}", program.print());
    }
    let (ty, dual) = (&program.defs[def].ty, &program.defs[translation].ty);
    assert!(
        is_translated(&program, ty, dual, &mut vec![]),
        "{what}: {} is not the translation of {}",
        program.show_type(dual),
        program.show_type(ty)
    );
    assert!(program.defs.len() > before || translation == def, "{what}: a definition is made");
    (program, translation)
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

/// Numbers that are no special case of anything.
fn direction(count: usize) -> Vec<f64> {
    (0..count).map(|index| 0.7 + 0.31 * index as f64).collect()
}

fn check(form: &Form) {
    let Form { name, program, def, points } = form;
    let trace = engine_named("trace").unwrap();
    let options = Options::default();
    for x in points {
        let answers = |engine: &EngineInfo, mode: &Mode| {
            let answer = run(engine, program, *def, x.clone(), mode, &options).unwrap();
            (reals(&answer.value), answer.derivative.map(|slopes| reals(&slopes)))
        };
        let y = run(trace, program, *def, x.clone(), &Mode::Value, &options).unwrap().value;
        let along = |at: &Value| {
            let numbers = direction(reals(at).len());
            walk::tangent_of(at, numbers.into_iter().map(Value::Real)).unwrap()
        };
        // Reverse mode is one pass for each input.
        for mode in [Mode::Jvp(along(x)), Mode::Vjp(along(&y))] {
            let (answer, expected) = (answers(&dual(), &mode), answers(trace, &mode));
            // The value: bit for bit.
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&answer.0), bits(&expected.0), "{name}");
            let (answer, expected) = (answer.1.unwrap(), expected.1.unwrap());
            assert_eq!(answer.len(), expected.len(), "{name}");
            let near = answer.iter().zip(&expected).all(|(a, b)| close(*a, *b, 1e-12));
            assert!(near, "{name}: {answer:?} {expected:?}");
        }
    }
}

#[test]
fn wrapper_f_gives_values_and_tangents() {
    deep(|| forms(|_| true).iter().for_each(check));
}

#[test]
fn the_translation_has_the_translated_type_and_keeps_what_is_computed() {
    deep(|| {
        for Form { name, mut program, def, points } in forms(|_| true) {
            let trace = engine_named("trace").unwrap();
            let def = eliminate(&mut program, TRANSFORMS, def).unwrap();
            let def = unary(&mut program, def);
            let (from, to) = program.defs[def].ty.as_fun().unwrap();
            let (from, to) = (from.clone(), to.clone());
            // Everything that the definition reaches, one by one: functions of functions included.
            for reached in pullback_reduce::reachable(&program, def) {
                translated(&program, reached, &name);
            }
            let (program_of_duals, translation) = translated(&program, def, &name);
            let image = compile(&program_of_duals);
            for x in points {
                let options = Options::default();
                let y = run(trace, &program, def, x.clone(), &Mode::Value, &options).unwrap().value;
                let mut machine = Machine::new(&image, std::rc::Rc::new(NoEngine), options);
                let function = machine.global(translation).unwrap();
                for slope in [0.0, 1.0, f64::NAN] {
                    let point = dual_of(&program_of_duals, &from, &x, slope);
                    let result = machine.call(function.clone(), vec![point]).unwrap();
                    let mut pairs = vec![];
                    duals(&program_of_duals, &to, &result, &mut pairs);
                    let primals: Vec<u64> =
                        pairs.iter().map(|(primal, _)| primal.to_bits()).collect();
                    let expected: Vec<u64> = reals(&y).iter().map(|x| x.to_bits()).collect();
                    assert_eq!(primals, expected, "tangents {slope}: {name}");
                }
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

/// Figure 3 gives a constant the number zero as its tangent, so nothing tells that it is one: a rule runs that
/// must not, and zero times infinity is NaN. The engine itself has structural zeros.
const RULES_OF_CONSTANTS: &[&str] = &["rules_nested wanted_14"];
const CONSTANTS: &str = "captured_constants";
/// A translation takes the second function of a pair always, and here that has no value.
const PAIRS: &str = "not_differentiated";

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
            if [CONSTANTS, PAIRS].contains(&stem) || text.lines().any(excluded) {
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
                let answer = evaluate(&dual(), &program, def, &bounded);
                let same = match (&truth, &answer) {
                    (Ok(truth), Ok(answer)) => {
                        let (truth, answer) = (reals(truth), reals(answer));
                        truth.len() == answer.len()
                            && truth.iter().zip(&answer).all(|(a, b)| close(*a, *b, 1e-9))
                    }
                    (_, Err(fault)) if ["E0717", "E0719"].contains(&fault.code) => {
                        refused += 1;
                        continue;
                    }
                    (Err(truth), Err(answer)) => truth.code == answer.code,
                    (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
                };
                let place = format!("{stem} {name}");
                if same {
                    agreed += 1;
                } else if !RULES_OF_CONSTANTS.contains(&place.as_str()) {
                    wrong.push(format!("{place}: {truth:?} {answer:?}"));
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
            let config =
                Config { mode: Kind::Smooth, size: 60, nested_ad: false, texts_and_rules: false };
            let random = generate(&bytes_of_seed(seed, 400), &config);
            let random =
                Generated { program: random.program.without_marks().into_owned(), ..random };
            translated(&random.program, random.def, &format!("seed {seed}"));
            let x = to_value(&random.arg);
            let dots = random.direction.iter().map(|v| Value::Real(*v));
            let mode = Mode::Jvp(walk::tangent_of(&x, dots).unwrap());
            let answer = run(&dual(), &random.program, random.def, x, &mode, &Options::default());
            let series = taylor(&random.program, random.def, &[random.arg], &random.direction, 1);
            if let (Ok(answer), Ok(series)) = (answer, series) {
                let slope = answer.derivative.unwrap().as_real().unwrap();
                let (value, expected) = (series[0][0], series[0][1]);
                assert!(close(answer.value.as_real().unwrap(), value, 1e-9), "seed {seed}");
                if expected.is_finite() && expected.abs() < 1e9 {
                    assert!(close(slope, expected, 1e-6), "seed {seed}: {slope} {expected}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 300, "{compared}");
    });
}
