//! Which sizes arrays have, and what bounds them before a loop, read off a program as text.

use pullback_analysis::affine::Inside;
use pullback_analysis::sizes::{Size, Sizes, size_of};
use pullback_ir::{Atom, Op};

use crate::text::{binds, program, var};

const PROGRAM: &str = "\
fn @f.0(x.0: []f64, m.1: [][]f64, n.2: i64, k.3: i64) -> [][]f64 {
  d.4: i64 = dim(x.0, 0)
  b.5: []f64 = x.0 with [k.3] = 0.5
  z.6: []f64 = zero(b.5)
  r.7: []f64 = m.1[k.3]
  s.8: [][]f64 = m.1[0:n.2]
  t.9: []f64 = x.0[2:5]
  l.10: []f64 = [0.5, 1.5]
  p.11: [][]f64 = [l.10, l.10]
  w.12: [][]f64 = for i.13 < n.2 {
    e.14: []f64 = for j.15 < d.4 {
      collect 0.5
    }
    collect e.14
  }
  q.16: []f64 = w.12[k.3]
  v.17: [][]f64 = for h.18 < n.2 {
    g.19: []f64 = for o.20 < k.3 {
      collect 0.5
    }
    u.21: []f64 = m.1[h.18]
    c.22: i64 = dim(u.21, 0)
    a.23: acc []f64 = new_acc(u.21)
    y.24: []f64 = read_acc(a.23)
    collect y.24
  }
  keep.25: []f64 = for aa.26 < n.2 with st.27: []f64 = x.0 {
    yield st.27
  }
  tri.28: [][]f64 = for ii.29 < n.2 {
    row.30: []f64 = for jj.31 < ii.29 {
      collect 0.5
    }
    collect row.30
  }
  yield w.12
}
";

fn of(number: usize, k: u8) -> Size {
    Size::Of(var(number), k)
}

fn int(number: usize) -> Size {
    Size::Atom(var(number).into())
}

fn number(n: i64) -> Size {
    Size::Atom(Atom::Int(n))
}

#[test]
fn the_size_of_an_array_is_that_of_what_it_is_made_of() {
    let program = program(PROGRAM);
    let body = &program.funcs.iter().next().expect("a function").body;
    let sizes = Sizes::of(&program, body);
    let expected = [
        // What keeps sizes, rows, parts, and literals.
        (5, 0, of(0, 0)),
        (6, 0, of(0, 0)),
        (7, 0, of(1, 1)),
        (8, 0, int(2)),
        (8, 1, of(1, 1)),
        (9, 0, number(3)),
        (11, 0, number(2)),
        (11, 1, number(2)),
        // What loops collect, and rows of it.
        (12, 0, int(2)),
        (12, 1, int(4)),
        (16, 0, int(4)),
        (17, 1, of(1, 1)),
        (24, 0, of(1, 1)),
        // Of a state, and of rows of several sizes, only the own size is known.
        (25, 0, of(25, 0)),
        (28, 1, of(28, 1)),
        (30, 0, int(29)),
    ];
    for (array, k, size) in expected {
        assert_eq!(sizes.size(var(array), k), size, "{array}, {k}");
    }
    assert_eq!(sizes.collected(var(12)), Some(Atom::Var(var(2))));
    assert_eq!(sizes.collected(var(5)), None);
}

#[test]
fn an_int_is_a_size_by_whatever_name() {
    let program = program(PROGRAM);
    let sizes = Sizes::of(&program, &program.funcs.iter().next().expect("a function").body);
    let is_size = |n: usize, array: usize, k| sizes.is_size(var(n).into(), var(array), k);
    // The size of `x` was asked, and `b` is as large; so are the rows of `w`.
    assert!(is_size(4, 0, 0) && is_size(4, 6, 0) && is_size(4, 12, 1) && is_size(2, 12, 0));
    assert!(is_size(22, 1, 1) && is_size(22, 17, 1));
    assert!(!is_size(2, 0, 0) && !is_size(4, 12, 0) && !is_size(3, 25, 0));
}

#[test]
fn a_bound_of_a_size_is_there_before_the_loop() {
    let program = program(PROGRAM);
    let Op::Loop(looped) = binds(&program, 28).op else { panic!("a loop") };
    let (sizes, inside) = (Sizes::of_loop(&program, &looped, &[var(28)]), Inside::of(&looped));
    let bound = |size| sizes.bound(size, &|var| !inside.has(var));
    // A row has as many elements as an index says, which is below the count.
    assert_eq!(bound(sizes.size(var(30), 0)), Some(int(2)));
    assert_eq!((bound(int(3)), bound(number(7))), (Some(int(3)), Some(number(7))));
    let Op::Loop(looped) = binds(&program, 17).op else { panic!("a loop") };
    let (sizes, inside) = (Sizes::of_loop(&program, &looped, &[var(17)]), Inside::of(&looped));
    let bound = |size| sizes.bound(size, &|var| !inside.has(var));
    assert_eq!((bound(int(22)), bound(of(24, 0))), (Some(of(1, 1)), Some(of(1, 1))));
    assert_eq!(bound(of(19, 0)), Some(int(3)));
}

#[test]
fn one_step_says_what_an_operation_keeps() {
    let program = program(PROGRAM);
    let step = |number: usize, k| size_of(&binds(&program, number).op, k);
    assert_eq!((step(6, 0), step(7, 0)), (Some(of(5, 0)), Some(of(1, 1))));
    assert_eq!((step(10, 0), step(12, 0)), (Some(number(2)), None));
}
