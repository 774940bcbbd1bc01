//! Dependence test of the arrays that a loop writes (Banerjee 1988): whether an iteration reads what an earlier one has
//! written.
//!
//! Input: the Ints of a function; a loop of which each iteration writes one place of an array, and how that place moves
//! on. Output: whether all reads of the array in the loop are apart from earlier writes ([`Written::is_read_ahead`]).
//!
//! ```text
//! for j.4 < n.1 with a.5 = m.0 {
//!   x.6 = a.5[t.7, j.4]           apart, as the iteration itself writes there
//!   y.8 = a.5[t.7, next.9]        apart if next.9 is j.4 + 1: a later iteration writes there
//!   z.10 = a.5[k.2, j.4]          apart if t.7 is k.2 + 1 + r.3: no iteration writes in that row
//!   b.11 = a.5 with [t.7, j.4] = x.6  …  yield b.11
//! }
//! ```
//!
//! A read is apart from earlier writes if one dimension shows it. In the dimension along which the loop writes, it is
//! if it reads what the same iteration or a later one writes, or what lies before the first of these. In any other
//! dimension, the two indices must never be equal.
//!
//! Law: a read that is apart finds what the array held before the loop. Indices are compared over all iterations of all
//! loops around, as [`Ints::least`] bounds them.

use pullback_ir::{Atom, Block, Op, VarId};

use crate::affine::{Affine, Ints};

/// An array that is a state of a loop, of which each iteration writes one place.
pub struct Written<'l> {
    /// The state.
    pub array: VarId,
    /// Where an iteration writes.
    pub place: &'l [Atom],
    /// The dimension in which that grows by one with the index; in all others it stays.
    pub dimension: usize,
    /// The index of the loop.
    pub index: VarId,
    /// Whether the loop runs down.
    pub down: bool,
}

impl Written<'_> {
    /// Whether no read in the body of the loop is at a place that an earlier iteration has written.
    pub fn is_read_ahead(&self, ints: &Ints, body: &Block) -> bool {
        let (mut count, mut is_fine) = (0, true);
        body.visit(&mut |stmt| {
            if let Op::Index(Atom::Var(of), at) = &stmt.op
                && *of == self.array
            {
                count += 1;
                let is_unused = stmt.vars.iter().all(|var| body.mentions(*var) == 0);
                is_fine &= is_unused || self.is_apart(ints, at);
            } else if let Op::Dim(Atom::Var(of), _) | Op::Update(Atom::Var(of), ..) = &stmt.op {
                count += usize::from(*of == self.array);
            }
        });
        // These are all mentions of the array.
        is_fine && count == body.mentions(self.array)
    }

    fn is_apart(&self, ints: &Ints, at: &[Atom]) -> bool {
        let least = |form: Option<Affine>| form.and_then(|form| ints.least(form));
        let pairs = at.iter().zip(self.place).enumerate();
        pairs.into_iter().any(|(dimension, (read, write))| {
            if dimension != self.dimension {
                return ints.are_apart(*read, *write);
            }
            if self.down {
                return least(ints.difference(*write, *read)).is_some_and(|least| least >= 0);
            }
            // Where the first iteration writes.
            let first = ints.form(*write).map(|form| form.without(self.index));
            let behind = first.zip(ints.form(*read)).and_then(|(first, read)| first.minus(&read));
            least(ints.difference(*read, *write)).is_some_and(|least| least >= 0)
                || least(behind).is_some_and(|least| least > 0)
        })
    }
}
