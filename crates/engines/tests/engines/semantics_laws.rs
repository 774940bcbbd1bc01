//! Theorems 6.1 and 6.2 and Proposition 3.5 for programs with `rd` inside, with results that are tuples,
//! with recursion, and for random ones; and figure 8 for symbolic evaluation.
//!
//! The oracle is complex-step differentiation of the same function written without `rd`; for random
//! programs with `rd` it is forward mode throughout, of the engine `dual`.

use std::fmt::Write;
use std::rc::Rc;

use crate::semantics::{closed, pair, source, trace_at, value_of};
use crate::support::{def, papers};
use pullback_engines::semantics::{
    Functions, Paper, Run, Stuck, Supply, Term, Val, paper, reverse, sweep,
};
use pullback_engines::{How, engine_named};
use pullback_lambda::Program;
use pullback_oracle::{Data, Entropy, bytes_of_seed, eval_f64, jvp_complex_step, on_machine};

/// Away from all comparisons of these programs by more than the largest distance.
const POINTS: &[(f64, f64)] = &[(0.7, 1.3), (1.1, -0.4), (0.9, 0.55), (-0.6, 1.9)];
const DISTANCES: &[f64] = &[0.0, 1e-9, -1e-6, 1e-4, -1e-3];

/// Checks each program, with its form in the paper, at each point.
fn nested(check: impl Fn(&str, &Program, &Paper, (f64, f64))) {
    for (name, program) in papers(true) {
        let paper = paper(&program, def(&program, "f")).unwrap();
        for at in POINTS {
            check(&name, &program, &paper, *at);
        }
    }
}

fn flat(x: f64, y: f64) -> Data<f64> {
    Data::Tuple(vec![Data::Real(x), Data::Real(y)])
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        let near = (a - b).abs() <= 1e-9 * (1.0 + b.abs()) || a.is_nan() && b.is_nan();
        assert!(near, "{what}: {found:?} is not {expected:?}");
    }
}

fn traced_at(paper: &Paper, trace: &Term, supply: &mut Supply, at: &Val) -> Val {
    let mut run = Run::new(supply, false);
    run.bind(&paper.entry.param, at);
    run.evaluate(&Functions::default(), trace).unwrap()
}

/// Cotangents of a result, different in each component.
fn cotangent(value: &Val) -> Val {
    fn numbered(value: &Val, next: &mut f64) -> Val {
        match value {
            Val::Real(_) => {
                *next *= -1.7;
                Val::Real(*next)
            }
            Val::Tuple(items) => {
                Val::Tuple(Rc::new(items.iter().map(|item| numbered(item, next)).collect()))
            }
        }
    }
    numbered(value, &mut 1.0)
}

#[test]
fn with_derivatives_inside_the_trace_means_the_program_around_the_point() {
    nested(|name, program, paper, (x, y)| {
        let traced = trace_at(paper, &pair(x, y));
        let (supply, trace) = traced.unwrap_or_else(|stuck| panic!("{name}: {stuck:?}"));
        for step in DISTANCES {
            let (x, y) = (x + step, y - 2.0 * step);
            let ordinary = value_of(paper, &paper.entry.body, &pair(x, y)).unwrap();
            let traced = traced_at(paper, &trace, &mut supply.clone(), &pair(x, y));
            near(&traced.reals(), &ordinary.reals(), name);
            let truth = eval_f64(program, def(program, "t"), &[flat(x, y)]).unwrap();
            near(&traced.reals(), &truth.leaves(), name);
        }
    });
}

#[test]
fn with_derivatives_inside_the_derivative_is_that_of_the_function() {
    // Figure 6 was applied by `rd` inside already; once more, most results are too large.
    nested(|name, program, paper, (x, y)| {
        let v = pair(x, y);
        let w = cotangent(&value_of(paper, &paper.entry.body, &v).unwrap());
        let truth = [(1.0, 0.0), (0.0, 1.0)].map(|(dx, dy)| {
            let t = def(program, "t");
            let (_, tangents) = jvp_complex_step(program, t, &[flat(x, y)], &[dx, dy]).unwrap();
            w.reals().iter().zip(tangents).map(|(w, tangent)| w * tangent).sum()
        });
        derivatives(paper, &w, &v, &truth, name);
    });
}

/// Compares both forms of `W.R_V(x. C)` with the truth; how many there are by figure 6, which may be
/// too large.
#[track_caller]
fn derivatives(paper: &Paper, w: &Val, v: &Val, truth: &[f64], what: &str) -> usize {
    let (mut supply, trace) = trace_at(paper, v).unwrap();
    let x = &paper.entry.param;
    let linear = sweep(&mut supply, w, v, x, &trace).unwrap();
    near(&closed(&supply, &linear).reals(), truth, what);
    let literal = reverse(&mut supply, &w.to_term(), &v.to_term(), x, &trace, 1 << 14);
    let Some(literal) = literal else { return 0 };
    near(&closed(&supply, &literal).reals(), truth, what);
    1
}

/// A random first-order program: `g`, which `f` may call, and `f`, both of two Reals.
struct Made<'e> {
    entropy: Entropy<'e>,
    text: String,
    fresh: usize,
    /// Whether `rd` may occur.
    rd: bool,
    call: bool,
}

impl Made<'_> {
    fn program(bytes: &[u8], rd: bool) -> String {
        let entropy = Entropy::new(bytes);
        let mut made = Made { entropy, text: String::new(), fresh: 0, rd, call: false };
        for name in ["g", "f"] {
            let head =
                format!("def {name} : (Real, Real) -> Real = \\(${name}p : (Real, Real)) -> ");
            let scope = vec![format!("${name}p.0"), format!("${name}p.1")];
            let body = made.real(&scope, 4);
            let _ = writeln!(made.text, "{head}{body}");
            made.call = true;
        }
        made.text.push_str(
            "def df : ((Real, Real), (Real, Real)) -> Real = \\($a : ((Real, Real), (Real, Real))) ->
               (jvp @f $a.0 $a.1).1\n",
        );
        made.text
    }

    /// A term that is smooth everywhere except where an executed comparison is a tie.
    fn real(&mut self, scope: &[String], depth: usize) -> String {
        let leaf = |made: &mut Self| scope[made.entropy.below(scope.len())].clone();
        if depth == 0 {
            return leaf(self);
        }
        let choice = self.entropy.below(if self.rd { 12 } else { 10 });
        let part = |made: &mut Self| made.real(scope, depth - 1);
        match choice {
            0 => leaf(self),
            1 => format!("{:?}", self.entropy.uneven()),
            2 => format!("(add {} {})", part(self), part(self)),
            3 => format!("(mul {} {})", part(self), part(self)),
            4 => {
                let name = ["sin", "cos", "tanh", "sigmoid", "neg"][self.entropy.below(5)];
                format!("({name} {})", part(self))
            }
            5 => {
                let (a, b) = (part(self), part(self));
                format!("(div {a} (add 2.0 (sin {b})))")
            }
            6 => {
                let (a, b) = (part(self), part(self));
                let (then, other) = (part(self), part(self));
                format!("(if lt {a} (add 0.1234567 {b}) then {then} else {other})")
            }
            7 if self.call => format!("(@g ({}, {}))", part(self), part(self)),
            7 | 8 => {
                let value = part(self);
                let (var, inner) = self.extended(scope, "");
                format!("(let {var} : Real = {value} in {})", self.real(&inner, depth - 1))
            }
            9 => {
                let (a, b) = (part(self), part(self));
                self.fresh += 1;
                let var = format!("$t{}", self.fresh);
                let inner = vec![format!("{var}.0"), format!("{var}.1"), leaf(self)];
                let body = self.real(&inner, depth - 1);
                format!("(let {var} : (Real, Real) = ({a}, {b}) in {body})")
            }
            _ => {
                let (at, w) = (part(self), part(self));
                let (var, inner) = self.extended(scope, "");
                let body = self.real(&inner, depth.min(3) - 1);
                format!("((vjp (\\({var} : Real) -> {body}) {at}).1 {w})")
            }
        }
    }

    fn extended(&mut self, scope: &[String], suffix: &str) -> (String, Vec<String>) {
        self.fresh += 1;
        let var = format!("$v{}", self.fresh);
        // The new variable is as likely as all others together.
        let repeated = vec![format!("{var}{suffix}"); scope.len()];
        (var, scope.iter().cloned().chain(repeated).collect())
    }
}

fn random(seeds: std::ops::Range<u64>, rd: bool) -> Vec<(String, Program)> {
    let made = |seed| {
        let text = Made::program(&bytes_of_seed(seed, 200), rd);
        let program = source(&text);
        (text, program)
    };
    seeds.map(made).collect()
}

#[test]
fn random_programs_have_the_trace_and_the_derivative_of_the_theorems() {
    let mut literals = 0;
    for (text, program) in random(0..60, false) {
        let f = def(&program, "f");
        let paper = paper(&program, f).unwrap();
        for (x, y) in [(0.37, -0.81), (1.45, 0.62)] {
            let v = pair(x, y);
            let (supply, trace) = trace_at(&paper, &v).unwrap();
            let truth = eval_f64(&program, f, &[flat(x, y)]).unwrap();
            let ordinary = value_of(&paper, &paper.entry.body, &v).unwrap();
            assert_eq!(ordinary, closed_at(&paper, &supply, &trace, &v), "{text}");
            near(&ordinary.reals(), &truth.leaves(), &text);
            let partial = |dx, dy| {
                let answer = jvp_complex_step(&program, f, &[flat(x, y)], &[dx, dy]);
                -1.5 * answer.unwrap().1[0]
            };
            let truth = [partial(1.0, 0.0), partial(0.0, 1.0)];
            literals += derivatives(&paper, &Val::Real(-1.5), &v, &truth, &text);
        }
    }
    assert!(literals >= 25, "only {literals} by figure 6");
}

fn closed_at(paper: &Paper, supply: &Supply, trace: &Term, at: &Val) -> Val {
    traced_at(paper, trace, &mut supply.clone(), at)
}

#[test]
fn random_programs_with_derivatives_inside_agree_with_forward_mode() {
    let dual = engine_named("dual").expect("an engine of the table");
    let How::Runtime(dual) = dual.how else { panic!("an evaluator") };
    let mut compared = 0;
    for (text, program) in random(1000..1040, true) {
        let (f, df) = (def(&program, "f"), def(&program, "df"));
        let paper = paper(&program, f).unwrap();
        let (x, y) = (0.37, -0.81);
        let v = pair(x, y);
        let ordinary = match value_of(&paper, &paper.entry.body, &v) {
            // Figure 6 at every level may be too large to follow.
            Err(Stuck::Trace | Stuck::Steps) => continue,
            other => other.unwrap(),
        };
        let (supply, trace) = trace_at(&paper, &v).unwrap();
        near(&closed_at(&paper, &supply, &trace, &v).reals(), &ordinary.reals(), &text);
        let truth = on_machine(&program, f, &[flat(x, y)], dual()).unwrap();
        near(&ordinary.reals(), &truth.leaves(), &text);
        let partial = |dx, dy| {
            let arg = Data::Tuple(vec![flat(x, y), flat(dx, dy)]);
            on_machine(&program, df, &[arg], dual()).unwrap().leaves()[0]
        };
        let truth = [partial(1.0, 0.0), partial(0.0, 1.0)];
        derivatives(&paper, &Val::Real(1.0), &v, &truth, &text);
        compared += 1;
    }
    assert!(compared >= 30, "only {compared}");
}

/// Proposition 3.5: `M ⇒ V` exactly if `M ⤳ C` and `C ⇒ V`; whether there is a value.
#[track_caller]
fn interpolated(paper: &Paper, at: &Val, what: &str) -> Result<Val, Stuck> {
    let ordinary = value_of(paper, &paper.entry.body, at);
    let through = trace_at(paper, at).map(|(supply, trace)| closed_at(paper, &supply, &trace, at));
    match (&ordinary, &through) {
        (Ok(a), Ok(b)) => near(&a.reals(), &b.reals(), what),
        (Err(_), Err(_)) => {}
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{what}: {ordinary:?} but {through:?}"),
    }
    ordinary
}

#[test]
fn there_is_a_trace_exactly_where_there_is_a_value() {
    nested(|name, program, whole, (x, y)| {
        let mut values = vec![];
        for fuel in [0, 1, 2, 3, 5, 8, 13, 23] {
            let paper = paper(program, def(program, "f")).unwrap().approximant(fuel);
            values.extend(interpolated(&paper, &pair(x, y), name).ok());
        }
        // Lemmas 6.5 and 6.6: from some bound on there is one, always the same.
        let whole = interpolated(whole, &pair(x, y), name).unwrap();
        assert!(!values.is_empty() && values.iter().all(|value| *value == whole), "{name}");
    });
    let diverging = "def f : Real -> Real = \\($x : Real) ->
      if lt $x 0.0 then $x else (vjp (\\($y : Real) -> @f (mul $y $y)) $x).1 1.0";
    let program = source(diverging);
    let paper = paper(&program, def(&program, "f")).unwrap();
    assert_eq!(interpolated(&paper, &Val::Real(-1.0), diverging), Ok(Val::Real(-1.0)));
    assert!(interpolated(&paper, &Val::Real(1.0), diverging).is_err());
}

#[test]
fn bounded_recursion_bounds_symbolic_evaluation_and_derivatives_inside() {
    // Figure 8 for ⤳: own(1) enters own(3) inside `rd`, and that own(5), so three calls nest.
    let text = "def f : Real -> Real = \\($x : Real) ->
      if gt $x 4.0 then mul $x $x else mul $x ((vjp @f (add $x 2.0)).1 1.0)";
    let program = source(text);
    let whole = paper(&program, def(&program, "f")).unwrap();
    // 1 · d/dx (x · 2 (x + 2)) at 3.
    assert_eq!(value_of(&whole, &whole.entry.body, &Val::Real(1.0)), Ok(Val::Real(16.0)));
    for fuel in 0..6 {
        let paper = paper(&program, def(&program, "f")).unwrap().approximant(fuel);
        let term = Term::Call(paper.entry.name, Box::new(Term::Real(1.0)));
        let mut supply = paper.supply.clone();
        let mut run = Run::new(&mut supply, false);
        let functions = Functions::of(&paper.functions, &paper.entry);
        match run.symbolic(&functions, &term) {
            Ok(trace) => {
                assert!(fuel >= 3, "{fuel}");
                assert_eq!(closed(&supply, &trace), Val::Real(16.0));
            }
            Err(stuck) => assert!(fuel < 3 && stuck == Stuck::Fuel(paper.entry.name), "{fuel}"),
        }
        let ordinary = value_of(&paper, &term, &Val::Real(1.0));
        assert_eq!(ordinary.is_ok(), fuel >= 3, "{fuel}");
    }
}
