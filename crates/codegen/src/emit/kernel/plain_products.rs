//! Speculation on finite numbers: sums of strong products (`mul_zero`, which is 0 where its first factor is, whatever
//! the other is) are added up as plain products, and once more as what they are if that gives NaN.
//!
//! ```text
//! IR  for k.11 < m.1 with s.12 = 0.0 { …; z.18 = mul_zero(x.14, y.17); next.19 = add(s.12, z.18); yield next.19 }
//! C   for (…) { …; k18 = PB_OP(k14, *, k17); k12 = PB_OP(k12, +, k18); }    const pb_v sum1 = k12;
//! C   if (PB_RARE(pb_some(PB_CMP(sum1, !=, sum1)))) { k12 = 0.0;  for (…) { …; k18 = pb_v_mul_zero(k14, k17); … } }
//! ```
//!
//! It applies to a loop with a count, inside one across lanes and in full vectors, that adds up products and does
//! nothing else: every statement in it hands on a NaN that it is given. Code with the evaluator's bits does without.
//!
//! Law: a sum of plain products that is not NaN had no NaN among them. So no 0 met an infinity or a NaN, and each
//! product is what it should be but for the sign of a zero.

use pullback_analysis::loop_shape::Fold;
use pullback_ir::{Atom, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;

use super::horizontal_reduce::together;
use super::text::Text;
use super::vectorise::Kind;
use crate::transformations::Which;

impl<'k> Text<'_, 'k> {
    /// The iterations of a loop whose states have begun.
    pub fn rounds(&mut self, looped: &'k Loop, vars: &[VarId]) {
        if !self.may_be_plain(looped) {
            return self.round(looped, vars);
        }
        self.is_plain = true;
        self.round(looped, vars);
        self.is_plain = false;
        let mut sums = vec![];
        for state in &looped.states {
            self.each_of(*state, &mut |text| sums.push(text.name(*state)));
        }
        let number = self.fresh();
        self.line(format_args!("const pb_v sum{number} = {};", together(&sums, Fold::Add)));
        self.open(format_args!("if (PB_RARE(pb_some(PB_CMP(sum{number}, !=, sum{number})))) {{"));
        for (at, state) in looped.states.iter().enumerate() {
            self.each_of(*state, &mut |text| {
                let (name, value) = (text.name(*state), text.like(*state, looped.init[at]));
                text.line(format_args!("{name} = {value};"));
            });
        }
        self.round(looped, vars);
        self.close();
    }

    /// Whether a loop inside one across lanes, in full vectors, adds up products and does nothing else: what becomes
    /// of a NaN in it is NaN.
    fn may_be_plain(&self, looped: &Loop) -> bool {
        let LoopForm::For { .. } = looped.form else { return false };
        if !self.plan.has(Which::PlainProducts) {
            return false;
        }
        let is_sum = looped.body.results.len() == looped.states.len()
            && !looped.states.is_empty()
            && looped.states.iter().all(|state| {
                self.kind(Atom::Var(*state)) == Kind::Varying
                    && self.ty(Atom::Var(*state)) == pullback_ir::Type::REAL
            });
        let is_product = |stmt: &Stmt| matches!(stmt.op, Op::MulZero(..));
        self.across.is_some()
            && self.mask.is_none()
            && !self.is_strict
            && is_sum
            && looped.body.stmts.iter().any(is_product)
            && looped.body.stmts.iter().all(|stmt| hands_nan_on(self, stmt))
    }
}

/// Whether what a statement gives is NaN if one of the Reals is that it takes.
fn hands_nan_on(text: &Text<'_, '_>, stmt: &Stmt) -> bool {
    let are_ints =
        || stmt.vars.iter().all(|var| text.ty(Atom::Var(*var)) == pullback_ir::Type::INT);
    #[expect(clippy::wildcard_enum_match_arm, reason = "others may lose it")]
    match &stmt.op {
        Op::Prim(Prim::Mul | Prim::Add | Prim::Sub | Prim::Neg, _) => true,
        Op::Prim(Prim::IntAdd | Prim::IntSub | Prim::IntMul, _) => are_ints(),
        Op::MulZero(..) | Op::Copy(_) | Op::Stop(_) | Op::Index(..) | Op::Dim(..) => true,
        _ => false,
    }
}
