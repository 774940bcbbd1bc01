//! What loops make of their states, read off programs as text.

use pullback_analysis::loop_shape::{Fold, Shape, joined};
use pullback_base::FileId;
use pullback_ir::{Loop, Op, parse};
use pullback_prim::Prim;

/// The first loop of a program whose body has these statements and results.
fn looped(states: &str, types: &str, body: &str) -> Loop {
    let text = format!(
        "fn @f.0(x.0: []f64, n.1: i64, k.2: i64) -> i64 {{\n  {types} = for i.20 < n.1 with {states} {{\n{body}\n  }}\n  \
         yield n.1\n}}\n"
    );
    let program = parse(&text, FileId(0)).unwrap_or_else(|_| panic!("a program: {text}"));
    let func = program.funcs.iter().next().expect("a function");
    let first = &func.body.stmts.first().expect("a statement").op;
    if let Op::Loop(looped) = first { looped.clone() } else { panic!("a loop") }
}

/// The shape of the only state of a loop, in a word.
fn shape(ty: &str, init: &str, body: &str) -> String {
    let looped = looped(&format!("s.10: {ty} = {init}"), &format!("r.30: {ty}"), body);
    match Shape::of(&looped, 0) {
        Shape::Unchanged => "unchanged".to_owned(),
        Shape::Reduction(reduction) => format!("{:?}", reduction.fold),
        Shape::Counter(step) => format!("counter {step}"),
        Shape::Written(write) => format!("written by {}", write.at),
        Shape::Scan => "scan".to_owned(),
    }
}

#[test]
fn states_that_only_add_up_are_reductions() {
    let read = "    e.11: f64 = x.0[i.20]\n";
    for (step, fold) in [
        ("add(s.10, e.11)", "Add"),
        ("add(e.11, s.10)", "Add"),
        ("sub(s.10, e.11)", "Sub"),
        ("sub(e.11, s.10)", "scan"),
        ("max(e.11, s.10)", "Max"),
        ("min(s.10, e.11)", "Min"),
        ("mul(s.10, e.11)", "scan"),
        ("add(s.10, s.10)", "scan"),
    ] {
        let body = format!("{read}    t.12: f64 = {step}\n    yield t.12");
        assert_eq!(shape("f64", "0.0", &body), fold, "{step}");
    }
}

#[test]
fn a_state_that_the_iteration_looks_at_is_a_scan() {
    let body = "    e.11: f64 = sin(s.10)\n    t.12: f64 = add(s.10, e.11)\n    yield t.12";
    assert_eq!(shape("f64", "0.0", body), "scan");
}

#[test]
fn ints_that_grow_by_a_number_are_counters() {
    let looks = "    e.11: f64 = x.0[s.10]\n";
    for (steps, shape_of) in [
        ("    t.12: i64 = int_add(s.10, 1)\n", "counter 1"),
        ("    t.12: i64 = int_sub(s.10, 3)\n", "counter -3"),
        ("    u.13: i64 = int_add(s.10, 3)\n    t.12: i64 = int_sub(u.13, 1)\n", "counter 2"),
        ("    t.12: i64 = int_add(s.10, k.2)\n", "scan"),
        ("    t.12: i64 = int_mul(s.10, 2)\n", "scan"),
    ] {
        let body = format!("{looks}{steps}    yield t.12");
        assert_eq!(shape("i64", "0", &body), shape_of, "{steps}");
    }
    // Where nothing looks at it, it is a sum.
    let body = "    t.12: i64 = int_add(s.10, 1)\n    yield t.12";
    assert_eq!(shape("i64", "0", body), "IntAdd");
    let looped = looped("s.10: i64 = 0", "r.30: i64", body);
    assert_eq!(Shape::of(&looped, 0).step(), Some(1));
}

#[test]
fn states_that_stay_are_unchanged() {
    assert_eq!(shape("f64", "0.0", "    yield s.10"), "unchanged");
    assert_eq!(shape("i64", "k.2", "    yield k.2"), "unchanged");
    assert_eq!(shape("f64", "0.0", "    yield -0.0"), "scan");
}

#[test]
fn arrays_that_an_iteration_writes_once_are_written() {
    let body =
        "    e.11: f64 = s.10[i.20]\n    t.12: []f64 = s.10 with [i.20] = e.11\n    yield t.12";
    assert_eq!(shape("[]f64", "x.0", body), "written by 1");
    let twice = "    t.11: []f64 = s.10 with [0] = 1.0\n    t.12: []f64 = t.11 with [i.20] = 1.0\n    yield t.12";
    assert_eq!(shape("[]f64", "x.0", twice), "scan");
    let seen = "    t.12: []f64 = s.10 with [i.20] = 1.0\n    n.13: i64 = dim(t.12, 0)\n    u.14: i64 = int_add(n.13, k.2)\n    yield t.12";
    assert_eq!(shape("[]f64", "x.0", seen), "scan");
}

#[test]
fn an_operation_joins_a_state_with_another_operand() {
    let body = "    t.12: f64 = sub(s.10, 2.0)\n    yield t.12";
    let looped = looped("s.10: f64 = 0.0", "r.30: f64", body);
    let (prim, more) = joined(&looped.body.stmts[0].op, looped.states[0]).expect("a difference");
    assert_eq!((prim, more), (Prim::Sub, pullback_ir::Atom::Real(2.0)));
    assert!(Fold::Add != Fold::Sub);
}
