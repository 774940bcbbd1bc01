//! Dead-code elimination of collected arrays, in loops whose count may be negative.
//!
//! ```text
//! s, c = for i < n with t = 0.0 {                 check_count(n)
//!   x = real(i)                                   s = for i < n with t = 0.0 { … }
//!   u = add(t, x)                            =>
//!   yield u
//!   collect x
//! }
//! ```
//!
//! Here nothing reads `c`. A negative count is an error only for a loop that collects, so `dce` keeps such an array:
//! it is there for its error. This pass puts a check before the loop, which fails in its place.
//!
//! Law: values and failures stay. Arrays of rows stay, since rows of several sizes are an error of their own, and so
//! does an array of a loop whose count is known not to be negative, which is left to `dce`.

use pullback_ir::{Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "dead_collects",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "lets loops collect nothing that is not read, also if their count may be negative",
    law: "for i < n with s { yield t collect e } = check_count n, for i < n with s { yield t }",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    each_func(program, |program, func, body| {
        let mut read = FxHashSet::default();
        body.visit_atoms(&mut |atom| read.extend(atom.var()));
        in_block(program, body, &read, &facts.func(func).counted)
    })
}

fn in_block(
    program: &mut Program,
    block: &mut Block,
    read: &FxHashSet<VarId>,
    counted: &FxHashSet<VarId>,
) -> bool {
    let mut changed = false;
    for mut stmt in take(block) {
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, inner, read, counted);
        }
        if drops(program, &mut stmt, read, counted) {
            changed = true;
            block.stmts.extend(check(&stmt, counted));
        }
        block.stmts.push(stmt);
    }
    changed
}

/// Removes the collected arrays of a loop if nobody reads them; whether it did.
fn drops(
    program: &Program,
    stmt: &mut Stmt,
    read: &FxHashSet<VarId>,
    counted: &FxHashSet<VarId>,
) -> bool {
    let Op::Loop(Loop { form: LoopForm::For { index, .. }, states, body, .. }) = &mut stmt.op
    else {
        return false;
    };
    if counted.contains(index) {
        return false;
    }
    let collected = &stmt.vars[states.len()..];
    // Rows may be of several sizes, which is an error of their own.
    let is_unread = |var: &VarId| !read.contains(var) && program.vars[*var].ty.rank == 1;
    if collected.is_empty() || !collected.iter().all(is_unread) {
        return false;
    }
    stmt.vars.truncate(states.len());
    body.results.truncate(states.len());
    true
}

/// The check for a loop that collects nothing any more: it fails as the loop did if the count is negative.
pub(crate) fn check(stmt: &Stmt, counted: &FxHashSet<VarId>) -> Option<Stmt> {
    let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, states, .. }) = &stmt.op else {
        return None;
    };
    let is_needed = stmt.vars.len() == states.len() && !counted.contains(index);
    is_needed.then(|| Stmt::new(vec![], Op::CheckCount(*count), stmt.span))
}
