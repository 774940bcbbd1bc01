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

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::facts::Facts;

pub(crate) const PASS: Pass = Pass {
    name: "propagate_sizes",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "takes sizes of arrays and counts of loops from where they are known, and comparisons of indices that those \
            decide",
    law: "dim([e | i < n], 0) = n, i < n is true below a loop over i < n, and the like",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    let facts = Facts::of(program);
    let mut next = 0;
    for func in program.funcs.ids() {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        replace(program, &mut body, &facts, &mut next);
        program.funcs[func].body = body;
    }
    let Facts { known, counts, zeros, copies, .. } = facts;
    !(known.is_empty() && counts.is_empty() && zeros.is_empty() && copies.is_empty())
}

/// Replaces operations of statements, and counts and results of loops, by what the facts say of their numbers.
fn replace(program: &mut Program, block: &mut Block, facts: &Facts, next: &mut usize) {
    for mut stmt in std::mem::take(&mut block.stmts) {
        let number = *next;
        *next += 1;
        if let Some(op) = facts.known.get(&number) {
            stmt.op = op.clone();
        }
        for inner in stmt.op.blocks_mut() {
            replace(program, inner, facts, next);
        }
        if let Some(count) = facts.zeros.get(&number) {
            let size = program.fresh("size", Type::INT);
            block.stmts.push(Stmt::new(vec![size], count.clone(), stmt.span));
            stmt.op = zeros(program, size.into());
        }
        let mut copies = vec![];
        if let Op::Loop(form) = &mut stmt.op {
            if let (LoopForm::For { count, .. }, Some(known)) =
                (&mut form.form, facts.counts.get(&number))
            {
                *count = *known;
            }
            for (at, array) in facts.copies.get(&number).into_iter().flatten().rev() {
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
