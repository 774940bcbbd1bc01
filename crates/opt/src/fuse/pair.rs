//! Two loops of a block: whether they can be one, and the one.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::accs::Lane;

/// What is known of a statement.
pub(super) struct Info {
    /// The variables from outside that it uses, at any depth.
    pub uses: FxHashSet<VarId>,
    /// The accumulators that it touches, and how its iterations do if it is a loop.
    pub accs: Vec<(VarId, Lane)>,
    /// Whether it tells something.
    pub tells: bool,
}

/// The statements between two that need the first, at any distance.
pub(super) fn dependents(
    block: &Block,
    infos: &[Info],
    first: usize,
    second: usize,
) -> FxHashSet<usize> {
    let mut vars: FxHashSet<VarId> = block.stmts[first].vars.iter().copied().collect();
    let mut accs: FxHashSet<VarId> = infos[first].accs.iter().map(|(root, _)| *root).collect();
    let mut dependents = FxHashSet::default();
    let between = block.stmts.iter().zip(infos).enumerate().take(second).skip(first + 1);
    for (at, (stmt, info)) in between {
        if needs(info, &vars, &accs) {
            dependents.insert(at);
            vars.extend(&stmt.vars);
            accs.extend(info.accs.iter().map(|(root, _)| *root));
        }
    }
    dependents
}

fn needs(info: &Info, vars: &FxHashSet<VarId>, accs: &FxHashSet<VarId>) -> bool {
    info.uses.iter().any(|var| vars.contains(var))
        || info.accs.iter().any(|(root, _)| accs.contains(root))
}

/// Whether the second of two statements needs nothing in between that needs the first, and nothing is told meanwhile.
pub(super) fn are_free(block: &Block, infos: &[Info], first: usize, second: usize) -> bool {
    if infos[first..=second].iter().any(|info| info.tells) {
        return false;
    }
    let between = dependents(block, infos, first, second);
    let vars = between.iter().flat_map(|at| &block.stmts[*at].vars).copied().collect();
    let accs = between.iter().flat_map(|at| &infos[*at].accs).map(|(root, _)| *root).collect();
    !needs(&infos[second], &vars, &accs)
}

/// Whether a loop uses, of these variables, only collected ones, and of those only what is at its own index.
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

/// One loop that does what two did one after the other.
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

/// Replaces the elements at an index, and sizes, of arrays by those of the rows that they collect.
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
