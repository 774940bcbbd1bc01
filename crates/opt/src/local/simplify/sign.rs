//! Sign analysis (Cousot & Cousot 1977): which Reals are surely not below zero, and which branch that decides.
//!
//! ```text
//! a.1 = exp(x.0)        +0, more, or NaN
//! b.2 = add(a.1, a.1)   so is a sum of two of these;  lt(b.2, 0.0) is false
//! ```
//!
//! Input: an atom, or a loop whose states may be of one sign. Output: whether a Real is `+0`, more, or NaN
//! (`is_unsigned`), and the law that makes a quotient of the guarded derivative of a logarithm.
//!
//! Invariants: operations are followed to a bounded depth (`DEEPEST`). States of a loop are taken to have no sign
//! together, and leave that set one by one until each step keeps what it assumes.

use pullback_ir::{Atom, Loop, Op, Stmt, Type};
use pullback_prim::Prim;

use super::scalar::{DEEPEST, prim_op};
use super::{New, Simplify};

impl Simplify<'_> {
    /// if x > 0 { 1 / x } else { exp(-log x) } = 1 / x where x is nothing below 0. So the derivative of a logarithm, which
    /// is NaN below 0, is a quotient. At 0 both ways are infinite with all their derivatives, and NaN is NaN.
    pub(super) fn sign_law(&self, stmt: &Stmt) -> Option<New> {
        let Op::If(cond, then, other) = &stmt.op else { return None };
        let &[x, Atom::Real(0.0)] = self.operands(*cond, Prim::Gt)? else { return None };
        let (&[reciprocal], &[power]) = (then.results.as_slice(), other.results.as_slice()) else {
            return None;
        };
        let log = *self.operands(*self.operands(power, Prim::Exp)?.first()?, Prim::Neg)?.first()?;
        let quotient = [Atom::Real(1.0), x];
        let is_pure = |stmt: &Stmt| matches!(&stmt.op, Op::Prim(prim, _) if prim.row().is_pure());
        let is_law = self.operands(reciprocal, Prim::Div)? == quotient
            && self.operands(log, Prim::Log)? == [x]
            && then.stmts.iter().chain(&other.stmts).all(is_pure)
            && self.is_unsigned(x, DEEPEST);
        if is_law { prim_op(Prim::Div, &quotient) } else { None }
    }

    /// Whether a Real is surely +0, more, or NaN; `depth` bounds the operations that are followed.
    fn is_unsigned(&self, atom: Atom, depth: usize) -> bool {
        let var = match atom {
            Atom::Real(x) => return x.is_nan() || x.is_sign_positive(),
            Atom::Var(var) => var,
            Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => return false,
        };
        if self.unsigned.contains(&var) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let of = |atom: Atom| self.is_unsigned(atom, depth);
        let (prim, args) = match self.def(atom) {
            Some(Op::Prim(prim, args)) => (prim, args),
            Some(Op::Select(_, a, b)) => return of(*a) && of(*b),
            _ => return false,
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match prim {
            Prim::Exp | Prim::Abs | Prim::Sigmoid | Prim::Hypot | Prim::Sech2 | Prim::Cosh => true,
            Prim::Sqrt => self.is_never_negative_zero(args[0], depth),
            Prim::Mul if args[0] == args[1] => true,
            Prim::Add | Prim::Mul | Prim::Div | Prim::Min => of(args[0]) && of(args[1]),
            Prim::Max => of(args[0]) || of(args[1]),
            _ => false,
        }
    }

    /// Notes the states of a loop that are never below +0: they begin so, and each step keeps them so if all of them
    /// are.
    pub(super) fn unsigned_states(&mut self, stmt: &Stmt, repeat: &Loop) {
        let Loop { states, init, body, .. } = repeat;
        let mut places: Vec<usize> = (0..states.len())
            .filter(|at| self.program.vars[states[*at]].ty == Type::REAL)
            .filter(|at| self.is_unsigned(init[*at], DEEPEST))
            .collect();
        self.unsigned.extend(places.iter().map(|at| states[*at]));
        while let Some(nth) =
            places.iter().position(|at| !self.is_unsigned(body.results[*at], DEEPEST))
        {
            let at = places.swap_remove(nth);
            self.unsigned.remove(&states[at]);
        }
        self.unsigned.extend(places.iter().map(|at| stmt.vars[*at]));
    }
}
