//! Scalar replacement of accumulators: one of a few numbers, added to at constant places, becomes one for each
//! number.
//!
//! ```text
//! acc = new_acc(z)                 p = z[0]
//! acc[1] += x                      q = z[1]
//! r = read_acc(acc)                acc_0 = new_acc(p)
//!                            =>    acc_1 = new_acc(q)
//!                                  acc_1 += x
//!                                  s = read_acc(acc_0)
//!                                  t = read_acc(acc_1)
//!                                  r = [s, t]
//! ```
//!
//! Law: every number keeps its bits, and its terms their order. It applies to one-dimensional accumulators of Reals
//! of a known size of at most 16, to which all additions are at constant places inside, or as a whole. One that is
//! added to at a computed place, or of which a part is taken, stays.

use std::rc::Rc;

use pullback_ir::{Atom, Block, Elem, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::constants::Constants;
use pullback_analysis::lattice::Flat;
use pullback_analysis::zeros::Zeros;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "scalarise_accumulators",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes an accumulator for each number of a small array that is added to at known places",
    law: "a = new_acc([x, y]); a[1] += v; read_acc(a) = b = new_acc(y); b += v; [x, read_acc(b)]",
    run,
};

/// The most numbers of such an accumulator.
const MOST: i64 = 16;

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let constants = analyses.constants(program, roots);
    each_func(program, |program, func, body| {
        let split = chosen(program, &constants, body);
        let changed = !split.is_empty();
        if changed {
            let zeros = analyses.zeros(func, body);
            let scalars = FxHashMap::default();
            Scalarise { program, split, scalars, zeros }.block(body);
        }
        changed
    })
}

/// The accumulators that become several, with the number of their elements.
fn chosen(program: &Program, constants: &Constants, body: &Block) -> FxHashMap<VarId, i64> {
    let mut chosen = FxHashMap::default();
    body.visit(&mut |stmt| {
        if let (Op::NewAcc(_), &[acc]) = (&stmt.op, stmt.vars.as_slice())
            && let [Flat::Is(n @ 1..=MOST)] = *constants.sizes(acc)
            && program.vars[acc].ty.elem == Elem::Real
        {
            chosen.insert(acc, n);
        }
    });
    body.visit(&mut |stmt| {
        let is_known = if let Op::AddAcc(Atom::Var(acc), at, _) = &stmt.op {
            match (at.as_slice(), chosen.get(acc)) {
                ([Atom::Int(at)], Some(n)) => (0..*n).contains(at),
                (at, _) => at.is_empty(),
            }
        } else {
            matches!(stmt.op, Op::ReadAcc(_))
        };
        if !is_known {
            stmt.op.for_each_atom(&mut |atom| {
                if let Atom::Var(var) = atom {
                    chosen.remove(&var);
                }
            });
        }
    });
    chosen
}

struct Scalarise<'p> {
    program: &'p mut Program,
    split: FxHashMap<VarId, i64>,
    /// The accumulators that each has become.
    scalars: FxHashMap<VarId, Vec<VarId>>,
    zeros: Rc<Zeros>,
}

impl Scalarise<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            if !self.replaces(&stmt, &mut block.stmts) {
                block.stmts.push(stmt);
            }
        }
    }

    /// Writes the statements that replace one, if it is about a split accumulator; whether it is.
    fn replaces(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> bool {
        let span = stmt.span;
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::NewAcc(init), &[acc]) if self.split.contains_key(&acc) => {
                let ty = self.program.vars[acc].ty.with_rank(0);
                let scalars = (0..self.split[&acc]).map(|at| {
                    let first = self.element(*init, at, stmt, out);
                    let scalar = self.program.fresh_like(acc);
                    self.program.vars[scalar].ty = ty;
                    out.push(Stmt::new(vec![scalar], Op::NewAcc(first), span));
                    scalar
                });
                let scalars = scalars.collect();
                self.scalars.insert(acc, scalars);
            }
            (Op::AddAcc(Atom::Var(acc), at, value), _) if self.scalars.contains_key(acc) => {
                let scalars = self.scalars[acc].clone();
                let at = if let [Atom::Int(at)] = at[..] { Some(at) } else { None };
                for (nth, scalar) in (0..).zip(scalars) {
                    if at.is_none_or(|at| at == nth) {
                        let value = match at {
                            Some(_) => *value,
                            None => self.element(*value, nth, stmt, out),
                        };
                        out.push(Stmt::new(vec![], Op::AddAcc(scalar.into(), vec![], value), span));
                    }
                }
            }
            (Op::ReadAcc(Atom::Var(acc)), &[var]) if self.scalars.contains_key(acc) => {
                let ty = self.program.vars[var].ty.with_rank(0);
                let mut items = vec![];
                for scalar in self.scalars[acc].clone() {
                    let item = self.program.fresh_like(var);
                    self.program.vars[item].ty = ty;
                    out.push(Stmt::new(vec![item], Op::ReadAcc(scalar.into()), span));
                    items.push(item.into());
                }
                out.push(Stmt::new(vec![var], Op::Array(items), span));
            }
            _ => return false,
        }
        true
    }

    fn element(&mut self, array: Atom, at: i64, stmt: &Stmt, out: &mut Vec<Stmt>) -> Atom {
        if self.zeros.has(array) {
            return Atom::Real(0.0);
        }
        let ty = self.program.type_of(array).with_rank(0);
        let element = self.program.fresh("element", ty);
        out.push(Stmt::new(vec![element], Op::Index(array, vec![Atom::Int(at)]), stmt.span));
        element.into()
    }
}
