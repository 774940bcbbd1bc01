//! What operations, blocks, loops and calls cost.

use pullback_analysis::call_graph::call_graph;
use pullback_analysis::cost::{
    Again, Lanes, NUMBER, REFERENCE, USUAL, Unknown, Work, accumulate, again, all_speculative,
    code, copies, is_slow, is_straight, iterations, iterations_of_nest, load, saved, speculative,
    steps, work,
};
use pullback_base::FileId;
use pullback_ir::{Atom, Block, Func, FuncId, Loop, Op, Program, Stmt, Type, parse};
use pullback_prim::Prim;

const PROGRAM: &str = "\
fn @straight.0(x.0: f64, y.1: f64, p.2: bool, a.3: []f64) -> f64, f64, f64 {
  e.4: f64 = exp(x.0)
  q.5: f64 = div(e.4, y.1)
  c.6: f64 = q.5
  s.7: f64 = select(p.2, c.6, 0.0)
  n.8: i64 = dim(a.3, 0)
  k.9: i64 = int_add(n.8, 1)
  b.10: bool = int_lt(k.9, 4)
  v.11: f64 = a.3[0]
  yield s.7, v.11, e.4
}

fn @loops.1(n.20: i64, x.21: f64) -> f64 {
  s.22: f64 = for i.23 < n.20 with t.24: f64 = 0.0 {
    e.25: f64 = exp(x.21)
    u.26: f64 = for j.27 < 5 with w.28: f64 = t.24 {
      z.29: f64 = add(w.28, e.25)
      yield z.29
    }
    yield u.26
  }
  q.30: f64 = div(s.22, x.21)
  yield q.30
}

fn @calls.2(n.40: i64, x.41: f64) -> f64 {
  y.42: f64 = @loops.1(n.40, x.41)
  z.43: f64 = @recurs.3(y.42)
  yield z.43
}

fn @recurs.3(x.50: f64) -> f64 {
  y.51: f64 = @recurs.3(x.50)
  yield y.51
}
";

fn program() -> Program {
    parse(PROGRAM, FileId(0)).expect("a program")
}

fn func<'p>(program: &'p Program, name: &str) -> &'p Func {
    program.funcs.iter().find(|func| &*func.name == name).expect("a function")
}

fn stmt<'p>(program: &'p Program, name: &str) -> &'p Stmt {
    let mut stmts = func(program, "straight").body.stmts.iter();
    let is_it = |stmt: &&Stmt| &*program.vars[stmt.vars[0]].name == name;
    stmts.find(is_it).expect("a statement")
}

fn loop_of(program: &Program) -> &Loop {
    let Op::Loop(looped) = &func(program, "loops").body.stmts[0].op else { panic!("a loop") };
    looped
}

#[test]
fn an_operation_costs_what_its_row_says_or_one() {
    let program = program();
    let of = |name| work(&stmt(&program, name).op);
    assert_eq!(["e", "q", "c", "s", "n", "k", "b", "v"].map(of), [8, 4, 0, 1, 1, 1, 1, 1]);
    assert!(is_slow(Prim::Exp) && is_slow(Prim::Div) && !is_slow(Prim::Max));
}

#[test]
fn only_scalars_that_surely_have_a_value_are_computed_where_nobody_may_need_them() {
    let program = program();
    let of = |name| speculative(&stmt(&program, name).op);
    assert_eq!(["e", "c", "s"].map(of), [Some(8), Some(0), Some(1)]);
    // A size may be that of nothing, an element may be none, and a sum of Ints may overflow.
    assert_eq!(["n", "v", "k"].map(of), [None; 3]);
    let whole = &func(&program, "straight").body;
    let scalars = Block { stmts: whole.stmts[..4].to_vec(), results: vec![] };
    assert_eq!(all_speculative([&scalars, &scalars]), Some(26));
    assert_eq!(all_speculative([&scalars, whole]), None);
}

#[test]
fn what_is_done_again_is_counted_by_kind() {
    let program = program();
    let of = |name| {
        let stmt = stmt(&program, name);
        again(&stmt.op, program.vars[stmt.vars[0]].ty)
    };
    let nothing = Again::default();
    assert_eq!(["c", "n"].map(of), [Some(nothing); 2]);
    assert_eq!(of("v"), Some(Again { loads: 1, ..nothing }));
    assert_eq!(["k", "b"].map(of), [Some(Again { ints: 1, ..nothing }); 2]);
    assert_eq!(of("e"), Some(Again { reals: 8, ..nothing }));
    assert_eq!(of("s"), Some(Again { reals: 1, ..nothing }));
    let looped = &func(&program, "loops").body.stmts[0];
    assert_eq!(again(&looped.op, Type::REAL), None);
}

#[test]
fn a_body_is_as_long_as_its_statements_and_straight_without_loops_and_calls() {
    let program = program();
    let [straight, loops, calls] =
        ["straight", "loops", "calls"].map(|name| &func(&program, name).body);
    assert_eq!([straight, loops, calls].map(is_straight), [true, false, false]);
    assert_eq!((loops.size(), copies(loops, 15), copies(loops, 4)), (5, 3, 0));
}

#[test]
fn a_loop_runs_as_often_as_its_count_says() {
    let program = program();
    let looped = loop_of(&program);
    let Op::Loop(inner) = &looped.body.stmts[1].op else { panic!("a loop") };
    assert_eq!((iterations(inner, USUAL), iterations(looped, USUAL)), (5.0, 32.0));
    assert_eq!((iterations_of_nest(inner), iterations_of_nest(looped)), (Some(5), None));
}

#[test]
fn the_work_of_loops_is_told_by_loop() {
    let program = program();
    let block = &func(&program, "loops").body;
    let work = Work::of(block, &mut |stmt| work(&stmt.op) as f64);
    // The loop itself and the division, and then what its iterations do.
    assert_eq!((work.once, work.loops.len(), work.loops[0].1.once), (5.0, 1, 9.0));
    let mut asked = vec![];
    let total = work.total(&mut |looped| {
        asked.push(looped.for_count());
        iterations(looped, 10.0)
    });
    assert_eq!(total, 5.0 + 10.0 * (9.0 + 5.0));
    assert_eq!(asked, [loop_of(&program).for_count(), Some(Atom::Int(5))]);
}

#[test]
fn steps_are_those_of_calls_too() {
    let program = program();
    let roots: Vec<FuncId> = program.funcs.ids().collect();
    let graph = call_graph(&program, &roots);
    let unknown = Unknown { iterations: 16.0, recursion: 64.0 };
    let of = |name| steps(&program, &graph.is_recursive, unknown, &func(&program, name).body);
    assert_eq!(of("loops"), 2.0 + 16.0 * (2.0 + 5.0));
    assert_eq!(of("calls"), 2.0 + of("loops") + 64.0);
}

#[test]
fn lanes_that_reach_beside_each_other_are_cheap() {
    assert!(load(Lanes::Together) < load(Lanes::Beside));
    assert!(load(Lanes::Beside) < load(Lanes::Scattered));
    assert!(accumulate(Lanes::Beside) < accumulate(Lanes::Scattered));
}

#[test]
fn a_sweep_saves_operands_of_reals_and_results_of_others() {
    let program = program();
    let of = |name| saved(&program, stmt(&program, name));
    assert_eq!(["e", "q", "k", "n", "v"].map(of), [NUMBER, 2 * NUMBER, 0, 0, NUMBER]);
    let mut copies = program.clone();
    let array = copies.fresh("copy", Type::REAL.array());
    let op = Op::Copy(Atom::Var(func(&program, "straight").params[3]));
    assert_eq!(saved(&copies, &Stmt::new(vec![array], op, stmt(&program, "e").span)), REFERENCE);
}

#[test]
fn a_loop_is_written_three_times() {
    let program = program();
    let of = |name: &str| {
        let body = &func(&program, name).body;
        (body.size(), code(body))
    };
    assert_eq!(of("straight"), (8, 8));
    // The outer loop, and three times the three statements in it; and a division.
    assert_eq!(of("loops"), (5, 1 + 3 * 3 + 1));
}
