//! An array that a loop changes element by element, or row by row, is not saved in every iteration for the backward
//! sweep: what is written over is saved, and the backward loop writes it back. It starts from the array of the end, so
//! that it has in every iteration what the forward loop had there. That is what tools of automatic differentiation
//! that transform programs with assignments call a tape of values that are written over.

mod plan;

use pullback_base::{Span, bug};
use pullback_ir::{
    Arm, Atom, Block, Boxes, DataId, FuncId, Loop, Match, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::FxHashSet;

use crate::later::copied;
use crate::pass::{Pass, each_body, read_from};
use plan::{Base, Level, Pair, Reading, Saved, What, counted, level, opened, reading, saved};

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

/// What a forward loop saves to undo its updates: its results for that, each with the box that what an iteration saves
/// is in, and those of the loop inside.
struct Logs {
    own: Vec<(VarId, Option<DataId>)>,
    inner: Option<Box<Logs>>,
}

/// A loop that changes an array, and how.
struct Forward<'b> {
    stmt: &'b Stmt,
    state: usize,
    level: &'b Level,
    saved: &'b Saved,
}

impl<'b> Forward<'b> {
    fn body(&self) -> &'b Block {
        let Op::Loop(repeat) = &self.stmt.op else { bug(PASS.name, "a loop that saves an array") };
        &repeat.body
    }

    /// The loop inside that does it.
    fn inner(&self) -> Option<Forward<'b>> {
        let (Level::Inner(place, state, level), What::Inner(saved)) =
            (self.level, &self.saved.what)
        else {
            return None;
        };
        Some(Forward { stmt: &self.body().stmts[*place], state: *state, level, saved })
    }

    /// The places of its updates, and how many of them come before the array is saved.
    fn updates(&self) -> Option<(Vec<&'b [Atom]>, usize)> {
        let (Level::Updates(places), What::Version(version)) = (self.level, &self.saved.what)
        else {
            return None;
        };
        let at = |place: &usize| {
            let Op::Update(_, at, _) = &self.body().stmts[*place].op else {
                bug(PASS.name, "an update of an array")
            };
            at.as_slice()
        };
        Some((places.iter().map(at).collect(), *version))
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
                let forward = Forward { stmt, state, level: &level, saved: &saved };
                let base = Base { var: stmt.vars[saved.result], at: vec![] };
                let Some(later) = reader(block, at, base.var) else { continue };
                let mut pair = Pair::of(block, stmt);
                let mut backward = block.stmts[later].clone();
                let loops = (stmt, &block.stmts[later]);
                if let Some(reading) =
                    reading(self.program, loops, &level, &saved, &base, &mut pair)
                {
                    let mut saving = stmt.clone();
                    let logs = self.log(&forward, &mut saving, &pair);
                    let bases = logs.own.iter().map(|(var, _)| Base { var: *var, at: vec![] });
                    let read = Read { base: &base, reading: &reading, logs: &logs };
                    let end = Atom::Var(stmt.vars[state]);
                    self.restore(
                        &forward,
                        &mut backward,
                        end,
                        &read,
                        &bases.collect::<Vec<_>>(),
                        &pair,
                    );
                    return Some((later, [saving, backward]));
                }
            }
        }
        None
    }

    /// Lets a forward loop save what it writes over, and the places of that which cannot be computed again.
    fn log(&mut self, forward: &Forward<'_>, saving: &mut Stmt, pair: &Pair<'_>) -> Logs {
        let Op::Loop(Loop { body, .. }) = &mut saving.op else {
            bug(PASS.name, "a loop that saves an array")
        };
        let (mut kept, mut inner) = (vec![], None);
        if let (Level::Updates(places), Some((updates, _))) = (forward.level, forward.updates()) {
            for (place, at) in places.iter().zip(updates).rev() {
                let update = &body.stmts[*place];
                let Op::Update(before, ..) = update.op else { bug(PASS.name, "an update") };
                let span = update.span;
                let Atom::Var(before) = before else { bug(PASS.name, "an array") };
                let (copy, old) = copied(self.program, before, at, span);
                body.stmts.splice(*place..*place, copy);
                let unknown = at.iter().copied().filter(|at| !pair.is_known(self.program, *at));
                let step: Vec<_> = std::iter::once(Atom::Var(old)).chain(unknown).collect();
                kept.extend(step.into_iter().rev().map(|atom| (atom, None)));
            }
            kept.reverse();
        } else if let (Level::Inner(place, ..), Some(loop_inside)) =
            (forward.level, forward.inner())
        {
            let logs = self.log(&loop_inside, &mut body.stmts[*place], pair);
            let span = body.stmts[*place].span;
            for (var, _) in &logs.own {
                if !forward.saved.is_boxed {
                    kept.push((Atom::Var(*var), None));
                    continue;
                }
                let ty = self.program.vars[*var].ty;
                let data = self.boxes.of(self.program, ty);
                let boxed = self.program.fresh("saved", Type::data(data));
                let stmt = Stmt::new(vec![boxed], Op::Con(0, vec![Atom::Var(*var)]), span);
                body.stmts.insert(place + 1, stmt);
                kept.push((Atom::Var(boxed), Some(data)));
            }
            inner = Some(Box::new(logs));
        }
        let mut own = vec![];
        for (atom, data) in kept {
            let ty = self.program.type_of(atom);
            let all = self.program.fresh("saved", ty.with_rank(ty.rank + 1));
            body.results.push(atom);
            saving.vars.push(all);
            own.push((all, data));
        }
        Logs { own, inner }
    }

    /// Lets a backward loop restore the array, which is `end` after the iterations, and read it instead of what was
    /// saved. Gives the array from before the iterations.
    fn restore(
        &mut self,
        forward: &Forward<'_>,
        backward: &mut Stmt,
        end: Atom,
        read: &Read<'_>,
        logs: &[Base],
        pair: &Pair<'_>,
    ) -> VarId {
        let Some((_, index, _)) = counted(backward, true) else {
            bug(PASS.name, "a loop that reads an array")
        };
        let span = backward.span;
        let Op::Loop(Loop { states, init, body, .. }) = &mut backward.op else {
            bug(PASS.name, "a loop that reads an array")
        };
        let [array, restored] =
            [0; 2].map(|_| self.program.fresh_like(forward.stmt.vars[forward.state]));
        let start = if let Some((updates, version)) = forward.updates() {
            let mut steps: Vec<Vec<Stmt>> = vec![];
            let mut versions = vec![array];
            let mut logs = logs.to_vec();
            for at in updates.iter().rev() {
                let mut stmts = vec![];
                let mut next = |undo: &mut Self, stmts: &mut Vec<Stmt>| {
                    let Some(log) = logs.pop() else { bug(PASS.name, "what was written over") };
                    let ty = undo.program.vars[log.var].ty;
                    let rank = usize::from(ty.rank) - log.at.len() - 1;
                    let ty = ty.with_rank(u8::try_from(rank).unwrap_or(u8::MAX));
                    let var = undo.program.fresh("old", ty);
                    stmts.push(Stmt::new(
                        vec![var],
                        Op::Index(Atom::Var(log.var), log.of(index)),
                        span,
                    ));
                    Atom::Var(var)
                };
                let mut place = vec![];
                for atom in at.iter().rev() {
                    place.push(if pair.is_known(self.program, *atom) {
                        self.again(*atom, pair, span, &mut stmts)
                    } else {
                        next(self, &mut stmts)
                    });
                }
                place.reverse();
                let old = next(self, &mut stmts);
                let before = self.program.fresh_like(array);
                let after = Atom::Var(versions[versions.len() - 1]);
                stmts.push(Stmt::new(vec![before], Op::Update(after, place, old), span));
                versions.push(before);
                steps.push(stmts);
            }
            let undone_first = updates.len() - version;
            let last = steps.split_off(undone_first);
            let at = read.base.of(index);
            instead(body, read.base.var, &at, versions[undone_first], forward.saved.is_boxed);
            body.stmts.splice(0..0, steps.into_iter().flatten());
            body.stmts.extend(last.into_iter().flatten());
            versions[updates.len()]
        } else if let (Some(inside), Some((place, base, reading)), Some(inner_logs)) =
            (forward.inner(), &read.reading.inner, &read.logs.inner)
        {
            let (mut stmts, mut bases) = (vec![], vec![]);
            for (log, (_, data)) in logs.iter().zip(&read.logs.own) {
                bases.push(self.taken_out(log, *data, index, span, &mut stmts));
            }
            let inner = Read { base, reading, logs: inner_logs };
            let stmt = &mut body.stmts[*place];
            let start = self.restore(&inside, stmt, Atom::Var(array), &inner, &bases, pair);
            body.stmts.splice(*place..*place, stmts);
            // Nobody reads any more what was saved.
            let row = |stmt: &Stmt| matches!(stmt.op, Op::Index(Atom::Var(var), _) if var == read.base.var);
            let rows: Vec<VarId> =
                body.stmts.iter().filter(|stmt| row(stmt)).map(|stmt| stmt.vars[0]).collect();
            body.stmts.retain(|stmt| !row(stmt) && !rows.iter().any(|row| opened(&stmt.op, *row)));
            start
        } else {
            bug(PASS.name, "updates, or a loop with updates")
        };
        let count = states.len();
        states.push(array);
        init.push(end);
        body.results.insert(count, Atom::Var(start));
        backward.vars.insert(count, restored);
        restored
    }

    /// What an iteration has in a log of the loop around, out of its box.
    fn taken_out(
        &mut self,
        log: &Base,
        data: Option<DataId>,
        index: VarId,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Base {
        let at = log.of(index);
        let Some(data) = data else { return Base { var: log.var, at } };
        let boxed = self.program.fresh("saved", Type::data(data));
        stmts.push(Stmt::new(vec![boxed], Op::Index(Atom::Var(log.var), at), span));
        let ty = self.program.datas[data].constructors[0].fields[0];
        let [content, field] = [0; 2].map(|_| self.program.fresh("saved", ty));
        let block = Block { stmts: vec![], results: vec![Atom::Var(field)] };
        let arms = vec![Arm { tag: 0, params: vec![field], block }];
        let op = Op::Match(Match { scrutinee: Atom::Var(boxed), arms, default: None });
        stmts.push(Stmt::new(vec![content], op, span));
        Base { var: content, at: vec![] }
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
    logs: &'r Logs,
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
