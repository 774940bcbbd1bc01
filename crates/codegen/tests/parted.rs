//! Recursions whose base case their callers have in their place: which they are, what they give, and that each of their
//! values is given back once. Expected are closed forms.

use pullback_analysis::facts::Facts;
use pullback_base::SourceMap;
use pullback_codegen::{Fp, Level, Limits, Native, Unit, emit_all};
use pullback_ir::eval::Value;
use pullback_ir::{FuncId, Program, parse};

/// Leaves of a tree of calls; the sum of a list as halves, which owns what it takes and has its base in the other side;
/// two functions that call each other; a loop; a base with a loop; and a tree of data made, and added up twice, once
/// when nothing else holds it.
const PROGRAM: &str = "\
data Tree.0 = Leaf.0(f64) | None.1 | Fork.2(Tree.0, Tree.0)

fn @leaves.0(n.0: i64) -> i64 {
  few.1: bool = int_lt(n.0, 2)
  r.2: i64 = if few.1 { yield 1 } else {
    a.3: i64 = int_sub(n.0, 1)
    x.4: i64 = @leaves.0(a.3)
    b.5: i64 = int_sub(n.0, 2)
    y.6: i64 = @leaves.0(b.5)
    s.7: i64 = int_add(x.4, y.6)
    yield s.7
  }
  yield r.2
}

fn @total.1(xs.10: []f64, text.11: []f64) -> f64, []f64 {
  n.12: i64 = dim(xs.10, 0)
  many.13: bool = int_lt(1, n.12)
  s.14: f64, kept.15: []f64 = if many.13 {
    half.16: i64 = int_div(n.12, 2)
    one.17: []f64 = xs.10[0:half.16]
    two.18: []f64 = xs.10[half.16:n.12]
    x.19: f64, left.20: []f64 = @total.1(one.17, text.11)
    y.21: f64, right.22: []f64 = @total.1(two.18, left.20)
    z.23: f64 = add(x.19, y.21)
    yield z.23, right.22
  } else {
    first.24: f64 = xs.10[0]
    old.25: f64 = text.11[0]
    new.26: f64 = add(old.25, 1.0)
    more.27: []f64 = text.11 with [0] = new.26
    yield first.24, more.27
  }
  yield s.14, kept.15
}

fn @even.2(n.30: i64) -> bool {
  none.31: bool = int_eq(n.30, 0)
  r.32: bool = if none.31 { yield true } else {
    m.33: i64 = int_sub(n.30, 1)
    odd.34: bool = @odd.3(m.33)
    yield odd.34
  }
  yield r.32
}

fn @odd.3(n.40: i64) -> bool {
  none.41: bool = int_eq(n.40, 0)
  r.42: bool = if none.41 { yield false } else {
    m.43: i64 = int_sub(n.40, 1)
    even.44: bool = @even.2(m.43)
    not.45: bool = select(even.44, true, false)
    yield not.45
  }
  yield r.42
}

fn @count.4(n.50: i64, sum.51: i64) -> i64 {
  none.52: bool = int_le(n.50, 0)
  r.53: i64 = if none.52 { yield sum.51 } else {
    m.54: i64 = int_sub(n.50, 1)
    more.55: i64 = int_add(sum.51, n.50)
    last.56: i64 = @count.4(m.54, more.55)
    yield last.56
  }
  yield r.53
}

fn @looped.5(n.60: i64) -> f64 {
  none.61: bool = int_le(n.60, 0)
  r.62: f64 = if none.61 {
    s.63: f64 = for i.64 < 3 with t.65: f64 = 0.0 { yield 1.0 }
    yield s.63
  } else {
    m.66: i64 = int_sub(n.60, 1)
    x.67: f64 = @looped.5(m.66)
    y.68: f64 = add(x.67, 1.0)
    yield y.68
  }
  yield r.62
}

fn @grown.6(n.70: i64, x.71: f64) -> Tree.0 {
  none.72: bool = int_le(n.70, 0)
  t.73: Tree.0 = if none.72 {
    leaf.74: Tree.0 = Leaf.0(x.71)
    yield leaf.74
  } else {
    m.75: i64 = int_sub(n.70, 1)
    one.76: Tree.0 = @grown.6(m.75, x.71)
    y.77: f64 = add(x.71, 1.0)
    two.78: Tree.0 = @grown.6(m.75, y.77)
    empty.79: Tree.0 = None.1()
    part.80: Tree.0 = Fork.2(one.76, empty.79)
    fork.81: Tree.0 = Fork.2(part.80, two.78)
    yield fork.81
  }
  yield t.73
}

fn @sum.7(t.90: Tree.0) -> f64 {
  s.91: f64 = match t.90 {
    Leaf.0(x.92: f64) => { yield x.92 }
    None.1 => { yield 0.0 }
    Fork.2(a.93: Tree.0, b.94: Tree.0) => {
      x.95: f64 = @sum.7(a.93)
      y.96: f64 = @sum.7(b.94)
      z.97: f64 = add(x.95, y.96)
      yield z.97
    }
  }
  yield s.91
}

fn @twice.8(n.100: i64) -> f64 {
  t.101: Tree.0 = @grown.6(n.100, 0.0)
  one.102: f64 = @sum.7(t.101)
  two.103: f64 = @sum.7(t.101)
  both.104: f64 = add(one.102, two.103)
  yield both.104
}
";

const LIMITS: Limits =
    Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };

fn program() -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("parted.ir", PROGRAM);
    parse(PROGRAM, file).expect("a program")
}

#[test]
fn bases_of_one_step_go_to_their_callers() {
    let mut program = program();
    let roots: Vec<FuncId> = program.funcs.ids().collect();
    let facts = Facts::nothing(&mut program);
    let unit = Unit { fp: Fp::Strict, ..Unit::of(&program, &roots, &facts) };
    let code = emit_all(&[unit]).expect("C");
    // Heads stand in the order of the functions.
    let heads = code.own().lines().filter_map(|line| line.strip_suffix(");"));
    let names = heads.filter_map(|head| head.split_once("(pb_ctx *c")?.0.split(' ').next_back());
    let names: Vec<&str> = names.take(roots.len()).collect();
    let parted = |func: usize| code.own().contains(&format!(" {}_rest(pb_ctx *c", names[func]));
    let found: Vec<usize> = (0..roots.len()).filter(|func| parted(*func)).collect();
    // Not what is a loop, nor what has one where it ends.
    assert_eq!(found, [0, 1, 2, 3, 6, 7]);
}

#[test]
fn they_give_what_they_gave() {
    let mut program = program();
    let roots: Vec<FuncId> = program.funcs.ids().collect();
    let facts = Facts::nothing(&mut program);
    let native =
        Native::new(&program, &roots, &facts, Level::Quick, Fp::Strict).expect("native code");
    let called = |root: usize, args: &[Value]| {
        let mut held = vec![];
        let results = native.repeat(&program, root, args, &LIMITS, &mut |ran| {
            held.push(ran.held);
            held.len() < 100
        });
        // The first run makes room for constants.
        assert!(held[1..].iter().all(|bytes| *bytes == held[1]), "{root}: {held:?}");
        results.expect("results")
    };
    // Fibonacci's numbers.
    for (n, leaves) in [(0, 1), (1, 1), (2, 2), (10, 89), (20, 10_946)] {
        assert_eq!(called(0, &[Value::Int(n)])[0].as_int(), Some(leaves));
    }
    for n in [1_u32, 2, 3, 1000] {
        let xs = Value::reals((1..=n).map(f64::from).collect::<Vec<_>>());
        let results = called(1, &[xs, Value::reals(vec![0.5])]);
        let n = f64::from(n);
        assert_eq!(results[0].as_real(), Some(n * (n + 1.0) / 2.0));
        let kept = results[1].as_array().and_then(|array| array.reals().map(<[f64]>::to_vec));
        assert_eq!(kept, Some(vec![n + 0.5]));
    }
    for n in 0..4 {
        assert!(
            matches!(called(2, &[Value::Int(n)])[0], Value::Bool(even) if even == (n % 2 == 0))
        );
    }
    assert_eq!(called(4, &[Value::Int(1000), Value::Int(0)])[0].as_int(), Some(500_500));
    assert_eq!(called(5, &[Value::Int(5)])[0].as_real(), Some(6.0));
    // Of 2^n leaves those with k have n over k: n 2^(n - 1) together.
    for (n, sum) in [(0, 0.0), (1, 1.0), (3, 12.0), (10, 5120.0)] {
        assert_eq!(called(8, &[Value::Int(n)])[0].as_real(), Some(2.0 * sum));
    }
}
