//! A chain of functions, each of which is called once, by the next: inlining makes no variables for what is moved, and
//! so no work by the square of its length, and what it makes computes the same.

use std::fmt::Write;

use pullback_base::SourceMap;
use pullback_ir::eval::{Limits, Value, evaluate};
use pullback_ir::{Program, Stage, parse, verify};
use pullback_opt::pass_named;

/// Functions that call the one before, by turns in a branch and outside.
fn chain(length: usize) -> Program {
    let mut text = String::new();
    let mut var = 0;
    let mut fresh = || {
        var += 1;
        var - 1
    };
    for func in 0..length {
        let param = fresh();
        let _ = writeln!(text, "fn @f.{func}(x.{param}: f64) -> f64 {{");
        let mut last = param;
        // The first is too large to be copied, and so are all with it inside.
        for _ in 0..if func == 0 { 100 } else { 2 } {
            let next = fresh();
            let _ = writeln!(text, "  x.{next}: f64 = sin(x.{last})");
            last = next;
        }
        let result = fresh();
        match (func, func % 2) {
            (0, _) => {
                let _ = writeln!(text, "  x.{result}: f64 = add(x.{last}, 1.0)");
            }
            (_, 0) => {
                let _ = writeln!(text, "  x.{result}: f64 = @f.{}(x.{last})", func - 1);
            }
            (..) => {
                let (choice, inner) = (fresh(), fresh());
                let _ = writeln!(text, "  x.{choice}: bool = lt(x.{last}, 0.5)");
                let _ = writeln!(text, "  x.{result}: f64 = if x.{choice} {{");
                let _ = writeln!(text, "    x.{inner}: f64 = @f.{}(x.{last})", func - 1);
                let _ = writeln!(text, "    yield x.{inner}\n  }} else {{ yield x.{param} }}");
            }
        }
        let _ = writeln!(text, "  yield x.{result}\n}}\n");
    }
    let mut sources = SourceMap::default();
    let file = sources.add("chain", &text);
    parse(&text, file).unwrap_or_else(|problem| panic!("{problem:?}\n{text}"))
}

fn value(program: &Program, length: usize) -> Vec<Value> {
    let root = program.funcs.ids().nth(length - 1).expect("as many functions");
    let args = vec![Value::Real(0.7)];
    evaluate(program, root, args, Limits::default()).expect("a value").0
}

#[test]
fn bodies_are_moved_to_their_only_call() {
    let length = 100;
    let mut program = chain(length);
    let (before, vars) = (value(&program, length), program.vars.len());
    let mut roots: Vec<_> = program.funcs.ids().skip(length - 1).collect();
    let pass = pass_named("inline").expect("a pass");
    let mut analyses = pullback_analysis::Analyses::default();
    assert!((pass.run)(&mut program, &mut roots, &mut analyses).is_new());
    verify(&program, Stage::default()).unwrap_or_else(|breaches| panic!("{breaches:?}"));
    assert_eq!(format!("{before:?}"), format!("{:?}", value(&program, length)));
    assert_eq!(program.vars.len(), vars);
    // All is in the last function now, where every variable but what it takes is bound.
    let size = program.funcs[roots[0]].body.size();
    assert_eq!((size, program.size()), (vars - 1, size));
}
