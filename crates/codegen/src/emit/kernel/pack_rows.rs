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
//! row is worth one if its array comes from outside, is only read and has Reals, if each lane has a row of its own, and
//! if an element of it is read in a loop whose index does not name it.
//!
//! Law: what is read has the same bits. The copies lie in scratch memory that is there before the kernel.

use pullback_analysis::sizes::Size;
use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

use super::plan::Plan;
use super::vectorise::{Kind, Layout, Pack};

/// The layout of a kernel, with the rows that are worth a copy: an element of them is read in a loop that it does
/// not hang on.
pub(super) fn layout(plan: &Plan<'_>, lanes: FxHashSet<VarId>) -> Layout {
    let mut layout = Layout::of(plan, lanes);
    let mut packs = FxHashSet::default();
    each_stmt(&plan.looped.body, &mut vec![], &mut |stmt, around| {
        if let Op::Index(array, at) = &stmt.op
            && let Some((pack, rest)) = array.var().and_then(|array| row(plan, &layout, array, at))
        {
            let mut inner = around.iter().filter(|index| !layout.lanes.contains(index));
            let is_again = inner.any(|index| !rest.contains(&Atom::Var(*index)));
            let are_plain = rest.iter().all(|atom| match atom {
                Atom::Var(var) => around.contains(var) || !plan.local.contains(var),
                Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
            });
            if is_again && are_plain {
                packs.insert(pack);
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

/// The row of an array from outside that an element is of, if each lane has its own, and where it is in it: one read at
/// a time, by kinds, since rows are copied one by one.
pub(super) fn row(
    plan: &Plan<'_>,
    layout: &Layout,
    array: VarId,
    at: &[Atom],
) -> Option<(Pack, Vec<Atom>)> {
    let view = layout.view(array);
    let ty = plan.ty(Atom::Var(view.root));
    let mut indices = view.prefix.into_iter().chain(at.iter().copied());
    let Some(Atom::Var(index)) = indices.next() else { return None };
    let rest: Vec<Atom> = indices.collect();
    let is_whole = rest.len() + 1 == usize::from(ty.rank) && ty.rank > 1;
    let is_shared = rest.iter().all(|atom| layout.kind(*atom) == Kind::Uniform);
    let is_read = ty.elem == Elem::Real && !ty.is_acc && !plan.local.contains(&view.root);
    (is_whole && is_shared && is_read && layout.lanes.contains(&index))
        .then_some(((view.root, index), rest))
}

/// The C name of a packed row.
pub(super) fn name((root, index): Pack) -> String {
    format!("p{}_{}", root.index(), index.index())
}

/// Room for the copies of a kernel: each, and its sizes.
pub(super) fn rooms(plan: &Plan<'_>, layout: &Layout) -> Vec<(Pack, Vec<Size>)> {
    let mut packs: Vec<Pack> = layout.packs.iter().copied().collect();
    packs.sort();
    let room = |pack: Pack| {
        let rank = plan.ty(Atom::Var(pack.0)).rank;
        (pack, (1..rank).map(|at| Size::Of(pack.0, at)).collect())
    };
    packs.into_iter().map(room).collect()
}
