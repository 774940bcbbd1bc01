//! Which variables of a loop vary, read off a program as text.

use pullback_analysis::variance::varying;
use pullback_ir::Op;

use crate::text::{binds, program, var};

#[test]
fn what_hangs_on_the_index_or_a_state_varies() {
    let program = program(
        "\
fn @f.0(x.0: []f64, k.1: f64, n.2: i64) -> f64 {
  s.3: f64 = for i.4 < n.2 with t.5: f64 = 0.0 {
    a.6: f64 = x.0[i.4]
    b.7: f64 = mul(k.1, k.1)
    c.8: f64 = for j.9 < n.2 with u.10: f64 = b.7 {
      v.11: f64 = add(u.10, a.6)
      w.12: f64 = x.0[j.9]
      yield v.11
    }
    d.13: f64 = for h.14 < i.4 with o.15: f64 = b.7 {
      yield o.15
    }
    p.16: bool = lt(k.1, 0.0)
    q.17: f64 = if p.16 { yield a.6 } else { yield b.7 }
    r.18: f64 = if p.16 { yield b.7 } else { yield k.1 }
    acc.19: acc f64 = new_acc(0.0)
    acc.19 += a.6
    e.20: f64 = read_acc(acc.19)
    z.21: f64 = add(t.5, q.17)
    yield z.21
  }
  yield s.3
}
",
    );
    let Op::Loop(looped) = binds(&program, 3).op else { panic!("a loop") };
    let varying = varying(&looped);
    let vary: Vec<usize> = (0..22).filter(|number| varying.contains(&var(*number))).collect();
    assert_eq!(vary, [4, 5, 6, 8, 10, 11, 13, 15, 17, 19, 20, 21]);
}
