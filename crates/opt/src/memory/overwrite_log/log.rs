//! The writing of the overwrite log: what a forward loop saves so that its changes can be undone.
//!
//! ```text
//! before   b, saved = for i < n with a = m { e = a with [p] = x; yield e  collect a }
//! after    b, log = for i < n with a = m { o = a[p]; e = a with [p] = x; yield e  collect o }
//! ```
//!
//! Input: the forward loop with its steps. Output: the loop with more results, and `Logs`, which says in which order
//! they hold what. Of an update that is the element or row before it is written, then each index that the backward
//! loop cannot compute again. Of a loop inside it is what that loop saves; of a branch, the condition if it cannot be
//! computed again, and what each side saves.
//!
//! Invariants: a side of a branch gives a placeholder for what only the other side saves. What may differ in size
//! between iterations is put in a box.

use pullback_base::{Span, bug};
use pullback_ir::{Atom, Block, DataId, Loop, Op, Stmt, Type, VarId};

use super::forward::{Forward, NAME, OverwriteLog};
use super::plan::{Base, Change, Pair, nothing};
use crate::memory::sink_updates::copied;

/// What a loop saves to undo its steps, in the order of the steps: the results that hold it, each with the type of
/// box that an iteration uses, if any.
pub(super) struct Logs {
    own: Vec<(VarId, Option<DataId>)>,
    pub steps: Vec<StepLog>,
}

/// What a step saves.
pub(super) enum StepLog {
    /// What is written over, then the places that cannot be computed again.
    Update,
    /// What the loop saves.
    Loop(Logs),
    /// Whether the condition is saved, then for each branch the number of its logs and what they hold.
    If(bool, [(usize, Vec<StepLog>); 2]),
}

/// A log that an iteration can read, either of the loop itself or inside the log of an iteration around it.
#[derive(Clone)]
pub(super) struct Log {
    pub base: Base,
    pub data: Option<DataId>,
}

impl Logs {
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// The logs of a loop.
    pub fn all(&self) -> Vec<Log> {
        self.within(self.own.iter().map(|(var, _)| Base { var: *var, at: vec![] }).collect())
    }

    /// The logs as an iteration around finds them.
    pub fn within(&self, bases: Vec<Base>) -> Vec<Log> {
        bases
            .into_iter()
            .zip(&self.own)
            .map(|(base, (_, data))| Log { base, data: *data })
            .collect()
    }
}

/// What an iteration saves.
type Kept = (Atom, Option<DataId>);

impl OverwriteLog<'_> {
    /// Lets a forward loop save what it writes over, and the places of that which cannot be computed again.
    pub(super) fn log(
        &mut self,
        forward: &Forward<'_>,
        saving: &mut Stmt,
        pair: &Pair<'_>,
    ) -> Logs {
        Logging { undo: self, pair }.repeat(forward, saving)
    }

    /// A value in a box, and its type.
    fn boxed(&mut self, var: VarId, span: Span) -> (VarId, DataId, Stmt) {
        let data = self.boxes.of(self.program, self.program.vars[var].ty);
        let boxed = self.program.fresh("saved", Type::data(data));
        (boxed, data, Stmt::new(vec![boxed], Op::Con(0, vec![Atom::Var(var)]), span))
    }

    /// The placeholder that a branch gives for what only the other one saves.
    fn none(&mut self, ty: Type, data: Option<DataId>, span: Span, stmts: &mut Vec<Stmt>) -> Atom {
        let Some(data) = data else {
            return nothing(ty.elem).unwrap_or_else(|| bug(NAME, "a number"));
        };
        let inside = self.program.datas[data].constructors[0].fields[0];
        let empty = self.program.fresh("none", inside);
        stmts.push(Stmt::new(vec![empty], Op::Array(vec![]), span));
        let (boxed, _, stmt) = self.boxed(empty, span);
        stmts.push(stmt);
        Atom::Var(boxed)
    }
}

/// The walk that adds logs to the blocks of a forward loop.
struct Logging<'l, 'p> {
    undo: &'l mut OverwriteLog<'p>,
    pair: &'l Pair<'l>,
}

impl Logging<'_, '_> {
    fn repeat(&mut self, forward: &Forward<'_>, saving: &mut Stmt) -> Logs {
        let Op::Loop(Loop { body, .. }) = &mut saving.op else {
            bug(NAME, "a loop that changes an array")
        };
        let (kept, steps) = self.steps(forward, body);
        let mut own = vec![];
        for (atom, data) in kept {
            let ty = self.undo.program.type_of(atom);
            let all = self.undo.program.fresh("saved", ty.with_rank(ty.rank + 1));
            body.results.push(atom);
            saving.vars.push(all);
            own.push((all, data));
        }
        Logs { own, steps }
    }

    /// From the last step to the first, since what saves has statements of its own.
    fn steps(&mut self, forward: &Forward<'_>, body: &mut Block) -> (Vec<Kept>, Vec<StepLog>) {
        let mut kept = vec![];
        for (at, step) in forward.steps.iter().enumerate().rev() {
            kept.push(match &step.change {
                Change::Update => self.update(forward, at, body),
                Change::Loop(..) => self.inner(forward, at, body),
                Change::If(..) => self.branches(forward, at, body),
            });
        }
        kept.reverse();
        let (kept, steps): (Vec<Vec<Kept>>, Vec<StepLog>) = kept.into_iter().unzip();
        (kept.concat(), steps)
    }

    fn update(
        &mut self,
        forward: &Forward<'_>,
        step: usize,
        body: &mut Block,
    ) -> (Vec<Kept>, StepLog) {
        let place = forward.steps[step].place;
        let at = forward.update(step);
        let Stmt { op: Op::Update(Atom::Var(before), ..), span, .. } = body.stmts[place] else {
            bug(NAME, "an update")
        };
        let (mut copy, mut old) = copied(self.undo.program, before, at, span);
        let mut data = None;
        if forward.is_branch && self.undo.program.vars[old].ty.is_array() {
            let (boxed, of, stmt) = self.undo.boxed(old, span);
            copy.push(stmt);
            (old, data) = (boxed, Some(of));
        }
        body.stmts.splice(place..place, copy);
        let unknown = at.iter().copied().filter(|at| !self.pair.is_known(self.undo.program, *at));
        let mut kept = vec![(Atom::Var(old), data)];
        kept.extend(unknown.map(|atom| (atom, None)));
        (kept, StepLog::Update)
    }

    fn inner(
        &mut self,
        forward: &Forward<'_>,
        step: usize,
        body: &mut Block,
    ) -> (Vec<Kept>, StepLog) {
        let place = forward.steps[step].place;
        let Some(inside) = forward.inner(step) else { bug(NAME, "a loop inside") };
        let logs = self.repeat(&inside, &mut body.stmts[place]);
        let mut kept = vec![];
        for (var, _) in &logs.own {
            if !forward.is_boxed(step) {
                kept.push((Atom::Var(*var), None));
                continue;
            }
            let (boxed, data, stmt) = self.undo.boxed(*var, inside.span);
            body.stmts.insert(place + 1, stmt);
            kept.push((Atom::Var(boxed), Some(data)));
        }
        (kept, StepLog::Loop(logs))
    }

    /// Each branch gives what it saves, and placeholders for what the other one saves.
    fn branches(
        &mut self,
        forward: &Forward<'_>,
        step: usize,
        body: &mut Block,
    ) -> (Vec<Kept>, StepLog) {
        let stmt = &mut body.stmts[forward.steps[step].place];
        let (Some((cond, branches)), Op::If(_, then, other)) =
            (forward.branches(step), &mut stmt.op)
        else {
            bug(NAME, "branches")
        };
        let is_saved = !self.pair.is_known(self.undo.program, cond);
        let mut kept: Vec<Kept> = is_saved.then_some((cond, None)).into_iter().collect();
        let mut blocks = [then, other];
        let logs = [0, 1].map(|which| {
            let (saved, steps) = self.steps(&branches[which], blocks[which]);
            for (atom, data) in &saved {
                let ty = self.undo.program.type_of(*atom);
                let none = self.undo.none(ty, *data, forward.span, &mut blocks[1 - which].stmts);
                blocks[which].results.push(*atom);
                blocks[1 - which].results.push(none);
                let var = self.undo.program.fresh("saved", ty);
                stmt.vars.push(var);
                kept.push((Atom::Var(var), *data));
            }
            (saved.len(), steps)
        });
        (kept, StepLog::If(is_saved, logs))
    }
}
