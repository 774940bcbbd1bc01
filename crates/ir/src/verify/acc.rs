//! Discipline of accumulators (an effect with a scope): where they are made, used and read.
//!
//! Input: statements in the order of the sweep. Output: breaches of the rules on accumulators.
//!
//! ```text
//! acc.1: acc []f64 = new_acc(z.0)   acc.1[i.2] += x.3   y.4: []f64 = read_acc(acc.1)     right
//! acc.1: acc []f64 = new_acc(z.0)   if c.5 { y.6: []f64 = read_acc(acc.1) … }            read in another block
//! ```
//!
//! Invariants that the rules keep: an accumulator is never stored, returned or carried by a loop; it is read once, in
//! the block of its `new_acc`; and nothing adds to it or to a part of it afterwards.

use super::{Ctx, VerifierRule};
use crate::program::{Atom, Op, Stmt, VarId};
use crate::ty::{Elem, Type};

impl Ctx<'_> {
    /// Whether accumulators stand where operations take them, and nowhere else.
    pub(super) fn check_acc_operands(&mut self, op: &Op) -> bool {
        // The first operand of these is an accumulator; a call's are what its parameters are.
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these take accumulators")]
        let accumulator = match op {
            Op::AddAcc(a, _, _) | Op::AtAcc(a, _) | Op::PartAcc(a, _, _) | Op::ReadAcc(a) => {
                Some(*a)
            }
            _ => None,
        };
        let (mut first, mut fits) = (accumulator, true);
        let is_call = matches!(op, Op::Call(_, _));
        op.for_each_atom(&mut |atom| {
            let is_acc = self.type_of(atom).is_acc;
            let wants_acc = first.take().is_some();
            if is_acc {
                self.check_not_ended(atom);
            }
            if is_acc != wants_acc && !is_call {
                fits = false;
                let what = if is_acc {
                    "an operand is an accumulator"
                } else {
                    "this adds to what is no accumulator"
                };
                self.breach(VerifierRule::AccOperands, what);
            }
        });
        fits
    }

    /// The accumulator that an accumulator is, or is a part of.
    fn whole(&self, acc: Atom) -> Option<VarId> {
        let var = acc.var()?;
        Some(self.wholes.get(&var).copied().unwrap_or(var))
    }

    fn check_not_ended(&mut self, acc: Atom) {
        let whole = self.whole(acc);
        let is_ended = whole.is_some_and(|whole| self.ended.contains(&whole));
        self.demand(!is_ended, VerifierRule::AccEnd, |_| "it uses what has been read".to_string());
    }

    /// A new accumulator.
    pub(super) fn check_new_acc(&mut self, stmt: &Stmt, init: Type) {
        let is_vector = match init.elem {
            Elem::Real => true,
            Elem::Data(data) => self.program.datas[data].is_tangent,
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => false,
        };
        self.demand(is_vector, VerifierRule::Operands, |program| {
            format!("{} cannot be accumulated", program.print_type(init))
        });
        self.gives(stmt, &[init.acc()]);
        for var in &stmt.vars {
            self.homes.insert(*var, self.block);
        }
    }

    /// A part of an accumulator.
    pub(super) fn check_acc_part(&mut self, stmt: &Stmt, acc: Atom, part: Type) {
        self.gives(stmt, &[part]);
        if let Some(whole) = self.whole(acc) {
            self.wholes.extend(stmt.vars.iter().map(|var| (*var, whole)));
        }
    }

    /// The end of an accumulator.
    pub(super) fn check_read_acc(&mut self, stmt: &Stmt, acc: Atom) {
        self.gives(stmt, &[self.type_of(acc).value()]);
        let Some(var) = acc.var() else { return };
        let is_home = self.homes.get(&var) == Some(&self.block);
        self.demand(is_home, VerifierRule::AccEnd, |program| {
            format!("{} was not made in this block", program.print_var(var))
        });
        self.ended.insert(var);
    }
}
