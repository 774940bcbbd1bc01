//! Every primitive on scalars, with variables, literals and simple terms for operands, gives the same before and
//! after `simplify`, at all pairs of extreme numbers: values to the bit, and failures.

use pullback_base::Span;
use pullback_ir::eval::{Limits, Value, evaluate};
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, Type};
use pullback_opt::pass_named;
use pullback_prim::{Class, Prim, PrimTy};

const REALS: [f64; 10] =
    [0.0, -0.0, 1.0, -1.5, 0.3, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e308];
const INTS: [i64; 6] = [0, 1, -1, 3, i64::MAX, i64::MIN];

/// A program with one function `(f64, f64, i64, i64, bool)`, and what can stand for an operand in it.
struct Scene {
    program: Program,
    stmts: Vec<Stmt>,
    reals: Vec<Atom>,
    ints: Vec<Atom>,
    bools: Vec<Atom>,
    params: Vec<pullback_ir::VarId>,
}

impl Scene {
    fn new() -> Self {
        let mut program = Program::default();
        let types = [Type::REAL, Type::REAL, Type::INT, Type::INT, Type::BOOL];
        let params: Vec<_> = types.iter().map(|ty| program.fresh("x", *ty)).collect();
        let [x, y, m, n, p] = [0, 1, 2, 3, 4].map(|at| Atom::Var(params[at]));
        let mut scene = Self {
            program,
            stmts: vec![],
            reals: vec![x, y],
            ints: vec![m, n],
            bools: vec![p, Atom::Bool(true), Atom::Bool(false)],
            params,
        };
        for (prim, args) in [
            (Prim::Neg, vec![x]),
            (Prim::Neg, vec![y]),
            (Prim::Mul, vec![x, x]),
            (Prim::Exp, vec![y]),
            (Prim::Mul, vec![y, Atom::Real(4.0)]),
            (Prim::ToReal, vec![m]),
        ] {
            let term = scene.emit(Type::REAL, Op::Prim(prim, args));
            scene.reals.push(term);
        }
        let not = scene.emit(Type::BOOL, Op::Prim(Prim::Not, vec![p]));
        scene.bools.push(not);
        let literals =
            [0.0, -0.0, 1.0, -1.0, 2.0, 0.25, 3.0, 2f64.powi(1000), f64::INFINITY, f64::NAN];
        scene.reals.extend(literals.map(Atom::Real));
        scene.ints.extend([-1, 0, 1, 2].map(Atom::Int));
        scene
    }

    fn emit(&mut self, ty: Type, op: Op) -> Atom {
        let var = self.program.fresh("x", ty);
        self.stmts.push(Stmt::new(vec![var], op, Span::NONE));
        Atom::Var(var)
    }

    fn operands(&self, ty: &PrimTy) -> Option<&[Atom]> {
        if *ty == PrimTy::Real {
            Some(&self.reals)
        } else if *ty == PrimTy::Int {
            Some(&self.ints)
        } else if *ty == PrimTy::Bool {
            Some(&self.bools)
        } else {
            None
        }
    }

    fn finish(mut self, ty: Type, results: Vec<Atom>) -> Program {
        self.program.funcs.push(Func {
            name: "f".into(),
            params: self.params,
            results: vec![ty; results.len()],
            body: Block { stmts: self.stmts, results },
            is_constant: false,
            is_checkpoint: false,
            routine: None,
            preconditions: vec![],
            span: Span::NONE,
        });
        self.program
    }
}

/// All lists with one item of each of these.
fn choices(of: &[&[Atom]]) -> Vec<Vec<Atom>> {
    let mut lists = vec![vec![]];
    for items in of {
        let longer = |list: &Vec<Atom>| {
            items.iter().map(|item| [list.as_slice(), &[*item]].concat()).collect::<Vec<_>>()
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

fn outcome(program: &Program, args: &[Value]) -> Option<Vec<String>> {
    let func = pullback_base::Id::from_index(0);
    let (values, _) = evaluate(program, func, args.to_vec(), Limits::default()).ok()?;
    let show = |value: &Value| match value.as_real() {
        Some(x) if x.is_nan() => "nan".to_owned(),
        Some(x) => format!("{x:?} {:x}", x.to_bits()),
        None => format!("{value:?}"),
    };
    Some(values.iter().map(show).collect())
}

/// The program after `simplify`, which gives the same.
fn compare(program: &Program) -> Program {
    let mut simple = program.clone();
    let pass = pass_named("simplify").expect("the pass");
    let mut roots: [FuncId; 1] = [pullback_base::Id::from_index(0)];
    (pass.run)(&mut simple, &mut roots, &mut pullback_analysis::Analyses::default());
    for (nth, x) in REALS.iter().enumerate() {
        for (mth, y) in REALS.iter().enumerate() {
            let (m, n) = (INTS[nth % INTS.len()], INTS[(mth + nth / 2) % INTS.len()]);
            let args = [
                Value::Real(*x),
                Value::Real(*y),
                Value::Int(m),
                Value::Int(n),
                Value::Bool(mth % 2 == 0),
            ];
            let (before, after) = (outcome(program, &args), outcome(&simple, &args));
            if before == after {
                continue;
            }
            let (Some(one), Some(other)) = (&before, &after) else {
                panic!("{before:?} becomes {after:?} at {args:?}\n{}", program.print());
            };
            let at = one.iter().zip(other).position(|(one, other)| one != other);
            let at = at.expect("a difference");
            let result = program.funcs.iter().map(|func| func.body.results[at]).next();
            let (one, other) = (&one[at], &other[at]);
            panic!("{result:?}: {one} becomes {other} at {args:?}\n{}", program.print());
        }
    }
    simple
}

#[test]
fn laws_of_scalars_are_exact() {
    let mut compared = 0;
    for prim in Prim::ALL {
        let row = prim.row();
        if !matches!(row.class, Class::Smooth(_) | Class::Discrete) {
            continue;
        }
        let ty = match row.result {
            PrimTy::Real => Type::REAL,
            PrimTy::Int => Type::INT,
            PrimTy::Bool => Type::BOOL,
            PrimTy::Str | PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => {
                continue;
            }
        };
        let mut scene = Scene::new();
        let operands: Option<Vec<_>> = row.params.iter().map(|ty| scene.operands(ty)).collect();
        let Some(operands) = operands else { continue };
        let lists = choices(&operands);
        compared += lists.len();
        if row.is_pure() {
            let emit = |args| scene.emit(ty, Op::Prim(*prim, args));
            let results = lists.into_iter().map(emit).collect();
            compare(&scene.finish(ty, results));
            continue;
        }
        // One that fails hides what the others give; and the opposite operation around it.
        for args in lists {
            let mut scene = Scene::new();
            let result = scene.emit(ty, Op::Prim(*prim, args.clone()));
            let mut results = vec![result];
            for around in [Prim::IntSub, Prim::IntAdd] {
                if ty == Type::INT
                    && args.len() == 2
                    && (*prim == Prim::IntAdd || *prim == Prim::IntSub)
                {
                    results.push(scene.emit(ty, Op::Prim(around, vec![result, args[1]])));
                }
            }
            compare(&scene.finish(ty, results));
        }
    }
    assert!(compared > 3000, "only {compared} operations");
}

#[test]
fn strong_products_differ_in_the_sign_of_zeros_alone() {
    let mut scene = Scene::new();
    let mut results = vec![];
    for args in choices(&[&scene.reals.clone(), &scene.reals.clone()]) {
        let product = scene.emit(Type::REAL, Op::MulZero(args[0], args[1]));
        results.push(scene.emit(Type::REAL, Op::Prim(Prim::Add, vec![product, Atom::Real(0.0)])));
    }
    compare(&scene.finish(Type::REAL, results));
}

#[test]
fn branches_that_signs_decide_are_exact() {
    let mut decided = 0;
    for prim in Prim::ALL {
        let row = prim.row();
        let is_real = row.result == PrimTy::Real && row.params.iter().all(|ty| *ty == PrimTy::Real);
        if !is_real || !row.is_pure() || !matches!(row.class, Class::Smooth(_) | Class::Discrete) {
            continue;
        }
        let mut scene = Scene::new();
        let reals = scene.reals.clone();
        let mut results = vec![];
        for args in choices(&vec![reals.as_slice(); row.params.len()]) {
            let x = scene.emit(Type::REAL, Op::Prim(*prim, args));
            let log = scene.emit(Type::REAL, Op::Prim(Prim::Log, vec![x]));
            let is_more = scene.emit(Type::BOOL, Op::Prim(Prim::Gt, vec![x, Atom::Real(0.0)]));
            let mut block = |ops: &[(Prim, Option<Atom>)]| {
                let (mut stmts, mut last) = (vec![], x);
                for (prim, left) in ops {
                    let var = scene.program.fresh("x", Type::REAL);
                    let args = left.iter().copied().chain([last]).collect();
                    stmts.push(Stmt::new(vec![var], Op::Prim(*prim, args), Span::NONE));
                    last = Atom::Var(var);
                }
                Block { stmts, results: vec![last] }
            };
            let one = Some(Atom::Real(1.0));
            let way = [(Prim::Neg, None), (Prim::Exp, None)];
            let mut other = block(&way);
            other.stmts[0].op = Op::Prim(Prim::Neg, vec![log]);
            let nan = Block { stmts: vec![], results: vec![Atom::Real(f64::NAN)] };
            let ways = [
                (block(&[(Prim::Div, one)]), other),
                // Others are other ways at 0 or NaN, or have another derivative there.
                (block(&[(Prim::Div, one)]), block(&way)),
                (block(&[(Prim::Div, one)]), nan),
                (block(&[(Prim::Sqrt, None)]), block(&[])),
            ];
            for (then, other) in ways {
                results.push(scene.emit(Type::REAL, Op::If(is_more, then, other)));
            }
        }
        let program = scene.finish(Type::REAL, results);
        decided += branches(&program) - branches(&compare(&program));
    }
    assert!(decided > 200, "only {decided} branches are decided");
}

/// How many branches a program has.
fn branches(program: &Program) -> usize {
    let mut count = 0;
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| count += usize::from(matches!(stmt.op, Op::If(..))));
    }
    count
}
