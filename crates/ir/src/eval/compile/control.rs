//! Bytecode of statements with blocks, and of calls: jumps, switches and loops.
//!
//! Input: a branch, match, loop or call. Output: instructions.
//!
//! ```text
//! for i < n { body }      ForUp i, n, end;   body;   NextUp i, n, back to the body;   end
//! if c { a } else { b }   JumpUnless c, other;   a;   Jump end;   other: b;   end
//! ```
//!
//! Invariants. Each way through a branch leaves the same variables in the same registers. The fields of a data value
//! that ends with its match are moved out of it.

use super::blocks::Exit;
use super::emit::{Dead, Emit};
use crate::eval::code::{Instr, KILL, NOWHERE, Operand, Reg, Switch};
use crate::eval::value::Kind;
use crate::program::{Atom, Block, FuncId, Loop, LoopForm, Match, VarId};
use crate::scope::Scope;

impl Emit<'_, '_> {
    /// One of two blocks.
    pub fn branches(
        &mut self,
        cond: Atom,
        [then, other]: [&Block; 2],
        inner: &[Scope],
        dying: &[VarId],
        exit: Exit<'_>,
    ) {
        let a = self.look(cond);
        let jump = self.push(Instr::JumpUnless { a, to: 0 });
        self.block(then, &inner[0], dying, exit);
        let end = (!matches!(exit, Exit::Return)).then(|| self.push(Instr::Jump { to: 0 }));
        self.land(jump);
        self.block(other, &inner[1], dying, exit);
        if let Some(end) = end {
            self.land(end);
        }
    }

    /// One of several blocks.
    pub fn cases(&mut self, cases: &Match, inner: &[Scope], dying: &[VarId], exit: Exit<'_>) {
        let a = self.look(cases.scrutinee);
        let table = self.code.switches.len();
        self.code.switches.push(Switch { targets: vec![], default: NOWHERE });
        self.push(Instr::Switch { a, table: table as u32 });
        let span = self.span;
        let mut ends = vec![];
        for (arm, scope) in cases.arms.iter().zip(inner) {
            let here = self.here();
            let targets = &mut self.code.switches[table].targets;
            let tag = arm.tag as usize;
            targets.resize(targets.len().max(tag + 1), NOWHERE);
            targets[tag] = here;
            let mut dying = dying.to_vec();
            let used: Vec<VarId> =
                arm.params.iter().copied().filter(|param| scope.uses(*param)).collect();
            if !used.is_empty() {
                self.fields(cases.scrutinee, &arm.params, scope, &mut dying);
            }
            dying.extend(&used);
            self.block(&arm.block, scope, &dying, exit);
            for param in used {
                self.release(param);
            }
            self.span = span;
            if !matches!(exit, Exit::Return) {
                ends.push(self.push(Instr::Jump { to: 0 }));
            }
        }
        if let (Some(block), Some(scope)) = (&cases.default, inner.get(cases.arms.len())) {
            self.code.switches[table].default = self.here();
            self.block(block, scope, dying, exit);
            self.span = span;
        }
        for end in ends {
            self.land(end);
        }
    }

    /// Binds the fields of a constructor, moved out of it if nothing else needs it.
    fn fields(&mut self, of: Atom, params: &[VarId], scope: &Scope, dying: &mut Vec<VarId>) {
        let mut a = self.look(of);
        if let Atom::Var(var) = of
            && dying.contains(&var)
            && !scope.uses(var)
        {
            dying.retain(|other| *other != var);
            a |= KILL;
        }
        let dests: Vec<Reg> = params
            .iter()
            .map(|param| if scope.uses(*param) { self.bind(*param) } else { NOWHERE })
            .collect();
        let dests = self.list(&dests);
        self.push(Instr::Fields { a, dests });
    }

    /// A call, or the value of a constant.
    pub fn call(&mut self, func: FuncId, args: &[Atom], vars: &[VarId], dead: &mut Dead<'_>) {
        let args = self.take_all(args, dead);
        let dests: Vec<Reg> = vars.iter().map(|var| self.bind(*var)).collect();
        let dests = self.list(&dests);
        self.push(if self.program.funcs[func].is_constant {
            Instr::Constant { func, dests }
        } else {
            Instr::Call { func, args, dests }
        });
    }

    /// A loop.
    pub fn repeat(&mut self, looped: &Loop, inner: &[Scope], vars: &[VarId], dead: &mut Dead<'_>) {
        let Loop { form, states, init, body } = looped;
        for (at, (state, first)) in states.iter().zip(init).enumerate() {
            let is_needed =
                first.var().is_some_and(|var| inner.iter().any(|scope| scope.uses(var)));
            let a = if is_needed {
                self.look(*first)
            } else {
                self.take(*first, &init[at + 1..], dead)
            };
            let d = self.bind(*state);
            self.push(Instr::Move { d, a });
        }
        let collected = &vars[states.len()..];
        match form {
            LoopForm::For { index, count, down } => {
                let n = self.look(*count);
                self.begin(collected, Some(n));
                let i = self.bind(*index);
                let to = 0;
                let start = self.push(if *down {
                    Instr::ForDown { i, n, to }
                } else {
                    Instr::ForUp { i, n, to }
                });
                let to = self.here();
                self.block(body, &inner[0], states, Exit::Next(states));
                self.push(if *down {
                    Instr::NextDown { i, n, to }
                } else {
                    Instr::NextUp { i, n, to }
                });
                self.land(start);
                self.strip(start, looped, collected);
                self.release(*index);
            }
            LoopForm::While(cond) => {
                self.begin(collected, None);
                let i = self.fresh();
                let zero = self.look(Atom::Int(0));
                self.push(Instr::Move { d: i, a: zero });
                let to = self.here();
                let a = self.fresh();
                self.block(cond, &inner[0], &[], Exit::Into(&[a]));
                let end = self.push(Instr::JumpUnless { a, to: 0 });
                self.unused.push(a);
                self.block(body, &inner[1], states, Exit::Next(states));
                self.push(Instr::Again { i, to });
                self.unused.push(i);
                self.land(end);
            }
        }
        let is_reversed = matches!(form, LoopForm::For { down: true, .. });
        for var in collected.iter().rev() {
            let d = self.bind(*var);
            self.push(Instr::Built { d, is_reversed });
        }
        for (state, var) in states.iter().zip(vars) {
            let reg = self.reg(*state);
            self.regs.remove(state);
            self.regs.insert(*var, reg);
        }
    }

    /// Begins the arrays that a loop collects.
    fn begin(&mut self, collected: &[VarId], n: Option<Operand>) {
        for var in collected {
            let ty = self.program.vars[*var].ty;
            let (kind, rank) = (Kind::of(ty.elem), ty.rank - 1);
            self.push(match n {
                Some(n) => Instr::Build { kind, rank, n },
                None => Instr::Grow { kind, rank },
            });
        }
    }
}
