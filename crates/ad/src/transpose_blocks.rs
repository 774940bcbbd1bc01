//! Transposition of what has blocks, and of calls.

use pullback_base::bug;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Rule, RuleId, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::name::NAME;
use crate::transpose::{Bar, Transpose};
use crate::uses::{Part, passes_on};

impl Transpose<'_> {
    /// The tangents from outside that blocks use, without accumulators.
    fn free(&self, blocks: &[&Block]) -> Vec<VarId> {
        let mut seen = FxHashSet::default();
        let mut free = vec![];
        for block in blocks {
            for var in block.free() {
                let info = &self.ad.program.vars[var];
                if info.linear && !info.ty.is_acc && seen.insert(var) {
                    free.push(var);
                }
            }
        }
        free
    }

    /// A conditional: the same one around the transposes of its blocks. A tangent that some branch passes on has
    /// its cotangent returned; for others the branches accumulate.
    pub(crate) fn conditional(
        &mut self,
        stmt: &Stmt,
        blocks: &[&Block],
        make: impl FnOnce(Vec<Block>) -> Op,
    ) {
        let bars: Vec<Option<(Atom, bool)>> = stmt.vars.iter().map(|var| self.take(*var)).collect();
        let mut returned = vec![];
        for var in self.free(blocks) {
            let is_passed = || {
                blocks.iter().any(|block| passes_on(&self.ad.program, &self.ad.linear, block, var))
            };
            let accumulates = self.uses.accumulates(var)
                && (self.bars.contains_key(&var) || self.uses.is_part(var) || !is_passed());
            let is_array = self.ad.program.vars[var].ty.is_array();
            if accumulates && (is_array || self.bars.contains_key(&var)) {
                self.acc(var);
            } else {
                returned.push(var);
            }
        }
        let saved: Vec<Option<Bar>> = returned.iter().map(|var| self.bars.remove(var)).collect();
        let mut made = vec![];
        let mut presence = vec![];
        for block in blocks {
            let mut reached = vec![];
            made.push(self.scoped(|ctx| {
                ctx.block(block, bars.clone());
                returned
                    .iter()
                    .map(|var| match ctx.take(*var) {
                        Some((bar, is_present)) => {
                            reached.push(Some(is_present));
                            bar
                        }
                        None => {
                            reached.push(None);
                            ctx.zero(*var)
                        }
                    })
                    .collect()
            }));
            presence.push(reached);
        }
        // What no branch contributes to is left out.
        let is_reached: Vec<bool> = (0..returned.len())
            .map(|at| presence.iter().any(|branch| branch[at].is_some()))
            .collect();
        for block in &mut made {
            let mut flags = is_reached.iter();
            block.results.retain(|_| flags.next().copied().unwrap_or(true));
        }
        let types: Vec<_> = returned.iter().map(|var| self.ad.program.vars[*var].ty).collect();
        let mut out = vec![];
        for (ty, reached) in types.iter().zip(&is_reached) {
            if *reached {
                out.push(self.program().fresh("bar", *ty));
            }
        }
        self.push(out.clone(), make(made));
        let mut out = out.into_iter();
        for (at, (var, saved)) in returned.into_iter().zip(saved).enumerate() {
            if let Some(saved) = saved {
                self.bars.insert(var, saved);
            }
            if is_reached[at]
                && let Some(bar) = out.next()
            {
                let is_present = presence.iter().all(|branch| branch[at] == Some(true));
                self.add(var.into(), bar.into(), is_present);
            }
        }
    }

    /// A loop with states runs the other way, and the cotangents of its states are its states; one without runs
    /// as it did, so that its forward and its backward sweep can become one.
    pub(crate) fn loop_(&mut self, stmt: &Stmt, repeat: &Loop) {
        let Loop { form, states, init, body } = repeat;
        let LoopForm::For { index, count, down } = form else {
            bug(NAME, "linear loops to have a count")
        };
        let (finals, collected) = stmt.vars.split_at(states.len());
        let mut bars = vec![];
        for var in finals {
            bars.push(self.take_or_zero(*var));
        }
        let mut rows = vec![];
        for var in collected {
            rows.push(self.take(*var));
        }
        for var in self.free(&[body]) {
            if !states.contains(&var) {
                self.acc(var);
            }
        }
        let types: Vec<_> = states.iter().map(|state| self.ad.program.vars[*state].ty).collect();
        let params: Vec<VarId> =
            types.iter().map(|ty| self.program().fresh("state_bar", *ty)).collect();
        let mut presence: Vec<bool> = bars.iter().map(|(_, is_present)| *is_present).collect();
        // The cotangents of states are present where those of the states before are: tried until it holds.
        let made = loop {
            let mut next = vec![];
            let made = self.scoped(|ctx| {
                let mut given: Vec<Option<(Atom, bool)>> = params
                    .iter()
                    .zip(&presence)
                    .map(|(param, is_present)| Some((Atom::Var(*param), *is_present)))
                    .collect();
                for (result, row) in body.results[states.len()..].iter().zip(&rows) {
                    given.push(row.map(|(row, is_present)| {
                        let ty = ctx.ad.program.type_of(*result);
                        let at = vec![Atom::Var(*index)];
                        (ctx.emit("bar", ty, Op::Index(row, at)), is_present)
                    }));
                }
                ctx.block(body, given);
                states
                    .iter()
                    .map(|state| {
                        let (bar, is_present) = ctx.take_or_zero(*state);
                        next.push(is_present);
                        bar
                    })
                    .collect()
            });
            let holds = presence.iter().zip(&next).all(|(known, next)| *next || !*known);
            if holds {
                break made;
            }
            for (known, next) in presence.iter_mut().zip(next) {
                *known &= next;
            }
        };
        let out: Vec<VarId> = types.iter().map(|ty| self.program().fresh("bar", *ty)).collect();
        let is_down = *down == states.is_empty();
        let form = LoopForm::For { index: *index, count: *count, down: is_down };
        let init_bars = bars.into_iter().map(|(bar, _)| bar).collect();
        let op = Op::Loop(Loop { form, states: params, init: init_bars, body: made });
        self.push(out.clone(), op);
        for ((first, bar), is_present) in init.iter().zip(out).zip(presence) {
            self.add(*first, bar.into(), is_present);
        }
    }

    /// A call of a linear part: a call of its transpose.
    pub(crate) fn call(&mut self, vars: &[VarId], func: FuncId, args: &[Atom]) {
        let Some(derived) = self.ad.linear.get(&func).cloned() else {
            bug(NAME, "a call of a linear part")
        };
        let (residuals, dots) = args.split_at(derived.residuals.len());
        let mut pull_args = residuals.to_vec();
        for var in vars {
            let (bar, _) = self.take_or_zero(*var);
            pull_args.push(bar);
        }
        let mut returned = vec![];
        for (dot, is_acc) in dots.iter().zip(&derived.accs) {
            let Atom::Var(var) = *dot else {
                returned.push(None);
                continue;
            };
            if self.ad.program.vars[var].ty.is_acc {
                let bar = self.bar_of_acc(var);
                pull_args.push(bar);
            } else if *is_acc {
                pull_args.push(self.acc(var));
            } else {
                returned.push(Some(var));
            }
        }
        let mut out = vec![];
        for var in &returned {
            let ty = var.map_or(pullback_ir::Type::REAL, |var| self.ad.program.vars[var].ty);
            out.push(self.program().fresh("bar", ty));
        }
        self.push(out.clone(), Op::Call(derived.pull, pull_args));
        for (var, bar) in returned.into_iter().zip(out) {
            if let Some(var) = var {
                self.add(var.into(), bar.into(), false);
            }
        }
    }

    /// The cotangent of what a linear accumulator, or a part of one, accumulates: zero if that is not wanted.
    fn bar_of_acc(&mut self, acc: VarId) -> Atom {
        if let Some(Bar::Value(bar, _)) = self.bars.get(&acc) {
            return *bar;
        }
        let ty = self.ad.program.vars[acc].ty.value();
        match self.uses.part(acc) {
            Some(Part::At(whole, at)) => {
                let whole = self.bar_of_acc(whole);
                self.emit("bar", ty, Op::Index(whole, at))
            }
            Some(Part::Range(whole, lo, hi)) => {
                let whole = self.bar_of_acc(whole);
                self.emit("bar", ty, Op::Slice(whole, lo, hi))
            }
            None => self.zero(acc),
        }
    }

    /// A user's rule knows its own transpose.
    pub(crate) fn rule(&mut self, vars: &[VarId], rule: RuleId, at: &[Atom], dots: &[Atom]) {
        let Rule::Vjp { pullback, .. } = self.ad.program.rules[rule].clone() else {
            bug(NAME, "a rule of reverse mode")
        };
        let mut args = at.to_vec();
        for var in vars {
            let (bar, _) = self.take_or_zero(*var);
            args.push(bar);
        }
        let types = self.ad.program.funcs[pullback].results.clone();
        let out: Vec<VarId> = types.iter().map(|ty| self.program().fresh("bar", *ty)).collect();
        self.push(out.clone(), Op::Call(pullback, args));
        for (dot, bar) in dots.iter().zip(out) {
            self.add(*dot, bar.into(), true);
        }
    }
}
