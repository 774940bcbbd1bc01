//! Copy avoidance for functional arrays: an update moves behind the last read of the array that it replaces.
//!
//! ```text
//! b = a with [i] = 0.0          x = a[i]
//! x = a[i]                 =>   y = mul(x, 2.0)
//! y = mul(x, 2.0)               b = a with [i] = 0.0
//! ```
//!
//! An update writes in place only if nobody holds the old array any more: the aggregate update problem (Hudak and
//! Bloss, 1985). Derivatives often write first: they take a cotangent out of an array and leave a zero behind.
//!
//! The pass does five things:
//! 1. a row that only a branch reads, which writes its array, is read inside the branch (`rows`);
//! 2. sizes are asked of the old array, before the update;
//! 3. an update sinks to behind the last read;
//! 4. if it cannot sink, but all later reads are at the element or row that is written, then that is copied before it
//!    is written;
//! 5. a row of an array that is written into another place of the same array is copied first.
//!
//! Law: values keep their bits. An update passes other statements only if it cannot fail, or none of them can fail or
//! tell something. Copies are of one element or one row, never of an array.

mod rows;

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, read_from};
use pullback_analysis::access::may_share;
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::reorder::names;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "sink_updates",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes an array with another element after what looks at the array before",
    law: "b = a with [i] = x; s = s; b = a with [i] = x, if s does not name b, and `a with [i] = x` does not fail; \
          b = a with [i] = x; s = r = a[i]; b = a with [i] = x; s with r for a[i]; \
          b = a with [i] = a[j] = r = [ x | x <- a[j] ]; b = a with [i] = r; \
          r = a[i]; if c { s } else { t } = if c { r = a[i]; s } else { t }, if t does not name r, and s writes a; \
          b = a with [i] = x; s; n = dim(a, k) = n = dim(a, k); b = a with [i] = x; s",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let moved = rows::into_branches(program, analyses);
    analyses.forget(&moved);
    let effects = analyses.effects_in_place(program);
    let changed = each_func(program, |program, func, body| {
        let (effects, own) = (effects.func(func), FxHashSet::default());
        let mut ctx = SinkUpdates { program, effects, own, changed: false };
        ctx.block(body);
        ctx.changed
    });
    moved.and(changed)
}

struct SinkUpdates<'p> {
    program: &'p mut Program,
    effects: FuncEffects<'p>,
    /// What the body at hand binds: that of the loop around, or of the function.
    own: FxHashSet<VarId>,
    changed: bool,
}

impl SinkUpdates<'_> {
    fn block(&mut self, block: &mut Block) {
        let is_calm = |stmt: &Stmt| self.effects.is_calm_throughout(self.program, stmt);
        let mut calm: Vec<bool> = block.stmts.iter().map(is_calm).collect();
        for stmt in &mut block.stmts {
            let around = if let Op::Loop(repeat) = &stmt.op {
                Some(std::mem::replace(&mut self.own, repeat.states.iter().copied().collect()))
            } else {
                None
            };
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            self.own = around.unwrap_or_else(|| std::mem::take(&mut self.own));
            self.own.extend(&stmt.vars);
        }
        self.ask_first(block, &mut calm);
        for at in (0..block.stmts.len()).rev() {
            let Some(last) = self.last_look(&block.stmts, at) else { continue };
            let place = at..=last;
            // If only one side may fail, the same failure comes first as before.
            if calm[at] || calm[at + 1..=last].iter().all(|calm| *calm) {
                block.stmts[place.clone()].rotate_left(1);
                calm[place].rotate_left(1);
                self.changed = true;
            }
        }
        self.take_rows(block);
        // Copies of rows ask for sizes.
        calm.resize(block.stmts.len(), true);
        self.ask_first(block, &mut calm);
    }

    /// Takes sizes from the old arrays, which are as large, and before these are updated.
    fn ask_first(&mut self, block: &mut Block, calm: &mut [bool]) {
        // What an array or an accumulator is made of, and where.
        let mut before: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut taken: FxHashMap<VarId, usize> = FxHashMap::default();
        for at in 0..block.stmts.len() {
            let Stmt { vars, op, .. } = &mut block.stmts[at];
            if let Op::Update(Atom::Var(array), ..) | Op::NewAcc(Atom::Var(array)) = op {
                before.insert(vars[0], *array);
                taken.entry(*array).or_insert(at);
            } else if let Op::ReadAcc(acc) = op {
                before.extend(acc.var().and_then(|acc| Some((vars[0], *before.get(&acc)?))));
            } else if let Op::Dim(Atom::Var(array), _) = op {
                while let Some(older) = before.get(array) {
                    *array = *older;
                }
                let Some(first) = taken.get(array).copied() else { continue };
                block.stmts[first..=at].rotate_right(1);
                calm[first..=at].rotate_right(1);
                taken.values_mut().filter(|place| **place >= first).for_each(|place| *place += 1);
                self.changed = true;
            }
        }
    }

    /// Copies the element or row that an update writes, where all later reads of the old array are of that.
    fn take_rows(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            at += self.take_written(block, at);
            if let Some((array, place, rows)) = self.is_looked_at_there(block, at) {
                let span = block.stmts[at].span;
                let (copy, row) = copied(self.program, array, &place, span);
                // What looks at it looks at the copy.
                let results = std::mem::take(&mut block.results);
                let mut rest = Block { stmts: block.stmts.split_off(at + 1), results };
                rest.substitute(&rows.into_iter().map(|name| (name, Atom::Var(row))).collect());
                rest.visit_mut(&mut |stmt| read_from(&mut stmt.op, array, &place, row));
                block.stmts.append(&mut rest.stmts);
                block.results = rest.results;
                let count = copy.len();
                block.stmts.splice(at..at, copy);
                at += count;
                self.changed = true;
            }
            at += 1;
        }
    }

    /// If a statement writes a row of an array in the same array, lets it write a copy. Gives the number of statements
    /// for that.
    fn take_written(&mut self, block: &mut Block, at: usize) -> usize {
        let Stmt { op: Op::Update(Atom::Var(array), _, Atom::Var(row)), span, .. } =
            block.stmts[at]
        else {
            return 0;
        };
        let rank = |var: VarId| self.program.vars[var].ty.rank;
        if rank(row) != 1 || rank(array) < 2 {
            return 0;
        }
        let mut parts = FxHashSet::from_iter([array]);
        for stmt in block.stmts[..at].iter().filter(|stmt| may_share(&stmt.op)) {
            if names(&stmt.op, &parts) {
                parts.extend(&stmt.vars);
            }
        }
        if !parts.contains(&row) {
            return 0;
        }
        let (copy, own) = copied(self.program, row, &[], span);
        if let Op::Update(_, _, value) = &mut block.stmts[at].op {
            *value = Atom::Var(own);
        }
        let count = copy.len();
        block.stmts.splice(at..at, copy);
        self.changed = true;
        count
    }

    /// If a statement updates an element or row of an array that is the block's own, and later statements read of the
    /// old array that element or row alone: the array, the place, and the variables that are the row already.
    fn is_looked_at_there(
        &self,
        block: &Block,
        at: usize,
    ) -> Option<(VarId, Vec<Atom>, Vec<VarId>)> {
        let Op::Update(Atom::Var(array), place, _) = &block.stmts[at].op else { return None };
        let ty = self.program.vars[*array].ty;
        if !self.own.contains(array) || place.is_empty() || place.len() + 1 < usize::from(ty.rank) {
            return None;
        }
        let mut rows = FxHashSet::default();
        let mut others = FxHashSet::from_iter([*array]);
        for stmt in &block.stmts[..at] {
            if matches!(&stmt.op, Op::Index(Atom::Var(of), i) if of == array && i == place) {
                rows.extend(stmt.vars.iter().filter(|var| self.program.vars[**var].ty.is_array()));
            } else if may_share(&stmt.op) && (names(&stmt.op, &others) || names(&stmt.op, &rows)) {
                others
                    .extend(stmt.vars.iter().filter(|var| self.program.vars[**var].ty.is_array()));
            }
        }
        let mut looks =
            Looks { array: *array, place, rows: &rows, others: &others, looks_at_rows: false };
        let is_fine = block.stmts[at + 1..].iter().all(|stmt| looks.stmt(stmt))
            && block.results.iter().all(|atom| looks.look(*atom));
        (is_fine && looks.looks_at_rows)
            .then(|| (*array, place.clone(), rows.into_iter().collect()))
    }

    /// If the statement at a place is an update, the last statement after it that reads the old array, before
    /// anything reads the new one.
    fn last_look(&self, stmts: &[Stmt], place: usize) -> Option<usize> {
        let (&Op::Update(Atom::Var(before), _, _), &[updated]) =
            (&stmts[place].op, stmts[place].vars.as_slice())
        else {
            return None;
        };
        let updated = FxHashSet::from_iter([updated]);
        // The array, and rows that share its memory.
        let mut parts = FxHashSet::from_iter([before]);
        let mut last = None;
        for (at, stmt) in stmts.iter().enumerate() {
            if names(&stmt.op, &updated) {
                break;
            }
            if names(&stmt.op, &parts) {
                last = Some(at).filter(|at| *at > place);
                let is_array = |var: &&VarId| self.program.vars[**var].ty.is_array();
                parts.extend(stmt.vars.iter().filter(is_array).filter(|_| may_share(&stmt.op)));
            }
        }
        last
    }
}

/// The statements that copy an element, or a row element by element, and its name.
pub(crate) fn copied(
    program: &mut Program,
    array: VarId,
    place: &[Atom],
    span: Span,
) -> (Vec<Stmt>, VarId) {
    let ty = program.vars[array].ty;
    let element = program.fresh("taken", Type::scalar(ty.elem));
    if place.len() == usize::from(ty.rank) {
        let op = Op::Index(Atom::Var(array), place.to_vec());
        return (vec![Stmt::new(vec![element], op, span)], element);
    }
    let [count, index] = ["count", "i"].map(|name| program.fresh(name, Type::INT));
    let row = program.fresh("taken", Type { rank: 1, ..ty });
    let dimension = u8::try_from(place.len()).unwrap_or(u8::MAX);
    let dim = Op::Dim(Atom::Var(array), dimension);
    let at = [place, &[Atom::Var(index)]].concat();
    let read = Stmt::new(vec![element], Op::Index(Atom::Var(array), at), span);
    let body = Block { stmts: vec![read], results: vec![Atom::Var(element)] };
    let form = LoopForm::For { index, count: Atom::Var(count), down: false };
    let repeat = Op::Loop(Loop { form, states: vec![], init: vec![], body });
    (vec![Stmt::new(vec![count], dim, span), Stmt::new(vec![row], repeat, span)], row)
}

/// A walk that finds out what later statements read of an array.
struct Looks<'l> {
    array: VarId,
    place: &'l [Atom],
    /// Names of what is in the place.
    rows: &'l FxHashSet<VarId>,
    /// The array, and names of other parts of it.
    others: &'l FxHashSet<VarId>,
    /// Whether any statement reads what is in the place.
    looks_at_rows: bool,
}

impl Looks<'_> {
    /// Whether an atom is no part of the array, or what is in the place.
    fn look(&mut self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return true };
        self.looks_at_rows |= self.rows.contains(&var);
        !self.others.contains(&var)
    }

    /// Whether a statement reads nothing of the array but what is in the place.
    fn stmt(&mut self, stmt: &Stmt) -> bool {
        if matches!(&stmt.op, Op::Index(Atom::Var(of), i) if *of == self.array && i.starts_with(self.place))
        {
            self.looks_at_rows = true;
            return true;
        }
        let mut is_fine = true;
        let mut look = |atom: Atom| is_fine &= self.look(atom);
        stmt.op.for_each_atom(&mut look);
        for block in stmt.op.blocks() {
            block.results.iter().for_each(|atom| look(*atom));
        }
        is_fine
            && stmt
                .op
                .blocks()
                .into_iter()
                .all(|inner| inner.stmts.iter().all(|stmt| self.stmt(stmt)))
    }
}
