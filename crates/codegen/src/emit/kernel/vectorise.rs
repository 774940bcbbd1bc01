//! Legality of outer-loop vectorisation (Nuzman & Zaks 2008), and divergence analysis (Coutinho et al. 2011): which
//! loops may be laid across lanes, and how each variable then differs between lanes.
//!
//! Input: the plan of a kernel, and the loops to lay across lanes. Output: a [`Layout`], which gives each variable its
//! [`Kind`] and each array the place where it lies.
//!
//! A loop may go eight iterations at a time if these need not wait for each other: its states are reductions
//! ([`pullback_analysis::loop_shape`]), and loops with a count inside it run equally often in all lanes. Kinds are the
//! least solution of the data flow: `uniform` is below `linear`, and that is below `varying`.
//!
//! ```text
//! for i.5 < n.2 { t.6 = int_add(i.5, k.1); e.7 = x.0[t.6]; f.8 = y.3[k.1] }      i.5 across lanes
//! i.5, t.6: linear, 1 more from lane to lane     e.7: varying, a vector     k.1, f.8: uniform, a number
//! ```
//!
//! Law: a variable that is not marked as varying has in every lane the value that its kind says. Where sums keep their
//! order, a loop that sums Reals is refused, and so is one that adds to an accumulator other than once, to one element
//! for each iteration.

use pullback_analysis::affine::addends;
use pullback_analysis::loop_shape::Fold;
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::in_lanes::InLanes;
use super::plan::Plan;
use crate::transformations::Which;

/// How many lanes a vector has.
pub(super) const LANES: i64 = 8;

/// How the values of a variable differ between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// They are the same.
    Uniform,
    /// An Int that grows by this much from lane to lane, not by 0.
    Linear(i64),
    /// They differ: a vector, or an array of vectors.
    Varying,
}

/// The rows that the lanes of a loop have of an array from outside: the array, and the loop by its index.
pub(super) type Pack = (VarId, VarId);

/// The matrices of Reals from outside that are read down their columns, inside a loop of which several iterations go at once.
#[derive(Default)]
pub(super) struct ReadDown {
    /// Those of which all lanes read the same column.
    pub turned: Vec<VarId>,
    /// Those of which each lane reads a column, the next one to that of the lane before.
    pub beside: Vec<Pack>,
}

/// A part of an array: of which, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    pub root: VarId,
    pub prefix: Vec<Atom>,
}

/// What becomes of the variables of a kernel, given which loops are laid across lanes.
pub(super) struct Layout {
    /// The indices of the loops that are.
    pub lanes: FxHashSet<VarId>,
    /// The kinds of variables that are not uniform.
    kinds: FxHashMap<VarId, Kind>,
    /// The places of arrays that are parts of others.
    views: FxHashMap<VarId, View>,
    /// The variables that are bound inside loops across lanes.
    inside: FxHashSet<VarId>,
    /// Rows that are copied, with the indices before that of the lanes.
    pub packs: FxHashMap<Pack, Vec<Atom>>,
    /// How many times eight iterations of a loop across lanes go at once, where that is more than one.
    pub jams: FxHashMap<VarId, usize>,
    /// How many iterations of a loop inside one across lanes go at once, where that is more than one.
    pub columns: FxHashMap<VarId, usize>,
    /// The loops inside one across lanes that go some columns at a time, for the products in them.
    pub tiled: FxHashSet<VarId>,
    /// The matrices that are read down their columns.
    pub read_down: ReadDown,
    has_changed: bool,
}

impl Layout {
    /// The layout of a kernel.
    pub fn of(plan: &Plan<'_>, lanes: FxHashSet<VarId>) -> Self {
        let mut layout = Self {
            lanes,
            kinds: FxHashMap::default(),
            views: FxHashMap::default(),
            inside: FxHashSet::default(),
            packs: FxHashMap::default(),
            jams: FxHashMap::default(),
            columns: FxHashMap::default(),
            tiled: FxHashSet::default(),
            read_down: ReadDown::default(),
            has_changed: false,
        };
        layout.look(plan, &plan.looped.body);
        layout.place_rows(plan, plan.looped, plan.vars);
        loop {
            layout.has_changed = false;
            layout.repeat(plan, plan.looped, plan.vars, false);
            if !layout.has_changed {
                return layout;
            }
        }
    }

    /// Finds views, and what is inside loops across lanes.
    fn look(&mut self, plan: &Plan<'_>, block: &Block) {
        for stmt in &block.stmts {
            match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Index(array, at) | Op::AtAcc(array, at), &[var])
                    if plan.ty(Atom::Var(var)).is_array() || plan.ty(Atom::Var(var)).is_acc =>
                {
                    self.part(var, *array, at);
                }
                (Op::Copy(array) | Op::Stop(array) | Op::ReadAcc(array), &[var])
                    if plan.ty(*array).is_array() =>
                {
                    self.part(var, *array, &[]);
                }
                (Op::Loop(looped), vars) => {
                    if looped.for_index().is_some_and(|index| self.lanes.contains(&index)) {
                        self.inside.extend(looped.body.bound());
                    }
                    looped.blocks().for_each(|block| self.look(plan, block));
                    self.place_rows(plan, looped, vars);
                }
                // A row that is put together just before lies where the whole lies.
                (Op::Array(rows), &[var]) => {
                    for (at, row) in (0..).zip(rows) {
                        let is_literal = |row: &VarId| {
                            let stmts = &block.stmts;
                            stmts.iter().any(|stmt| {
                                matches!(stmt.op, Op::Array(_)) && stmt.vars.contains(row)
                            })
                        };
                        if let Some(row) = row.var().filter(|_| plan.ty(*row).is_array())
                            && !self.views.contains_key(&row)
                            && is_literal(&row)
                        {
                            let place = View { root: var, prefix: vec![Atom::Int(at)] };
                            self.views.insert(row, place);
                        }
                    }
                }
                (op, _) => op.blocks().into_iter().for_each(|block| self.look(plan, block)),
            }
        }
        if let Some(index) = plan.looped.for_index()
            && self.lanes.contains(&index)
        {
            self.inside.extend(plan.looped.body.bound());
        }
    }

    fn part(&mut self, var: VarId, of: Atom, at: &[Atom]) {
        if let Some(of) = of.var() {
            let mut view = self.view(of);
            view.prefix.extend(at);
            self.views.insert(var, view);
        }
    }

    /// Rows that a loop collects straight from a loop inside lie where the whole lies.
    fn place_rows(&mut self, plan: &Plan<'_>, looped: &Loop, vars: &[VarId]) {
        let Some(index) = looped.for_index() else { return };
        if self.lanes.contains(&index) {
            return;
        }
        let states = looped.states.len();
        for (var, row) in vars[states..].iter().zip(&looped.body.results[states..]) {
            let Some(row) = row.var() else { continue };
            if self.views.contains_key(&row) || !plan.ty(Atom::Var(row)).is_array() {
                continue;
            }
            let is_made_here = looped.body.stmts.iter().any(|stmt| {
                matches!(&stmt.op, Op::Loop(inner) if stmt.vars[inner.states.len()..].contains(&row))
            });
            if is_made_here {
                self.views.insert(row, View { root: *var, prefix: vec![Atom::Var(index)] });
            }
        }
    }

    /// Where an array lies.
    pub fn view(&self, array: VarId) -> View {
        let mut view = View { root: array, prefix: vec![] };
        while let Some(outer) = self.views.get(&view.root) {
            let mut prefix = outer.prefix.clone();
            prefix.append(&mut view.prefix);
            view = View { root: outer.root, prefix };
        }
        view
    }

    pub fn is_inside(&self, var: VarId) -> bool {
        self.inside.contains(&var)
    }

    /// Whether several iterations of a loop inside one across lanes go at once.
    pub fn is_jammed(&self, index: VarId) -> bool {
        self.columns.contains_key(&index) || self.tiled.contains(&index)
    }

    /// How an atom differs between lanes; of an array, its elements.
    pub fn kind(&self, atom: Atom) -> Kind {
        let Atom::Var(var) = atom else { return Kind::Uniform };
        let root = if self.views.contains_key(&var) { self.view(var).root } else { var };
        self.kinds.get(&root).copied().unwrap_or(Kind::Uniform)
    }

    fn set(&mut self, var: VarId, kind: Kind) {
        let var = self.view(var).root;
        let old = self.kinds.get(&var).copied().unwrap_or(Kind::Uniform);
        let new = join(old, kind);
        if new != old {
            self.kinds.insert(var, new);
            self.has_changed = true;
        }
    }

    /// `is_masked`: whether only some lanes may be at work.
    fn block(&mut self, plan: &Plan<'_>, block: &Block, is_masked: bool) {
        for stmt in &block.stmts {
            self.stmt(plan, stmt, is_masked);
        }
    }

    fn stmt(&mut self, plan: &Plan<'_>, stmt: &Stmt, is_masked: bool) {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(prim, args), &[var]) => {
                let kind = self.prim(*prim, args);
                self.set(var, kind);
            }
            (Op::Copy(a) | Op::Stop(a), &[var]) if !plan.ty(*a).is_array() => {
                self.set(var, self.kind(*a));
            }
            (Op::Select(c, a, b), &[var]) => {
                let kind = self.any([*c, *a, *b].iter());
                self.set(var, kind);
            }
            (Op::MulZero(a, b), &[var]) => {
                let kind = self.any([*a, *b].iter());
                self.set(var, kind);
            }
            (Op::Index(array, at), &[var]) if !plan.ty(Atom::Var(var)).is_array() => {
                let prefix = array.var().map(|array| self.view(array).prefix).unwrap_or_default();
                let place = self.any(at.iter().chain(&prefix));
                let kind = join(self.any([*array].iter()), place);
                self.set(var, kind);
            }
            (Op::Sum(array) | Op::NewAcc(array), &[var]) => {
                let kind = self.contents(*array);
                self.set(var, kind);
            }
            (Op::Array(elements), &[var]) => {
                let kind = self.any(elements.iter());
                self.set(var, kind);
            }
            (Op::AddAcc(acc, at, value), _) => self.added(*acc, at, *value, is_masked),
            (Op::If(cond, then, other), vars) => {
                let cond = self.any([*cond].iter());
                for block in [then, other] {
                    self.block(plan, block, is_masked || cond != Kind::Uniform);
                }
                for (at, var) in vars.iter().enumerate() {
                    let results = [then.results[at], other.results[at]];
                    let kind = join(cond, self.any(results.iter()));
                    self.set(*var, kind);
                }
            }
            (Op::Loop(looped), vars) => self.repeat(plan, looped, vars, is_masked),
            _ => {}
        }
    }

    fn added(&mut self, acc: Atom, at: &[Atom], value: Atom, is_masked: bool) {
        let Some(acc) = acc.var() else { return };
        let view = self.view(acc);
        if !self.inside.contains(&view.root) {
            return;
        }
        let place = self.any(at.iter().chain(&view.prefix));
        let kind = join(place, self.any([value].iter()));
        if is_masked || kind != Kind::Uniform {
            self.set(view.root, Kind::Varying);
        }
    }

    fn repeat(&mut self, plan: &Plan<'_>, looped: &Loop, vars: &[VarId], is_masked: bool) {
        let LoopForm::For { index, .. } = looped.form else {
            return self.until(plan, looped, vars, is_masked);
        };
        let is_across = self.lanes.contains(&index);
        if is_across {
            self.set(index, Kind::Linear(1));
        }
        let states = looped.states.len();
        for (at, state) in looped.states.iter().copied().enumerate() {
            if is_across {
                self.set(state, Kind::Varying);
            } else {
                let kind = self.any([looped.init[at], looped.body.results[at]].iter());
                self.set(state, kind);
                self.set(vars[at], self.kind(Atom::Var(state)));
            }
        }
        self.block(plan, &looped.body, is_masked);
        if !is_across {
            for (at, var) in vars.iter().enumerate().skip(states) {
                let kind = self.contents(looped.body.results[at]);
                self.set(*var, kind);
            }
        }
    }

    /// A loop that ends by a condition: in each lane on its own, if that differs.
    fn until(&mut self, plan: &Plan<'_>, looped: &Loop, vars: &[VarId], is_masked: bool) {
        let LoopForm::While(cond) = &looped.form else { return };
        let ends = self.any(cond.results.iter());
        for (at, state) in looped.states.iter().copied().enumerate() {
            let kind = self.any([looped.init[at], looped.body.results[at]].iter());
            self.set(state, join(ends, kind));
            self.set(vars[at], self.kind(Atom::Var(state)));
        }
        for block in looped.blocks() {
            self.block(plan, block, is_masked || ends != Kind::Uniform);
        }
    }

    /// How the elements of an array differ between lanes, by their values or by which array they are of.
    fn contents(&self, atom: Atom) -> Kind {
        let prefix = atom.var().map(|var| self.view(var).prefix).unwrap_or_default();
        join(self.any([atom].iter()), self.any(prefix.iter()))
    }

    /// Uniform if all are, else varying.
    fn any<'a>(&self, mut atoms: impl Iterator<Item = &'a Atom>) -> Kind {
        if atoms.all(|atom| self.kind(*atom) == Kind::Uniform) {
            Kind::Uniform
        } else {
            Kind::Varying
        }
    }

    fn prim(&self, prim: Prim, args: &[Atom]) -> Kind {
        if args.iter().all(|arg| self.kind(*arg) == Kind::Uniform) {
            return Kind::Uniform;
        }
        let stride = |kind: Kind| match kind {
            Kind::Uniform => Some(0),
            Kind::Linear(stride) => Some(stride),
            Kind::Varying => None,
        };
        let sum = addends(prim, args).and_then(|addends| {
            addends.iter().try_fold(0_i64, |sum, (addend, times)| {
                sum.checked_add(stride(self.kind(*addend))?.checked_mul(*times)?)
            })
        });
        match sum {
            Some(0) => Kind::Uniform,
            Some(stride) if stride.abs() < 1 << 32 => Kind::Linear(stride),
            Some(_) | None => Kind::Varying,
        }
    }
}

/// The least kind that covers both.
fn join(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Uniform, other) | (other, Kind::Uniform) => other,
        (Kind::Linear(a), Kind::Linear(b)) if a == b => Kind::Linear(a),
        (Kind::Linear(_) | Kind::Varying, Kind::Linear(_) | Kind::Varying) => Kind::Varying,
    }
}

/// Whether iterations of a loop may lie in lanes.
pub(super) fn may_lie(plan: &Plan<'_>, layout: &Layout, looped: &Loop, is_strict: bool) -> bool {
    let LoopForm::For { down, .. } = looped.form else { return false };
    let reductions = (0..looped.states.len()).all(|at| {
        InLanes::of(looped, at).is_some_and(|reduction| {
            let keeps_bits = !matches!(reduction.fold(), Fold::Add | Fold::Sub);
            let mut stmt = reduction.stmt().into_iter();
            let may_go = plan.has(Which::HorizontalReduce) && (keeps_bits || !is_strict);
            may_go && stmt.all(|stmt| !plan.unproven.contains(&stmt.id))
        })
    });
    reductions
        && is_alike(plan, layout, &looped.body)
        && (!is_strict || keeps_order(layout, looped, down))
}

/// Whether all lanes go the same way but for branches.
fn is_alike(plan: &Plan<'_>, layout: &Layout, block: &Block) -> bool {
    block.stmts.iter().all(|stmt| {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "those without blocks, and what each lane can do"
        )]
        let here = match &stmt.op {
            Op::Loop(looped) => match looped.form {
                LoopForm::For { count, .. } => layout.kind(count) == Kind::Uniform,
                LoopForm::While(_) => plan.has(Which::MaskedWhile),
            },
            Op::Prim(Prim::ToInt | Prim::IntPow | Prim::IntAbs, args) => {
                args.iter().all(|arg| layout.kind(*arg) == Kind::Uniform)
            }
            _ => true,
        };
        let are_numbers = stmt
            .vars
            .iter()
            .all(|var| !matches!(plan.program.vars[*var].ty.elem, pullback_ir::Elem::Str));
        here && are_numbers
            && stmt.op.blocks().into_iter().all(|block| is_alike(plan, layout, block))
    })
}

/// Whether every accumulator from outside is added to in one place, at one element for each iteration. Kinds say that:
/// they know more of lanes than the loop alone shows.
fn keeps_order(layout: &Layout, looped: &Loop, down: bool) -> bool {
    let mut roots = FxHashSet::default();
    let mut keeps = true;
    looped.body.visit(&mut |stmt| {
        if let Op::AddAcc(acc, at, _) = &stmt.op
            && let Some(acc) = acc.var()
        {
            let view = layout.view(acc);
            if !layout.is_inside(view.root) {
                let last = at
                    .iter()
                    .chain(&view.prefix)
                    .filter(|atom| layout.kind(**atom) == Kind::Linear(1));
                keeps &= roots.insert(view.root) && !down && last.count() == 1;
            }
        }
    });
    // Two accumulators may be parts of one.
    keeps && roots.len() <= 1
}
