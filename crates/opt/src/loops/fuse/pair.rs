//! Whether the second of two loops reads only its own elements of the first, and what loop the two become.
//!
//! Input: two `for` loops with the same count. Output: whether each read of what the first collects is at the index
//! of the second (`reads_own_elements`), and the merged loop (`merged`).
//! Invariants: the merged loop has the states of both and then the collected arrays of both, those of the first loop
//! first. Reads of an element become copies of the value that the iteration has at hand; sizes become the count, or
//! the size of the row.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Whether a loop uses of `vars` only those that are collected, and of these only the element at its own index and
/// sizes.
pub(super) fn reads_own_elements(form: &Loop, vars: &[VarId], collected: &[VarId]) -> bool {
    let LoopForm::For { index, count, .. } = &form.form else { return false };
    let is_of = |atom: &Atom| atom.var().is_some_and(|var| vars.contains(&var));
    if is_of(count) || form.init.iter().any(is_of) {
        return false;
    }
    let reads = Reads { index: *index, vars, collected };
    reads.block(&form.body)
}

struct Reads<'v> {
    index: VarId,
    vars: &'v [VarId],
    collected: &'v [VarId],
}

impl Reads<'_> {
    fn block(&self, block: &Block) -> bool {
        let is_of = |atom: &Atom| atom.var().is_some_and(|var| self.vars.contains(&var));
        !block.results.iter().any(is_of) && block.stmts.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&self, stmt: &Stmt) -> bool {
        let is_of = |atom: &Atom| atom.var().is_some_and(|var| self.vars.contains(&var));
        let is_collected =
            |atom: &Atom| atom.var().is_some_and(|var| self.collected.contains(&var));
        if let Op::Index(a, at) = &stmt.op
            && is_collected(a)
        {
            return at.first() == Some(&Atom::Var(self.index)) && !at.iter().any(is_of);
        }
        if let Op::Dim(a, _) = &stmt.op
            && is_collected(a)
        {
            return true;
        }
        let mut is_used = false;
        stmt.op.for_each_atom(&mut |atom| is_used |= is_of(&atom));
        !is_used && stmt.op.blocks().into_iter().all(|block| self.block(block))
    }
}

/// The loop that does in each iteration what two loops did one after the other.
pub(super) fn merged(earlier: Stmt, later: Stmt) -> Stmt {
    let (Op::Loop(mut one), Op::Loop(mut other)) = (earlier.op, later.op) else {
        pullback_base::bug("fuse", "two loops")
    };
    let (LoopForm::For { index, count, .. }, LoopForm::For { index: own, .. }) =
        (&one.form, &other.form)
    else {
        pullback_base::bug("fuse", "two loops with an index")
    };
    let rows = earlier.vars.iter().zip(&one.body.results).skip(one.states.len());
    let rows: Vec<(VarId, Atom)> = rows.map(|(var, row)| (*var, *row)).collect();
    if !rows.is_empty() {
        read_rows(&mut other.body, *own, *count, &rows);
    }
    other.body.substitute(&FxHashMap::from_iter([(*own, Atom::Var(*index))]));
    let split = |items: &[Atom], at: usize| (items[..at].to_vec(), items[at..].to_vec());
    let (one_states, other_states) = (one.states.len(), other.states.len());
    let (next, collected) = split(&one.body.results, one_states);
    let (other_next, other_collected) = split(&other.body.results, other_states);
    let (states, arrays) = earlier.vars.split_at(one_states);
    let (other_state_vars, other_arrays) = later.vars.split_at(other_states);
    one.body.results = [next, other_next, collected, other_collected].concat();
    let vars = [states, other_state_vars, arrays, other_arrays].concat();
    one.states.append(&mut other.states);
    one.init.append(&mut other.init);
    one.body.stmts.append(&mut other.body.stmts);
    Stmt::new(vars, Op::Loop(one), earlier.span)
}

/// Replaces reads of arrays at the loop's index by the values that the iteration collects for them (`rows`), and
/// their sizes likewise.
fn read_rows(block: &mut Block, index: VarId, count: Atom, rows: &[(VarId, Atom)]) {
    block.visit_mut(&mut |stmt| {
        let (Op::Index(Atom::Var(a), _) | Op::Dim(Atom::Var(a), _)) = stmt.op else { return };
        let Some((_, row)) = rows.iter().find(|(var, _)| *var == a) else { return };
        if let Op::Index(a, at) = &mut stmt.op {
            debug_assert_eq!(at.first(), Some(&Atom::Var(index)), "its own element");
            at.remove(0);
            *a = *row;
            if at.is_empty() {
                stmt.op = Op::Copy(*row);
            }
        } else if let Op::Dim(a, k) = &mut stmt.op {
            if *k == 0 {
                stmt.op = Op::Copy(count);
            } else {
                *a = *row;
                *k -= 1;
            }
        }
    });
}
