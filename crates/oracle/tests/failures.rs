//! The column of failures in the primitive table: the reference evaluator, the oracle and the evaluation of
//! scalars stop with an error on some arguments in exactly the cases that a primitive's row names.

use std::collections::BTreeSet;
use std::rc::Rc;

use pullback_base::Span;
use pullback_eval::NoEngine;
use pullback_lambda::{Def, DefId, Expr, Program, Type};
use pullback_oracle::{Data, ErrorKind, Failure as Stop, eval_f64, on_machine};
use pullback_prim::{Class, Failure, Prim, PrimTy, Scalar, ScalarFault};

/// Arguments of a type among which each case of failure occurs, for a primitive of these parameters;
/// elements of arrays are Reals.
fn samples(ty: &PrimTy, params: &[PrimTy]) -> Vec<Data<f64>> {
    let items = |count| Data::Array(vec![Data::Real(0.5); count]);
    match ty {
        PrimTy::Real | PrimTy::Elem => {
            [-1.5, 0.0, 2.0, 1e300, f64::NAN, f64::INFINITY].map(Data::Real).into()
        }
        // Beside arrays of any depth: natural numbers that count the depths which the samples have.
        PrimTy::Int if params.contains(&PrimTy::AnyArray) => [0, 1].map(Data::Int).into(),
        PrimTy::Int if params.iter().any(|ty| matches!(ty, PrimTy::Array(_))) => {
            [-1, 0, 1, 2, 3].map(Data::Int).into()
        }
        PrimTy::Int => [i64::MIN, -1, 0, 1, 2, 70, i64::MAX].map(Data::Int).into(),
        PrimTy::Bool => [false, true].map(Data::Bool).into(),
        PrimTy::Str => ["", "size"].map(|text| Data::Str(text.to_string())).into(),
        PrimTy::Unit => vec![Data::Tuple(vec![])],
        PrimTy::Array(PrimTy::Array(_)) | PrimTy::AnyArray => {
            vec![Data::Array(vec![]), Data::Array(vec![items(2), items(2)])]
        }
        PrimTy::Array(_) => vec![items(0), items(2)],
    }
}

fn calculus_type(ty: &PrimTy) -> Type {
    match ty {
        PrimTy::Real | PrimTy::Elem => Type::real(),
        PrimTy::Int => Type::int(),
        PrimTy::Bool => Type::bool(),
        PrimTy::Str => Type::str(),
        PrimTy::Unit => Type::unit(),
        PrimTy::Array(element) => Type::array(calculus_type(element)),
        PrimTy::AnyArray => Type::array(Type::array(Type::real())),
    }
}

/// All ways to choose one sample for each parameter.
fn choices(params: &[PrimTy]) -> Vec<Vec<Data<f64>>> {
    params.iter().fold(vec![vec![]], |chosen, ty| {
        let extended = |before: &Vec<Data<f64>>| -> Vec<Vec<Data<f64>>> {
            let with = |sample| before.iter().cloned().chain([sample]).collect();
            samples(ty, params).into_iter().map(with).collect()
        };
        chosen.iter().flat_map(extended).collect()
    })
}

/// `\x y … -> prim x y …`
fn function(prim: Prim) -> (Program, DefId) {
    let mut program = Program::default();
    let row = prim.row();
    let params = row.params.iter().map(|ty| program.fresh("x", calculus_type(ty)));
    let params: Vec<_> = params.collect();
    let args = params.iter().map(|var| program.var(*var, Span::NONE)).collect();
    let body = if row.always_fails() {
        let message: Vec<Expr> = args;
        Expr::stop(prim, message[0].clone(), Type::real(), Span::NONE)
    } else {
        Expr::prim(prim, args, Span::NONE)
    };
    let body = program.lam(params, body);
    let def = Def { name: row.name.into(), ty: body.ty.clone(), body, span: Span::NONE };
    let def = program.defs.push(def);
    (program, def)
}

/// The case of a run-time error.
fn case(kind: ErrorKind) -> Option<Failure> {
    match kind {
        ErrorKind::Index => Some(Failure::OutOfRange),
        ErrorKind::Size => Some(Failure::SizeMismatch),
        ErrorKind::Overflow => Some(Failure::Overflow),
        ErrorKind::DivisionByZero => Some(Failure::DivisionByZero),
        ErrorKind::Negative => Some(Failure::NegativeExponent),
        ErrorKind::NoInt => Some(Failure::NotAnInt),
        ErrorKind::Message => Some(Failure::Always),
        ErrorKind::Unsupported | ErrorKind::Limit | ErrorKind::Malformed => None,
    }
}

/// The cases in which an evaluator stops on some arguments.
fn stops(
    prim: Prim,
    stop: impl Fn(&Program, DefId, &[Data<f64>]) -> Option<ErrorKind>,
) -> BTreeSet<Failure> {
    let (program, def) = function(prim);
    let mut cases = BTreeSet::new();
    // Elaboration gives `sized` depths that the array has.
    let has_depth = |args: &Vec<Data<f64>>| prim != Prim::Sized || args[1] == Data::Int(0);
    for args in choices(prim.row().params).into_iter().filter(has_depth) {
        if let Some(kind) = stop(&program, def, &args) {
            let case = case(kind).unwrap_or_else(|| panic!("{prim:?} on {args:?}: {kind:?}"));
            cases.insert(case);
        }
    }
    cases
}

#[test]
fn every_primitive_fails_in_the_cases_of_its_row() {
    for prim in Prim::ALL {
        let row = prim.row();
        let expected: BTreeSet<Failure> = row.fails.iter().copied().collect();
        assert_eq!(matches!(row.class, Class::Fail), row.always_fails(), "{}", row.name);
        // What stops translated programs has kinds of its own, and the oracle does not know it.
        if row.always_fails() && *prim != Prim::Fail {
            let (program, def) = function(*prim);
            for args in choices(row.params) {
                let outcome = on_machine(&program, def, &args, Rc::new(NoEngine));
                assert!(outcome.is_err(), "{}", row.name);
            }
            continue;
        }
        let by_machine = stops(*prim, |program, def, args| {
            match on_machine(program, def, args, Rc::new(NoEngine)) {
                Ok(_) => None,
                Err(Stop::RunTime(kind)) => Some(kind),
                Err(other) => panic!("{} on {args:?}: {other}", row.name),
            }
        });
        assert_eq!(by_machine, expected, "`{}` on the machine", row.name);
        let by_oracle = stops(*prim, |program, def, args| {
            eval_f64(program, def, args).err().map(|error| error.kind)
        });
        assert_eq!(by_oracle, expected, "`{}` in the oracle", row.name);
    }
}

#[test]
fn scalars_fail_in_the_cases_of_the_row() {
    let scalar = |data: &Data<f64>| match data {
        Data::Real(x) => Some(Scalar::Real(*x)),
        Data::Int(n) => Some(Scalar::Int(*n)),
        Data::Bool(truth) => Some(Scalar::Bool(*truth)),
        Data::Str(text) => Some(Scalar::Str(text.as_str().into())),
        Data::Tuple(_) | Data::Con(..) | Data::Array(_) => None,
    };
    for prim in Prim::ALL {
        let row = prim.row();
        let mut cases = BTreeSet::new();
        let mut scalars_only = true;
        for args in choices(row.params) {
            let args: Option<Vec<Scalar>> = args.iter().map(scalar).collect();
            match args.map(|args| prim.eval_scalar(&args)) {
                Some(Ok(_)) => {}
                Some(Err(ScalarFault::Fails(case))) => {
                    cases.insert(case);
                }
                None | Some(Err(ScalarFault::NotScalar)) => scalars_only = false,
            }
        }
        if scalars_only {
            assert_eq!(cases, row.fails.iter().copied().collect(), "`{}`", row.name);
        }
    }
}
