//! Which arrays and data may have no value, read off a program as text.

use pullback_analysis::undefined::undefined;

use crate::text::{program, var};

#[test]
fn what_comes_of_a_value_that_is_not_there_is_not_there() {
    let program = program(
        "\
fn @f.0(p.0: bool, x.1: []f64) -> []f64 {
  r.2: []f64, y.3: f64 = if p.0 {
    yield x.1, 1.0
  } else {
    u.4: []f64 = undef
    v.5: f64 = undef
    yield u.4, v.5
  }
  s.6: []f64 = @g.1(r.2)
  n.7: i64 = dim(x.1, 0)
  t.8: []f64 = for i.9 < n.7 { collect 1.0 }
  yield s.6
}

fn @g.1(z.10: []f64) -> []f64 {
  w.11: []f64 = z.10
  yield w.11
}
",
    );
    let undefined = undefined(&program);
    let lacking: Vec<usize> = (0..12).filter(|number| undefined.contains(&var(*number))).collect();
    // Numbers always have a value, whichever it is, and so has what is made of others. What functions are given may
    // have none as soon as one call gives such an array.
    assert_eq!(lacking, [1, 2, 4, 6, 10, 11]);
}

#[test]
fn where_nothing_is_undefined_all_have_values() {
    let program = program("fn @f.0(x.0: []f64) -> []f64 {\n  y.1: []f64 = x.0\n  yield y.1\n}\n");
    assert!(undefined(&program).is_empty());
}
