//! Many runs with arguments that are put in place once: each gives the same, and none leaves anything behind.

mod pages;

use pullback_analysis::facts::Facts;
use pullback_base::SourceMap;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_ir::{FuncId, Program, parse};

use pages::pages;

/// A function that gives an argument back, one that changes a copy of it, data, and a constant; one that fails
/// where the index is outside; and one that recurses.
const PROGRAM: &str = "\
data List.0 = Nil.0 | Cons.1(f64, List.0)

const @start.0 -> []f64 {
  a.1: []f64 = [1.0, 2.0, 3.0]
  yield a.1
}

fn @work.1(xs.2: []f64, list.3: List.0) -> []f64, []f64, List.0, []f64 {
  first.4: f64 = xs.2[0]
  second.5: f64 = add(first.4, 1.0)
  ys.6: []f64 = xs.2 with [0] = second.5
  more.7: List.0 = Cons.1(second.5, list.3)
  start.8: []f64 = @start.0()
  yield xs.2, ys.6, more.7, start.8
}

fn @item.2(xs.9: []f64, at.10: i64) -> f64 {
  x.11: f64 = xs.9[at.10]
  yield x.11
}

fn @down.3(n.20: i64) -> i64 {
  b.21: bool = int_le(n.20, 0)
  r.22: i64 = if b.21 { yield 0 } else {
    m.23: i64 = int_sub(n.20, 1)
    d.24: i64 = @down.3(m.23)
    s.25: i64 = int_add(d.24, 1)
    yield s.25
  }
  yield r.22
}
";

const LIMITS: Limits =
    Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };

fn native() -> (Program, Native) {
    let mut sources = SourceMap::default();
    let file = sources.add("repeat.ir", PROGRAM);
    let mut program = parse(PROGRAM, file).expect("a program");
    let facts = Facts::nothing(&mut program);
    let roots: Vec<FuncId> = program.funcs.ids().collect();
    let native =
        Native::new(&program, &roots, &facts, Level::Quick, Fp::Strict).expect("native code");
    (program, native)
}

#[test]
fn a_thousand_runs_leave_nothing_behind() {
    let (program, native) = native();
    let xs = Value::reals(vec![5.0; 100_000]);
    let list = Value::data(1, vec![Value::Real(4.0), Value::data(0, vec![])]);
    let (mut held, mut before) = (vec![], vec![]);
    let results = native.repeat(&program, 1, &[xs, list], &LIMITS, &mut |ran| {
        held.push(ran.held);
        before.push(pages());
        held.len() < 1_000
    });
    let results = results.expect("results");
    assert_eq!(held.len(), 1_000);
    // The first run does not know the constant yet.
    assert!(held[1..].iter().all(|bytes| *bytes == held[1]), "{held:?}");
    assert!(held[1] > held[0] && held[1] < held[0] + 200, "{} and {}", held[0], held[1]);
    let growth = before[999].saturating_sub(before[99]);
    assert!(growth < 100, "{growth} pages in 900 runs");
    let reals =
        |value: &Value| value.as_array().and_then(|array| array.reals().map(<[f64]>::to_vec));
    assert_eq!(reals(&results[0]), Some(vec![5.0; 100_000]));
    assert_eq!(reals(&results[1]).map(|reals| (reals[0], reals[1])), Some((6.0, 5.0)));
    let (tag, fields) = results[2].as_data().expect("a list");
    assert_eq!((tag, fields[0].as_real()), (1, Some(6.0)));
    assert_eq!(reals(&results[3]), Some(vec![1.0, 2.0, 3.0]));
}

#[test]
fn a_run_that_fails_is_the_last() {
    let (program, native) = native();
    let args = [Value::reals(vec![1.0]), Value::Int(1)];
    let mut count = 0;
    let result = native.repeat(&program, 2, &args, &LIMITS, &mut |_| {
        count += 1;
        true
    });
    assert_eq!(result.expect_err("an index outside").code, "E0701");
    assert_eq!(count, 0);
}

#[test]
fn recursive_code_and_constants_are_repeated_too() {
    let (program, native) = native();
    for (root, args) in [(3, vec![Value::Int(100_000)]), (0, vec![])] {
        let mut count = 0;
        let results = native.repeat(&program, root, &args, &LIMITS, &mut |_| {
            count += 1;
            count < 10
        });
        let results = results.expect("a value");
        assert_eq!(count, 10);
        if root == 3 {
            assert_eq!(results[0].as_int(), Some(100_000));
        }
    }
}
