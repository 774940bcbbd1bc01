//! Sinking of row reads into branches: which rows are read outside of the branch that alone uses them.
//!
//! ```text
//! r = a[i]                                     b = if p {
//! b = if p {                                     r = a[i]
//!   c = a with [j] = r                    =>     c = a with [j] = r
//!   yield c                                      yield c
//! } else { yield a }                           } else { yield a }
//! ```
//!
//! Input: the program. Output: the program with such reads inside the sides that use them. Read outside, a row would
//! hold its array, which could then not be written in place.
//! Invariants: the read cannot fail, the branch writes the array, and nothing between the read and the branch changes
//! or passes on the array.

use pullback_ir::{Atom, Block, Op, Program, Stmt};
use rustc_hash::FxHashSet;

use crate::pass::each_func;
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::reorder::names;
use pullback_analysis::{Analyses, Changed};

/// Reads rows in the branches that write their arrays; whether there were any.
pub(super) fn into_branches(program: &mut Program, analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects_in_place(program);
    each_func(program, |program, func, body| in_block(program, effects.func(func), body))
}

fn in_block(program: &mut Program, effects: FuncEffects<'_>, block: &mut Block) -> bool {
    let (mut changed, mut rows) = (false, vec![]);
    for (at, stmt) in block.stmts.iter_mut().enumerate() {
        let is_calm = effects.is_calm(program, stmt);
        if let (Op::Index(Atom::Var(_), _), [row]) = (&stmt.op, stmt.vars.as_slice())
            && is_calm
            && program.vars[*row].ty.is_array()
        {
            rows.push(at);
        }
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, effects, inner);
        }
    }
    // From the last to the first, so that the places of those still to move stay right.
    for at in rows.into_iter().rev() {
        let Some(branch) = branch_of(block, at) else { continue };
        let read = block.stmts.remove(at);
        // The statements behind the removed one have moved up by one place.
        let blocks = block.stmts[branch - 1].op.blocks_mut();
        let outside = read.vars[0];
        for side in blocks.into_iter().filter(|side| side.mentions(outside) > 0) {
            let row = program.fresh_like(outside);
            side.substitute(&[(outside, Atom::Var(row))].into_iter().collect());
            side.stmts.insert(0, Stmt { vars: vec![row], ..read.clone() });
        }
        changed = true;
    }
    changed
}

/// The branch that alone reads a row, and writes the array of that row, if nothing in between writes or passes on the
/// array.
fn branch_of(block: &Block, at: usize) -> Option<usize> {
    let Stmt { vars, op: Op::Index(Atom::Var(array), _), .. } = &block.stmts[at] else {
        return None;
    };
    let (row, array) = (FxHashSet::from_iter(vars.iter().copied()), *array);
    let mut users = (at + 1..block.stmts.len()).filter(|at| names(&block.stmts[*at].op, &row));
    let (branch, others) = (users.next()?, users.next());
    let (Op::If(..) | Op::Match(..)) = &block.stmts[branch].op else { return None };
    let mut is_asked = false;
    block.stmts[branch].op.for_each_atom(&mut |atom| is_asked |= atom == Atom::Var(vars[0]));
    let is_result = block.results.contains(&Atom::Var(vars[0]));
    let own = FxHashSet::from_iter([array]);
    let only_reads =
        |stmt: &Stmt| matches!(stmt.op, Op::Index(..) | Op::Dim(..)) || !names(&stmt.op, &own);
    let is_alone = others.is_none() && !is_asked && !is_result;
    let mut is_written = false;
    for side in block.stmts[branch].op.blocks() {
        side.visit(&mut |stmt| {
            is_written |= matches!(stmt.op, Op::Update(Atom::Var(of), ..) if of == array);
        });
    }
    (is_alone && is_written && block.stmts[at + 1..branch].iter().all(only_reads)).then_some(branch)
}
