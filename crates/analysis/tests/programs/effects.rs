//! What may fail and what tells something, in place and through calls, read off a program as text.

use pullback_analysis::effects::{Effects, touches_acc};

use crate::text::{binds, func, program};

const PROGRAM: &str = "\
fn @main.0(x.0: []f64, n.1: i64) -> f64 {
  a.2: f64 = @reads.1(x.0, n.1)
  b.3: f64 = @tells.2(a.2)
  c.4: f64 = @squares.3(b.3)
  m.5: i64 = dim(x.0, 0)
  s.6: f64 = for i.7 < m.5 with t.8: f64 = 0.0 {
    e.9: f64 = x.0[i.7]
    u.10: f64 = add(t.8, e.9)
    yield u.10
  }
  r.11: f64 = for i.12 < n.1 with t.13: f64 = 0.0 {
    e.14: f64 = x.0[i.12]
    u.15: f64 = add(t.13, e.14)
    yield u.15
  }
  acc.16: acc f64 = new_acc(s.6)
  v.17: f64 = read_acc(acc.16)
  yield c.4
}

fn @reads.1(y.18: []f64, k.19: i64) -> f64 {
  e.20: f64 = y.18[k.19]
  yield e.20
}

fn @tells.2(z.21: f64) -> f64 {
  tell(\"here\")
  yield z.21
}

fn @squares.3(w.22: f64) -> f64 {
  q.23: f64 = mul(w.22, w.22)
  yield q.23
}
";

#[test]
fn effects_go_from_callees_to_callers() {
    let mut program = program(PROGRAM);
    let effects = Effects::of(&mut program);
    let main = effects.func(func(0));
    let of = |number: usize| {
        let stmt = binds(&program, number);
        (main.fails_itself(&program, &stmt), main.tells(&program, &stmt.op))
    };
    assert_eq!([of(2), of(3), of(4)], [(true, false), (false, true), (false, false)]);
    let tells = [0, 1, 2, 3].map(|number| effects.tells.func(func(number)));
    assert_eq!(tells, [true, false, true, false]);
}

#[test]
fn a_loop_is_calm_throughout_if_all_in_it_is() {
    let mut program = program(PROGRAM);
    let effects = Effects::of(&mut program);
    let main = effects.func(func(0));
    let of = |number: usize| {
        let stmt = binds(&program, number);
        (main.is_calm(&program, &stmt), main.is_calm_throughout(&program, &stmt))
    };
    assert_eq!([of(6), of(11)], [(true, true), (true, false)]);
}

#[test]
fn accumulators_are_touched_by_what_makes_and_reads_them() {
    let program = program(PROGRAM);
    let touches = [16, 17, 6].map(|number| touches_acc(&program, &binds(&program, number).op));
    assert_eq!(touches, [true, true, false]);
}
