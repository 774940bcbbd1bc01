//! Sizes that are known, and what they decide: comparisons of indices, slices of everything.

use pullback_ir::{Block, FuncId, Op, Program};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::pass::Pass;

pub(crate) const PASS: Pass = Pass {
    name: "sizes",
    about: "takes sizes of arrays from where they are known, and comparisons of indices that those decide",
    law: "dim([e | i < n], 0) = n, i < n is true below a loop over i < n, and the like",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    let known = Facts::of(program).known;
    let mut next = 0;
    for func in program.funcs.ids() {
        replace(&mut program.funcs[func].body, &known, &mut next);
    }
    !known.is_empty()
}

/// Gives statements the operations that are known for their numbers.
fn replace(block: &mut Block, known: &FxHashMap<usize, Op>, next: &mut usize) {
    for stmt in &mut block.stmts {
        if let Some(op) = known.get(next) {
            stmt.op = op.clone();
        }
        *next += 1;
        for inner in stmt.op.blocks_mut() {
            replace(inner, known, next);
        }
    }
}
