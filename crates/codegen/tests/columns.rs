//! Matrices that products read down their columns: as they stand, turned, and copied some columns at a time, by their sizes and by
//! the memory that there is. Expected are sums of whole numbers, which are exact in any order.

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, emit};
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::{Program, parse};

/// The product of two matrices, of which each is given as it is or as its transpose.
fn program([a_turned, b_turned]: [bool; 2]) -> String {
    let (a, b) = (
        if a_turned { "e.11, i.7" } else { "i.7, e.11" },
        if b_turned { "j.9, e.11" } else { "e.11, j.9" },
    );
    format!(
        "fn @product.0(a.0: [][]f64, b.1: [][]f64) -> [][]f64 {{
  n.4: i64 = dim(a.0, {})
  m.5: i64 = dim(a.0, {})
  k.6: i64 = dim(b.1, {})
  rows.3: [][]f64 = for i.7 < n.4 {{
    row.8: []f64 = for j.9 < k.6 {{
      s.10: f64 = for e.11 < m.5 with t.12: f64 = 0.0 {{
        x.13: f64 = a.0[{a}]
        y.14: f64 = b.1[{b}]
        p.15: f64 = mul(x.13, y.14)
        u.16: f64 = add(t.12, p.15)
        yield u.16
      }}
      collect s.10
    }}
    collect row.8
  }}
  yield rows.3
}}
",
        usize::from(a_turned),
        usize::from(!a_turned),
        usize::from(!b_turned)
    )
}

/// Elements that no two places near each other share.
fn matrix([rows, columns]: [usize; 2], factors: [usize; 2]) -> Vec<f64> {
    let places = (0..rows * columns).map(|place| (place / columns, place % columns));
    places.map(|(i, j)| ((factors[0] * i + factors[1] * j) % 37) as f64 - 11.0).collect()
}

/// The product of the first, or its transpose, and the second, or its transpose.
fn product(a: (&[f64], bool), b: (&[f64], bool), [n, m, k]: [usize; 3]) -> Vec<f64> {
    let mut c = vec![0.0; n * k];
    for i in 0..n {
        for e in 0..m {
            let x = if a.1 { a.0[e * n + i] } else { a.0[i * m + e] };
            for j in 0..k {
                c[i * k + j] += x * if b.1 { b.0[j * m + e] } else { b.0[e * k + j] };
            }
        }
    }
    c
}

#[test]
fn columns_are_read_as_they_stand_and_from_copies() {
    #[cfg(target_arch = "x86_64")]
    let narrow = is_x86_feature_detected!("avx2").then_some(Level::V3);
    #[cfg(not(target_arch = "x86_64"))]
    let narrow = None;
    let levels = [Level::Fast, Level::Large, Level::Portable];
    for turned in [[false, false], [false, true], [true, false], [true, true]] {
        let mut program = parse(&program(turned), FileId(0)).expect("a program");
        let roots: Vec<_> = program.funcs.ids().collect();
        let facts = Facts::of(&mut program);
        let code = emit(&program, &roots, &facts, Fp::Fast).expect("C");
        let calls = ["pb_take_columns(", "pb_turned("].map(|call| code.own().contains(call));
        assert_eq!(calls, [turned[0], !turned[1]], "{turned:?}");
        for level in levels.into_iter().chain(narrow) {
            let native =
                Native::new(&program, &roots, &facts, level, Fp::Fast).expect("native code");
            // Small ones, with numbers left over; and large ones, which are copied if there is memory for that.
            for sizes in [[5, 3, 2], [33, 70, 66], [64, 64, 64], [71, 263, 259], [130, 257, 256]] {
                multiplies(&native, &program, turned, sizes, 1 << 30);
            }
            multiplies(&native, &program, turned, [71, 263, 259], 3 << 20);
        }
    }
}

fn multiplies(
    native: &Native,
    program: &Program,
    turned: [bool; 2],
    [n, m, k]: [usize; 3],
    max_memory: usize,
) {
    let limits = Limits { max_memory, timeout: None, since: None, tell: |_| {}, progress: None };
    let a_sizes = if turned[0] { [m, n] } else { [n, m] };
    let b_sizes = if turned[1] { [k, m] } else { [m, k] };
    let (a, b) = (matrix(a_sizes, [5, 7]), matrix(b_sizes, [3, 11]));
    let wanted = product((&a, turned[0]), (&b, turned[1]), [n, m, k]);
    let value = |sizes: [usize; 2], items: &[f64]| {
        Value::array(Shape::new(&sizes), Items::Real(items.to_vec()))
    };
    let args = [value(a_sizes, &a), value(b_sizes, &b)];
    let results = native.call(program, 0, &args, &limits).expect("a result");
    let Value::Array(got) = &results[0] else { panic!("an array") };
    assert_eq!(got.reals(), Some(&wanted[..]), "{turned:?} of {n}, {m}, {k}");
}
