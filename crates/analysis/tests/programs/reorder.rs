//! Which statements may come together, and how they do, read off a program as text.

use pullback_analysis::access::Roots;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::reorder::{Info, are_free, join, names};
use pullback_ir::Program;
use rustc_hash::FxHashSet;

use crate::text::{binds, func, program, var};

const PROGRAM: &str = "\
fn @f.0(x.0: f64, a.1: acc f64) -> f64, f64 {
  first.2: f64 = mul(x.0, x.0)
  b.3: f64 = sin(first.2)
  c.4: f64 = cos(x.0)
  second.5: f64 = mul(c.4, 2.0)
  third.6: f64 = mul(b.3, 2.0)
  a.1 += first.2
  tell(\"here\")
  fourth.7: f64 = mul(x.0, 3.0)
  yield second.5, fourth.7
}
";

fn infos(program: &Program) -> Vec<Info> {
    let tells = Tells::of(program);
    let of = &program.funcs[func(0)];
    let roots = Roots::of(program, of, false);
    of.body.stmts.iter().map(|stmt| Info::of(program, &tells, &roots, stmt)).collect()
}

#[test]
fn what_needs_the_first_or_tells_something_stands_between() {
    let program = program(PROGRAM);
    let (infos, body) = (infos(&program), &program.funcs[func(0)].body);
    let is_free = |first: usize, second: usize| are_free(body, &infos, first, second);
    // The second needs nothing of the first, the third does, and what is told stands before the fourth.
    assert_eq!([is_free(0, 3), is_free(0, 4), is_free(0, 7)], [true, false, false]);
    let touched = infos.iter().map(|info| info.accs.iter().map(|(acc, _)| *acc).collect());
    let touched: Vec<Vec<_>> = touched.collect();
    assert_eq!((&touched[5], touched.iter().flatten().count()), (&vec![var(1)], 1));
    assert!(!infos[5].shares_acc(&infos[0]) && infos[5].shares_acc(&infos[5]));
}

#[test]
fn what_hangs_on_the_first_comes_after_both() {
    let program = program(PROGRAM);
    let mut infos = infos(&program);
    let mut body = program.funcs[func(0)].body.clone();
    let place = join(&mut body, &mut infos, 0, 3, |mut earlier, later| {
        earlier.vars.extend(later.vars);
        let info = Info { uses: FxHashSet::default(), accs: vec![], tells: false };
        (earlier, info)
    });
    let order: Vec<Vec<_>> = body.stmts.iter().map(|stmt| stmt.vars.clone()).collect();
    assert_eq!((place, infos.len()), (1, body.stmts.len()));
    assert_eq!(order[..3], [vec![var(4)], vec![var(2), var(5)], vec![var(3)]]);
}

#[test]
fn names_are_found_at_any_depth() {
    let program = program(
        "fn @f.0(x.0: f64, p.1: bool) -> f64 {\n  r.2: f64 = if p.1 {\n    y.3: f64 = mul(x.0, 2.0)\n    yield y.3\n  } else {\n    yield 0.0\n  }\n  yield r.2\n}\n",
    );
    let op = binds(&program, 2).op;
    let is_named = [0, 1, 3, 2].map(|number| names(&op, &FxHashSet::from_iter([var(number)])));
    assert_eq!(is_named, [true, true, true, false]);
}
