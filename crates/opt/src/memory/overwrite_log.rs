//! Tape of overwritten values: a loop saves what it writes over in an array, and not the array in every iteration.
//!
//! ```text
//! m, c = for i < n with a = x {                      m, o = for i < n with a = x {
//!   b = a with [i] = v                                 w = a[i]
//!   yield b                                            b = a with [i] = v
//!   collect a                                          yield b
//! }                                             =>     collect w
//! s = for down i < n with t = 0.0 {                  }
//!   y = c[i, 0]                                      s, z = for down i < n with t = 0.0, r = m {
//!   …                                                  w = o[i]
//! }                                                    a = r with [i] = w
//!                                                      y = a[0]
//!                                                      … yield …, a
//!                                                    }
//! ```
//!
//! The backward loop starts with the array of the end and undoes one iteration after the other, so that it has in
//! every iteration what the forward loop had there. Tools that differentiate programs with assignments save in this
//! way (Tapenade: Hascoët and Pascual, 2013). What is saved is linear in what is written.
//!
//! Law: every value that is read keeps its bits. It applies where the forward loop changes the array by updates of
//! elements or rows, in loops inside, and in branches, and where one backward loop over the same iterations is all
//! that reads what was saved. Loops that also save what others read are left alone.
//!
//! `plan` finds the two loops and how one changes the array, `forward` is the view of the changing block, `log` makes
//! the forward loop save, and `back` makes the backward loop restore.

mod back;
mod forward;
mod log;
mod plan;

use pullback_ir::{Atom, Block, Boxes, FuncId, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_body};
use back::Read;
use forward::{Forward, NAME, OverwriteLog};
use plan::{Base, Pair, counted, reading, saved, steps};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: NAME,
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "saves what a loop writes over in an array instead of the array",
    law: "m, a = for i with m { m' = m with [p] = x; yield m' collect m }; for down i { s(a[i]) } = m, o = for i with m \
          { m' = m with [p] = x; yield m' collect m[p] }; for down i with r = m { r' = r with [p] = o[i]; s(r'); yield \
          r' }",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    let mut boxes = Boxes::default();
    each_body(program, |program, body| {
        let mut undo = OverwriteLog { program, boxes: &mut boxes, changed: false };
        undo.block(body);
        undo.changed
    })
}

impl OverwriteLog<'_> {
    fn block(&mut self, block: &mut Block) {
        for at in 0..block.stmts.len() {
            while let Some((later, [forward, backward])) = self.restored(block, at) {
                (block.stmts[at], block.stmts[later]) = (forward, backward);
                self.changed = true;
            }
            block.stmts[at].op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// If a statement is a loop that saves an array that can be restored: the place of the loop that reads it, and
    /// the two loops as they become.
    fn restored(&mut self, block: &Block, at: usize) -> Option<(usize, [Stmt; 2])> {
        let stmt = &block.stmts[at];
        let (repeat, ..) = counted(stmt, false)?;
        for state in 0..repeat.states.len() {
            if !self.program.vars[repeat.states[state]].ty.is_array() {
                continue;
            }
            let Some(steps) = steps(self.program, stmt, state) else { continue };
            for saved in saved(self.program, stmt, state, &steps) {
                let base = Base { var: stmt.vars[saved.result], at: vec![] };
                let Some(later) = reader(block, at, base.var) else { continue };
                let mut pair = Pair::of(block, stmt);
                let loops = (stmt, &block.stmts[later]);
                let Some(reading) = reading(self.program, loops, &steps, &saved, &base, &mut pair)
                else {
                    continue;
                };
                let forward = Forward::of(stmt, &steps, Some(&saved));
                self.run_down(&forward, &mut pair);
                let (mut saving, mut backward) = (stmt.clone(), block.stmts[later].clone());
                let logs = self.log(&forward, &mut saving, &pair);
                let read = Read { base: &base, reading: &reading, saved: &saved };
                let logs = (logs.steps.as_slice(), logs.all());
                self.restore(&forward, &mut backward, stmt.vars[state], &read, logs, &pair);
                return Some((later, [saving, backward]));
            }
        }
        None
    }

    /// Gives indices to the loops that will undo inner loops which save nothing.
    fn run_down(&mut self, forward: &Forward<'_>, pair: &mut Pair<'_>) {
        for step in 0..forward.steps.len() {
            if let Some(inside) = forward.inner(step) {
                if let Some((_, index, _)) = counted(forward.stmt(step), false)
                    && inside.saved.is_none()
                {
                    pair.indices.insert(index, self.program.fresh_like(index));
                }
                self.run_down(&inside, pair);
            } else if let Some((_, branches)) = forward.branches(step) {
                branches.iter().for_each(|branch| self.run_down(branch, pair));
            }
        }
    }
}

/// The one statement after another one that mentions a variable, if no other does.
fn reader(block: &Block, at: usize, var: VarId) -> Option<usize> {
    let names_it =
        |stmt: &Stmt| pullback_analysis::reorder::names(&stmt.op, &FxHashSet::from_iter([var]));
    let mut readers = (at + 1..block.stmts.len()).filter(|at| names_it(&block.stmts[*at]));
    let is_result = block.results.contains(&Atom::Var(var));
    match (readers.next(), readers.next()) {
        (Some(reader), None) if !is_result => Some(reader),
        _ => None,
    }
}
