//! States of loops that are never larger than the index: what counts iterations, and what remembers one of them.

use pullback_ir::{Atom, Loop, LoopForm, Stmt, Type, VarId};

use super::{Ctx, Range, Symbol};

impl Ctx<'_> {
    /// Which states may be counters: Ints that begin with 0 in a loop that counts up.
    pub(super) fn counters(&self, form: &Loop) -> Vec<bool> {
        let is_up = matches!(form.form, LoopForm::For { down: false, .. });
        let may_count = |(state, init): (&VarId, &Atom)| {
            is_up && self.program.vars[*state].ty == Type::INT && *init == Atom::Int(0)
        };
        form.states.iter().zip(&form.init).map(may_count).collect()
    }

    /// Takes it that counters are at most the index where an iteration begins.
    pub(super) fn guess_counters(&mut self, form: &Loop, counters: &[bool]) {
        let LoopForm::For { index, count, .. } = form.form else { return };
        let hi = self.index_range(count, true).hi;
        for (state, counts) in form.states.iter().zip(counters) {
            if *counts {
                let below = Some((Symbol::Int(index), 0));
                self.ranges.insert(
                    *state,
                    Range { is: Some((Symbol::Int(*state), 0)), below, ..Range::of(0, hi) },
                );
            }
        }
    }

    /// Whether an iteration leaves them at most one more than the index. What does not is no counter.
    pub(super) fn confirm_counters(&self, form: &Loop, counters: &mut [bool]) -> bool {
        let LoopForm::For { index, .. } = form.form else { return true };
        let mut holds = true;
        for (counts, result) in counters.iter_mut().zip(&form.body.results) {
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

    /// In the end they are at most the count.
    pub(super) fn learn_counters(&mut self, stmt: &Stmt, form: &Loop, counters: &[bool]) {
        let LoopForm::For { count, .. } = form.form else { return };
        let range = self.range(count);
        let below = (range.lo >= 0).then(|| (self.symbol(count), 0));
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

    /// What an Int is not larger than, itself first.
    fn upper_bounds(&self, atom: Atom) -> Vec<(Symbol, i64)> {
        let mut bounds: Vec<_> = atom.var().map(|var| (Symbol::Int(var), 0)).into_iter().collect();
        bounds.extend(self.bounds(self.range(atom)));
        bounds
    }
}
