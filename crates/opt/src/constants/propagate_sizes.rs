//! Propagation of sizes and ranges within a function: sizes come from where they are known, and decide comparisons.
//!
//! ```text
//! c = for i < n {                   c = for i < n {
//!   p = int_lt(i, n)                  p = true
//!   collect x                   =>    collect x
//! }                                 }
//! m = dim(c, 0)                     m = n
//! ```
//!
//! It also turns a slice of everything, and a loop that copies an array, into the array itself, and zeros like an
//! array into as many zeros.
//!
//! Law: values stay, and what it decides is proved (`analysis::facts`): indices of loops are at least 0 and less than
//! the count, sizes are not negative, and what a check of sizes says holds behind it.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type};

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::facts::FuncFacts;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "propagate_sizes",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "takes sizes of arrays and counts of loops from where they are known, and comparisons of indices that those \
            decide",
    law: "dim([e | i < n], 0) = n, i < n is true below a loop over i < n, and the like",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    each_func(program, |program, func, body| {
        let facts = facts.func(func);
        let FuncFacts { known, counts, zeros, copies, .. } = &**facts;
        let is_any =
            !(known.is_empty() && counts.is_empty() && zeros.is_empty() && copies.is_empty());
        if is_any {
            replace(program, body, facts);
        }
        is_any
    })
}

/// Gives statements the operations, and loops the counts and results, that are known.
fn replace(program: &mut Program, block: &mut Block, facts: &FuncFacts) {
    for mut stmt in take(block) {
        if let Some(op) = facts.known.get(&stmt.id) {
            stmt.op = op.clone();
        }
        for inner in stmt.op.blocks_mut() {
            replace(program, inner, facts);
        }
        if let Some(count) = facts.zeros.get(&stmt.id) {
            let size = program.fresh("size", Type::INT);
            block.stmts.push(Stmt::new(vec![size], count.clone(), stmt.span));
            stmt.op = zeros(program, size.into());
        }
        let mut copies = vec![];
        if let Op::Loop(form) = &mut stmt.op {
            if let (LoopForm::For { count, .. }, Some(known)) =
                (&mut form.form, facts.counts.get(&stmt.id))
            {
                *count = *known;
            }
            for (at, array) in facts.copies.get(&stmt.id).into_iter().flatten().rev() {
                form.body.results.remove(*at);
                let var = stmt.vars.remove(*at);
                copies.push(Stmt::new(vec![var], Op::Copy(*array), stmt.span));
            }
        }
        block.stmts.push(stmt);
        block.stmts.append(&mut copies);
    }
}

/// A loop that collects `count` zeros.
fn zeros(program: &mut Program, count: Atom) -> Op {
    let index = program.fresh("i", Type::INT);
    let form = LoopForm::For { index, count, down: false };
    let body = Block { stmts: vec![], results: vec![Atom::Real(0.0)] };
    Op::Loop(Loop { form, states: vec![], init: vec![], body })
}
