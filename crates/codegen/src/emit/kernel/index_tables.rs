//! Hoisting of index arithmetic into tables (scalar expansion): Int arithmetic that hangs on the index of an inner loop
//! alone is done once, before the kernel.
//!
//! ```text
//! IR  for i.4 < n.2 { for j.10 < w.1 { a = int_mul(j.10, 3); b = int_add(a, 1); at.15 = int_mul(b, 2); … } }
//! C   for (int64_t k10 = 0; k10 < v1; k10++) { …; t15[k10] = k15; }        before the kernel's loop
//! C   … in the inner loop   const int64_t k15 = t15[k10];
//! ```
//!
//! Input: the plan and the layout of a kernel. Output: [`Tables`]: which variables are looked up, which statements only
//! tables need, and which loops have tables. A variable gets a table if at least three steps of arithmetic lead to it
//! from the index and from what the kernel does not change.
//!
//! Law: values are the same. A table is filled also for indices that the loop never reaches; what overflows there wraps
//! around and is never looked up. So only sums, differences, products and divisions by a literal of at least 2 go into
//! tables: none of them can fail there.

use pullback_base::Id;
use pullback_ir::{Atom, Block, Loop, Op, Stmt, StmtId, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::Plan;
use super::vectorise::Layout;
use crate::transformations::Which;
use pullback_analysis::cost::work;
use pullback_analysis::sizes::Size;

/// The least steps that are worth a table.
const STEPS: u64 = 3;

/// What an inner loop looks up in tables.
pub(super) struct Tables<'k> {
    /// The variables that a table has, with the index of their loop.
    pub looked_up: FxHashMap<VarId, VarId>,
    /// The statements that only tables need.
    pub left_out: FxHashSet<StmtId>,
    /// The loops that have tables, with the statements that these take and the variables that they keep.
    pub loops: Vec<(&'k Loop, Vec<&'k Stmt>, Vec<VarId>)>,
}

impl<'k> Tables<'k> {
    /// The tables of a kernel.
    pub fn of(plan: &Plan<'k>, layout: &Layout) -> Self {
        let mut tables =
            Self { looked_up: FxHashMap::default(), left_out: FxHashSet::default(), loops: vec![] };
        if plan.has(Which::IndexTables) {
            tables.look(plan, layout, &plan.looped.body);
        }
        tables
    }

    fn look(&mut self, plan: &Plan<'k>, layout: &Layout, block: &'k Block) {
        for stmt in &block.stmts {
            if let Op::Loop(looped) = &stmt.op {
                self.inner(plan, layout, looped);
            }
            stmt.op.blocks().into_iter().for_each(|block| self.look(plan, layout, block));
        }
    }

    fn inner(&mut self, plan: &Plan<'k>, layout: &Layout, looped: &'k Loop) {
        let (Some(index), Some(count)) = (looped.for_index(), looped.for_count()) else { return };
        if layout.lanes.contains(&index) || plan.bound(Size::Atom(count)).is_none() {
            return;
        }
        let mut steps: FxHashMap<VarId, u64> = FxHashMap::default();
        let mut stmts: Vec<&Stmt> = vec![];
        for stmt in &looped.body.stmts {
            if let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice())
                && is_simple(*prim, args)
            {
                let own = |arg: &Atom| match arg {
                    Atom::Var(arg) if *arg == index => Some(0),
                    Atom::Var(arg) if plan.local.contains(arg) => steps.get(arg).copied(),
                    Atom::Var(_) | Atom::Int(_) => Some(0),
                    Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
                };
                if let Some(before) = args.iter().map(own).sum::<Option<u64>>() {
                    steps.insert(var, before + work(&stmt.op));
                    stmts.push(stmt);
                }
            }
        }
        let mut used = FxHashSet::default();
        let is_step = |stmt: &Stmt| stmts.iter().any(|step| step.id == stmt.id);
        looped.body.visit(&mut |stmt| {
            if !is_step(stmt) {
                stmt.op.for_each_atom(&mut |atom| used.extend(atom.var()));
                let results = stmt.op.blocks().into_iter().flat_map(|block| &block.results);
                used.extend(results.filter_map(|atom| atom.var()));
            }
        });
        used.extend(looped.body.results.iter().filter_map(|atom| atom.var()));
        let has_table =
            |var: &VarId| used.contains(var) && steps.get(var).is_some_and(|steps| *steps >= STEPS);
        let kept: Vec<VarId> =
            stmts.iter().flat_map(|stmt| &stmt.vars).copied().filter(has_table).collect();
        if kept.is_empty() {
            return;
        }
        // What is used as it is, and what that takes, is made in the loop.
        let mut made: FxHashSet<VarId> =
            used.into_iter().filter(|var| !kept.contains(var)).collect();
        for stmt in stmts.iter().rev() {
            if stmt.vars.iter().any(|var| made.contains(var)) {
                stmt.op.for_each_atom(&mut |atom| made.extend(atom.var()));
            }
        }
        let is_left_out = |stmt: &&&Stmt| !stmt.vars.iter().any(|var| made.contains(var));
        self.left_out.extend(stmts.iter().filter(is_left_out).map(|stmt| stmt.id));
        self.looked_up.extend(kept.iter().map(|var| (*var, index)));
        self.loops.push((looped, stmts, kept));
    }
}

/// Whether a primitive on Ints can be computed also where the loop does not come, without failing. The sum need not be
/// affine: products and divisions go into tables too.
fn is_simple(prim: Prim, args: &[Atom]) -> bool {
    matches!(prim, Prim::IntAdd | Prim::IntSub | Prim::IntMul)
        || (prim == Prim::IntDiv && matches!(args, [_, Atom::Int(2..)]))
}

/// The name of a table.
pub(super) fn name(var: VarId) -> String {
    format!("t{}", var.index())
}
