//! Sums of products that go through registers some columns at a time: strong products, two in one sum, products that are
//! added to a row of each lane, rows of one of several matrices, and lanes beside each other in memory. Expected are sums
//! of whole numbers, which are exact in any order.

mod kernels;

use kernels::{levels, limits};
use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Native, emit};
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::{Program, parse};

/// A function of three matrices a, b and c, each row of whose result is made by this body.
fn function(body: &str) -> String {
    format!(
        "fn @f.0(a.0: [][]f64, b.1: [][]f64, c.2: [][][]f64, t.3: i64) -> [][]f64 {{
  n.4: i64 = dim(a.0, 0)
  m.5: i64 = dim(b.1, 0)
  k.6: i64 = dim(b.1, 1)
  rows.7: [][]f64 = for i.8 < n.4 {{
    {body}
    collect row.9
  }}
  yield rows.7
}}
"
    )
}

/// A row of sums, each of these steps.
fn sums(steps: &str) -> String {
    format!(
        "row.9: []f64 = for j.10 < k.6 {{
      s.11: f64 = for e.12 < m.5 with z.13: f64 = 0.0 {{
        {steps}
        yield u.20
      }}
      w.21: f64 = add(s.11, 1.0)
      collect w.21
    }}"
    )
}

/// A row to which each column adds products of one number.
const UPDATES: &str = "old.30: []f64 = a.0[i.8]
    acc.31: acc []f64 = new_acc(old.30)
    for j.10 < m.5 {
      x.14: f64 = a.0[i.8, j.10]
      v.15: f64 = mul(x.14, 2.0)
      for e.12 < k.6 {
        y.16: f64 = b.1[j.10, e.12]
        p.17: f64 = PRODUCT
        acc.31[e.12] += p.17
      }
    }
    row.9: []f64 = read_acc(acc.31)";

/// How often a product is doubled before it is added.
const DOUBLINGS: u32 = 40;

/// A row of sums of what each column adds to a row of its own.
const OWN_ROWS: &str = "row.9: []f64 = for j.10 < k.6 {
      x.14: f64 = a.0[i.8, 0]
      old.30: []f64 = a.0[i.8]
      acc.31: acc []f64 = new_acc(old.30)
      for e.12 < m.5 {
        y.16: f64 = b.1[e.12, j.10]
        p.17: f64 = mul(x.14, y.16)
        acc.31[e.12] += p.17
      }
      own.33: []f64 = read_acc(acc.31)
      s.34: f64 = sum(own.33)
      collect s.34
    }";

/// What a function gives at a row and a column, by its matrices and the size in the middle.
type Entry =
    fn(&dyn Fn(usize, usize) -> f64, &dyn Fn(usize, usize) -> f64, usize, [usize; 2]) -> f64;

fn cases() -> Vec<(String, &'static str, Entry)> {
    let plain = "x.14: f64 = a.0[i.8, e.12]
        y.16: f64 = b.1[e.12, j.10]
        p.17: f64 = PRODUCT
        u.20: f64 = add(z.13, p.17)";
    let sum: Entry = |a, b, m, [i, j]| 1.0 + (0..m).map(|e| a(i, e) * b(e, j)).sum::<f64>();
    let case = |steps: &str, product: &str| function(&sums(&steps.replace("PRODUCT", product)));
    let both = "x.14: f64 = a.0[i.8, e.12]
        y.16: f64 = b.1[e.12, j.10]
        p.17: f64 = mul(x.14, y.16)
        q.18: f64 = mul_zero(y.16, x.14)
        r.19: f64 = add(p.17, q.18)
        u.20: f64 = add(r.19, z.13)";
    // As a tree this would have as many leaves as two to the power of its depth.
    let mut doubled = plain.replace("p.17: f64", "p.100: f64");
    for depth in 0..DOUBLINGS {
        let (from, to) = (100 + depth, 101 + depth);
        let line = format!("p.{to}: f64 = add(p.{from}, p.{from})\n        u.20:");
        doubled = doubled.replace("u.20:", &line);
    }
    doubled = doubled.replace("p.17)", &format!("p.{})", 100 + DOUBLINGS));
    let one_of_several = plain.replace("a.0[i.8, e.12]", "c.2[t.3, i.8, e.12]");
    let turned = plain.replace("a.0[i.8, e.12]", "c.2[t.3, e.12, i.8]");
    // What is zero for all lanes could be passed over.
    let chosen = UPDATES.replace("PRODUCT", "mul_zero(v.15, y.16)").replace(
        "v.15: f64 = mul(x.14, 2.0)",
        "d.40: f64 = mul(x.14, 2.0)
      c.41: bool = gt(x.14, 2.0)
      v.15: f64 = select(c.41, d.40, 0.0)",
    );
    let updated: Entry =
        |a, b, m, [i, j]| a(i, j) + (0..m).map(|e| 2.0 * a(i, e) * b(e, j)).sum::<f64>();
    vec![
        (case(plain, "mul(x.14, y.16)"), "pb_products(", sum),
        (case(plain, "mul_zero(x.14, y.16)"), "pb_products(", sum),
        (case(plain, "mul_zero(y.16, x.14)"), "pb_products(", sum),
        (case(both, ""), "pb_add_products(", |a, b, m, [i, j]| {
            1.0 + (0..m).map(|e| 2.0 * a(i, e) * b(e, j)).sum::<f64>()
        }),
        (case(&one_of_several, "mul(x.14, y.16)"), "pb_products(", sum),
        (case(&turned, "mul_zero(y.16, x.14)"), "pb_products(", sum),
        (function(&UPDATES.replace("PRODUCT", "mul(v.15, y.16)")), "pb_add_products(", updated),
        (function(&chosen), "pb_add_products(", |a, b, m, [i, j]| {
            let twice = |x: f64| if x > 2.0 { 2.0 * x } else { 0.0 };
            a(i, j) + (0..m).map(|e| twice(a(i, e)) * b(e, j)).sum::<f64>()
        }),
        (case(&doubled, "mul(x.14, y.16)"), "", |a, b, m, [i, j]| {
            1.0 + (0..m).map(|e| a(i, e) * b(e, j)).sum::<f64>() * f64::from(DOUBLINGS).exp2()
        }),
        (function(OWN_ROWS), "", |a, b, m, [i, j]| {
            (0..m).map(|e| a(i, e) + a(i, 0) * b(e, j)).sum::<f64>()
        }),
        (
            function(&UPDATES.replace("PRODUCT", "mul_zero(v.15, y.16)")),
            "pb_add_products(",
            updated,
        ),
    ]
}

/// The code of a function at a level.
fn native(text: &str, call: &str, level: Level) -> (Native, Program) {
    let mut program = parse(text, FileId(0)).unwrap_or_else(|error| panic!("{error:?}: {text}"));
    let roots: Vec<_> = program.funcs.ids().collect();
    let facts = Facts::of(&mut program);
    let code = emit(&program, &roots, &facts, Fp::Fast).expect("C");
    assert!(code.own().contains(call), "no {call} for {text}");
    let native = Native::new(&program, &roots, &facts, level, Fp::Fast).expect("native code");
    (native, program)
}

fn call((native, program): &(Native, Program), args: &[Value]) -> Vec<f64> {
    let results = native.call(program, 0, args, &limits()).expect("a result");
    let [Value::Array(array)] = results.as_slice() else { panic!("an array") };
    array.reals().expect("Reals").to_vec()
}

/// An array of such elements, by their places.
fn array<const RANK: usize>(sizes: [usize; RANK], at: impl Fn([usize; RANK]) -> f64) -> Value {
    let place = |number: usize| {
        let mut rest = number;
        let mut place = [0; RANK];
        for (at, size) in place.iter_mut().zip(sizes).rev() {
            (*at, rest) = (rest % size, rest / size);
        }
        place
    };
    let items = (0..sizes.iter().product()).map(|number| at(place(number))).collect();
    Value::array(Shape::new(&sizes), Items::Real(items))
}

#[test]
fn products_are_added_up() {
    let a = |i: usize, e: usize| ((3 * i + 5 * e) % 7) as f64 - 3.0;
    let b = |e: usize, j: usize| ((e * e + 2 * j) % 5) as f64 - 2.0;
    let sizes = [
        (1, 1, 1),
        (8, 4, 24),
        (9, 17, 25),
        (16, 130, 26),
        (23, 5, 50),
        (37, 257, 7),
        (64, 16, 4),
        (3, 0, 5),
    ];
    for (text, name, entry) in cases() {
        for level in levels() {
            let code = native(&text, name, level);
            // Empty rows have no first element.
            let fits = |size: &(usize, usize, usize)| size.1 > 0 || !text.contains("a.0[i.8, 0]");
            for (rows, middle, columns) in sizes.into_iter().filter(fits) {
                let is_update = name == "pb_add_products(" && text.contains("read_acc");
                // A row has as many elements as are added to.
                let width = if is_update { columns.max(middle) } else { middle };
                let (middle, columns) = if is_update { (width, width) } else { (middle, columns) };
                let turns = text.contains("c.2[t.3, e.12, i.8]");
                let args = [
                    array([rows, width], |p| a(p[0], p[1])),
                    array([middle, columns], |p| b(p[0], p[1])),
                    if turns {
                        array([2, middle, rows], |p| if p[0] == 1 { a(p[2], p[1]) } else { 9.0 })
                    } else {
                        array([2, rows, middle], |p| if p[0] == 1 { a(p[1], p[2]) } else { 9.0 })
                    },
                    Value::Int(1),
                ];
                let wanted: Vec<f64> = (0..rows * columns)
                    .map(|at| entry(&a, &b, middle, [at / columns, at % columns]))
                    .collect();
                let of = (rows, middle, columns);
                assert_eq!(call(&code, &args), wanted, "{of:?} at {level:?} of {text}");
            }
        }
    }
}

/// A zero takes away whatever is the other factor of a strong product, in the first 128 steps and behind them.
#[test]
fn strong_products_are_zero() {
    for (text, name, _) in cases().into_iter().filter(|case| case.0.contains("mul_zero(x.14")) {
        for level in levels() {
            let code = native(&text, name, level);
            for (rows, middle, columns) in [(9, 17, 25), (17, 200, 30), (32, 16, 12)] {
                for odd in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                    let at = middle - 1;
                    let args = [
                        array([rows, middle], |p| if p[1] == at && p[0] > 0 { 0.0 } else { 1.0 }),
                        array(
                            [middle, columns],
                            |p| if p[0] == at && p[1] == 2 { odd } else { 1.0 },
                        ),
                        array([1, 1, 1], |_| 0.0),
                        Value::Int(0),
                    ];
                    let got = call(&code, &args);
                    let of = (rows, middle, columns, odd);
                    assert!(!got[2].is_finite(), "{of:?} at {level:?}");
                    for (place, sum) in got.iter().enumerate().filter(|(place, _)| *place != 2) {
                        let zeros = if place < columns { 0.0 } else { 1.0 };
                        assert_eq!(
                            *sum,
                            1.0 + middle as f64 - zeros,
                            "{place} of {of:?} at {level:?}"
                        );
                    }
                }
            }
        }
    }
}
