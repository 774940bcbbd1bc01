//! Partial inlining of recursive functions: which base cases their callers have in their place.
//!
//! A call that meets the base case at once is none if its caller has that case in its place: of the calls of a
//! recursion that branches these are half or more. This file decides; `outline_slow_path` writes, and has the example.
//!
//! Input: a function, and which functions recur. Output: for each block of its last branch whether it is a base case
//! that callers get; nothing if none is, or if no other block recurs.
//!
//! Law: a base case is a block without calls that recur and without blocks inside. Together with what comes before the
//! branch it has at most 12 statements, and before the branch there are only cheap statements that give numbers. A
//! function that calls itself last keeps its base cases, since such a call is a jump.

use pullback_analysis::call_graph::runs;
use pullback_analysis::cost::again;
use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, FuncId, Op, Program, Stmt, VarId};

/// The most statements that callers have in their place.
const MOST: usize = 12;

/// Which ways of the last branch of a function callers may have, if some: by the order of its blocks.
pub(super) fn bases(
    program: &Program,
    is_recursive: &IdVec<FuncId, bool>,
    func: FuncId,
) -> Option<Vec<bool>> {
    let def = &program.funcs[func];
    let (last, before) = def.body.stmts.split_last()?;
    let explicit = if let Op::Match(cases) = &last.op {
        // What no arm names is no base.
        cases.arms.len()
    } else if let Op::If(..) = &last.op {
        2
    } else {
        return None;
    };
    let leaves = last.vars.iter().copied().map(Atom::Var).eq(def.body.results.iter().copied());
    let is_simple = |stmt: &Stmt| {
        let is_number = |var: &VarId| {
            let ty = program.vars[*var].ty;
            !ty.is_array() && !ty.is_acc && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool)
        };
        let &[var] = stmt.vars.as_slice() else { return false };
        is_number(&var) && again(&stmt.op, program.vars[var].ty).is_some()
    };
    if def.is_constant || !is_recursive[func] || !leaves || !before.iter().all(is_simple) {
        return None;
    }
    let recurs = |stmt: &Stmt| matches!(stmt.op, Op::Call(callee, _) if is_recursive[callee]);
    let is_base = |(at, block): (usize, &&Block)| {
        let is_flat = |stmt: &Stmt| !recurs(stmt) && stmt.op.blocks().is_empty();
        at < explicit && block.size() + before.len() <= MOST && block.stmts.iter().all(is_flat)
    };
    let holds_call = |block: &Block| runs(program, block).iter().any(|func| is_recursive[*func]);
    let blocks = last.op.blocks();
    let bases: Vec<bool> = blocks.iter().enumerate().map(is_base).collect();
    let rest: Vec<&Block> = blocks
        .into_iter()
        .zip(&bases)
        .filter(|(_, is_base)| !**is_base)
        .map(|(block, _)| block)
        .collect();
    let is_parted = bases.contains(&true)
        && rest.iter().any(|block| holds_call(block))
        && !rest.iter().any(|block| ends_in_itself(block, func));
    is_parted.then_some(bases)
}

/// Whether a block may end in a call of this function, which is a jump to its begin.
fn ends_in_itself(block: &Block, func: FuncId) -> bool {
    block.stmts.last().is_some_and(|last| {
        matches!(last.op, Op::Call(callee, _) if callee == func)
            || last.op.blocks().into_iter().any(|inner| ends_in_itself(inner, func))
    })
}
