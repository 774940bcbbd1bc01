//! The reading of the overwrite log: a backward loop restores an array by the inverse of each step of the forward loop,
//! from the last to the first.
//!
//! ```text
//! before   for down j < n { s = saved[j]; … s[q] … }
//! after    for down j < n with e = b { o = log[j]; a = e with [p] = o; … a[q] …; yield a }
//! ```
//!
//! Input: a backward loop, the array after all iterations, and what the forward loop logs (`Logs`). Output: the loop
//! with the array as one more state, which reads the restored array instead of what was saved.
//!
//! Invariants: logs are read in the opposite of the order in which they were written. An update is undone by an
//! update at the same place, a loop by a loop that runs down, and a branch by a branch on the same condition. Places
//! and conditions that the log does not hold are computed again from the indices of the backward loop.

use std::ops::Range;

use pullback_base::bug;
use pullback_ir::{Arm, Atom, Block, Loop, LoopForm, Match, Op, Stmt, Type, VarId};

use super::forward::{Forward, NAME, OverwriteLog};
use super::log::{Log, Logs, StepLog};
use super::plan::{Base, Pair, Reading, Saved, What, counted, opened};
use crate::pass::read_from;

/// The saved array that a backward loop reads, and how.
pub(super) struct Read<'r> {
    pub base: &'r Base,
    pub reading: &'r Reading,
    pub saved: &'r Saved,
}

/// An iteration of a backward loop, or a branch of it, that undoes steps of the forward one.
struct Undone<'u> {
    forward: &'u Forward<'u>,
    steps: &'u [StepLog],
    /// The logs that have not been read yet; they are read from the last to the first.
    logs: Vec<Log>,
    /// Which iteration it is.
    index: VarId,
    /// The array after the steps that are not undone yet.
    array: VarId,
    stmts: Vec<Stmt>,
}

impl<'u> Undone<'u> {
    fn new(
        forward: &'u Forward<'u>,
        (steps, logs): (&'u [StepLog], Vec<Log>),
        index: VarId,
        array: VarId,
    ) -> Self {
        Self { forward, steps, logs, index, array, stmts: vec![] }
    }

    fn push(&mut self, var: VarId, op: Op) {
        self.stmts.push(Stmt::new(vec![var], op, self.forward.span));
    }

    fn last_log(&mut self) -> Log {
        self.logs.pop().unwrap_or_else(|| bug(NAME, "what was written over"))
    }
}

impl OverwriteLog<'_> {
    /// Lets a backward loop restore the array, which is `end` after the iterations, and read it instead of what was
    /// saved. Gives the array from before the iterations.
    pub(super) fn restore(
        &mut self,
        forward: &Forward<'_>,
        backward: &mut Stmt,
        end: VarId,
        read: &Read<'_>,
        logs: (&[StepLog], Vec<Log>),
        pair: &Pair<'_>,
    ) -> VarId {
        let Some((_, index, _)) = counted(backward, true) else {
            bug(NAME, "a loop that reads an array")
        };
        let Op::Loop(Loop { states, init, body, .. }) = &mut backward.op else {
            bug(NAME, "a loop that reads an array")
        };
        let [array, restored] = [0; 2].map(|_| self.program.fresh_like(end));
        let mut undone = Undone::new(forward, logs, index, array);
        let steps = forward.steps.len();
        match (&read.saved.what, &read.reading.inner) {
            (What::Version(version), None) => {
                self.undo(&mut undone, *version..steps, pair);
                let at = read.base.of(index);
                instead(body, read.base.var, &at, undone.array, read.saved.is_boxed);
                body.stmts.splice(0..0, undone.stmts.drain(..));
                self.undo(&mut undone, 0..*version, pair);
            }
            (What::Inner(step, saved), Some((place, base, reading))) => {
                self.undo(&mut undone, step + 1..steps, pair);
                let (Some(inside), StepLog::Loop(inner)) =
                    (forward.inner(*step), &undone.steps[*step])
                else {
                    bug(NAME, "a loop inside that saves an array")
                };
                let logs = (inner.steps.as_slice(), self.taken_out(&mut undone, inner));
                let (stmt, end) = (&mut body.stmts[*place], undone.array);
                let inner_read = Read { base, reading, saved };
                undone.array = self.restore(&inside, stmt, end, &inner_read, logs, pair);
                body.stmts.splice(*place..*place, undone.stmts.drain(..));
                // Nobody reads any more what was saved.
                let row = |stmt: &Stmt| matches!(stmt.op, Op::Index(Atom::Var(var), _) if var == read.base.var);
                let rows: Vec<VarId> =
                    body.stmts.iter().filter(|stmt| row(stmt)).map(|stmt| stmt.vars[0]).collect();
                let is_opened = |stmt: &Stmt| rows.iter().any(|row| opened(&stmt.op, *row));
                body.stmts.retain(|stmt| !row(stmt) && !is_opened(stmt));
                self.undo(&mut undone, 0..*step, pair);
            }
            (What::Version(_), Some(_)) | (What::Inner(..), None) => {
                bug(NAME, "where an array is saved")
            }
        }
        body.stmts.append(&mut undone.stmts);
        let count = states.len();
        states.push(array);
        init.push(Atom::Var(end));
        body.results.insert(count, Atom::Var(undone.array));
        backward.vars.insert(count, restored);
        restored
    }

    /// Undoes steps of an iteration, from the last to the first.
    fn undo(&mut self, undone: &mut Undone<'_>, steps: Range<usize>, pair: &Pair<'_>) {
        for step in steps.rev() {
            undone.array = match &undone.steps[step] {
                StepLog::Update => self.undone_update(undone, step, pair),
                StepLog::Loop(logs) => self.undone_loop(undone, step, logs, pair),
                StepLog::If(is_saved, logs) => {
                    self.undone_branch(undone, step, (*is_saved, logs), pair)
                }
            };
        }
    }

    fn undone_update(&mut self, undone: &mut Undone<'_>, step: usize, pair: &Pair<'_>) -> VarId {
        let mut place = vec![];
        for atom in undone.forward.update(step).iter().rev() {
            place.push(if pair.is_known(self.program, *atom) {
                self.again(*atom, pair, undone)
            } else {
                Atom::Var(self.read(undone))
            });
        }
        place.reverse();
        let old = self.read(undone);
        let before = self.program.fresh_like(undone.array);
        undone.push(before, Op::Update(Atom::Var(undone.array), place, Atom::Var(old)));
        before
    }

    /// A loop that undoes what a loop inside did, from its last iteration to the first. Gives the array from before.
    fn undone_loop(
        &mut self,
        undone: &mut Undone<'_>,
        step: usize,
        logs: &Logs,
        pair: &Pair<'_>,
    ) -> VarId {
        let down = counted(undone.forward.stmt(step), false)
            .and_then(|(_, index, _)| pair.indices.get(&index));
        let (Some(down), Some(inside)) = (down, undone.forward.inner(step)) else {
            bug(NAME, "a loop that runs down")
        };
        let taken = self.taken_out(undone, logs);
        let count = self.program.fresh("count", Type::INT);
        undone.push(count, Op::Dim(Atom::Var(taken[0].base.var), 0));
        let [array, before] = [0; 2].map(|_| self.program.fresh_like(undone.array));
        let mut inner = Undone::new(&inside, (&logs.steps, taken), *down, array);
        self.undo(&mut inner, 0..inside.steps.len(), pair);
        let repeat = Loop {
            form: LoopForm::For { index: *down, count: Atom::Var(count), down: true },
            states: vec![array],
            init: vec![Atom::Var(undone.array)],
            body: Block { stmts: inner.stmts, results: vec![Atom::Var(inner.array)] },
        };
        undone.push(before, Op::Loop(repeat));
        before
    }

    /// Undoes the branch that was taken.
    fn undone_branch(
        &mut self,
        undone: &mut Undone<'_>,
        step: usize,
        (is_saved, logs): (bool, &[(usize, Vec<StepLog>); 2]),
        pair: &Pair<'_>,
    ) -> VarId {
        let Some((cond, branches)) = undone.forward.branches(step) else { bug(NAME, "branches") };
        let mut own = logs.each_ref().map(|_| vec![]);
        for which in [1, 0] {
            own[which] = undone.logs.split_off(undone.logs.len() - logs[which].0);
        }
        let cond =
            if is_saved { Atom::Var(self.read(undone)) } else { self.again(cond, pair, undone) };
        let [then, other] = [0, 1].map(|which| {
            let logs = (logs[which].1.as_slice(), std::mem::take(&mut own[which]));
            let mut branch = Undone::new(&branches[which], logs, undone.index, undone.array);
            self.undo(&mut branch, 0..branches[which].steps.len(), pair);
            Block { stmts: branch.stmts, results: vec![Atom::Var(branch.array)] }
        });
        let before = self.program.fresh_like(undone.array);
        undone.push(before, Op::If(cond, then, other));
        before
    }

    /// Reads the last unread log in this iteration, and opens its box.
    fn read(&mut self, undone: &mut Undone<'_>) -> VarId {
        let Log { base, data } = undone.last_log();
        let ty = self.program.vars[base.var].ty;
        let rank = usize::from(ty.rank) - base.at.len() - 1;
        let ty = ty.with_rank(u8::try_from(rank).unwrap_or(u8::MAX));
        let var = self.program.fresh("old", ty);
        undone.push(var, Op::Index(Atom::Var(base.var), base.of(undone.index)));
        let Some(data) = data else { return var };
        let ty = self.program.datas[data].constructors[0].fields[0];
        let [content, field] = [0; 2].map(|_| self.program.fresh("saved", ty));
        let block = Block { stmts: vec![], results: vec![Atom::Var(field)] };
        let arms = vec![Arm { tag: 0, params: vec![field], block }];
        undone.push(content, Op::Match(Match { scrutinee: Atom::Var(var), arms, default: None }));
        content
    }

    /// Reads the last unread logs in this iteration, which are those of a loop inside.
    fn taken_out(&mut self, undone: &mut Undone<'_>, inner: &Logs) -> Vec<Log> {
        let mut bases = vec![];
        for _ in 0..inner.len() {
            bases.push(if undone.logs.last().is_some_and(|log| log.data.is_some()) {
                Base { var: self.read(undone), at: vec![] }
            } else {
                let Log { base, .. } = undone.last_log();
                Base { var: base.var, at: base.of(undone.index) }
            });
        }
        bases.reverse();
        inner.within(bases)
    }

    /// An index of the forward loop, computed in the backward loop.
    fn again(&mut self, atom: Atom, pair: &Pair<'_>, undone: &mut Undone<'_>) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if let Some(index) = pair.indices.get(&var) {
            return Atom::Var(*index);
        }
        if !pair.inside.has(var) {
            return atom;
        }
        let Some(op) = pair.defs.get(&var) else { bug(NAME, "how an index is computed") };
        let mut op = (*op).clone();
        op.for_each_atom_mut(&mut |atom| *atom = self.again(*atom, pair, undone));
        let own = self.program.fresh_like(var);
        undone.push(own, op);
        Atom::Var(own)
    }
}

/// Redirects the reads of saved arrays in a block, boxed or not, to the restored array.
fn instead(block: &mut Block, saved: VarId, at: &[Atom], array: VarId, is_boxed: bool) {
    let is_read = |op: &Op| matches!(op, Op::Index(Atom::Var(var), _) if *var == saved);
    let mut boxes = vec![];
    block.visit(&mut |stmt| boxes.extend((is_boxed && is_read(&stmt.op)).then(|| stmt.vars[0])));
    block.visit_mut(&mut |stmt| {
        for inner in stmt.op.blocks_mut() {
            inner.stmts.retain(|stmt| !is_boxed || !is_read(&stmt.op));
        }
        if boxes.iter().any(|var| opened(&stmt.op, *var)) {
            stmt.op = Op::Copy(Atom::Var(array));
        } else if !is_boxed {
            read_from(&mut stmt.op, saved, at, array);
        }
    });
    block.stmts.retain(|stmt| !is_boxed || !is_read(&stmt.op));
}
