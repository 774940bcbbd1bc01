//! An array that a loop changes element by element, or row by row, is not saved in every iteration for the backward
//! sweep: what is written over is saved, and the backward loop writes it back. It starts from the array of the end, so
//! that it has in every iteration what the forward loop had there. That is what tools of automatic differentiation
//! that transform programs with assignments call a tape of values that are written over.

mod plan;

use std::ops::Range;

use pullback_base::{Span, bug};
use pullback_ir::{
    Arm, Atom, Block, Boxes, DataId, FuncId, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::FxHashSet;

use crate::later::copied;
use crate::pass::{Pass, each_body, read_from};
use plan::{
    Base, Change, Level, Pair, Reading, Saved, Step, What, counted, level, opened, reading, saved,
};

pub(crate) const PASS: Pass = Pass {
    name: "undo",
    about: "saves what a loop writes over in an array instead of the array",
    law: "m, a = for i with m { m' = m with [p] = x; yield m' collect m }; for down i { s(a[i]) } = m, o = for i with m \
          { m' = m with [p] = x; yield m' collect m[p] }; for down i with r = m { r' = r with [p] = o[i]; s(r'); yield \
          r' }",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    let mut boxes = Boxes::default();
    each_body(program, |program, body| {
        let mut undo = Undo { program, boxes: &mut boxes, changed: false };
        undo.block(body);
        undo.changed
    })
}

struct Undo<'p> {
    program: &'p mut Program,
    boxes: &'p mut Boxes,
    changed: bool,
}

/// What a forward loop saves to undo its steps: its results for that, each with the box that what an iteration saves is
/// in, in the order of the steps, and for each step that is a loop what that saves.
struct Logs {
    own: Vec<(VarId, Option<DataId>)>,
    steps: Vec<Option<Logs>>,
}

/// A loop that changes an array, and how, and where it saves it, if it does.
struct Forward<'b> {
    stmt: &'b Stmt,
    level: &'b Level,
    saved: Option<&'b Saved>,
}

impl<'b> Forward<'b> {
    fn body(&self) -> &'b Block {
        let Op::Loop(repeat) = &self.stmt.op else {
            bug(PASS.name, "a loop that changes an array")
        };
        &repeat.body
    }

    /// The step that is the loop inside where the array is saved.
    fn saving(&self) -> Option<(usize, &'b Saved)> {
        match &self.saved?.what {
            What::Inner(step, saved) => Some((*step, saved)),
            What::Version(_) => None,
        }
    }

    /// A step that is a loop.
    fn inner(&self, step: usize) -> Option<Forward<'b>> {
        let Step { place, change: Change::Loop(_, level) } = &self.level.steps[step] else {
            return None;
        };
        let saved = self.saving().filter(|saving| saving.0 == step).map(|saving| saving.1);
        Some(Forward { stmt: &self.body().stmts[*place], level, saved })
    }

    /// Where a step that is an update writes.
    fn update(&self, step: usize) -> &'b [Atom] {
        let Op::Update(_, at, _) = &self.body().stmts[self.level.steps[step].place].op else {
            bug(PASS.name, "an update of an array")
        };
        at
    }

    /// Whether what a loop inside saves in an iteration is in a box: where rows of arrays might not be alike.
    fn is_boxed(&self, step: usize) -> bool {
        match (self.saved, self.saving()) {
            (Some(saved), Some((saving, _))) if saving == step => saved.is_boxed,
            _ => true,
        }
    }
}

/// An iteration of a backward loop that undoes steps of the forward one.
struct Undone<'u> {
    forward: &'u Forward<'u>,
    logs: &'u Logs,
    /// The logs that have not been read, which are read from the last to the first.
    saved: Vec<Base>,
    /// Which iteration it is.
    index: VarId,
    /// The array after the steps that are not undone yet.
    array: VarId,
    stmts: Vec<Stmt>,
}

impl<'u> Undone<'u> {
    fn new(
        forward: &'u Forward<'u>,
        logs: &'u Logs,
        saved: Vec<Base>,
        index: VarId,
        array: VarId,
    ) -> Self {
        Self { forward, logs, saved, index, array, stmts: vec![] }
    }

    fn span(&self) -> Span {
        self.forward.stmt.span
    }
}

impl Undo<'_> {
    fn block(&mut self, block: &mut Block) {
        for at in 0..block.stmts.len() {
            while let Some((later, [forward, backward])) = self.restored(block, at) {
                (block.stmts[at], block.stmts[later]) = (forward, backward);
                self.changed = true;
            }
            block.stmts[at].op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// If a statement is a loop that saves an array that can be restored: where the loop is that reads it, and the two
    /// loops with that done.
    fn restored(&mut self, block: &Block, at: usize) -> Option<(usize, [Stmt; 2])> {
        let stmt = &block.stmts[at];
        let (repeat, ..) = counted(stmt, false)?;
        for state in 0..repeat.states.len() {
            if !self.program.vars[repeat.states[state]].ty.is_array() {
                continue;
            }
            let Some(level) = level(self.program, stmt, state) else { continue };
            for saved in saved(self.program, stmt, state, &level) {
                let forward = Forward { stmt, level: &level, saved: Some(&saved) };
                let base = Base { var: stmt.vars[saved.result], at: vec![] };
                let Some(later) = reader(block, at, base.var) else { continue };
                let mut pair = Pair::of(block, stmt);
                let mut backward = block.stmts[later].clone();
                let loops = (stmt, &block.stmts[later]);
                if let Some(reading) =
                    reading(self.program, loops, &level, &saved, &base, &mut pair)
                {
                    self.run_down(&forward, &mut pair);
                    let mut saving = stmt.clone();
                    let logs = self.log(&forward, &mut saving, &pair);
                    let bases = logs.own.iter().map(|(var, _)| Base { var: *var, at: vec![] });
                    let logs = (&logs, bases.collect());
                    let read = Read { base: &base, reading: &reading, saved: &saved };
                    self.restore(&forward, &mut backward, stmt.vars[state], &read, logs, &pair);
                    return Some((later, [saving, backward]));
                }
            }
        }
        None
    }

    /// Gives indices to the loops that undo what loops inside did that save nothing.
    fn run_down(&mut self, forward: &Forward<'_>, pair: &mut Pair<'_>) {
        for step in 0..forward.level.steps.len() {
            let Some(inside) = forward.inner(step) else { continue };
            if let Some((_, index, _)) = counted(inside.stmt, false)
                && inside.saved.is_none()
            {
                pair.indices.insert(index, self.program.fresh_like(index));
            }
            self.run_down(&inside, pair);
        }
    }

    /// Lets a forward loop save what it writes over, and the places of that which cannot be computed again.
    fn log(&mut self, forward: &Forward<'_>, saving: &mut Stmt, pair: &Pair<'_>) -> Logs {
        let Op::Loop(Loop { body, .. }) = &mut saving.op else {
            bug(PASS.name, "a loop that changes an array")
        };
        let (mut kept, mut steps) = (vec![], vec![]);
        for (at, Step { place, .. }) in forward.level.steps.iter().enumerate().rev() {
            let stmt = &mut body.stmts[*place];
            let span = stmt.span;
            let mut step = vec![];
            let inner = forward.inner(at).map(|inside| self.log(&inside, stmt, pair));
            if let Some(logs) = &inner {
                for (var, _) in &logs.own {
                    if !forward.is_boxed(at) {
                        step.push((Atom::Var(*var), None));
                        continue;
                    }
                    let data = self.boxes.of(self.program, self.program.vars[*var].ty);
                    let boxed = self.program.fresh("saved", Type::data(data));
                    let stmt = Stmt::new(vec![boxed], Op::Con(0, vec![Atom::Var(*var)]), span);
                    body.stmts.insert(place + 1, stmt);
                    step.push((Atom::Var(boxed), Some(data)));
                }
            } else {
                let at = forward.update(at);
                let Op::Update(Atom::Var(before), ..) = stmt.op else {
                    bug(PASS.name, "an update")
                };
                let (copy, old) = copied(self.program, before, at, span);
                body.stmts.splice(*place..*place, copy);
                let unknown = at.iter().copied().filter(|at| !pair.is_known(self.program, *at));
                step.extend(
                    std::iter::once(Atom::Var(old)).chain(unknown).map(|atom| (atom, None)),
                );
            }
            kept.push(step);
            steps.push(inner);
        }
        steps.reverse();
        let mut own = vec![];
        for (atom, data) in kept.into_iter().rev().flatten() {
            let ty = self.program.type_of(atom);
            let all = self.program.fresh("saved", ty.with_rank(ty.rank + 1));
            body.results.push(atom);
            saving.vars.push(all);
            own.push((all, data));
        }
        Logs { own, steps }
    }

    /// Lets a backward loop restore the array, which is `end` after the iterations, and read it instead of what was
    /// saved. Gives the array from before the iterations.
    fn restore(
        &mut self,
        forward: &Forward<'_>,
        backward: &mut Stmt,
        end: VarId,
        read: &Read<'_>,
        (logs, bases): (&Logs, Vec<Base>),
        pair: &Pair<'_>,
    ) -> VarId {
        let Some((_, index, _)) = counted(backward, true) else {
            bug(PASS.name, "a loop that reads an array")
        };
        let Op::Loop(Loop { states, init, body, .. }) = &mut backward.op else {
            bug(PASS.name, "a loop that reads an array")
        };
        let [array, restored] = [0; 2].map(|_| self.program.fresh_like(end));
        let mut undone = Undone::new(forward, logs, bases, index, array);
        let steps = forward.level.steps.len();
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
                let (Some(inside), Some(inner)) = (forward.inner(*step), &logs.steps[*step]) else {
                    bug(PASS.name, "a loop inside that saves an array")
                };
                let bases = self.taken_out(&mut undone, inner);
                let (stmt, end) = (&mut body.stmts[*place], undone.array);
                let inner_read = Read { base, reading, saved };
                undone.array = self.restore(&inside, stmt, end, &inner_read, (inner, bases), pair);
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
                bug(PASS.name, "where an array is saved")
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
            let before = if let (Some(inside), Some(logs)) =
                (undone.forward.inner(step), &undone.logs.steps[step])
            {
                self.undone_loop(undone, &inside, logs, pair)
            } else {
                let mut place = vec![];
                for atom in undone.forward.update(step).iter().rev() {
                    place.push(if pair.is_known(self.program, *atom) {
                        self.again(*atom, pair, undone.span(), &mut undone.stmts)
                    } else {
                        Atom::Var(self.read(undone, "old"))
                    });
                }
                place.reverse();
                let old = self.read(undone, "old");
                let before = self.program.fresh_like(undone.array);
                let op = Op::Update(Atom::Var(undone.array), place, Atom::Var(old));
                undone.stmts.push(Stmt::new(vec![before], op, undone.span()));
                before
            };
            undone.array = before;
        }
    }

    /// A loop that undoes what a loop inside did, from its last iteration to the first. Gives the array from before.
    fn undone_loop(
        &mut self,
        undone: &mut Undone<'_>,
        inside: &Forward<'_>,
        logs: &Logs,
        pair: &Pair<'_>,
    ) -> VarId {
        let Some(down) =
            counted(inside.stmt, false).and_then(|(_, index, _)| pair.indices.get(&index))
        else {
            bug(PASS.name, "a loop that runs down")
        };
        let bases = self.taken_out(undone, logs);
        let span = undone.span();
        let count = self.program.fresh("count", Type::INT);
        let dim = Op::Dim(Atom::Var(bases[0].var), 0);
        undone.stmts.push(Stmt::new(vec![count], dim, span));
        let [array, before] = [0; 2].map(|_| self.program.fresh_like(undone.array));
        let mut inner = Undone::new(inside, logs, bases, *down, array);
        self.undo(&mut inner, 0..inside.level.steps.len(), pair);
        let repeat = Loop {
            form: LoopForm::For { index: *down, count: Atom::Var(count), down: true },
            states: vec![array],
            init: vec![Atom::Var(undone.array)],
            body: Block { stmts: inner.stmts, results: vec![Atom::Var(inner.array)] },
        };
        undone.stmts.push(Stmt::new(vec![before], Op::Loop(repeat), span));
        before
    }

    /// What the iteration has in the last log that has not been read.
    fn read(&mut self, undone: &mut Undone<'_>, name: &str) -> VarId {
        let Some(log) = undone.saved.pop() else { bug(PASS.name, "what was written over") };
        let ty = self.program.vars[log.var].ty;
        let rank = usize::from(ty.rank) - log.at.len() - 1;
        let ty = ty.with_rank(u8::try_from(rank).unwrap_or(u8::MAX));
        let var = self.program.fresh(name, ty);
        let op = Op::Index(Atom::Var(log.var), log.of(undone.index));
        undone.stmts.push(Stmt::new(vec![var], op, undone.span()));
        var
    }

    /// What the iteration has in the last logs, which are those of a loop inside, out of their boxes.
    fn taken_out(&mut self, undone: &mut Undone<'_>, inner: &Logs) -> Vec<Base> {
        let mut bases = vec![];
        for _ in &inner.own {
            let Some((_, data)) = undone.logs.own.get(undone.saved.len() - 1) else {
                bug(PASS.name, "what a loop inside wrote over")
            };
            let Some(data) = data else {
                let Some(log) = undone.saved.pop() else { bug(PASS.name, "a log") };
                bases.push(Base { var: log.var, at: log.of(undone.index) });
                continue;
            };
            let boxed = self.read(undone, "saved");
            let ty = self.program.datas[*data].constructors[0].fields[0];
            let [content, field] = [0; 2].map(|_| self.program.fresh("saved", ty));
            let block = Block { stmts: vec![], results: vec![Atom::Var(field)] };
            let arms = vec![Arm { tag: 0, params: vec![field], block }];
            let op = Op::Match(Match { scrutinee: Atom::Var(boxed), arms, default: None });
            undone.stmts.push(Stmt::new(vec![content], op, undone.span()));
            bases.push(Base { var: content, at: vec![] });
        }
        bases.reverse();
        bases
    }

    /// An index of the forward loop, computed in the backward loop.
    fn again(&mut self, atom: Atom, pair: &Pair<'_>, span: Span, stmts: &mut Vec<Stmt>) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if let Some(index) = pair.indices.get(&var) {
            return Atom::Var(*index);
        }
        if !pair.bound.contains(&var) {
            return atom;
        }
        let Some(op) = pair.defs.get(&var) else { bug(PASS.name, "how an index is computed") };
        let mut op = (*op).clone();
        op.for_each_atom_mut(&mut |atom| *atom = self.again(*atom, pair, span, stmts));
        let own = self.program.fresh_like(var);
        stmts.push(Stmt::new(vec![own], op, span));
        Atom::Var(own)
    }
}

/// What a backward loop reads that is to be restored.
struct Read<'r> {
    base: &'r Base,
    reading: &'r Reading,
    saved: &'r Saved,
}

/// The one statement after another one that mentions a variable, if no other does.
fn reader(block: &Block, at: usize, var: VarId) -> Option<usize> {
    let names_it = |stmt: &Stmt| crate::hoist::names(&stmt.op, &FxHashSet::from_iter([var]));
    let mut readers = (at + 1..block.stmts.len()).filter(|at| names_it(&block.stmts[*at]));
    let is_result = block.results.contains(&Atom::Var(var));
    match (readers.next(), readers.next()) {
        (Some(reader), None) if !is_result => Some(reader),
        _ => None,
    }
}

/// Lets a block read an array instead of what was saved of it, which may be in boxes.
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
