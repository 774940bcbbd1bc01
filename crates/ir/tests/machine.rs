//! What a machine does beside evaluating one function: several calls, constants, places in the library, the
//! account, and depth on a small stack.

use pullback_base::{SourceMap, Span, memory};
use pullback_ir::eval::{Image, Items, Limits, Machine, Shape, Value, evaluate};
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, StrId, Type, parse};
use pullback_prim::{Class, Prim, PrimTy, Scalar, ScalarFault};

fn program(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ir", text);
    parse(text, file).expect("a program")
}

const LIBRARY: &str = "\
fn @inner.0(n.0: i64) -> i64 {
  x.1: i64 = int_div(1, n.0)
  yield x.1
}
fn @outer.1(n.2: i64) -> i64 {
  y.3: i64 = @inner.0(n.2)
  z.4: i64 = int_add(y.3, 1)
  yield z.4
}
fn @user.2(n.5: i64) -> i64 {
  w.6: i64 = @outer.1(n.5)
  v.7: i64 = int_add(w.6, 1)
  yield v.7
}
";

#[test]
fn errors_in_the_library_are_told_with_the_call_from_outside() {
    let mut sources = SourceMap::default();
    let user = sources.add("user.pull", "outer 0");
    let library = sources.add("library.pull", LIBRARY);
    let mut program = parse(LIBRARY, library).expect("a program");
    program.library.insert(library);
    let call = Span::new(user, 0, 7);
    for stmt in &mut program.funcs[FuncId(2)].body.stmts {
        stmt.span = call;
    }
    let told = evaluate(&program, FuncId(2), vec![Value::Int(0)], Limits::default());
    let told = told.expect_err("a division by zero");
    assert_eq!(told.code, "E0705");
    assert_eq!((told.labels[0].span, told.labels[0].text.as_str()), (call, "in this call"));
    assert_eq!(told.labels[1].span.file, library);
    let (values, counts) =
        evaluate(&program, FuncId(2), vec![Value::Int(1)], Limits::default()).expect("a value");
    assert_eq!(values[0].as_int(), Some(3));
    assert_eq!((counts.operations, counts.weight(), counts.steps), (3, 3, 2));
}

#[test]
fn a_machine_goes_on_after_an_error_and_evaluates_constants_once() {
    let program = program(
        "const @c.0 -> f64 {
           x.0: f64 = exp(0.0)
           yield x.0
         }
         fn @f.1(n.1: i64) -> f64, i64 {
           a.2: f64 = @c.0()
           b.3: i64 = int_rem(7, n.1)
           yield a.2, b.3
         }",
    );
    let image = Image::new(&program);
    let mut machine = Machine::new(&image, Limits::default());
    let before = memory::live();
    for _ in 0..3 {
        let told = machine.call(FuncId(1), vec![Value::Int(0)]).expect_err("no remainder");
        assert_eq!(told.code, "E0705");
        let values = machine.call(FuncId(1), vec![Value::Int(4)]).expect("values");
        assert_eq!((values[0].as_real(), values[1].as_int()), (Some(1.0), Some(3)));
    }
    let constant = machine.call(FuncId(0), vec![]).expect("a constant");
    assert_eq!(constant[0].as_real(), Some(1.0));
    // Six remainders, and one `exp`.
    assert_eq!(machine.counts().operations, 7);
    drop(machine);
    assert_eq!(memory::live(), before);
}

#[test]
fn bytes_are_counted() {
    let program = program(
        "fn @f.0(n.0: i64) -> f64 {
           a.1: []f64 = for i.2 < n.0 { collect 1.0 }
           b.3: []f64 = for j.4 < n.0 with s.5: []f64 = a.1 {
             t.6: []f64 = s.5 with [j.4] = 2.0
             yield t.6
           }
           c.7: f64 = sum(b.3)
           yield c.7
         }",
    );
    let measured = |n: i64| {
        evaluate(&program, FuncId(0), vec![Value::Int(n)], Limits::default()).expect("a value").1
    };
    let (small, large) = (measured(1000), measured(11_000));
    // One array, which is charged once while it grows and once when it is there.
    assert_eq!(large.allocated - small.allocated, 2 * 8 * 10_000);
    assert_eq!(large.peak - small.peak, 8 * 10_000);
    assert_eq!((large.copied, large.operations, large.steps), (0, 11_000, 22_000));
}

#[test]
fn an_argument_that_nobody_else_holds_is_changed_in_place() {
    let program = program(
        "fn @f.0(a.0: []f64) -> []f64 {
           b.1: []f64 = a.0 with [0] = 2.0
           yield b.1
         }",
    );
    let array = Value::reals(vec![1.0, 1.0]);
    let kept = array.clone();
    let limits = Limits::default();
    let (values, counts) =
        evaluate(&program, FuncId(0), vec![array], limits.clone()).expect("an array");
    assert_eq!(counts.copied, 2);
    assert_eq!(kept.as_array().and_then(|array| array.reals()), Some([1.0, 1.0].as_slice()));
    let (_, counts) = evaluate(&program, FuncId(0), values, limits).expect("an array");
    assert_eq!(counts.copied, 0);
}

#[test]
fn values_are_small() {
    assert_eq!(size_of::<Value>(), 16);
}

#[test]
fn deep_values_need_no_stack() {
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let thread = thread.spawn(|| {
        let before = memory::live();
        {
            let mut list = Value::data(0, vec![]);
            for n in 0..1_000_000 {
                let row = Value::array(Shape::new(&[1]), Items::Values(vec![list]));
                list = Value::data(1, vec![Value::Int(n), row]);
            }
            let shared = list.clone();
            drop(list);
            drop(shared);
        }
        memory::live() == before
    });
    assert!(thread.expect("threads start").join().expect("no overflow"));
}

/// Some values of a primitive's type.
fn samples(ty: PrimTy) -> Vec<Atom> {
    match ty {
        PrimTy::Real => [0.5, -2.0, 0.0, f64::NAN, f64::INFINITY].map(Atom::Real).to_vec(),
        PrimTy::Int => [3, -2, 0, 1, i64::MAX, i64::MIN].map(Atom::Int).to_vec(),
        PrimTy::Bool => [true, false].map(Atom::Bool).to_vec(),
        PrimTy::Str => vec![Atom::Str(StrId(0)), Atom::Str(StrId(1))],
        PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => vec![],
    }
}

fn scalar(program: &Program, atom: Atom) -> Scalar {
    match atom {
        Atom::Real(x) => Scalar::Real(x),
        Atom::Int(n) => Scalar::Int(n),
        Atom::Bool(b) => Scalar::Bool(b),
        Atom::Str(text) => Scalar::Str((*program.strings[text]).into()),
        Atom::Var(_) => panic!("a variable"),
    }
}

#[test]
fn primitives_have_the_values_and_weights_of_the_table() {
    let mut count = 0;
    for prim in Prim::ALL.iter().copied() {
        let row = prim.row();
        let mut lists = vec![vec![]];
        for ty in row.params {
            let samples = samples(*ty);
            let longer = |list: Vec<Atom>| {
                samples.iter().map(move |atom| [list.as_slice(), &[*atom]].concat())
            };
            lists = lists.into_iter().flat_map(longer).collect();
        }
        if !matches!(row.class, Class::Smooth(_) | Class::Discrete) {
            continue;
        }
        for args in lists {
            let mut program = Program::default();
            program.strings.push("a".into());
            program.strings.push("b".into());
            let scalars: Vec<Scalar> = args.iter().map(|arg| scalar(&program, *arg)).collect();
            let ty = match row.result {
                PrimTy::Real => Type::REAL,
                PrimTy::Int => Type::INT,
                PrimTy::Bool => Type::BOOL,
                PrimTy::Str => Type::STR,
                PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => {
                    panic!("{:?}", row.result)
                }
            };
            let x = program.fresh("x", ty);
            let stmt = Stmt::new(vec![x], Op::Prim(prim, args), Span::NONE);
            let body = Block { stmts: vec![stmt], results: vec![x.into()] };
            let (name, params, results) = ("f".into(), vec![], vec![ty]);
            let (is_constant, span) = (false, Span::NONE);
            program.funcs.push(Func {
                name,
                params,
                results,
                body,
                is_constant,
                is_checkpoint: false,
                routine: None,
                preconditions: vec![],
                span,
            });
            let told = evaluate(&program, FuncId(0), vec![], Limits::default());
            let wanted = prim.eval_scalar(&scalars);
            let shown = format!("{prim:?} {scalars:?}");
            match (told, wanted) {
                (Ok((values, counts)), Ok(wanted)) => {
                    let same = match (&values[0], wanted) {
                        (Value::Real(x), Scalar::Real(y)) => x.to_bits() == y.to_bits(),
                        (Value::Int(m), Scalar::Int(n)) => *m == n,
                        (Value::Bool(p), Scalar::Bool(q)) => *p == q,
                        (Value::Str(p), Scalar::Str(q)) => ***p == *q,
                        _ => false,
                    };
                    assert!(same, "{shown}: {values:?}");
                    assert_eq!((counts.operations, counts.weight()), (1, row.weight), "{shown}");
                    count += 1;
                }
                (Err(_), Err(ScalarFault::Fails(_))) => {}
                (told, wanted) => panic!("{shown}: {told:?}, not {wanted:?}"),
            }
        }
    }
    assert!(count > 500, "only {count} values");
}
