//! Every primitive on scalars in C, compared to the last bit with its value in the table at many points.

use pullback_analysis::facts::Facts;
use pullback_base::Span;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, Type};
use pullback_prim::{Class, Prim, PrimTy, Scalar, ScalarFault};

const REALS: &[f64] = &[
    0.0,
    -0.0,
    0.3,
    -0.7,
    1.0,
    -1.0,
    2.5,
    -3.5,
    7.0,
    0.999,
    1e-9,
    -1e-300,
    12.25,
    35.0,
    -41.75,
    1e15,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];
const INTS: &[i64] = &[0, 1, -1, 2, 3, -3, 7, 12, -40, 63, 101, i64::MAX, i64::MIN];

const TEXTS: [&str; 9] =
    ["", "a", "-1.0", "(-1.0)", "Leaf 1.0", "Ärger x", "1.0 2.0", "a \"b\" \\ \n\té", "\0 "];

fn scalars(ty: PrimTy) -> Vec<Scalar> {
    match ty {
        PrimTy::Real => REALS.iter().map(|x| Scalar::Real(*x)).collect(),
        PrimTy::Int => INTS.iter().map(|n| Scalar::Int(*n)).collect(),
        PrimTy::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        PrimTy::Str => TEXTS.map(|text| Scalar::Str(text.into())).to_vec(),
        PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => panic!("a scalar"),
    }
}

fn ty(ty: PrimTy) -> Option<Type> {
    match ty {
        PrimTy::Real => Some(Type::REAL),
        PrimTy::Int => Some(Type::INT),
        PrimTy::Bool => Some(Type::BOOL),
        PrimTy::Str => Some(Type::STR),
        PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => None,
    }
}

/// A function that applies a primitive, if it is one on scalars.
fn function(program: &mut Program, prim: Prim) -> Option<FuncId> {
    let row = prim.row();
    if !matches!(row.class, Class::Smooth(_) | Class::Discrete) {
        return None;
    }
    let types: Option<Vec<Type>> = row.params.iter().map(|param| ty(*param)).collect();
    let (types, result) = (types?, ty(row.result)?);
    let params: Vec<_> = types.iter().map(|ty| program.fresh("x", *ty)).collect();
    let var = program.fresh("y", result);
    let op = Op::Prim(prim, params.iter().copied().map(Atom::Var).collect());
    let body =
        Block { stmts: vec![Stmt::new(vec![var], op, Span::NONE)], results: vec![var.into()] };
    let (name, results, span) = ("f".into(), vec![result], Span::NONE);
    Some(program.funcs.push(Func {
        name,
        params,
        results,
        body,
        is_constant: false,
        is_checkpoint: false,
        routine: None,
        preconditions: vec![],
        span,
    }))
}

fn value(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Real(x) => Value::Real(*x),
        Scalar::Int(n) => Value::Int(*n),
        Scalar::Bool(b) => Value::Bool(*b),
        Scalar::Str(text) => Value::str(text),
    }
}

/// Whether C gives what the table gives: the C library may round otherwise.
fn agree(found: &Value, wanted: &Scalar) -> bool {
    match (found, wanted) {
        (Value::Real(x), Scalar::Real(y)) => {
            x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
        }
        (Value::Int(m), Scalar::Int(n)) => m == n,
        (Value::Bool(p), Scalar::Bool(q)) => p == q,
        (Value::Str(p), Scalar::Str(q)) => ***p == **q,
        (..) => false,
    }
}

#[test]
fn primitives_are_what_the_table_says() {
    let mut program = Program::default();
    let known: Vec<(Prim, FuncId)> =
        Prim::ALL.iter().filter_map(|prim| Some((*prim, function(&mut program, *prim)?))).collect();
    let roots: Vec<FuncId> = known.iter().map(|(_, func)| *func).collect();
    let facts = Facts::nothing(&mut program);
    let native =
        Native::new(&program, &roots, &facts, Level::Quick, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    let (mut count, mut wrong) = (0, vec![]);
    for (root, (prim, _)) in known.iter().enumerate() {
        let mut points: Vec<Vec<Scalar>> = vec![vec![]];
        for param in prim.row().params {
            let more = |point: &Vec<Scalar>| {
                let each = scalars(*param).into_iter();
                each.map(|scalar| [point.as_slice(), &[scalar]].concat()).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(more).collect();
        }
        for point in points {
            count += 1;
            let args: Vec<Value> = point.iter().map(value).collect();
            let found = native.call(&program, root, &args, &limits);
            let holds = match (&found, prim.eval_scalar(&point)) {
                (Ok(values), Ok(wanted)) => agree(&values[0], &wanted),
                (Err(_), Err(ScalarFault::Fails(_))) => true,
                (_, _) => false,
            };
            if !holds {
                wrong.push(format!(
                    "{prim:?} {point:?}: {found:?}, not {:?}",
                    prim.eval_scalar(&point)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 1000, "only {count} points");
}

/// Compilers compute functions of constants themselves, and round otherwise than the library that is called.
#[test]
fn constants_have_the_bits_of_the_table() {
    let mut program = Program::default();
    let mut known = vec![];
    for prim in Prim::ALL.iter().copied() {
        let params = prim.row().params;
        if !matches!(prim.row().class, Class::Smooth(_))
            || params.iter().any(|ty| *ty != PrimTy::Real)
        {
            continue;
        }
        for point in 0..100_u64 {
            // Numbers between -4 and 4 without a pattern in their digits.
            let number = |at: u64| {
                let mixed = (point * 5 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (mixed >> 11) as f64 / (1_u64 << 50) as f64 - 4.0
            };
            let reals: Vec<f64> = (0..params.len() as u64).map(number).collect();
            let Some(func) = of_constants(&mut program, prim, &reals) else { continue };
            known.push((prim, reals, func));
        }
    }
    let roots: Vec<FuncId> = known.iter().map(|(.., func)| *func).collect();
    let facts = Facts::nothing(&mut program);
    let native =
        Native::new(&program, &roots, &facts, Level::Fast, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    let mut wrong = vec![];
    for (root, (prim, reals, _)) in known.iter().enumerate() {
        let point: Vec<Scalar> = reals.iter().map(|x| Scalar::Real(*x)).collect();
        let found = native.call(&program, root, &[], &limits).expect("a value");
        let wanted = prim.eval_scalar(&point).expect("a value");
        if !agree(&found[0], &wanted) {
            wrong.push(format!("{prim:?} {reals:?}: {:?}, not {wanted:?}", found[0]));
        }
    }
    assert!(known.len() > 2000, "only {} points", known.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function without parameters that applies a primitive to these numbers, if it gives one.
fn of_constants(program: &mut Program, prim: Prim, reals: &[f64]) -> Option<FuncId> {
    let func = function(program, prim)?;
    let def = &mut program.funcs[func];
    if def.results != [Type::REAL] {
        return None;
    }
    let params = std::mem::take(&mut def.params);
    def.body.visit_atoms_mut(&mut |atom| {
        if let Some(at) = params.iter().position(|param| atom.var() == Some(*param)) {
            *atom = Atom::Real(reals[at]);
        }
    });
    Some(func)
}

#[test]
fn reals_are_written_as_the_table_writes_them() {
    let mut program = Program::default();
    let func = function(&mut program, Prim::ShowReal).expect("a primitive on scalars");
    let facts = Facts::nothing(&mut program);
    let native =
        Native::new(&program, &[func], &facts, Level::Quick, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    // Powers of two, beside which numbers lie closer below than above; powers of ten; and any.
    let mut reals: Vec<f64> = (0..2047).map(|k: u64| f64::from_bits(k << 52)).collect();
    reals.extend((-30..30).flat_map(|k| [1.0, 9.5, 9.999_999].map(|x| x * 10f64.powi(k))));
    let mut bits = 1u64;
    reals.extend((0..4000).map(|_| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(bits)
    }));
    for x in reals {
        let found = native.call(&program, 0, &[Value::Real(x)], &limits).expect("a text");
        let wanted = pullback_prim::real_text(x);
        assert!(matches!(&found[0], Value::Str(text) if ***text == *wanted), "{x:e}: {found:?}");
    }
}
