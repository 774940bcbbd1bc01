//! Sums of products that are zero where their first factor is: computed plainly in native code, and again where that is
//! NaN. Expected is a sum over the factors that are not zero.

use pullback_analysis::facts::Facts;
use pullback_base::SourceMap;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_ir::{FuncId, parse};

/// The product of a matrix of n rows of m by one of m rows of p.
const PROGRAM: &str = "\
fn @product.0(n.0: i64, m.1: i64, p.2: i64, a.3: []f64, b.4: []f64) -> [][]f64 {
  rows.5: [][]f64 = for i.6 < n.0 {
    first.7: i64 = int_mul(i.6, m.1)
    row.8: []f64 = for j.9 < p.2 {
      sum.10: f64 = for k.11 < m.1 with so_far.12: f64 = 0.0 {
        at.13: i64 = int_add(first.7, k.11)
        x.14: f64 = a.3[at.13]
        before.15: i64 = int_mul(k.11, p.2)
        place.16: i64 = int_add(before.15, j.9)
        y.17: f64 = b.4[place.16]
        z.18: f64 = mul_zero(x.14, y.17)
        next.19: f64 = add(so_far.12, z.18)
        yield next.19
      }
      collect sum.10
    }
    collect row.8
  }
  yield rows.5
}
";

const LIMITS: Limits =
    Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };

/// What is zero, and what it meets there.
fn factors(n: usize, m: usize, p: usize, odd: f64) -> (Vec<f64>, Vec<f64>) {
    let number = |i: usize, k: usize| ((2 * i + 3 * k) % 5) as f64 - 2.0;
    let a = (0..n * m).map(|at| if at % m % 3 == 1 { 0.0 } else { number(at / m, at % m) + 0.5 });
    let b = (0..m * p).map(|at| if at / p % 3 == 1 { odd } else { number(at / p, at % p) });
    (a.collect(), b.collect())
}

#[test]
fn zeros_meet_what_is_not_finite() {
    let mut sources = SourceMap::default();
    let file = sources.add("plain.ir", PROGRAM);
    let mut program = parse(PROGRAM, file).expect("a program");
    let facts = Facts::nothing(&mut program);
    let roots: Vec<FuncId> = program.funcs.ids().collect();
    for fp in [Fp::Strict, Fp::Fast] {
        let native = Native::new(&program, &roots, &facts, Level::Quick, fp).expect("native code");
        for (n, m, p) in [(1, 3, 2), (8, 4, 5), (35, 7, 9), (75, 11, 4), (32, 2, 1)] {
            for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, 3.0] {
                let (a, b) = factors(n, m, p, odd);
                let sizes = [n, m, p].map(|size| Value::Int(size as i64));
                let args = [sizes.as_slice(), &[Value::reals(a.clone()), Value::reals(b.clone())]];
                let results = native.call(&program, 0, &args.concat(), &LIMITS);
                let results = results.expect("a product");
                let found = results[0].as_array().and_then(|array| array.reals());
                let element = |at: usize| -> f64 {
                    let kept = (0..m).filter(|k| a[at / p * m + k] != 0.0);
                    kept.map(|k| a[at / p * m + k] * b[k * p + at % p]).sum()
                };
                let expected: Vec<f64> = (0..n * p).map(|at| element(at) + 0.0).collect();
                assert_eq!(found, Some(expected.as_slice()), "{n} {m} {p} {odd}");
            }
        }
    }
}
