//! Which variables may have no value. Where a branch is not taken it gives none: so it is said that nothing looks at its
//! result.
//!
//! Input: a program. Output: variables. What comes out of a value without one, out of boxes and calls too, has none
//! either.

use pullback_ir::{Block, Elem, Op, Program, VarId};
use rustc_hash::FxHashSet;

use crate::reorder::names;

/// The arrays and data values that may have no value, which nothing may look at before its time. Numbers have
/// one, whichever it is.
pub fn undefined(program: &Program) -> FxHashSet<VarId> {
    let mut undefined = FxHashSet::default();
    let is_large = |var: &VarId| {
        let ty = program.vars[*var].ty;
        ty.is_array() || matches!(ty.elem, Elem::Data(_))
    };
    // What comes out of a value without one, out of boxes and calls too: a few rounds reach all of it.
    loop {
        let before = undefined.len();
        let mut from_boxes = false;
        for func in program.funcs.iter() {
            func.body.visit(&mut |stmt| {
                let is_named = matches!(stmt.op, Op::Undef) || names(&stmt.op, &undefined);
                let is_given = if let Op::Call(callee, _) = &stmt.op {
                    gives([&program.funcs[*callee].body], &undefined)
                } else {
                    gives(stmt.op.blocks(), &undefined)
                };
                if is_named || is_given {
                    undefined.extend(stmt.vars.iter().copied().filter(is_large));
                    undefined.extend(stmt.op.inner_params().into_iter().filter(is_large));
                    from_boxes |= matches!(stmt.op, Op::Con(_, _) | Op::Call(_, _));
                }
            });
        }
        if from_boxes {
            for func in program.funcs.iter() {
                undefined.extend(func.params.iter().copied().filter(is_large));
                func.body.visit(&mut |stmt| {
                    if matches!(stmt.op, Op::Match(_)) {
                        undefined.extend(stmt.op.inner_params().into_iter().filter(is_large));
                    }
                });
            }
        }
        if undefined.len() == before {
            return undefined;
        }
    }
}

/// Whether one of these blocks gives one of these variables.
fn gives<'b>(blocks: impl IntoIterator<Item = &'b Block>, vars: &FxHashSet<VarId>) -> bool {
    let mut results = blocks.into_iter().flat_map(|block| &block.results);
    results.any(|atom| atom.var().is_some_and(|var| vars.contains(&var)))
}
