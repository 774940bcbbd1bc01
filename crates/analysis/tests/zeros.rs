//! Which variables are zeros, and how many of them; where accumulators begin; and what hands zeros on.

use pullback_analysis::zeros::{
    Extent, Zeros, begins_with_zeros, hands_on, is_either_zero, is_zero,
};
use pullback_base::{FileId, Id};
use pullback_ir::{Atom, Op, Program, VarId, parse};
use rustc_hash::FxHashMap;

const PROGRAM: &str = "\
fn @f.0(x.0: []f64, m.1: [][]f64, n.2: i64) -> []f64, [][]f64, f64 {
  like.3: []f64 = zero(x.0)
  fill.4: []f64 = for i.5 < n.2 { collect 0.0 }
  minus.6: []f64 = for i.7 < n.2 { collect -0.0 }
  ones.8: []f64 = for i.9 < n.2 { collect 1.0 }
  rows.10: [][]f64 = for i.11 < n.2 {
    row.12: []f64 = for j.13 < 3 { collect 0.0 }
    collect row.12
  }
  other.14: [][]f64 = for i.15 < n.2 { collect ones.8 }
  copy.16: []f64 = fill.4
  state.17: f64 = for i.18 < n.2 with s.19: f64 = 1.0 { yield 0.0 }
  number.20: f64 = 0.0
  acc.21: acc []f64 = new_acc(like.3)
  acc.21[0] += 1.0
  sums.22: []f64 = read_acc(acc.21)
  begun.23: acc [][]f64 = new_acc(m.1)
  part.24: acc []f64 = begun.23[0]
  part.24 += sums.22
  read.25: [][]f64 = read_acc(begun.23)
  scalar.26: acc f64 = new_acc(0.0)
  scalar.26 += number.20
  total.27: f64 = read_acc(scalar.26)
  yield sums.22, read.25, total.27
}
";

fn program() -> Program {
    parse(PROGRAM, FileId(0)).expect("a program")
}

/// The variable of a name that only one has.
fn var(program: &Program, name: &str) -> Atom {
    let named = program.vars.iter_enumerated().find(|(_, var)| &*var.name == name);
    Atom::Var(named.expect("a variable of this name").0)
}

#[test]
fn zeros_are_fills_copies_and_rows_of_them_to_the_bit() {
    let program = program();
    let zeros = Zeros::of(&program.funcs.iter().next().expect("a function").body);
    let extent = |name| zeros.extent(var(&program, name));
    assert_eq!(extent("like"), Some(Extent::Like(var(&program, "x"))));
    assert_eq!(extent("fill"), Some(Extent::Count(var(&program, "n"))));
    assert_eq!(extent("row"), Some(Extent::Count(Atom::Int(3))));
    assert_eq!(extent("rows"), Some(Extent::Count(var(&program, "n"))));
    assert_eq!(extent("copy"), extent("fill"));
    assert_eq!(extent("number"), Some(Extent::Unknown));
    for name in ["minus", "ones", "other", "state", "sums", "x"] {
        assert_eq!(extent(name), None, "{name}");
        assert!(!zeros.has(var(&program, name)));
    }
    assert!(zeros.has(Atom::Real(0.0)) && !zeros.has(Atom::Real(-0.0)));
}

#[test]
fn an_accumulator_and_its_parts_begin_with_what_it_is_made_of() {
    let program = program();
    let mut ops: FxHashMap<VarId, Op> = FxHashMap::default();
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            ops.extend(stmt.vars.first().map(|var| (*var, stmt.op.clone())));
        });
    }
    let begins = |name| {
        begins_with_zeros(var(&program, name), |atom| atom.var().and_then(|var| ops.get(&var)))
    };
    assert!(begins("acc") && begins("scalar"));
    assert!(!begins("begun") && !begins("part"));
}

#[test]
fn a_zero_of_either_sign_is_handed_on() {
    assert!(is_zero(Atom::Real(0.0)) && !is_zero(Atom::Real(-0.0)) && !is_zero(Atom::Int(0)));
    assert!(is_either_zero(Atom::Real(-0.0)) && !is_either_zero(Atom::Real(f64::NAN)));
    let [zero, other] = [0, 1].map(|at| Atom::Var(VarId::from_index(at)));
    let gives = |op: &Op| hands_on(op, |atom| atom == zero || is_either_zero(atom));
    let prim = |prim, args: &[Atom]| gives(&Op::Prim(prim, args.to_vec()));
    use pullback_prim::Prim;
    assert!(gives(&Op::MulZero(zero, other)) && !gives(&Op::MulZero(other, zero)));
    assert!(gives(&Op::Select(other, zero, Atom::Real(-0.0))));
    assert!(!gives(&Op::Select(zero, zero, other)));
    assert!(prim(Prim::Neg, &[zero]) && prim(Prim::Sub, &[zero, Atom::Real(0.0)]));
    assert!(!prim(Prim::Add, &[zero, other]));
    // 0 times an infinite number is none.
    assert!(!prim(Prim::Mul, &[zero, other]));
}
