//! Induction variables with a bound: states of loops that are never larger than the index, which count iterations or
//! remember one of them.
//!
//! Input: a loop and what is known of its states. Output: ranges for those that are counters, inside the loop and after
//! it.
//!
//! ```text
//! k.5 = for i.3 < n.1 with k.4 = 0 { … next.6 = int_add(k.4, 1) or k.4 … }     k.4 <= i.3, and k.5 <= n.1
//! ```
//!
//! That a state grows by one number in every iteration says [`crate::loop_shape`]; these may also stay as they are.
//!
//! The analysis guesses that a state is a counter, sweeps the body, and confirms that an iteration leaves the state at
//! most one more than the index; what it cannot confirm is no counter, and the body is swept again (induction). A loop
//! without an index has counters too: they are never larger than the iterations that a run can take.

use pullback_ir::{Atom, Loop, LoopForm, Stmt, Type, VarId};

use super::range::ENDLESS;
use super::{Ctx, Range, Symbol};

impl Ctx<'_> {
    /// Which states may be counters: Ints that begin with 0 in a loop that counts up, and with no large number in one
    /// that does not count.
    pub(super) fn counters(&self, form: &Loop) -> Vec<bool> {
        let may_count = |(state, init): (&VarId, &Atom)| {
            let begins = match (&form.form, init) {
                (LoopForm::For { down: false, .. }, Atom::Int(n)) => *n == 0,
                (LoopForm::While(_), Atom::Int(n)) => (0..ENDLESS).contains(n),
                _ => false,
            };
            begins && self.program.vars[*state].ty == Type::INT
        };
        form.states.iter().zip(&form.init).map(may_count).collect()
    }

    /// Assumes that counters are at most the index where an iteration begins, or no larger than a run can count.
    pub(super) fn guess_counters(&mut self, form: &Loop, counters: &[bool]) {
        let (hi, below) = match form.form {
            LoopForm::For { index, count, .. } => {
                (self.index_range(count, true).hi, Some((Symbol::Int(index), 0)))
            }
            // From below the bound of iterations, by as many as there can be.
            LoopForm::While(_) => (2 * ENDLESS, None),
        };
        for (state, counts) in form.states.iter().zip(counters) {
            if *counts {
                self.ranges.insert(
                    *state,
                    Range { is: Some((Symbol::Int(*state), 0)), below, ..Range::of(0, hi) },
                );
            }
        }
    }

    /// Whether an iteration leaves them at most one more than the index, or than they were where there is none. What does
    /// not is no counter.
    pub(super) fn confirm_counters(&self, form: &Loop, counters: &mut [bool]) -> bool {
        let mut holds = true;
        for (at, counts) in counters.iter_mut().enumerate() {
            let result = &form.body.results[at];
            let index = form.for_index().unwrap_or(form.states[at]);
            let range = self.range(*result);
            let is_next = self
                .upper_bounds(*result)
                .iter()
                .any(|(symbol, offset)| self.same(*symbol, Symbol::Int(index)) && *offset <= 1);
            if *counts && !(range.lo >= 0 && is_next) {
                (*counts, holds) = (false, false);
            }
        }
        holds
    }

    /// After the loop counters are at most the count, if there is one.
    pub(super) fn learn_counters(&mut self, stmt: &Stmt, form: &Loop, counters: &[bool]) {
        let range = form.for_count().map_or(Range::of(0, 2 * ENDLESS), |count| self.range(count));
        let count = form.for_count().filter(|_| range.lo >= 0);
        let below = count.map(|count| (self.symbol(count), 0));
        for (var, counts) in stmt.vars.iter().zip(counters) {
            if *counts {
                self.ranges.insert(
                    *var,
                    Range {
                        is: Some((Symbol::Int(*var), 0)),
                        below,
                        ..Range::of(0, range.hi.max(0))
                    },
                );
            }
        }
    }

    /// An Int that is one of two.
    pub(super) fn join_ranges(&mut self, var: VarId, [one, other]: [Atom; 2]) {
        if self.program.vars[var].ty != Type::INT {
            return;
        }
        let (x, y) = (self.range(one), self.range(other));
        let others = self.upper_bounds(other);
        let below = self.upper_bounds(one).into_iter().find_map(|(symbol, offset)| {
            let (_, by) = others.iter().find(|(bound, _)| self.same(symbol, *bound))?;
            self.is_seen(symbol).then_some((symbol, offset.max(*by)))
        });
        self.ranges.insert(
            var,
            Range {
                is: Some((Symbol::Int(var), 0)),
                below,
                ..Range::of(x.lo.min(y.lo), x.hi.max(y.hi))
            },
        );
    }

    /// The sums that an Int is at most, itself first.
    fn upper_bounds(&self, atom: Atom) -> Vec<(Symbol, i64)> {
        let mut bounds: Vec<_> = atom.var().map(|var| (Symbol::Int(var), 0)).into_iter().collect();
        let range = self.range(atom);
        bounds.extend(range.is);
        bounds.extend(self.bounds(range));
        bounds
    }
}
