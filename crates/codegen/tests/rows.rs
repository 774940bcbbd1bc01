//! Rows that eight iterations have at once: taken, put, and added to rows of an accumulator, of all small sizes and a few
//! larger ones. Expected are sums in closed form, of whole numbers, which are exact in any order.

mod kernels;

use kernels::{levels, limits};
use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Native, emit};
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::parse;

/// A product of matrices, and what there is already with the product added to it.
const PROGRAM: &str = "\
fn @product.0(a.0: [][]f64, b.1: [][]f64, old.2: [][]f64) -> [][]f64 {
  n.4: i64 = dim(a.0, 0)
  m.5: i64 = dim(a.0, 1)
  k.6: i64 = dim(b.1, 1)
  rows.3: [][]f64 = for i.7 < n.4 {
    row.8: []f64 = for j.9 < k.6 {
      s.10: f64 = for e.11 < m.5 with t.12: f64 = 0.0 {
        x.13: f64 = a.0[i.7, e.11]
        y.14: f64 = b.1[e.11, j.9]
        p.15: f64 = mul(x.13, y.14)
        u.16: f64 = add(t.12, p.15)
        yield u.16
      }
      collect s.10
    }
    collect row.8
  }
  yield rows.3
}

fn @added.1(a.20: [][]f64, b.21: [][]f64, old.22: [][]f64) -> [][]f64 {
  acc.23: acc [][]f64 = new_acc(old.22)
  n.24: i64 = dim(a.20, 0)
  m.25: i64 = dim(a.20, 1)
  k.26: i64 = dim(b.21, 1)
  for i.27 < n.24 {
    for j.29 < k.26 {
      s.30: f64 = for e.31 < m.25 with t.32: f64 = 0.0 {
        x.33: f64 = a.20[i.27, e.31]
        y.34: f64 = b.21[e.31, j.29]
        p.35: f64 = mul(x.33, y.34)
        u.36: f64 = add(t.32, p.35)
        yield u.36
      }
      acc.23[i.27, j.29] += s.30
    }
  }
  new.37: [][]f64 = read_acc(acc.23)
  yield new.37
}
";

/// A matrix of so many rows and columns with these elements.
fn matrix(rows: usize, columns: usize, at: impl Fn(f64, f64) -> f64) -> Value {
    let places = (0..rows * columns).map(|place| (place / columns, place % columns));
    let items = places.map(|(row, column)| at(row as f64, column as f64)).collect();
    Value::array(Shape::new(&[rows, columns]), Items::Real(items))
}

#[test]
fn rows_are_taken_put_and_added() {
    let mut program = parse(PROGRAM, FileId(0)).expect("a program");
    let roots: Vec<_> = program.funcs.ids().collect();
    let facts = Facts::of(&mut program);
    let code = emit(&program, &roots, &facts, Fp::Fast).expect("C");
    for call in ["pb_take_rows(", "pb_put_rows(", "pb_add_rows("] {
        assert!(code.own().contains(call), "no {call}");
    }
    let limits = limits();
    for level in levels() {
        let native = Native::new(&program, &roots, &facts, level, Fp::Fast).expect("native code");
        let sizes = (1..=9).chain([15, 16, 17, 31, 32, 33, 47, 64, 71]);
        for (rows, columns) in
            sizes.flat_map(|rows| (1..=9).chain([13, 16, 21]).map(move |k| (rows, k)))
        {
            for middle in [1, 3, 12] {
                let a = matrix(rows, middle, |i, e| i + 2.0 * e);
                let b = matrix(middle, columns, |e, j| e - 3.0 * j);
                let old = matrix(rows, columns, |i, j| 100.0 * i + j);
                // The sums of 1, of e and of e^2 for e below m.
                let m = middle as f64;
                let (first, second) = (m * (m - 1.0) / 2.0, m * (m - 1.0) * (2.0 * m - 1.0) / 6.0);
                let product =
                    |i: f64, j: f64| 2.0 * second + (i - 6.0 * j) * first - 3.0 * i * j * m;
                let wanted = [
                    matrix(rows, columns, product),
                    matrix(rows, columns, |i, j| 100.0 * i + j + product(i, j)),
                ];
                for (root, wanted) in wanted.iter().enumerate() {
                    let args = [a.clone(), b.clone(), old.clone()];
                    let results = native.call(&program, root, &args, &limits).expect("a result");
                    let [Value::Array(got), Value::Array(wanted)] = [&results[0], wanted] else {
                        panic!("arrays")
                    };
                    let sizes = (rows, middle, columns);
                    assert_eq!(got.reals(), wanted.reals(), "{root} of {sizes:?} at {level:?}");
                }
            }
        }
    }
}
