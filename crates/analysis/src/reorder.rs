//! Dependence analysis of statements in a block: what stands between two statements, and how the two come together.
//!
//! Input: a block, and an [`Info`] for each statement. Output: whether nothing between two statements forbids to bring
//! them together ([`are_free`]); [`join`] does it.
//!
//! ```text
//! before   a = first;  b = f(a);  c = g(x);  d = second           second needs neither b nor anything made of it
//! after    c = g(x);  (a, d) = joined;  b = f(a)
//! ```
//!
//! Law: each statement comes after all that it needs, through variables and through accumulators. Statements that touch
//! one accumulator keep their order. Nothing that tells something is passed. Whether a statement may fail is for the
//! caller to ask.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::access::{Access, Roots, accumulators};
use crate::effects::debug::Tells;

/// What the analysis knows of a statement.
pub struct Info {
    /// The variables from outside that it uses, at any depth.
    pub uses: FxHashSet<VarId>,
    /// The accumulators that it touches, and how its iterations do if it is a loop.
    pub accs: Vec<(VarId, Access)>,
    /// Whether it tells something.
    pub tells: bool,
}

impl Info {
    /// What is known of a statement in a function.
    pub fn of(program: &Program, tells: &Tells, roots: &Roots, stmt: &Stmt) -> Self {
        let uses = stmt.op.free();
        let accs = if let Op::Loop(looped @ Loop { form: LoopForm::For { .. }, .. }) = &stmt.op {
            accumulators(program, roots, looped)
        } else {
            let is_acc = |var: &&VarId| program.vars[**var].ty.is_acc;
            let touched = uses.iter().chain(&stmt.vars).filter(is_acc);
            let touched: FxHashSet<VarId> = touched.map(|var| roots.of_var(*var)).collect();
            touched.into_iter().map(|root| (root, Access::Any)).collect()
        };
        Self { uses, accs, tells: tells.op(program, &stmt.op) }
    }

    /// The accumulators that two statements touch.
    pub fn shared_accs(&self, other: &Self) -> impl Iterator<Item = VarId> {
        let roots = self.accs.iter().map(|(root, _)| *root);
        roots.filter(|root| other.accs.iter().any(|(known, _)| known == root))
    }

    /// Whether two statements touch one accumulator.
    pub fn shares_acc(&self, other: &Self) -> bool {
        self.shared_accs(other).next().is_some()
    }
}

/// The statements between two that need the first, at any distance.
fn dependents(block: &Block, infos: &[Info], first: usize, second: usize) -> FxHashSet<usize> {
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
pub fn are_free(block: &Block, infos: &[Info], first: usize, second: usize) -> bool {
    if infos[first..=second].iter().any(|info| info.tells) {
        return false;
    }
    let between = dependents(block, infos, first, second);
    let vars = between.iter().flat_map(|at| &block.stmts[*at].vars).copied().collect();
    let accs = between.iter().flat_map(|at| &infos[*at].accs).map(|(root, _)| *root).collect();
    !needs(&infos[second], &vars, &accs)
}

/// Makes one statement of two that [`are_free`], and gives its place. What stands between them and needs the first
/// comes after it, the rest before.
pub fn join(
    block: &mut Block,
    infos: &mut Vec<Info>,
    first: usize,
    second: usize,
    joined: impl FnOnce(Stmt, Stmt) -> (Stmt, Info),
) -> usize {
    let after = dependents(block, infos, first, second);
    let later = block.stmts.remove(second);
    infos.remove(second);
    let mut stmts = block.stmts.split_off(first).into_iter();
    let mut known = infos.split_off(first).into_iter();
    let (Some(earlier), Some(_)) = (stmts.next(), known.next()) else {
        pullback_base::bug("opt", "the first statement to be where it was")
    };
    let (mut behind, mut behind_infos) = (vec![], vec![]);
    let between = (&mut stmts).zip(&mut known).enumerate().take(second - first - 1);
    for (at, (stmt, info)) in between {
        if after.contains(&(first + 1 + at)) {
            behind.push(stmt);
            behind_infos.push(info);
        } else {
            block.stmts.push(stmt);
            infos.push(info);
        }
    }
    let place = block.stmts.len();
    let (stmt, info) = joined(earlier, later);
    infos.push(info);
    block.stmts.push(stmt);
    block.stmts.extend(behind.into_iter().chain(stmts));
    infos.extend(behind_infos.into_iter().chain(known));
    place
}

/// Whether an operation names one of these variables, at any depth.
pub fn names(op: &Op, vars: &FxHashSet<VarId>) -> bool {
    let is_one = |atom: Atom| atom.var().is_some_and(|var| vars.contains(&var));
    let mut is_named = false;
    op.for_each_atom(&mut |atom| is_named |= is_one(atom));
    is_named
        || op.blocks().into_iter().any(|block| {
            block.stmts.iter().any(|stmt| names(&stmt.op, vars))
                || block.results.iter().any(|atom| is_one(*atom))
        })
}
