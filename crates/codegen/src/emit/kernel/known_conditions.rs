//! Propagation of known conditions: what the comparisons that [`super::elide_masks`] has decided say of other
//! conditions.
//!
//! Input: while a group of eight iterations is written, the conditions with a known value. Output: for a condition its
//! value, or a C expression that all lanes share, or nothing.
//!
//! ```text
//! IR  first.4 = int_eq(i.3, 0);  c.6 = select(first.4, p.5, q.7);  x.8 = select(c.6, a, b)
//! C   where `first.4` is false and all lanes share `q.7`:   const pb_v k8 = v7 ? a : b;   no mask
//! ```
//!
//! Law: a condition counts as known only if it has that value in all eight lanes.

use pullback_ir::{Atom, Type, VarId};

use super::elide_masks::Settled;
use super::text::Text;
use super::vectorise::Kind;

impl Text<'_, '_> {
    /// What is known of a condition, if edges are settled or not.
    pub fn known(&self, cond: Atom) -> Option<Settled> {
        if let Atom::Bool(truth) = cond {
            return Some(Settled::Known(truth));
        }
        let settled = self.settled.get(&cond.var()?).cloned();
        let is_same = self.kind(cond) == Kind::Uniform;
        settled.or_else(|| is_same.then(|| Settled::Same(self.scalar(cond))))
    }

    /// Notes what is known of a condition that is one of two by another one.
    pub fn settle(&mut self, var: VarId, cond: Atom, [a, b]: [Atom; 2]) {
        if self.settled.is_empty() || self.ty(var.into()) != Type::BOOL {
            return;
        }
        let settled = match self.known(cond) {
            Some(Settled::Known(truth)) => self.known(if truth { a } else { b }),
            Some(Settled::Same(cond)) => self
                .known(a)
                .zip(self.known(b))
                .map(|(a, b)| Settled::Same(format!("({cond} ? {} : {})", a.text(), b.text()))),
            None => None,
        };
        self.settled.extend(settled.map(|settled| (var, settled)));
    }
}
