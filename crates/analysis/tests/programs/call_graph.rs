//! Which functions reach which others, and which recur, read off a program as text.

use pullback_analysis::call_graph::{call_graph, naming, reachable, reaching, running, runs};
use pullback_ir::FuncId;

use crate::text::{func, program};

const PROGRAM: &str = "\
fn @main.0(x.0: f64) -> f64 {
  y.1: f64 = @ping.1(x.0)
  z.2: f64 = @asks.4(y.1)
  yield z.2
}

fn @ping.1(x.3: f64) -> f64 {
  y.4: f64 = @pong.2(x.3)
  yield y.4
}

fn @pong.2(x.5: f64) -> f64 {
  y.6: f64 = @ping.1(x.5)
  z.7: f64 = @leaf.3(y.6)
  yield z.7
}

fn @leaf.3(x.8: f64) -> f64 {
  y.9: f64 = mul(x.8, x.8)
  yield y.9
}

fn @asks.4(x.10: f64) -> f64 {
  y.11: f64, dot.12: f64 = jvp q0(x.10) along (1.0)
  yield dot.12
}

fn @alone.5(x.13: f64) -> f64 {
  y.14: f64 = @leaf.3(x.13)
  yield y.14
}

request q0 = jvp @leaf.3(x)
";

fn all(is: impl Fn(FuncId) -> bool) -> Vec<usize> {
    (0..6).filter(|number| is(func(*number))).collect()
}

#[test]
fn callees_come_before_callers_and_circles_recur() {
    let program = program(PROGRAM);
    let graph = call_graph(&program, &[func(0)]);
    let place = |number: usize| graph.order.iter().position(|other| *other == func(number));
    assert!(place(3) < place(1) && place(1) < place(0) && place(2) < place(0));
    assert_eq!((graph.order.len(), place(5)), (5, None));
    assert_eq!(all(|func| graph.is_recursive[func]), [1, 2]);
    assert_eq!(graph.component[func(1)], graph.component[func(2)]);
    assert_ne!(graph.component[func(1)], graph.component[func(3)]);
    // A root, and what a request names.
    assert_eq!(all(|func| graph.is_held[func]), [0, 3]);
}

#[test]
fn what_only_names_a_derivative_does_not_run_it() {
    let program = program(PROGRAM);
    assert_eq!(reachable(&program, &[func(4)]), [func(4), func(3)]);
    assert_eq!(running(&program, &[func(4)]).order, [func(4)]);
    assert_eq!(runs(&program, &program.funcs[func(2)].body), [func(1), func(3)]);
    let names_leaf = naming(&program, [func(3)]);
    assert_eq!(all(|func| names_leaf[func]), [0, 1, 2, 3, 4, 5]);
    let runs_leaf = reaching(&program, |func| func.name.contains("leaf"));
    assert_eq!(all(|func| runs_leaf[func]), [0, 1, 2, 3, 5]);
}
