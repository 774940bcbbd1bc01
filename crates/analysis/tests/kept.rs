//! What is known of a function is kept until that function changes, and statements have ids of their own.

use std::collections::BTreeSet;
use std::rc::Rc;

use pullback_analysis::{Analyses, Changed};
use pullback_base::FileId;
use pullback_ir::{FuncId, Program, parse};

const PROGRAM: &str = "\
fn @inside.0(xs.0: []f64) -> f64 {
  n.1: i64 = dim(xs.0, 0)
  s.2: f64 = for i.3 < n.1 with t.4: f64 = 0.0 {
    x.5: f64 = xs.0[i.3]
    u.6: f64 = add(t.4, x.5)
    yield u.6
  }
  yield s.2
}

fn @outside.1(xs.10: []f64) -> f64 {
  x.11: f64 = xs.10[3]
  yield x.11
}
";

fn program() -> (Program, FuncId, FuncId) {
    let program = parse(PROGRAM, FileId(0)).expect("a program");
    let funcs: Vec<FuncId> = program.funcs.ids().collect();
    (program, funcs[0], funcs[1])
}

#[test]
fn what_is_known_of_a_function_stays_while_others_change() {
    let (mut program, inside, outside) = program();
    let mut analyses = Analyses::default();
    let first = analyses.facts(&mut program);
    let version = analyses.version();
    analyses.forget(&Changed::Nothing);
    assert_eq!(analyses.version(), version);
    analyses.forget(&Changed::Bodies(vec![outside]));
    assert_ne!(analyses.version(), version);
    let then = analyses.facts(&mut program);
    assert!(Rc::ptr_eq(first.func(inside), then.func(inside)));
    assert!(!Rc::ptr_eq(first.func(outside), then.func(outside)));
    analyses.forget(&Changed::All);
    let last = analyses.facts(&mut program);
    assert!(!Rc::ptr_eq(first.func(inside), last.func(inside)));
}

#[test]
fn the_tables_of_a_function_stay_while_others_change() {
    let (program, inside, outside) = program();
    let mut analyses = Analyses::default();
    let mut tables = |changed: &Changed, func: FuncId| {
        let body = &program.funcs[func].body;
        let get = |analyses: &mut Analyses| {
            let (ints, zeros) = (analyses.ints(func, body), analyses.zeros(func, body));
            (ints, zeros, analyses.sizes(&program, func, body))
        };
        let first = get(&mut analyses);
        analyses.forget(changed);
        let then = get(&mut analyses);
        let (ints, zeros) = (Rc::ptr_eq(&first.0, &then.0), Rc::ptr_eq(&first.1, &then.1));
        [ints, zeros, Rc::ptr_eq(&first.2, &then.2)]
    };
    let one = Changed::Bodies(vec![outside]);
    assert_eq!(tables(&one, inside), [true; 3]);
    assert_eq!(tables(&one, outside), [false; 3]);
    assert_eq!(tables(&Changed::Ids, inside), [false; 3]);
}

#[test]
fn what_hangs_on_all_functions_goes_with_any_of_them() {
    let (mut program, inside, outside) = program();
    let mut analyses = Analyses::default();
    let first = analyses.effects(&mut program);
    assert!(Rc::ptr_eq(&first, &analyses.effects(&mut program)));
    let graph = analyses.call_graph(&program, &[inside]);
    assert!(Rc::ptr_eq(&graph, &analyses.call_graph(&program, &[inside])));
    assert!(!Rc::ptr_eq(&graph, &analyses.call_graph(&program, &[outside])));
    analyses.forget(&Changed::Bodies(vec![outside]));
    assert!(!Rc::ptr_eq(&first, &analyses.effects(&mut program)));
}

#[test]
fn an_index_below_the_size_cannot_fail_and_another_may() {
    let (mut program, inside, outside) = program();
    let facts = Analyses::default().facts(&mut program);
    let mut ids = BTreeSet::new();
    let mut is_proven = vec![];
    for func in [inside, outside] {
        program.funcs[func].body.visit(&mut |stmt| {
            ids.insert((func, stmt.id));
            if matches!(stmt.op, pullback_ir::Op::Index(..)) {
                is_proven.push(facts.func(func).is_proven(stmt));
            }
        });
    }
    assert_eq!((ids.len(), is_proven), (program.size(), vec![true, false]));
}

#[test]
fn changes_add_up() {
    let (_, inside, outside) = program();
    let bodies = |funcs: &[FuncId]| Changed::Bodies(funcs.to_vec());
    assert_eq!(Changed::Nothing.and(bodies(&[inside])), bodies(&[inside]));
    assert_eq!(bodies(&[inside]).and(bodies(&[outside])), bodies(&[inside, outside]));
    assert_eq!(bodies(&[inside]).and(Changed::Ids), Changed::All);
    assert!(!Changed::Ids.is_new() && bodies(&[inside]).is_new());
}
