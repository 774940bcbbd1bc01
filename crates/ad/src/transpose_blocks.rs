//! Transposition of conditionals, loops and calls: what has blocks or another function inside.
//!
//! ```text
//! before   y_dot = for i < n with s_dot = x_dot { t_dot = mul(k[i], s_dot); yield t_dot }
//! after    x_bar = for down i < n with t_bar = y_bar { s_bar = mul(k[i], t_bar); yield s_bar }
//! ```
//!
//! Type and law: those of `transpose`.
//!
//! - A conditional becomes the same conditional around the transposes of its blocks. A tangent that a branch passes
//!   on has its cotangent returned; into others the branches accumulate.
//! - A loop with states runs the other way, with the cotangents of its states as states. A loop without states runs
//!   as it did, so that its forward and backward sweep can become one loop.
//! - A call of a linear part becomes a call of its transpose. A rule of a user is its own transpose.
//!
//! Cost: as that of the linear part. A loop is transposed again until it is known which cotangents of states are
//! absent.

use pullback_base::bug;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Rule, RuleId, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use crate::name::NAME;
use crate::transpose::{Bar, Presence, Transpose};
use crate::uses::{Part, passes_on};

/// In which steps of a loop the cotangent of a state is present.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// In all steps, if the cotangent of its last value is.
    Same,
    /// Only in the last step of the forward loop, if the cotangent of its last value is.
    Last,
    /// That is not known.
    Unknown,
}

impl Transpose<'_> {
    /// The tangents from outside that blocks use, but for accumulators.
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
        let bars: Vec<Option<(Atom, Presence)>> =
            stmt.vars.iter().map(|var| self.take(*var)).collect();
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
        let mut transposed = vec![];
        let mut branches = vec![];
        for block in blocks {
            let mut reached = vec![];
            transposed.push(self.scoped(|ctx| {
                ctx.block(block, bars.clone());
                returned
                    .iter()
                    .map(|var| match ctx.take(*var) {
                        Some((bar, presence)) => {
                            reached.push(Some(presence));
                            bar
                        }
                        None => {
                            reached.push(None);
                            ctx.zero(*var)
                        }
                    })
                    .collect()
            }));
            branches.push(reached);
        }
        // What no branch contributes to is left out.
        let is_reached: Vec<bool> = (0..returned.len())
            .map(|at| branches.iter().any(|branch: &Vec<_>| branch[at].is_some()))
            .collect();
        for block in &mut transposed {
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
        self.push(out.clone(), make(transposed));
        let mut out = out.into_iter();
        for (at, (var, saved)) in returned.into_iter().zip(saved).enumerate() {
            if let Some(saved) = saved {
                self.bars.insert(var, saved);
            }
            if is_reached[at]
                && let Some(bar) = out.next()
            {
                let reached: Vec<Option<Presence>> =
                    branches.iter().map(|branch| branch[at]).collect();
                let presence = self.after_branches(&stmt.op, &reached, &bars);
                self.add(var.into(), bar.into(), presence);
            }
        }
    }

    /// The presence of a cotangent that branches return, from its presence in each of them.
    fn after_branches(
        &mut self,
        op: &Op,
        reached: &[Option<Presence>],
        bars: &[Option<(Atom, Presence)>],
    ) -> Presence {
        if reached.iter().all(|branch| *branch == Some(Presence::Always)) {
            return Presence::Always;
        }
        match (op, reached) {
            (Op::If(cond, _, _), [Some(Presence::Always), None]) => Presence::If(*cond),
            (Op::If(cond, _, _), [None, Some(Presence::Always)]) => {
                let op = Op::Prim(Prim::Not, vec![*cond]);
                Presence::If(self.emit("reached", Type::BOOL, op))
            }
            // A Bool from outside of the branches is in scope after them too.
            (_, [Some(first), rest @ ..])
                if rest.iter().all(|branch| *branch == Some(*first))
                    && bars.iter().flatten().any(|(_, presence)| presence == first) =>
            {
                *first
            }
            _ => Presence::Perhaps,
        }
    }

    /// Transposes a loop. One with states runs the other way, with the cotangents of its states as states. One
    /// without states runs as it did, so that its forward and its backward sweep can become one.
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
        let first: Vec<Presence> = bars.iter().map(|(_, presence)| *presence).collect();
        // The presence of each state's cotangent is a guess: the body is transposed again until the guess holds. A
        // cotangent that the previous value of its state does not get is present in the last step alone.
        let mut steps = vec![Step::Same; states.len()];
        let transposed = loop {
            let mut next = vec![];
            let transposed = self.scoped(|ctx| {
                let is_last = ctx.is_last((*index, *count, *down), &steps);
                let inside = |at: usize| match steps[at] {
                    Step::Same => first[at],
                    Step::Last if first[at] == Presence::Always => {
                        is_last.map_or(Presence::Perhaps, Presence::If)
                    }
                    Step::Last | Step::Unknown => Presence::Perhaps,
                };
                let params = params.iter().enumerate();
                let mut result_bars: Vec<Option<(Atom, Presence)>> =
                    params.map(|(at, param)| Some((Atom::Var(*param), inside(at)))).collect();
                for (result, row) in body.results[states.len()..].iter().zip(&rows) {
                    result_bars.push(row.map(|(row, presence)| {
                        let ty = ctx.ad.program.type_of(*result);
                        let at = vec![Atom::Var(*index)];
                        (ctx.emit("bar", ty, Op::Index(row, at)), presence)
                    }));
                }
                ctx.block(body, result_bars);
                states
                    .iter()
                    .map(|state| {
                        let bar = ctx.take(*state);
                        next.push(bar.map(|(_, presence)| presence));
                        bar.map_or_else(|| ctx.zero(*state), |(bar, _)| bar)
                    })
                    .collect()
            });
            let next_steps: Vec<Step> = (0..states.len())
                .map(|at| match (steps[at], next[at]) {
                    (Step::Unknown, _) => Step::Unknown,
                    (Step::Same | Step::Last, None) => Step::Last,
                    (Step::Same, Some(_)) if first[at] == Presence::Perhaps => Step::Same,
                    (Step::Same, Some(presence)) if presence == first[at] => Step::Same,
                    (Step::Same | Step::Last, Some(_)) => Step::Unknown,
                })
                .collect();
            if next_steps == steps {
                break transposed;
            }
            steps = next_steps;
        };
        let out: Vec<VarId> = types.iter().map(|ty| self.program().fresh("bar", *ty)).collect();
        let is_down = *down == states.is_empty();
        let form = LoopForm::For { index: *index, count: *count, down: is_down };
        let init_bars = bars.into_iter().map(|(bar, _)| bar).collect();
        let op = Op::Loop(Loop { form, states: params, init: init_bars, body: transposed });
        self.push(out.clone(), op);
        for (at, (start, bar)) in init.iter().zip(out).enumerate() {
            let presence = match steps[at] {
                Step::Same => first[at],
                // Where there are no steps, the cotangent of the end is that of the start.
                Step::Last if first[at] == Presence::Always => {
                    let op = Op::Prim(Prim::IntEq, vec![*count, Atom::Int(0)]);
                    Presence::If(self.emit("reached", Type::BOOL, op))
                }
                Step::Last | Step::Unknown => Presence::Perhaps,
            };
            self.add(*start, bar.into(), presence);
        }
    }

    /// The Bool that says whether a step of a loop is the last one, if any state needs it.
    fn is_last(
        &mut self,
        (index, count, down): (VarId, Atom, bool),
        steps: &[Step],
    ) -> Option<Atom> {
        if !steps.contains(&Step::Last) {
            return None;
        }
        let op = Op::Prim(Prim::IntSub, vec![count, Atom::Int(1)]);
        let last = if down { Atom::Int(0) } else { self.emit("last", Type::INT, op) };
        let op = Op::Prim(Prim::IntEq, vec![index.into(), last]);
        Some(self.emit("reached", Type::BOOL, op))
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
                self.add(var.into(), bar.into(), Presence::Perhaps);
            }
        }
    }

    /// The cotangent of what a linear accumulator, or a part of one, accumulates; zero if nothing reads it.
    fn bar_of_acc(&mut self, acc: VarId) -> Atom {
        if let Some(Bar::Value(bar, _)) = self.bars.get(&acc) {
            return *bar;
        }
        let ty = self.ad.program.vars[acc].ty.value();
        match self.uses.part(acc) {
            Some(Part::At(array, at)) => {
                let array = self.bar_of_acc(array);
                self.emit("bar", ty, Op::Index(array, at))
            }
            Some(Part::Range(array, lo, hi)) => {
                let array = self.bar_of_acc(array);
                self.emit("bar", ty, Op::Slice(array, lo, hi))
            }
            None => self.zero(acc),
        }
    }

    /// Transposes the application of a user's rule, which knows its own transpose.
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
            self.add(*dot, bar.into(), Presence::Always);
        }
    }
}
