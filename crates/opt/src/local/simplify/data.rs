//! Algebraic simplification of what differentiation leaves: zeros, sums of (co)tangents, parts of tangents of data and
//! additions to accumulators.
//!
//! ```text
//! before   z.1 = zero(x.0);  s.2 = plus(a.3, z.1);  acc.4 += -0.0
//! after    s.2 = a.3
//! ```
//!
//! Input: one of these operations. Output: what replaces it, if a law applies: `plus` on numbers is `add`, the zero
//! vector leaves no trace in a sum, and an addition of a zero that changes no number goes.
//!
//! Invariants: a sum keeps the order in which its terms are added. A `+0` is dropped only for an accumulator that
//! begins with `+0`, since that one is never `-0`.

use pullback_ir::{Atom, Elem, Op, Stmt, Type};
use pullback_prim::Prim;

use super::{New, Simplify};
use pullback_analysis::zeros::begins_with_zeros;

/// The longest literal whose sum is written out.
const FEW: usize = 16;

impl Simplify<'_> {
    pub(super) fn data_law(&mut self, stmt: &Stmt) -> Option<New> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the caller has only these")]
        match &stmt.op {
            Op::Zero(a) if self.program.type_of(*a) == Type::REAL => New::atom(Atom::Real(0.0)),
            Op::Zero(a)
                if let Some(Op::Array(items)) = self.def(*a)
                    && self.program.type_of(*a) == Type::REAL.array() =>
            {
                New::op(Op::Array(vec![Atom::Real(0.0); items.len()]))
            }
            // The zero of an array's shape is the zero of the array.
            Op::Zero(a) => {
                let Op::Shape(of, _) = self.def(*a)? else { return None };
                let is_alike = self.program.type_of(*of) == self.program.vars[stmt.vars[0]].ty;
                is_alike.then_some(New::Op(Op::Zero(*of)))
            }
            Op::Plus(a, b) if self.program.type_of(*a) == Type::REAL => {
                New::op(Op::Prim(Prim::Add, vec![*a, *b]))
            }
            Op::Plus(a, b) if let Some((a, b)) = self.items(*a).zip(self.items(*b)) => {
                self.sum_of_items(stmt, &a, &b)
            }
            Op::Plus(a, b) if self.is_zero_vector(*a) => New::atom(*b),
            Op::Plus(a, b) if self.is_zero_vector(*b) => New::atom(*a),
            Op::Unpack { tangent, tag, like } => self.unpack_law(stmt, *tangent, *tag, like),
            Op::AddAcc(acc, at, v) if at.is_empty() => {
                self.adds_nothing(*acc, *v).then(|| New::Atoms(vec![]))
            }
            Op::AddAcc(acc, at, v) => self.part_law(*acc, at, *v),
            _ => None,
        }
    }

    /// The Reals that an array is put together from.
    fn items(&self, array: Atom) -> Option<Vec<Atom>> {
        let is_of_reals = self.program.type_of(array) == Type::REAL.array();
        let Op::Array(items) = self.def(array)? else { return None };
        is_of_reals.then(|| items.clone())
    }

    /// [x, y] + [z, w] = [x + z, y + w]
    fn sum_of_items(&mut self, stmt: &Stmt, a: &[Atom], b: &[Atom]) -> Option<New> {
        if a.len() != b.len() {
            return None;
        }
        let mut stmts = vec![];
        let sums = a.iter().zip(b).map(|(a, b)| self.added(*a, *b, stmt, &mut stmts)).collect();
        let array = self.alike(stmt.vars[0]);
        stmts.push(Stmt::new(vec![array], Op::Array(sums), stmt.span));
        Some(New::Stmts(stmts, vec![array.into()]))
    }

    /// sum [x, y] = 0 + x + y
    pub(super) fn sum_law(&mut self, stmt: &Stmt, array: Atom) -> Option<New> {
        let items = self.items(array).filter(|items| items.len() <= FEW)?;
        let mut stmts = vec![];
        let mut total = Atom::Real(0.0);
        for item in items {
            total = self.added(total, item, stmt, &mut stmts);
        }
        Some(New::Stmts(stmts, vec![total]))
    }

    fn added(&mut self, a: Atom, b: Atom, stmt: &Stmt, out: &mut Vec<Stmt>) -> Atom {
        let sum = self.program.fresh("sum", Type::REAL);
        self.atoms.push(None);
        self.defs.push(None);
        out.push(Stmt::new(vec![sum], Op::Prim(Prim::Add, vec![a, b]), stmt.span));
        sum.into()
    }

    /// Whether a tangent of data is the zero vector.
    fn is_zero_vector(&self, atom: Atom) -> bool {
        let Type { elem: Elem::Data(data), rank: 0, .. } = self.program.type_of(atom) else {
            return false;
        };
        match self.def(atom) {
            Some(Op::Zero(_)) => true,
            Some(Op::Con(tag, _)) => self.program.zero_tag(data) == *tag,
            _ => false,
        }
    }

    fn unpack_law(&mut self, stmt: &Stmt, tangent: Atom, tag: u32, like: &[Atom]) -> Option<New> {
        if self.is_zero_vector(tangent) {
            let vars: Vec<_> = stmt.vars.iter().map(|var| self.alike(*var)).collect();
            let zeros = vars.iter().zip(like);
            let zeros = zeros.map(|(var, like)| {
                // Only the zero of an array needs the sizes of `like`.
                let ty = self.program.vars[*var].ty;
                let op = if ty.is_array() {
                    Op::Zero(*like)
                } else if let Elem::Data(data) = ty.elem {
                    Op::Con(self.program.zero_tag(data), vec![])
                } else {
                    Op::Copy(Atom::Real(0.0))
                };
                Stmt::new(vec![*var], op, stmt.span)
            });
            return Some(New::Stmts(zeros.collect(), vars.into_iter().map(Atom::Var).collect()));
        }
        let Op::Con(known, fields) = self.def(tangent)? else { return None };
        (*known == tag).then(|| New::Atoms(fields.clone()))
    }

    /// a[2:5][1] += v = a[3] += v; the part still fails where it did
    fn part_law(&self, acc: Atom, at: &[Atom], v: Atom) -> Option<New> {
        let Op::PartAcc(outer, Atom::Int(lo), Atom::Int(hi)) = self.def(acc)? else { return None };
        let [Atom::Int(i), rest @ ..] = at else { return None };
        let is_inside = *lo >= 0 && (0..hi.checked_sub(*lo)?).contains(i);
        let mut place = vec![Atom::Int(lo.checked_add(*i)?)];
        place.extend(rest);
        is_inside.then_some(New::Op(Op::AddAcc(*outer, place, v)))
    }

    /// Whether adding a value to an accumulator changes nothing: -0 and the zero vector change no number, and 0
    /// none that a sum beginning with 0 can be, since that is never -0.
    fn adds_nothing(&self, acc: Atom, value: Atom) -> bool {
        if self.is_zero_vector(value) {
            return true;
        }
        let Atom::Real(x) = value else { return false };
        x == 0.0 && (x.is_sign_negative() || begins_with_zeros(acc, |atom| self.def(atom)))
    }
}
