//! Which values and sizes are the same in all calls, branches and iterations.

use pullback_analysis::Analyses;
use pullback_analysis::constants::Constant;
use pullback_analysis::lattice::Flat;
use pullback_base::FileId;
use pullback_ir::{Atom, FuncId, Program, VarId, parse};

const PROGRAM: &str = "\
fn @main.0(x.0: f64, n.1: i64) -> f64 {
  a.2: []f64 = [x.0, 1.0]
  b.3: []f64 = [2.0, x.0]
  y.4: f64 = @f.1(a.2, 0.5, 0.0, n.1)
  z.5: f64 = @f.1(b.3, 0.5, -0.0, 3)
  k.6: i64 = dim(a.2, 0)
  w.7: f64 = @g.2(k.6, 1.0)
  s.8: f64 = add(y.4, z.5)
  yield s.8
}

fn @f.1(xs.10: []f64, half.11: f64, zero.12: f64, m.13: i64) -> f64 {
  stop.14: bool = int_le(m.13, 0)
  r.15: f64 = if stop.14 { yield zero.12 } else {
    l.16: i64 = int_sub(m.13, 1)
    q.17: f64 = @f.1(xs.10, half.11, zero.12, l.16)
    yield q.17
  }
  yield r.15
}

fn @g.2(size.20: i64, one.21: f64) -> f64 {
  t.22: f64 = for i.23 < size.20 with u.24: f64 = one.21 { yield u.24 }
  yield t.22
}

fn @unreached.3(v.30: f64) -> f64 {
  w.31: f64 = @g.2(7, v.30)
  yield w.31
}
";

fn named(program: &Program, name: &str) -> VarId {
    let mut vars = program.vars.iter_enumerated();
    vars.find(|(_, var)| &*var.name == name).expect("a variable of this name").0
}

fn literal(atom: Atom) -> Flat<Constant> {
    Flat::Is(Constant::Literal(atom))
}

#[test]
fn parameters_are_constants_if_all_calls_agree_bit_by_bit() {
    let program = parse(PROGRAM, FileId(0)).expect("a program");
    let main: Vec<FuncId> = program.funcs.ids().take(1).collect();
    let constants = Analyses::default().constants(&program, &main);
    let value = |name: &str| constants.value(named(&program, name));
    assert_eq!(value("half"), literal(Atom::Real(0.5)));
    assert_eq!(value("zero"), Flat::Varies);
    assert_eq!(value("m"), Flat::Varies);
    assert_eq!(constants.sizes(named(&program, "xs")), [Flat::Is(2)]);
    // Sizes are numbers, and what comes out of a loop is what it began with if no iteration changes it.
    assert_eq!(constants.number(named(&program, "size")), Some(2));
    assert_eq!(value("t"), literal(Atom::Real(1.0)));
    // A root may be called with anything, and what is not reached calls nobody.
    assert_eq!(value("x"), Flat::Varies);
    assert_eq!(value("v"), Flat::Never);
}

#[test]
fn what_a_call_gives_reaches_callers_and_what_they_call() {
    let text = |second: &str| {
        format!(
            "\
fn @main.0() -> f64 {{
  a.0: f64 = @same.1(1.0)
  b.1: f64 = @outer.2(a.0)
  c.2: f64 = @same.1({second})
  yield b.1
}}

fn @same.1(x.10: f64) -> f64 {{
  yield x.10
}}

fn @outer.2(y.20: f64) -> f64 {{
  inner.21: f64 = @inner.3(y.20)
  yield inner.21
}}

fn @inner.3(z.30: f64) -> f64 {{
  t.31: f64, w.35: f64 = for i.32 < 9 with u.33: f64 = 1.0, v.34: f64 = z.30 {{ yield v.34, v.34 }}
  yield t.31
}}
"
        )
    };
    let found = |second: &str| {
        let program = parse(&text(second), FileId(0)).expect("a program");
        let main: Vec<FuncId> = program.funcs.ids().take(1).collect();
        let constants = Analyses::default().constants(&program, &main);
        ["a", "b", "z", "t"].map(|name| constants.value(named(&program, name)))
    };
    assert_eq!(found("1.0"), [literal(Atom::Real(1.0)); 4]);
    assert_eq!(found("2.0"), [Flat::Varies; 4]);
}

#[test]
fn what_comes_together_is_known_only_if_it_is_the_same() {
    assert_eq!(Flat::Never.join(Flat::Is(3)), Flat::Is(3));
    assert_eq!(Flat::Is(3).join(Flat::Is(3)), Flat::Is(3));
    assert_eq!(Flat::Is(3).join(Flat::Is(4)), Flat::Varies);
    assert_eq!(Flat::Varies.join(Flat::<i64>::Never), Flat::Varies);
    let mut known = Flat::Never;
    assert!(known.learn(Flat::Is(3)));
    assert!(!known.learn(Flat::Never));
}
