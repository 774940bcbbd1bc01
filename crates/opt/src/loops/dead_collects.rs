//! Dead-code elimination of collected arrays, in loops whose count may be negative.
//!
//! ```text
//! s, c = for i < n with t = 0.0 {                 p = int_lt(n, 0)
//!   x = real(i)                                   if p { d = for i < n { collect 0.0 } } else { }
//!   u = add(t, x)                            =>   s = for i < n with t = 0.0 { … }
//!   yield u
//!   collect x
//! }
//! ```
//!
//! Here nothing reads `c`. A negative count is an error only for a loop that collects, so `dce` keeps such an array:
//! it is there for its error. This pass puts a guard before the loop (`guard`), which fails in its place.
//!
//! Law: values and failures stay. Arrays of rows stay, since rows of several sizes are an error of their own, and so
//! does an array of a loop whose count is known not to be negative, which is left to `dce`.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "dead_collects",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "lets loops collect nothing that is not read, also if their count may be negative",
    law: "for i < n with s { yield t collect e } = if n < 0 { fail }, for i < n with s { yield t }",
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
    for mut stmt in std::mem::take(&mut block.stmts) {
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, inner, read, counted);
        }
        if drops(program, &mut stmt, read, counted) {
            changed = true;
            block.stmts.extend(guard(program, &stmt, counted).into_iter().flatten());
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
    // Such a loop is a guard of this pass itself.
    if (states.is_empty() && body.stmts.is_empty()) || counted.contains(index) {
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

/// The guard for a loop that collects nothing any more: it fails as the loop did if the count is negative, which is
/// an error only for a loop that collects.
pub(crate) fn guard(
    program: &mut Program,
    stmt: &Stmt,
    counted: &FxHashSet<VarId>,
) -> Option<[Stmt; 2]> {
    let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, states, .. }) = &stmt.op else {
        return None;
    };
    if stmt.vars.len() > states.len() || counted.contains(index) {
        return None;
    }
    let is_negative = program.fresh("is_negative", Type::BOOL);
    let test = Op::Prim(Prim::IntLt, vec![*count, Atom::Int(0)]);
    let index = program.fresh("i", Type::INT);
    let array = program.fresh("array", Type::REAL.array());
    let form = LoopForm::For { index, count: *count, down: false };
    let body = Block { stmts: vec![], results: vec![Atom::Real(0.0)] };
    let fails = Op::Loop(Loop { form, states: vec![], init: vec![], body });
    let then = Block { stmts: vec![Stmt::new(vec![array], fails, stmt.span)], results: vec![] };
    let op = Op::If(is_negative.into(), then, Block::default());
    Some([Stmt::new(vec![is_negative], test, stmt.span), Stmt::new(vec![], op, stmt.span)])
}
