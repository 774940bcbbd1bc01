//! Where arrays lie, and how places in them are found: what short loops collect lies in the frame of the function, unless
//! somebody holds it in the end, and places are multiplied with sizes that have been checked.

use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, emit};
use pullback_ir::eval::{self, Items, Shape, Value, evaluate};
use pullback_ir::{Program, parse};

/// The squares of the first numbers, summed up from the last one on, and whatever else is done with them.
fn squares(count: i64, more: &str, results: &str) -> Program {
    let types = if results.contains("squares.1") { "f64, []f64" } else { "f64" };
    let text = format!(
        "fn @main.0(x.0: f64) -> {types} {{
  squares.1: []f64 = for i.2 < {count} {{
    n.3: i64 = int_add(i.2, 1)
    r.4: f64 = real(n.3)
    y.5: f64 = mul(r.4, x.0)
    z.6: f64 = digamma(y.5)
    collect z.6
  }}
{more}  sum.7: f64 = for down j.8 < {count} with s.9: f64 = 0.0 {{
    e.10: f64 = squares.1[j.8]
    t.11: f64 = mul(s.9, 0.5)
    u.12: f64 = add(t.11, e.10)
    yield u.12
  }}
  yield {results}
}}
"
    );
    parse(&text, FileId(0)).expect("a program")
}

fn text(program: &Program) -> String {
    let roots: Vec<_> = program.funcs.ids().take(1).collect();
    let mut program = program.clone();
    let facts = pullback_analysis::facts::Facts::of(&mut program);
    emit(&program, &roots, &facts, Fp::Strict).expect("C").own().to_owned()
}

/// Native code gives what the evaluator gives.
fn agrees(program: &Program, args: &[Value]) {
    let mut program = program.clone();
    let facts = pullback_analysis::facts::Facts::nothing(&mut program);
    let roots: Vec<_> = program.funcs.ids().take(1).collect();
    let native =
        Native::new(&program, &roots, &facts, Level::Quick, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 26, timeout: None, since: None, tell: |_| {}, progress: None };
    let found = native.call(&program, 0, args, &limits).map_err(|problem| problem.title);
    let wanted = evaluate(&program, roots[0], args.to_vec(), eval::Limits::default());
    let wanted = wanted.map(|(values, _)| values).map_err(|problem| problem.title);
    assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
}

#[test]
fn what_short_loops_collect_lies_in_the_frame() {
    let slice = "  some.20: []f64 = squares.1[1:3]\n  f.21: f64 = sum(some.20)\n  g.22: f64 = add(f.21, 1.0)\n";
    let written = "  w.20: []f64 = squares.1 with [1] = x.0\n  f.21: f64 = w.20[1]\n";
    for (program, lies) in [
        (squares(10, "", "sum.7"), true),
        (squares(64, slice, "sum.7"), true),
        (squares(65, "", "sum.7"), false),
        (squares(10, "", "sum.7, squares.1"), false),
        (squares(10, written, "sum.7"), false),
    ] {
        assert_eq!(text(&program).contains("pb_in_frame"), lies, "{}", program.print());
        agrees(&program, &[Value::Real(0.75)]);
    }
}

#[test]
fn calls_under_way_hold_nothing_in_their_frames() {
    let text_of = |call: &str| {
        format!(
            "fn @main.0(x.0: f64, k.1: i64) -> f64 {{
  squares.2: []f64 = for i.3 < 10 {{
    r.4: f64 = real(i.3)
    y.5: f64 = mul(r.4, x.0)
    z.6: f64 = digamma(y.5)
    collect z.6
  }}
  t.7: f64 = sum(squares.2)
  done.8: bool = int_le(k.1, 0)
  u.9: f64 = if done.8 {{ yield t.7 }} else {{
{call}    yield v.11
  }}
  yield u.9
}}
"
        )
    };
    let again = "    m.10: i64 = int_sub(k.1, 1)\n    v.11: f64 = @main.0(t.7, m.10)\n";
    for (call, lies) in [("    v.11: f64 = exp(t.7)\n", true), (again, false)] {
        let program = parse(&text_of(call), FileId(0)).expect("a program");
        assert_eq!(text(&program).contains("pb_in_frame"), lies, "{}", program.print());
        agrees(&program, &[Value::Real(0.75), Value::Int(20)]);
    }
}

#[test]
fn places_are_multiplied_with_sizes_that_are_checked() {
    let program = |check: &str| {
        let text = format!(
            "fn @main.0(x.0: [][]f64, k.1: i64) -> f64 {{
{check}  t.2: f64 = x.0[k.1, 1]
  n.3: i64 = dim(x.0, 0)
  s.4: f64 = for i.5 < n.3 with s.6: f64 = t.2 {{
    a.7: f64 = x.0[i.5, 0]
    b.8: f64 = x.0[i.5, 2]
    c.9: f64 = mul(a.7, b.8)
    d.10: f64 = add(s.6, c.9)
    yield d.10
  }}
  yield s.4
}}
"
        );
        parse(&text, FileId(0)).expect("a program")
    };
    let checked = program("  check_size(x.0, 1, 3, \"the size of `x`\")\n");
    let places = text(&checked);
    assert!(places.contains("* INT64_C(3)") && !places.contains("* v0.d[1]"), "{places}");
    let places = text(&program(""));
    assert!(!places.contains("* INT64_C(3)") && places.contains("* v0.d[1]"), "{places}");
    for (rows, columns) in [(1, 3), (20, 3), (4, 2), (3, 4), (0, 3), (0, 7)] {
        let reals: Vec<f64> = (0..rows * columns).map(|at| f64::from(at) * 0.5 - 3.0).collect();
        let x = Value::array(Shape::new(&[rows as usize, columns as usize]), Items::Real(reals));
        agrees(&checked, &[x.clone(), Value::Int(0)]);
        agrees(&checked, &[x, Value::Int(2)]);
    }
}

/// What a recursive function only looks at is lent to it: its elements, its rows, and those of other arrays beside it.
#[test]
fn arrays_of_which_rows_are_looked_at_are_lent() {
    let program = |change: &str, of: &str| {
        let text = format!(
            "fn @main.0(x.0: [][]f64, k.1: i64) -> f64 {{
  sizes.2: []i64 = [2, 0, 1]
  y.3: f64 = @walk.1(x.0, sizes.2, k.1)
  yield y.3
}}

fn @walk.1(x.4: [][]f64, at.5: []i64, k.6: i64) -> f64 {{
  done.7: bool = int_le(k.6, 0)
  y.8: f64 = if done.7 {{ yield 0.0 }} else {{
    m.9: i64 = int_sub(k.6, 1)
    n.10: i64 = int_rem(k.6, 3)
    i.11: i64 = at.5[n.10]
    row.12: []f64 = x.4[i.11]
{change}    s.14: f64 = sum({of})
    t.15: f64 = @walk.1(x.4, at.5, m.9)
    h.20: i64 = int_div(k.6, 2)
    u.16: f64 = @walk.1(x.4, at.5, h.20)
    v.17: f64 = add(t.15, u.16)
    w.18: f64 = mul(v.17, 0.5)
    z.19: f64 = add(w.18, s.14)
    yield z.19
  }}
  yield y.8
}}
"
        );
        parse(&text, FileId(0)).expect("a program")
    };
    let changes = "    new.13: []f64 = row.12 with [0] = 1.5\n";
    for program in [program("", "row.12"), program(changes, "new.13")] {
        let text = text(&program);
        assert!(text.contains("const R2 *l0, const I1 *l1"), "{text}");
        for rows in [0, 2, 3] {
            let reals = (0..rows * 2).map(|at| f64::from(at) * 0.5 - 3.0).collect();
            let x = Value::array(Shape::new(&[rows as usize, 2]), Items::Real(reals));
            agrees(&program, &[x, Value::Int(4)]);
        }
    }
}
