//! To which places values go, and which variables take theirs from one.

use pullback_analysis::flow::{Place, arrivals, departures, returns};
use pullback_base::FileId;
use pullback_ir::{Atom, Program, VarId, parse};

const PROGRAM: &str = "\
fn @main.0(a.0: f64, n.1: i64, p.2: bool) -> f64 {
  y.3: f64 = @f.1(a.0, 2.0)
  s.4: f64, rows.5: []f64 = for i.6 < n.1 with t.7: f64 = y.3 {
    u.8: f64 = if p.2 { yield t.7 } else { yield 1.0 }
    yield u.8
    collect t.7
  }
  yield s.4
}

fn @f.1(x.10: f64, z.11: f64) -> f64 {
  yield x.10
}
";

fn var(program: &Program, var: VarId) -> String {
    format!("{}", program.vars[var].name)
}

fn atom(program: &Program, atom: Atom) -> String {
    match atom {
        Atom::Var(of) => var(program, of),
        Atom::Real(x) => format!("{x:.1}"),
        Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => "?".to_owned(),
    }
}

fn place(program: &Program, place: Place) -> String {
    match place {
        Place::Var(of) => var(program, of),
        Place::Result(func, at) => format!("{}/{at}", program.funcs[func].name),
    }
}

#[test]
fn values_go_to_parameters_states_and_results_and_come_from_there() {
    let program = parse(PROGRAM, FileId(0)).expect("a program");
    let mut flows = vec![];
    for (id, func) in program.funcs.iter_enumerated() {
        func.body.visit(&mut |stmt| {
            arrivals(&program, stmt, &mut |from, to, way| {
                let (from, to) = (atom(&program, from), place(&program, to));
                flows.push(format!("{from} → {to} {way:?}"));
            });
            departures(stmt, &mut |to, from| {
                let (to, from) = (var(&program, to), place(&program, from));
                flows.push(format!("{from} → {to}"));
            });
        });
        returns(id, func, &mut |from, to, way| {
            let (from, to) = (atom(&program, from), place(&program, to));
            flows.push(format!("{from} → {to} {way:?}"));
        });
    }
    let expected = [
        "a → x Argument",
        "2.0 → z Argument",
        "f/0 → y",
        "y → t First",
        "u → t Next",
        "t → rows Row",
        "t → s",
        "t → u Branch",
        "1.0 → u Branch",
        "s → main/0 Return",
        "x → f/0 Return",
    ];
    assert_eq!(flows, expected);
}
