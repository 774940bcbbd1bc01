//! Legality of loop fusion: whether the second of two loops reads only its own elements of the first, and what loop
//! the two become.
//!
//! ```text
//! a = for i < n { … collect x }             a, b = for i < n { …
//! b = for j < n {                     =>      y = add(x, 1.0)
//!   e = a[j]                                  collect x, y
//!   y = add(e, 1.0)                         }
//!   collect y
//! }
//! ```
//!
//! Input: two `for` loops with the same count. Output: whether each read of what the first collects is at the index
//! of the second (`reads_own_elements`), and the merged loop (`merged`).
//! Invariants: the merged loop has the states of both and then the collected arrays of both, those of the first loop
//! first. Reads of an element become copies of the value that the iteration has at hand; sizes become the count, or
//! the size of the row.

use pullback_analysis::access::{Access, arrays};
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Whether a loop uses nothing that an earlier loop gives but what that has collected, and of this only the element at
/// its own index and sizes. `last` are the final states of the earlier loop.
pub(super) fn reads_own_elements(form: &Loop, last: &[VarId], collected: &[VarId]) -> bool {
    let begins = form.for_count().into_iter().chain(form.init.iter().copied());
    let mut vars = begins.filter_map(|atom| atom.var());
    !vars.any(|var| last.contains(&var) || collected.contains(&var))
        && last.iter().all(|state| form.body.mentions(*state) == 0)
        && arrays(form, collected).iter().all(|(_, way)| matches!(way, Access::Own(_, 0)))
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
