//! Unroll-and-jam (Callahan, Cocke & Kennedy 1988) of a loop inside one across lanes: up to four of its iterations go
//! at once, if it has loops inside itself.
//!
//! What the innermost loops read for all of these iterations is then read once, and sums that wait for each other
//! become several that do not. This file decides; `jam_inner_text` writes.
//!
//! ```text
//! IR  for j.11 < k.1 { s.13 = for e.14 < d.6 with s.15 = 0.0 { x.16 = x.0[i.9, e.14]; y.17 = y.2[j.11, e.14]; … } … }
//! C   for (; k11 < v1; k11 += 4) { …  for (int64_t k14 = 0; k14 < v6; k14++) { k16 = … x, a vector, once …;
//! C       k17c0 = a2[k11 * d + k14];  k17c1 = a2[k11c1 * d + k14];  …  k15c0 = … k17c0 …;  k15c1 = … k17c1 …; } }
//! ```
//!
//! Where fewer are left, the last of them is done several times, unless it adds to something: those are done one by one.
//! One vector of them would wait for itself as long as four.
//!
//! Law: an iteration computes what it computes alone, and its states go from one iteration to the next in their order.
//! Only the order changes in which the iterations add to one place of an accumulator: their addends are added up
//! before. So no loop that adds to accumulators goes this way where sums keep their order. A loop inside may run as
//! often in each iteration, or once more from one to the next (a triangle): the iterations that the later ones have
//! more come after the shared ones.

use pullback_analysis::affine::Ints;
use pullback_analysis::loop_shape::Shape;
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{Plan, local_name};
use super::scheduling::Scheduling;
use super::vectorise::{Kind, Layout};
use pullback_analysis::cost::copies;
use pullback_analysis::variance::varying;
use pullback_analysis::zeros::is_either_zero;

/// The most iterations that go at once.
const MOST: usize = 4;
/// How many places beside each other `pb_add_across` adds to.
pub(super) const ROW: usize = 4;
/// The most statements that a loop written several times may have then.
const LONGEST: usize = 640;

/// Iterations that go at once.
pub(super) struct Columns {
    /// The index of their loop, the first of them has its value.
    index: VarId,
    /// How many iterations go at once, and which of them is being written.
    pub count: usize,
    pub at: usize,
    /// The variables that differ between them.
    pub own: FxHashSet<VarId>,
    /// The Ints of them that are one more in each than in the one before.
    follow: FxHashSet<VarId>,
    /// The variable that each state of the loop becomes in the next iteration.
    pub next: FxHashMap<VarId, VarId>,
    /// Whether the last iteration is done again in the place of those behind the end.
    pub repeats_last: bool,
    /// Whether the statement is being written for that iteration only.
    pub is_alone: bool,
}

/// The loops of which several iterations go at once, by index, and how many.
pub(super) fn columns(
    plan: &Plan<'_>,
    layout: &Layout,
    by: &Scheduling<'_>,
) -> FxHashMap<VarId, usize> {
    let mut columns = FxHashMap::default();
    each_inside_lanes(plan, layout, &mut |looped, parts| {
        let Some(index) = looped.for_index() else { return false };
        let count = several(plan, layout, looped, (by, parts));
        columns.extend(count.map(|count| (index, count)));
        count.is_some() || layout.tiled.contains(&index)
    });
    columns
}

/// Shows the loops inside those across lanes, with how many vectors of iterations of these go at once; not those inside
/// one of which it says that it is jammed.
pub(super) fn each_inside_lanes(
    plan: &Plan<'_>,
    layout: &Layout,
    is_jammed: &mut dyn FnMut(&Loop, usize) -> bool,
) {
    let mut across = |looped: &Loop| {
        if let Some(index) = looped.for_index().filter(|index| layout.lanes.contains(index)) {
            let parts = layout.jams.get(&index).copied().unwrap_or(1);
            look(&looped.body, parts, is_jammed);
        }
    };
    across(plan.looped);
    plan.looped.body.visit(&mut |stmt| {
        if let Op::Loop(looped) = &stmt.op {
            across(looped);
        }
    });
}

fn look(block: &Block, parts: usize, is_jammed: &mut dyn FnMut(&Loop, usize) -> bool) {
    for stmt in &block.stmts {
        let is_done = matches!(&stmt.op, Op::Loop(looped) if is_jammed(looped, parts));
        if !is_done {
            stmt.op.blocks().into_iter().for_each(|block| look(block, parts, is_jammed));
        }
    }
}

/// How many iterations of a loop go at once, if several may. Of each number in it there are so many vectors.
fn several(
    plan: &Plan<'_>,
    layout: &Layout,
    looped: &Loop,
    (by, parts): (&Scheduling<'_>, usize),
) -> Option<usize> {
    let LoopForm::For { index, count, down: false } = looped.form else { return None };
    let states = looped.states.len();
    let is_number = |atom: &Atom| !plan.ty(*atom).is_array();
    let has_loop = looped.body.stmts.iter().any(|stmt| matches!(stmt.op, Op::Loop(_)));
    let may_go = has_loop
        && !layout.tiled.contains(&index)
        && (0..states).all(|at| Shape::of(looped, at).reduction().is_some())
        && looped.body.results.iter().all(is_number)
        && looped.body.stmts.iter().all(|stmt| may_repeat(plan, stmt, index, by.is_strict));
    if !may_go {
        return None;
    }
    let most = if let Atom::Int(count) = count { usize::try_from(count).ok()? } else { MOST };
    let worth = match by.at_once(index) {
        Some(count) => usize::try_from(count).ok()?,
        None => {
            let own = own(looped, index);
            let kept = looped.body.stmts.iter().map(|stmt| kept(layout, stmt, &own)).max()?.max(1);
            (by.registers.kept / (kept * parts)).min(copies(&looped.body, LONGEST) / parts)
        }
    };
    let most = most.min(MOST).min(worth);
    (most > 1).then(|| 1 << most.ilog2())
}

/// Whether a statement can be written for several iterations of the loop around it: those inside it, of which each
/// runs as often in all of them, or once more from one to the next.
fn may_repeat(plan: &Plan<'_>, stmt: &Stmt, index: VarId, is_strict: bool) -> bool {
    let are_numbers = stmt.vars.iter().all(|var| !plan.ty(Atom::Var(*var)).is_acc);
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are not")]
    match &stmt.op {
        Op::Prim(..) | Op::Copy(_) | Op::Stop(_) | Op::MulZero(..) => are_numbers,
        // What adds nothing where a condition does not hold is skipped, which pays more.
        Op::Select(_, a, b) => is_either_zero(*a) == is_either_zero(*b),
        Op::Index(..) | Op::Dim(..) => are_numbers,
        Op::AddAcc(..) => !is_strict,
        Op::Loop(Loop { form: LoopForm::For { count, down, .. }, states, body, .. }) => {
            let grows = *count == Atom::Var(index) && !down;
            let is_shared = count.var().is_none_or(|var| !plan.local.contains(&var));
            (grows || is_shared)
                && stmt.vars.len() == states.len()
                && body.stmts.iter().all(|stmt| may_repeat(plan, stmt, index, is_strict))
        }
        _ => false,
    }
}

/// Whether an iteration may be done twice: it has no states and adds to nothing, so that it puts the same once more.
fn may_repeat_last(looped: &Loop) -> bool {
    let mut adds = false;
    looped.body.visit(&mut |stmt| adds |= matches!(stmt.op, Op::AddAcc(..)));
    looped.states.is_empty() && !adds
}

/// The variables in a loop that differ from iteration to iteration.
fn own(looped: &Loop, index: VarId) -> FxHashSet<VarId> {
    let mut own = varying(looped);
    own.remove(&index);
    looped.states.iter().for_each(|state| {
        own.remove(state);
    });
    own
}

/// The Ints that are one more in each iteration than in the one before.
fn follow(looped: &Loop, index: VarId, own: &FxHashSet<VarId>) -> FxHashSet<VarId> {
    let (ints, mut follow) = (Ints::of(&looped.body), FxHashSet::from_iter([index]));
    looped.body.visit(&mut |stmt| {
        let (Op::Prim(..), &[var]) = (&stmt.op, stmt.vars.as_slice()) else { return };
        let follows = ints.form(var.into()).is_some_and(|form| {
            form.coefficient(index) == 1 && form.without(index).all(|var| !own.contains(&var))
        });
        if follows {
            follow.insert(var);
        }
    });
    follow
}

/// How many vectors an iteration keeps from step to step of the loops inside it.
fn kept(layout: &Layout, stmt: &Stmt, own: &FxHashSet<VarId>) -> usize {
    let Op::Loop(looped) = &stmt.op else { return 0 };
    let bound = looped.body.bound();
    let mut kept: FxHashSet<VarId> = looped.states.iter().copied().collect();
    looped.body.visit_atoms(&mut |atom| {
        kept.extend(atom.var().filter(|var| !bound.contains(var)));
    });
    kept.retain(|var| own.contains(var) && layout.kind(Atom::Var(*var)) == Kind::Varying);
    let inner = looped.body.stmts.iter().map(|stmt| self::kept(layout, stmt, own)).max();
    kept.len() + inner.unwrap_or(0)
}

impl Columns {
    pub fn of(looped: &Loop, index: VarId, count: usize) -> Self {
        let results = looped.body.results.iter().filter_map(|result| result.var());
        let next = looped.states.iter().copied().zip(results).collect();
        let own = own(looped, index);
        let follow = follow(looped, index, &own);
        let repeats_last = may_repeat_last(looped);
        Self { index, count, at: 0, own, follow, next, repeats_last, is_alone: false }
    }

    /// The index in one of the iterations after the first.
    pub fn name_of_index(&self, at: usize) -> String {
        let first = local_name(self.index);
        if self.repeats_last { format!("{first}c{at}") } else { format!("({first} + {at})") }
    }

    /// The name of a variable in the iteration that is being written, without the ending for one of several vectors.
    pub fn name(&self, var: VarId) -> String {
        let name = |var: VarId, at: usize| format!("{}c{at}", local_name(var));
        if self.own.contains(&var) {
            return name(var, self.at);
        }
        match self.next.get(&var) {
            _ if self.at == 0 => local_name(var),
            // What the iteration before has made of it.
            Some(next) => name(*next, self.at - 1),
            None if var == self.index => self.name_of_index(self.at),
            None => local_name(var),
        }
    }

    /// Whether an Int is one more in each iteration than in the one before.
    pub fn follows(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.follow.contains(&var))
    }

    /// Whether something differs between the iterations.
    pub fn differs(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| var == self.index || self.own.contains(&var))
    }
}
