//! Places that are elements of arrays are asked before a kernel, all at once: a wrong one anywhere is an error, and right ones
//! are not. Arrays of places are rows, columns and pairs, of sizes around those of vectors. Expected are numbers of Rust.

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, emit};
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::parse;

/// How many numbers there are to be read.
const NUMBERS: usize = 11;

/// Each iteration reads at an element of a list, at another one of pairs, and at one of the same list in two rows.
const PROGRAM: &str = "\
fn @gathers.0(x.0: []f64, list.1: []i64, pairs.2: [][]i64, rows.3: [][]i64) -> []f64 {
  e.4: i64 = dim(list.1, 0)
  y.5: []f64 = for k.6 < e.4 {
    a.7: i64 = list.1[k.6]
    b.8: i64 = pairs.2[k.6, 1]
    c.9: i64 = rows.3[1, k.6]
    u.10: f64 = x.0[a.7]
    v.11: f64 = x.0[b.8]
    w.12: f64 = x.0[c.9]
    s.13: f64 = exp(u.10)
    t.14: f64 = mul(s.13, v.11)
    z.15: f64 = add(t.14, w.12)
    collect z.15
  }
  yield y.5
}
";

/// The places of an iteration.
fn place(k: usize, of: usize) -> i64 {
    ((k * [3, 5, 7][of] + of) % NUMBERS) as i64
}

struct Places {
    list: Vec<i64>,
    pairs: Vec<i64>,
    rows: Vec<i64>,
}

impl Places {
    /// Right ones, beside others that nothing reads.
    fn of(count: usize) -> Self {
        let list = (0..count).map(|k| place(k, 0)).collect();
        let pairs = (0..count).flat_map(|k| [-7, place(k, 1), i64::MAX]).collect();
        let rows = std::iter::repeat_n(-9, count).chain((0..count).map(|k| place(k, 2))).collect();
        Self { list, pairs, rows }
    }

    fn values(&self, count: usize) -> [Value; 3] {
        let matrix = |sizes: [usize; 2], items: &[i64]| {
            Value::array(Shape::new(&sizes), Items::Int(items.to_vec()))
        };
        let (pairs, rows) = (matrix([count, 3], &self.pairs), matrix([2, count], &self.rows));
        [Value::ints(self.list.clone()), pairs, rows]
    }
}

fn number(place: i64) -> f64 {
    place as f64 * 0.25 - 1.0
}

#[test]
fn a_wrong_place_is_an_error_wherever_it_stands() {
    let mut program = parse(PROGRAM, FileId(0)).expect("a program");
    let roots: Vec<_> = program.funcs.ids().collect();
    let facts = Facts::of(&mut program);
    let code = emit(&program, &roots, &facts, Fp::Fast).expect("C");
    assert_eq!(code.own().matches("pb_some_outside(").count(), 3, "{}", code.own());
    let numbers = Value::reals((0..NUMBERS as i64).map(number).collect());
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    for (level, fp) in [(Level::Fast, Fp::Strict), (Level::Quick, Fp::Fast)] {
        let native = Native::new(&program, &roots, &facts, level, fp).expect("native code");
        let call = |places: &Places, count: usize| {
            let [list, pairs, rows] = places.values(count);
            native.call(&program, 0, &[numbers.clone(), list, pairs, rows], &limits)
        };
        for count in [0, 1, 7, 8, 9, 31, 64, 67] {
            let right = call(&Places::of(count), count).expect("a result");
            let Value::Array(found) = &right[0] else { panic!("an array") };
            let found = found.reals().expect("Reals");
            assert_eq!(found.len(), count);
            for (k, found) in found.iter().enumerate() {
                let [u, v, w] = [0, 1, 2].map(|of| number(place(k, of)));
                assert!((found - (u.exp() * v + w)).abs() < 1e-12, "{k} of {count}: {found}");
            }
            for k in 0..count {
                for wrong in [-1, NUMBERS as i64, i64::MIN, i64::MAX] {
                    let [mut list, mut pairs, mut rows] = [(); 3].map(|()| Places::of(count));
                    list.list[k] = wrong;
                    pairs.pairs[3 * k + 1] = wrong;
                    rows.rows[count + k] = wrong;
                    for places in [list, pairs, rows] {
                        let problem = call(&places, count).expect_err("a wrong place");
                        assert_eq!(problem.code, "E0701", "{wrong} at {k} of {count}");
                    }
                }
            }
        }
    }
}
