//! Affine forms of Ints, read off programs as text.

use pullback_analysis::affine::{Inside, Ints, Moving};
use pullback_base::FileId;
use pullback_ir::{Atom, Loop, Op, Program, VarId, parse};

const PROGRAM: &str = "\
fn @places.0(x.0: []f64, k.1: i64, n.2: i64, m.3: i64) -> i64 {
  last.4: i64 = int_sub(n.2, 1)
  for i.5 < n.2 {
    a.6: i64 = int_add(i.5, k.1)
    b.7: i64 = int_sub(a.6, 1)
    c.8: i64 = int_mul(b.7, 2)
    d.9: i64 = int_mul(k.1, i.5)
    e.10: i64 = int_neg(i.5)
    f.11: i64 = int_add(e.10, last.4)
    for j.12 < i.5 {
      g.13: i64 = int_sub(i.5, 1)
      h.14: i64 = int_sub(g.13, j.12)
      o.15: i64 = int_sub(b.7, a.6)
    }
    p.16: i64 = int_mul(b.7, 9223372036854775807)
    q.17: i64 = int_add(k.1, 3)
    y.18: f64 = x.0[i.5]
  }
  yield last.4
}
";

/// The program, and its variables by their numbers.
fn program() -> (Program, Vec<Atom>) {
    let program = parse(PROGRAM, FileId(0)).expect("a program");
    let mut named: Vec<(u32, VarId)> = vec![];
    for var in program.vars.ids() {
        let text = program.print_var(var);
        let number = text.rsplit('.').next().and_then(|number| number.parse().ok());
        named.push((number.expect("a number"), var));
    }
    named.sort();
    (program, named.into_iter().map(|(_, var)| Atom::Var(var)).collect())
}

fn only_loop(program: &Program) -> Loop {
    let func = program.funcs.iter().next().expect("a function");
    let looped =
        func.body.stmts.iter().find_map(|stmt| {
            if let Op::Loop(looped) = &stmt.op { Some(looped.clone()) } else { None }
        });
    looped.expect("a loop")
}

fn ints(program: &Program) -> Ints {
    Ints::of(&program.funcs.iter().next().expect("a function").body)
}

#[test]
fn sums_are_followed_to_what_is_no_sum() {
    let (program, var) = program();
    let ints = ints(&program);
    let index = var[5].var().expect("a variable");
    let form = ints.form(var[8]).expect("a form");
    assert_eq!(form.coefficient(index), 2);
    assert_eq!(ints.distance(var[7], var[6]), Some(-1));
    assert_eq!(ints.distance(var[7], var[5]), None);
    assert_eq!(ints.distance(var[4], var[2]), Some(-1));
    // f = n - 1 - i
    let back = ints.form(var[11]).expect("a form");
    assert_eq!((back.coefficient(index), ints.distance(var[11], var[11])), (-1, Some(0)));
    // A product of two Ints is one of its own.
    assert_eq!(ints.form(var[9]).and_then(|form| form.as_atom()), Some(var[9]));
}

#[test]
fn arithmetic_that_would_overflow_gives_up() {
    let (program, var) = program();
    let ints = ints(&program);
    // The form has a multiple of -1 by the greatest Int, which there is, and less than that there is not.
    let large = ints.form(var[16]).expect("a form");
    assert_eq!(large.minus(&large).and_then(|form| form.as_number()), Some(0));
    let small = ints.form(Atom::Int(i64::MAX)).expect("a form");
    assert_eq!(large.minus(&small), None);
    assert_eq!(ints.distance(Atom::Int(i64::MAX), Atom::Int(-1)), None);
}

#[test]
fn a_sum_knows_what_lies_beyond_it() {
    let (program, var) = program();
    let ints = ints(&program);
    assert_eq!(ints.beyond(var[4], 1), Some(var[2]));
    assert_eq!(ints.beyond(var[4], 2), None);
    assert_eq!(ints.beyond(Atom::Int(4), 1), Some(Atom::Int(5)));
    assert_eq!(ints.beyond(Atom::Int(i64::MAX), 1), None);
}

#[test]
fn bounds_hold_over_all_iterations() {
    let (program, var) = program();
    let ints = ints(&program);
    let least = |at: usize| ints.form(var[at]).and_then(|form| ints.least(form));
    // j is at most i - 1.
    assert_eq!(least(14), Some(0));
    assert_eq!((least(5), least(12), least(15)), (Some(0), Some(0), Some(-1)));
    // Of a parameter nothing is known.
    assert_eq!(least(6), None);
    assert!(ints.are_apart(var[7], var[6]));
    assert!(ints.are_apart(var[12], var[5]));
    assert!(!ints.are_apart(var[6], var[5]));
}

#[test]
fn a_place_moves_on_in_one_dimension() {
    let (program, var) = program();
    let looped = only_loop(&program);
    let (ints, inside) = (Ints::of(&looped.body), Inside::of(&looped));
    let index = var[5].var().expect("a variable");
    let moving = |place: &[Atom]| Moving::of(&ints, place, index, &inside);
    let place = moving(&[var[17], var[6]]).expect("a place that moves");
    let start: Vec<Option<Atom>> = place.start.iter().map(|form| form.as_atom()).collect();
    assert_eq!((place.dimension, start), (1, vec![None, Some(var[1])]));
    // It moves by two, backwards, in two dimensions, not at all, or with another index.
    for place in [vec![var[8]], vec![var[11]], vec![var[5], var[6]], vec![var[1]], vec![var[14]]] {
        assert_eq!(moving(&place), None);
    }
    assert!(inside.is_uniform(var[1]) && !inside.is_uniform(var[12]));
}

#[test]
fn an_int_follows_from_others_by_sums_alone() {
    let (program, var) = program();
    let (ints, looped) = (ints(&program), only_loop(&program));
    let index = var[5].var();
    let inside = Inside::of(&looped);
    let follows = |at: usize| ints.follows_from(var[at], |of| Some(of) == index || !inside.has(of));
    // A product of two Ints is no sum, and another index is not given.
    assert_eq!([6, 8, 11, 4, 9, 14].map(follows), [true, true, true, true, false, false]);
}
