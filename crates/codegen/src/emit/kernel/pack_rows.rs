//! Packing (Goto & van de Geijn 2008): rows that the same eight iterations read again and again are copied once, the
//! elements of the eight rows side by side.
//!
//! ```text
//! IR  for i.9 < n.3 { for j.11 < k.1 { for e.14 < d.6 { x.16 = x.0[i.9, e.14]; … } } }     i.9 goes across lanes
//! C   pb_take_rows(p0_9, 1, a0 + k9 * v0.d[1], v0.d[1], v0.d[1], 8);                         before loop j
//! C   … in the innermost loop   const pb_v k16 = p0_9[k14];   in place of eight elements a row apart
//! ```
//!
//! Input: the plan of a kernel, and the loops across lanes. Output: their layout with the rows that are worth a copy. A
//! row is worth one if its array comes from outside, is only read and has Reals, if each lane has a row of its own, of
//! one matrix that is known before the kernel, and if an element of it is read in a loop whose index does not name it.
//!
//! Law: what is read has the same bits. The copies lie in scratch memory that is there before the kernel.

use pullback_analysis::sizes::Size;
use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::Plan;
use super::scheduling::Scheduling;
use super::vectorise::{Kind, Layout, Pack};
use crate::schedule::Copied;
use crate::transformations::Which;

/// The layout of a kernel, with the rows that are worth a copy: an element of them is read in a loop that it does
/// not hang on, or somebody says so.
pub(super) fn layout(plan: &Plan<'_>, lanes: FxHashSet<VarId>, by: &Scheduling<'_>) -> Layout {
    let mut layout = Layout::of(plan, lanes);
    if !plan.has(Which::PackRows) {
        return layout;
    }
    let mut packs = FxHashMap::default();
    each_stmt(&plan.looped.body, &mut vec![], &mut |stmt, around| {
        if let Op::Index(array, at) = &stmt.op
            && let Some(row) = array.var().and_then(|array| row(plan, &layout, array, at))
        {
            let mut inner = around.iter().filter(|index| !layout.lanes.contains(index));
            let is_again = inner.any(|index| !row.rest.contains(&Atom::Var(*index)));
            let are_plain = row.rest.iter().all(|atom| match atom {
                Atom::Var(var) => around.contains(var) || !plan.local.contains(var),
                Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
            });
            let (root, lanes) = row.pack;
            if by.copies(lanes, Copied::Rows(root)).unwrap_or(is_again) && are_plain {
                packs.entry(row.pack).or_insert(row.before);
            }
        }
    });
    layout.packs = packs;
    layout
}

/// Shows the statements of a block, at any depth, with the indices of the loops around each.
pub(super) fn each_stmt(
    block: &Block,
    around: &mut Vec<VarId>,
    see: &mut dyn FnMut(&Stmt, &[VarId]),
) {
    for stmt in &block.stmts {
        see(stmt, around);
        let index = if let Op::Loop(looped) = &stmt.op { looped.for_index() } else { None };
        around.extend(index);
        stmt.op.blocks().into_iter().for_each(|block| each_stmt(block, around, see));
        if index.is_some() {
            around.pop();
        }
    }
}

/// A row of an array from outside that an element is of, where each lane has its own.
pub(super) struct Row {
    pub pack: Pack,
    /// The indices before that of the lanes.
    pub before: Vec<Atom>,
    /// Those behind it: where the element is in the row.
    pub rest: Vec<Atom>,
}

impl Row {
    /// Whether it is copied.
    pub fn is_copied(&self, layout: &Layout) -> bool {
        layout.packs.get(&self.pack) == Some(&self.before)
    }
}

/// The row that an element is of: one read at a time, by kinds, since rows are copied one by one.
pub(super) fn row(plan: &Plan<'_>, layout: &Layout, array: VarId, at: &[Atom]) -> Option<Row> {
    let view = layout.view(array);
    let ty = plan.ty(Atom::Var(view.root));
    let mut before: Vec<Atom> = view.prefix.into_iter().chain(at.iter().copied()).collect();
    let is_whole = before.len() == usize::from(ty.rank);
    let is_of_lanes = |atom: &Atom| atom.var().is_some_and(|var| layout.lanes.contains(&var));
    let mut rest = before.split_off(before.iter().position(is_of_lanes)?);
    let index = rest.remove(0).var()?;
    let is_outside = |atom: &Atom| atom.var().is_none_or(|var| !plan.local.contains(&var));
    let is_shared = rest.iter().all(|atom| layout.kind(*atom) == Kind::Uniform);
    let is_read = ty.elem == Elem::Real && !ty.is_acc && !plan.local.contains(&view.root);
    (is_whole && !rest.is_empty() && before.iter().all(is_outside) && is_shared && is_read)
        .then_some(Row { pack: (view.root, index), before, rest })
}

/// The C name of a packed row.
pub(super) fn name((root, index): Pack) -> String {
    format!("p{}_{}", root.index(), index.index())
}

/// Room for the copies of a kernel: each, and its sizes.
pub(super) fn rooms(plan: &Plan<'_>, layout: &Layout) -> Vec<(Pack, Vec<Size>)> {
    let mut packs: Vec<(Pack, usize)> =
        layout.packs.iter().map(|(pack, before)| (*pack, before.len())).collect();
    packs.sort();
    let room = |(pack, before): (Pack, usize)| {
        let rank = plan.ty(Atom::Var(pack.0)).rank;
        (pack, (before as u8 + 1..rank).map(|at| Size::Of(pack.0, at)).collect())
    };
    packs.into_iter().map(room).collect()
}
