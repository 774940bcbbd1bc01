//! Bytecode of blocks: statement after statement, then the results to where they are wanted, by parallel moves.
//!
//! Input: a block, the last uses in it, and an [`Exit`]. Output: instructions.
//!
//! ```text
//! yield b, a   to the states a, b      Move aside <- a;  Move a <- b;  Move b <- aside
//! ```
//!
//! Invariants. Results go as if all were read before any is written. Where nothing reads the register of a state any
//! more when its next value is made, the value is made there (coalescing), and no move is needed. A call at the end of
//! a function takes no frame.

use pullback_prim::Routine;
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::{Dead, Emit, Interned};
use crate::eval::code::{Code, Instr, KILL, Operand, Reg, Tables};
use crate::program::{Atom, Block, Func, Op, Program, Stmt, VarId};
use crate::scope::Scope;

/// Where the results of a block go.
#[derive(Clone, Copy)]
pub(super) enum Exit<'e> {
    /// To the caller.
    Return,
    /// Into registers of which nothing in the block knows.
    Into(&'e [Reg]),
    /// The first to the states of a loop, the others behind what the loop collects.
    Next(&'e [VarId]),
}

/// A result on its way.
struct Move {
    to: Reg,
    from: Operand,
    /// Whether its source is dead afterwards.
    is_last: bool,
}

impl<'c, 'p> Emit<'c, 'p> {
    /// The code of a function.
    pub fn code(
        program: &'p Program,
        func: &Func,
        tables: &'c mut Tables,
        interned: &'c mut Interned,
    ) -> Code {
        let code =
            Code { name: func.name.clone(), is_constant: func.is_constant, ..Code::default() };
        let (regs, unused, span) = (FxHashMap::default(), vec![], func.span);
        let mut emit = Self { program, tables, interned, code, regs, unused, span };
        for param in &func.params {
            emit.bind(*param);
        }
        if let Some(routine) = func.routine.filter(|routine| *routine != Routine::Followed) {
            emit.routine(routine, func);
        }
        emit.block(&func.body, &Scope::of(&func.body), &func.params, Exit::Return);
        emit.code
    }

    /// The start of a function that a routine computes: if the routine has done so, its results are returned.
    fn routine(&mut self, routine: Routine, func: &Func) {
        let results: Vec<Reg> = func.results.iter().map(|_| self.fresh()).collect();
        let dests = self.list(&results);
        let jump = self.push(Instr::Routine { routine, dests, to: 0 });
        for param in &func.params {
            self.drop_value(*param);
        }
        let moved: Vec<Operand> = results.iter().map(|reg| reg | KILL).collect();
        let moved = self.list(&moved);
        self.push(Instr::Return { results: moved });
        self.land(jump);
        self.unused.extend(results);
    }

    /// The code of a block. `dying` are variables from outside that nothing reads after the block.
    pub fn block(&mut self, block: &Block, scope: &Scope, dying: &[VarId], exit: Exit<'_>) {
        for var in dying {
            if !scope.uses(*var) {
                self.drop_value(*var);
            }
        }
        let deaths = scope.deaths(block, dying);
        let bound: FxHashSet<VarId> =
            block.stmts.iter().flat_map(|stmt| &stmt.vars).copied().collect();
        let settled = self.settle(block, &deaths, exit);
        let around = self.span;
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.span = stmt.span;
            let is_tail = matches!(exit, Exit::Return)
                && at + 1 == block.stmts.len()
                && stmt.vars.iter().copied().map(Atom::Var).eq(block.results.iter().copied());
            if is_tail && self.tail(stmt, &scope.inner[at], &deaths) {
                deaths[at]
                    .iter()
                    .filter(|var| bound.contains(var))
                    .for_each(|var| self.release(*var));
                return;
            }
            self.stmt(stmt, &scope.inner[at], &deaths[at]);
            for var in &deaths[at] {
                if bound.contains(var) {
                    self.release(*var);
                }
            }
        }
        self.span = around;
        self.leave(&block.results, &deaths[block.stmts.len()], exit);
        for var in &deaths[block.stmts.len()] {
            if settled.contains(var) {
                self.regs.remove(var);
            } else if bound.contains(var) {
                self.release(*var);
            }
        }
    }

    /// A statement whose results are those of the function. Says whether it was one that needs no more.
    fn tail(&mut self, stmt: &Stmt, inner: &[Scope], deaths: &[Vec<VarId>]) -> bool {
        let [.., dying, _] = deaths else { return false };
        let dying: Vec<VarId> =
            dying.iter().filter(|var| !stmt.vars.contains(var)).copied().collect();
        #[expect(clippy::wildcard_enum_match_arm, reason = "what can be the last step")]
        match &stmt.op {
            Op::If(cond, then, other) => {
                self.branches(*cond, [then, other], inner, &dying, Exit::Return);
            }
            Op::Match(cases) => self.cases(cases, inner, &dying, Exit::Return),
            Op::Call(func, args) if !self.program.funcs[*func].is_constant => {
                let args = self.take_all(args, &mut Dead::new(&dying));
                self.push(Instr::TailCall { func: *func, args });
            }
            _ => return false,
        }
        true
    }

    /// Gives results of the block the registers that they end in, where nothing reads those any more when
    /// the results are made.
    fn settle(&mut self, block: &Block, deaths: &[Vec<VarId>], exit: Exit<'_>) -> FxHashSet<VarId> {
        let mut settled = FxHashSet::default();
        let count = match exit {
            Exit::Return => return settled,
            Exit::Into(regs) => regs.len(),
            Exit::Next(states) => states.len(),
        };
        let mut bound_at = FxHashMap::default();
        for (at, stmt) in block.stmts.iter().enumerate() {
            bound_at.extend(stmt.vars.iter().map(|var| (*var, at)));
        }
        let mut died_at = FxHashMap::default();
        for (at, dead) in deaths.iter().enumerate() {
            died_at.extend(dead.iter().map(|var| (*var, at)));
        }
        for (nth, atom) in block.results[..count].iter().enumerate() {
            let Atom::Var(var) = atom else { continue };
            let Some(at) = bound_at.get(var).copied() else { continue };
            if block.results.iter().filter(|other| *other == atom).count() > 1 {
                continue;
            }
            let reg = match exit {
                Exit::Into(regs) => regs[nth],
                Exit::Next(states) => {
                    let stmt = &block.stmts[at];
                    // One step reads all its operands before it writes; what has blocks does not.
                    let is_step = stmt.vars.len() == 1 && stmt.op.blocks().is_empty();
                    let free_from =
                        died_at.get(&states[nth]).map_or(0, |died| died + usize::from(!is_step));
                    if free_from > at {
                        continue;
                    }
                    self.reg(states[nth])
                }
                Exit::Return => continue,
            };
            if !matches!(block.stmts[at].op, Op::Loop(_)) {
                self.regs.insert(*var, reg);
                settled.insert(*var);
            }
        }
        settled
    }

    /// Sends the results where they are wanted.
    fn leave(&mut self, results: &[Atom], dying: &[VarId], exit: Exit<'_>) {
        let mut dead = Dead::new(dying);
        let (regs, rest): (Vec<Reg>, &[Atom]) = match exit {
            Exit::Return => {
                let results = self.take_all(results, &mut dead);
                self.push(Instr::Return { results });
                return;
            }
            Exit::Into(regs) => (regs.to_vec(), &[]),
            Exit::Next(states) => {
                (states.iter().map(|state| self.reg(*state)).collect(), &results[states.len()..])
            }
        };
        let first = &results[..regs.len()];
        for (nth, atom) in rest.iter().enumerate() {
            let nth_from_top = (rest.len() - 1 - nth) as u32;
            let later = [&rest[nth + 1..], first].concat();
            let a = self.take(*atom, &later, &mut dead);
            self.push(Instr::Push { nth: nth_from_top, a });
        }
        let mut moves = vec![];
        for (to, atom) in regs.into_iter().zip(first) {
            let is_last =
                atom.var().is_some_and(|var| dying.contains(&var) && self.is_counted(var));
            moves.push(Move { to, from: self.look(*atom), is_last });
        }
        self.moves(moves);
    }

    /// Moves at once: as if all were read before any is written.
    fn moves(&mut self, mut moves: Vec<Move>) {
        // What stays where it is must stay there.
        let staying: Vec<Reg> =
            moves.iter().filter(|one| one.from == one.to).map(|one| one.to).collect();
        moves.retain(|one| one.from != one.to);
        for one in &mut moves {
            one.is_last &= !staying.contains(&one.from);
        }
        let mut asides = vec![];
        while !moves.is_empty() {
            let is_read = |reg, but: usize| {
                moves.iter().enumerate().any(|(at, one)| at != but && one.from == reg)
            };
            let ready = (0..moves.len()).find(|at| !is_read(moves[*at].to, *at));
            let Some(at) = ready else {
                // All wait for each other: one that is read later is put aside.
                let aside = self.fresh();
                let from = moves[0].to;
                self.push(Instr::Move { d: aside, a: from | KILL });
                for one in moves.iter_mut().filter(|one| one.from == from) {
                    (one.from, one.is_last) = (aside, true);
                }
                asides.push(aside);
                continue;
            };
            let kills = moves[at].is_last && !is_read(moves[at].from, at);
            let Move { to, from, .. } = moves.remove(at);
            self.push(Instr::Move { d: to, a: if kills { from | KILL } else { from } });
        }
        self.unused.extend(asides);
    }
}
