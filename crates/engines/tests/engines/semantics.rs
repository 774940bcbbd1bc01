//! The paper's semantics of `rd`, and its adequacy: Theorems 6.1 and 6.2, Proposition 3.5, figure 8.
//!
//! The oracle is complex-step differentiation of the same program by an evaluator without derivative
//! rules, and closed forms.

use std::rc::Rc;

use crate::support::{deep, def, papers, program};
use pullback_base::Diagnostic;
use pullback_engines::semantics::{
    Functions, Paper, Run, Stuck, Supply, Term, Val, paper, reverse, show_run, show_terms, sweep,
};
use pullback_engines::{Letter, show_trace};
use pullback_eval::Value;
use pullback_lambda::Program;
use pullback_oracle::{Data, eval_f64, jvp_complex_step};

const POINTS: &[(f64, f64)] = &[(0.7, 1.3), (1.1, -0.4), (2.5, 0.9), (-0.6, 1.9)];

pub fn source(text: &str) -> Program {
    // The helper wants definitions at the start of a line.
    program(&text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n"))
}

pub fn pair(x: f64, y: f64) -> Val {
    Val::Tuple(Rc::new(vec![Val::Real(x), Val::Real(y)]))
}

pub fn value_of(paper: &Paper, term: &Term, at: &Val) -> Result<Val, Stuck> {
    let mut supply = paper.supply.clone();
    let mut run = Run::new(&mut supply, false);
    run.bind(&paper.entry.param, at);
    run.evaluate(&Functions::of(&paper.functions, &paper.entry), term)
}

pub fn trace_at(paper: &Paper, at: &Val) -> Result<(Supply, Term), Stuck> {
    let mut supply = paper.supply.clone();
    let mut run = Run::new(&mut supply, false);
    run.bind(&paper.entry.param, at);
    let functions = Functions::of(&paper.functions, &paper.entry);
    let trace = run.symbolic(&functions, &paper.entry.body)?;
    Ok((supply, trace))
}

pub fn closed(supply: &Supply, term: &Term) -> Val {
    let mut supply = supply.clone();
    Run::new(&mut supply, false).evaluate(&Functions::default(), term).unwrap()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{what}: {found:?} is not {expected:?}");
    }
}

fn data(x: f64, y: f64) -> Data<f64> {
    Data::Tuple(vec![Data::Real(x), Data::Real(y)])
}

fn only(data: &Data<f64>) -> f64 {
    if let Data::Real(x) = data { *x } else { panic!("{data:?}") }
}

#[test]
fn evaluating_the_trace_gives_the_value_here_and_nearby() {
    // Proposition 3.5 and Theorem 6.2.
    for (name, program) in papers(false) {
        let paper = paper(&program, def(&program, "f")).unwrap();
        for (x, y) in POINTS {
            let (supply, trace) = trace_at(&paper, &pair(*x, *y)).unwrap();
            for nearby in [0.0, 1e-6, -1e-6] {
                let (x, y) = (x + nearby, y - 2.0 * nearby);
                let at = pair(x, y);
                let ordinary = value_of(&paper, &paper.entry.body, &at).unwrap();
                let mut supply = supply.clone();
                let mut run = Run::new(&mut supply, false);
                run.bind(&paper.entry.param, &at);
                let traced = run.evaluate(&Functions::default(), &trace).unwrap();
                assert_eq!(ordinary, traced, "{name}");
                let truth = eval_f64(&program, def(&program, "f"), &[data(x, y)]).unwrap();
                close(&traced.reals(), &[only(&truth)], &name);
            }
        }
    }
}

#[test]
fn both_forms_of_the_derivative_are_the_derivative_of_the_trace() {
    // Theorem 6.1, against complex steps. Figure 6 is exponential: some results are too large.
    let mut literals = 0;
    for (name, program) in papers(false) {
        let paper = paper(&program, def(&program, "f")).unwrap();
        for (x, y) in POINTS {
            let (mut supply, trace) = trace_at(&paper, &pair(*x, *y)).unwrap();
            let (w, v) = (Val::Real(-1.5), pair(*x, *y));
            let at = &paper.entry.param;
            let literal = reverse(&mut supply, &w.to_term(), &v.to_term(), at, &trace, 1 << 17);
            let linear = sweep(&mut supply, &w, &v, at, &trace).unwrap();
            let partial = |dx: f64, dy: f64| {
                let f = def(&program, "f");
                let answer = jvp_complex_step(&program, f, &[data(*x, *y)], &[dx, dy]);
                -1.5 * answer.unwrap().1[0]
            };
            let truth = [partial(1.0, 0.0), partial(0.0, 1.0)];
            if let Some(literal) = literal {
                close(&closed(&supply, &literal).reals(), &truth, &name);
                literals += 1;
            }
            close(&closed(&supply, &linear).reals(), &truth, &name);
        }
    }
    assert!(literals >= 12, "only {literals} by figure 6");
}

fn evaluated(text: &str) -> Val {
    let program = source(text);
    let paper = paper(&program, def(&program, "f")).unwrap();
    value_of(&paper, &paper.entry.body, &Val::Tuple(Rc::new(vec![]))).unwrap()
}

#[test]
fn nested_derivatives_of_the_paper_are_one() {
    let first = "def f : Real =
      (vjp (\\($x : Real) -> mul $x ((vjp (\\($y : Real) -> add $x $y) 1.0).1 1.0)) 1.0).1 1.0";
    assert_eq!(evaluated(first), Val::Real(1.0));
    let second = "def f : Real =
      let rec $g : Real -> Real = \\($x : Real) -> (vjp (\\($y : Real) -> add $x $y) 1.0).1 1.0 in
      (vjp (\\($z : Real) -> add $z ($g $z)) 1.0).1 1.0";
    assert_eq!(evaluated(second), Val::Real(1.0));
}

#[test]
fn derivatives_nest_to_the_second_order() {
    let text = "def g : Real -> Real = \\($x : Real) -> mul (mul $x $x) $x
def g1 : Real -> Real = \\($x1 : Real) -> (vjp @g $x1).1 1.0
def f : Real = (vjp @g1 1.5).1 1.0";
    close(&evaluated(text).reals(), &[9.0], "6x");
}

/// A function of one number, and its derivatives up to an order: the last is `f`.
fn tower(body: &str, order: usize) -> String {
    let name = |at: usize| if at == order { "f".to_owned() } else { format!("g{at}") };
    let mut text = format!("def {} : Real -> Real = \\($x : Real) -> {body}\n", name(0));
    for at in 1..=order {
        let (own, last) = (name(at), name(at - 1));
        text.push_str(&format!(
            "def {own} : Real -> Real = \\($x{at} : Real) -> (vjp @{last} $x{at}).1 1.0\n"
        ));
    }
    text
}

#[test]
fn an_order_of_derivatives_multiplies_the_trace_by_a_constant() {
    // The derivatives of x³, and of exp(2x), at 1.5.
    let (cube, exp) = ("mul (mul $x $x) $x", "exp (mul 2.0 $x)");
    let cubic = [3.375, 6.75, 9.0, 6.0, 0.0, 0.0, 0.0].to_vec();
    let exponential: Vec<f64> = (0..7).map(|order| 2f64.powi(order) * 3f64.exp()).collect();
    deep(move || {
        for (body, truth) in [(cube, cubic), (exp, exponential)] {
            let mut sizes = vec![];
            for (order, truth) in truth.into_iter().enumerate() {
                let program = source(&tower(body, order));
                let paper = paper(&program, def(&program, "f")).expect("a program of the paper");
                let (supply, trace) = trace_at(&paper, &Val::Real(1.5)).expect("a trace");
                let mut supply = supply.clone();
                let mut run = Run::new(&mut supply, false);
                run.bind(&paper.entry.param, &Val::Real(1.5));
                let value = run.evaluate(&Functions::default(), &trace).expect("a value");
                close(&value.reals(), &[truth], body);
                sizes.push(trace.size());
            }
            let grows = sizes.windows(2).all(|pair| pair[1] <= 10 * pair[0]);
            assert!(grows, "{body}: {sizes:?}");
        }
    });
}

/// `letrec g(x) = if x > 100 then x else g(x * x)` at 1.5: four nested calls.
const SQUARES: &str = "def f : Real -> Real = \\($x : Real) ->
  if gt $x 100.0 then $x else @f (mul $x $x)";

#[test]
fn bounded_recursion_agrees_once_the_bound_suffices() {
    // Figure 8 and Lemma 6.6.
    let program = source(SQUARES);
    let whole = paper(&program, def(&program, "f")).unwrap();
    let at = Val::Real(1.5);
    let call = |paper: &Paper| {
        let term = Term::Call(paper.entry.name, Box::new(at.to_term()));
        value_of(paper, &term, &at)
    };
    let truth = call(&whole).unwrap();
    for fuel in 0..8 {
        let paper = paper(&program, def(&program, "f")).unwrap().approximant(fuel);
        match call(&paper) {
            Ok(value) => assert!(fuel >= 5 && value == truth, "{fuel}: {value:?}"),
            Err(stuck) => assert!(fuel < 5 && stuck == Stuck::Fuel(whole.entry.name), "{fuel}"),
        }
    }
}

#[test]
fn figure_6_doubles_with_every_let_and_the_sweep_does_not() {
    let sizes = |depth: usize| {
        let mut text = "def f : Real -> Real = \\($x0 : Real) ->\n".to_owned();
        for level in 1..=depth {
            let last = level - 1;
            text.push_str(&format!("let $x{level} : Real = mul $x{last} $x{last} in\n"));
        }
        text.push_str(&format!("$x{depth}"));
        let program = source(&text);
        let paper = paper(&program, def(&program, "f")).unwrap();
        let (mut supply, trace) = trace_at(&paper, &Val::Real(1.01)).unwrap();
        let (w, v) = (Val::Real(1.0), Val::Real(1.01));
        let at = &paper.entry.param;
        let literal = reverse(&mut supply, &w.to_term(), &v.to_term(), at, &trace, 1 << 22);
        let linear = sweep(&mut supply, &w, &v, at, &trace).unwrap();
        (literal.unwrap().size(), linear.size())
    };
    let (small, large) = (sizes(3), sizes(6));
    assert!(large.0 > 8 * small.0, "{small:?} {large:?}");
    assert!(large.1 < 3 * small.1, "{small:?} {large:?}");
}

#[test]
fn shows_terms_and_steps() {
    let program = source("def f : Real -> Real = \\($x : Real) -> mul $x $x");
    let f = def(&program, "f");
    let terms = show_terms(&program, f, &Value::Real(3.0), Letter::default()).unwrap().unwrap();
    assert!(terms.contains("1.mul_r(x, x)") && terms.contains("value: 6"), "{terms}");
    let steps = show_run(&program, f, Value::Real(3.0), Letter::default()).unwrap();
    assert!(steps.contains("    1  x * x ⤳ x * x") && steps.contains("derivative 6"), "{steps}");
    let foreign = source("def f : Real -> Real = \\($x : Real) -> sum [$x, $x]");
    let f = def(&foreign, "f");
    assert!(show_terms(&foreign, f, &Value::Real(3.0), Letter::default()).is_none());
    assert_eq!(
        show_run(&foreign, f, Value::Real(3.0), Letter::default()).unwrap_err().code,
        "E0717"
    );
}

#[test]
fn steps_are_shown_with_bounded_recursion() {
    let program = source(SQUARES);
    let f = def(&program, "f");
    let plain = show_run(&program, f, Value::Real(1.5), Letter::default()).unwrap();
    // The fifth call of `f` inside itself is the last.
    for fuel in 0..8 {
        let letter = Letter { fuel: Some(fuel), ..Letter::default() };
        match show_run(&program, f, Value::Real(1.5), letter) {
            Ok(steps) => assert!(fuel >= 5 && steps == plain, "{fuel}: {steps}"),
            Err(fault) => assert!(fuel < 5 && fault.code == "E0708", "{fuel}: {fault:?}"),
        }
    }
}

/// `letrec f(x) = if x > n then x else f(x + 1)`
fn counting(n: f64) -> Program {
    source(&format!(
        "def f : Real -> Real = \\($x : Real) -> if gt $x {n:?} then $x else @f (add $x 1.0)"
    ))
}

fn trace_of(program: &Program, at: f64) -> Result<String, Box<Diagnostic>> {
    show_trace(program, def(program, "f"), Value::Real(at), Letter::default())
}

fn steps_of(program: &Program, at: f64) -> Result<String, Box<Diagnostic>> {
    show_run(program, def(program, "f"), Value::Real(at), Letter::default())
}

#[test]
fn a_long_trace_is_shown_as_a_term_or_as_the_record() {
    let term = trace_of(&counting(2000.0), 0.0).unwrap();
    assert!(term.starts_with("trace term C, x:real = 0:"), "{term}");
    assert!(term.contains("as in figure 6: more than 20000 nodes, not shown"), "{term}");
    // More bindings than a trace term may have, deeper than its evaluation may nest.
    let record = trace_of(&counting(30000.0), 0.0).unwrap();
    assert!(record.starts_with("v0 = input               = 0.0\nv1 = add v0 1.0          = 1.0"));
    let fault = steps_of(&counting(30000.0), 0.0).unwrap_err();
    assert!(fault.code == "E0717", "{fault:?}");
}

#[test]
fn a_trace_without_end_runs_out_of_memory() {
    let fault = trace_of(&counting(f64::INFINITY), 0.0).unwrap_err();
    assert!(fault.code == "E0709", "{fault:?}");
    assert!(!fault.hints[0].text.contains("--max-memory"), "the stage has no such option");
}

#[test]
fn steps_call_variables_as_the_terms_do() {
    let text = "def f : Real -> Real = \\($x : Real) -> mul (sin (mul $x $x)) (add $x 1.0)";
    let program = source(text);
    let (term, steps) = (trace_of(&program, 2.0).unwrap(), steps_of(&program, 2.0).unwrap());
    for binding in ["v:real = x * x", "v_2:real = sin(v)", "v_3:real = x + 1"] {
        assert!(term.contains(&format!("let {binding} in")), "{term}");
        assert!(steps.contains(&format!("E[…] ⤳ let {binding} in E[")), "{steps}");
    }
    // The cotangent of each variable is called after it.
    assert!(term.contains("let v̄_2:real =") && term.contains("let x̄:real ="), "{term}");
}
