//! What is known of sizes and Ints, and what cannot fail because of it, read off a program as text.

use pullback_analysis::facts::Facts;
use pullback_ir::{Atom, Op};

use crate::text::{binds, func, program, var};

const PROGRAM: &str = "\
fn @f.0(x.0: []f64, n.1: i64, a.2: acc []f64) -> []f64, f64 {
  m.3: i64 = dim(x.0, 0)
  s.4: f64, all.5: []f64 = for i.6 < m.3 with t.7: f64 = 0.0 {
    e.8: f64 = x.0[i.6]
    j.9: i64 = int_add(i.6, 1)
    o.10: f64 = x.0[j.9]
    first.11: f64 = x.0[0]
    is.12: bool = int_lt(i.6, m.3)
    u.13: f64 = add(t.7, o.10)
    a.2[i.6] += e.8
    yield u.13
    collect e.8
  }
  k.14: i64 = int_add(n.1, 1)
  none.15: []f64 = for i.16 < n.1 {
    e.17: f64 = x.0[i.16]
    collect e.17
  }
  yield all.5, s.4
}
";

#[test]
fn what_lies_below_a_size_cannot_fail() {
    let mut program = program(PROGRAM);
    let facts = Facts::of(&mut program);
    let facts = facts.func(func(0));
    let is_proven = |number: usize| facts.is_proven(&binds(&program, number));
    // The index, one more than it, the first element, which is there inside the loop, and what only has another count.
    let expected = [(8, true), (9, true), (10, false), (11, true), (17, false)];
    for (number, is) in expected {
        assert_eq!(is_proven(number), is, "{number}");
    }
    let first = binds(&program, 11);
    assert_eq!((facts.inside.get(&first.id), facts.inside.len()), (Some(&1), 1));
    // An Int of which nothing is known may be the greatest.
    assert!(!is_proven(14));
}

#[test]
fn a_comparison_with_a_bound_is_known_and_a_copy_is_its_array() {
    let mut program = program(PROGRAM);
    let facts = Facts::of(&mut program);
    let facts = facts.func(func(0));
    let is = binds(&program, 12);
    assert!(matches!(facts.known.get(&is.id), Some(Op::Copy(Atom::Bool(true)))));
    let collects = binds(&program, 5);
    assert_eq!(facts.copies.get(&collects.id), Some(&vec![(1, Atom::Var(var(0)))]));
    assert!(facts.counted.contains(&var(6)) && !facts.counted.contains(&var(16)));
}

#[test]
fn as_if_nothing_were_known_nothing_is_proved() {
    let mut program = program(PROGRAM);
    let facts = Facts::nothing(&mut program);
    assert!(!facts.func(func(0)).is_proven(&binds(&program, 8)));
}
