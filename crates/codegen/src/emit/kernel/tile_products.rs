//! Register tiling of products (Goto & van de Geijn 2008): a loop inside one across lanes, all of whose loops add up
//! products, goes some columns at a time. One function of the runtime adds up the products of all of them, in registers. This
//! file decides; `tile_products_text` writes.
//!
//! ```text
//! IR  for j.8 < n.3 { s.9 = for k.10 < m.2 with t.11 = 0.0 { … add(t.11, mul(x.12, y.13)) }; z.14 = tanh(s.9); collect z.14 }
//! C   for (int64_t s1 = 0; s1 < v3; s1 += 24) { …
//! C     pb_products(t9, 4, (const double *)p0_7, 32, 8, a1 + s1, 1, v1.d[1], l1, v2, 0);           all sums of 24 columns
//! C     for (; k8 < s1 + l1; k8++) { const pb_v k9_0 = t9[(k8 - s1) * 4 + 0]; …; k14_0 = pb_v_Tanh(k9_0); … } }
//! ```
//!
//! Every product is of a number that all lanes share, which hangs on the column, and of a vector. In a sum the vector does
//! not hang on the column: it is in a packed row, in an array of the lanes' own, or beside each other in memory. In an
//! update, which adds to an array of the lanes' own in each column, it is one of the column, and the addends of the columns
//! are added up before:
//!
//! ```text
//! IR  for j.8 < n.3 { z.9 = …; for k.10 < m.2 { y.11 = y.1[j.8, k.10]; p.12 = mul(z.9, y.11); acc.5[k.10] += p.12 } }
//! C   for (; k8 < s1 + l1; k8++) { …; t10[(k8 - s1) * 4 + 0] = k9_0; … }
//! C   pb_add_products(b5, 4, (const double *)t10, 32, 8, a1 + s1 * v1.d[1], 1, v1.d[1], v2, l1, 0);
//! ```
//!
//! Law: a sum has the same addends. Those of one product are added from the first step to the last, and then those of
//! another, or in an update those of the next columns. Strong products are as in [`super::plain_products`]. Code that has the
//! evaluator's bits does without, since it rounds products before it adds them.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::jam_inner::each_inside_lanes;
use super::pack_rows::row;
use super::plan::Plan;
use super::scheduling::Scheduling;
use super::vectorise::{Kind, Layout};
use crate::transformations::Which;

/// How many columns go at once.
pub(super) const COLUMNS: i64 = 24;
/// How many columns and steps there are at least, where it is known: fewer are written out.
const FEWEST: i64 = 4;
const FEWEST_STEPS: i64 = 16;
/// How many addends a sum gets in each step at most, with the sum itself: each product is a call.
const MOST_ADDENDS: usize = 5;

/// An element of an array: its root, and the indices.
pub(super) type Element = (VarId, Vec<Atom>);

/// A loop that only adds up products, or adds them to elements of its own.
pub(super) struct Products {
    /// Its index and its count.
    pub index: VarId,
    pub count: Atom,
    pub products: Vec<Product>,
}

/// A product that is added.
pub(super) struct Product {
    pub to: To,
    /// The element that all lanes share.
    pub number: Element,
    /// Which factor takes the other away where it is 0: none, that of the vector (1), or that of the number (2).
    pub strong: u8,
}

/// What a product is added to.
pub(super) enum To {
    /// A sum, which is bound to a variable, after so many other products. The vectors are these elements.
    Sum(VarId, usize, Element),
    /// An element of an array of the lanes' own, which the index of the loop names last. The vector is this atom.
    Own(Element, Atom),
}

/// The columns that go at once, while they are being written.
pub(super) struct Tile {
    /// The name of the first one.
    pub first: String,
    pub index: VarId,
    /// The sums of all columns, by the sum of one.
    pub sums: FxHashMap<VarId, String>,
    /// The vectors of all columns, by the index of the loop that adds products of them.
    pub factors: FxHashMap<VarId, (String, Atom)>,
}

/// The loops that go so, by index.
pub(super) fn tiled(plan: &Plan<'_>, layout: &Layout, by: &Scheduling<'_>) -> FxHashSet<VarId> {
    let mut tiled = FxHashSet::default();
    each_inside_lanes(plan, layout, &mut |looped, _| {
        let is_tiled = may_tile(plan, looped, by) && products(plan, layout, looped).is_some();
        tiled.extend(looped.for_index().filter(|_| is_tiled));
        is_tiled
    });
    tiled
}

/// Whether a loop may go so: nobody has said that it does not, and its sums need not have the evaluator's bits.
pub(super) fn may_tile(plan: &Plan<'_>, looped: &Loop, by: &Scheduling<'_>) -> bool {
    let asked = looped.for_index().and_then(|index| by.directive(index)?.tiles);
    plan.has(Which::TileProducts) && !by.is_strict && asked != Some(false)
}

/// The loops inside a loop, if all of them only add products.
pub(super) fn products(plan: &Plan<'_>, layout: &Layout, looped: &Loop) -> Option<Vec<Products>> {
    let LoopForm::For { index: column, count, down: false } = looped.form else { return None };
    let around = Around { plan, layout, column, bound: &looped.body.bound() };
    let mut loops = vec![];
    let mut may_go = !is_below(count, FEWEST);
    for stmt in &looped.body.stmts {
        if let Op::Loop(inner) = &stmt.op {
            loops.push(around.products(inner, &stmt.vars)?);
        } else {
            may_go &= stmt.op.blocks().iter().all(|block| !has_loops(block));
            // Four columns are added to rows of the lanes with one call.
            may_go &= !adds_to_rows(layout, stmt);
        }
    }
    (may_go && !loops.is_empty()).then_some(loops)
}

/// Whether a statement adds to places that differ between lanes.
fn adds_to_rows(layout: &Layout, stmt: &Stmt) -> bool {
    let Op::AddAcc(Atom::Var(acc), at, _) = &stmt.op else { return false };
    place(layout, *acc, at).1.iter().any(|atom| layout.kind(*atom) != Kind::Uniform)
}

fn has_loops(block: &Block) -> bool {
    let mut has = false;
    block.visit(&mut |stmt| has |= matches!(stmt.op, Op::Loop(_)));
    has
}

fn is_below(count: Atom, least: i64) -> bool {
    matches!(count, Atom::Int(count) if count < least)
}

/// A loop over columns.
struct Around<'a> {
    plan: &'a Plan<'a>,
    layout: &'a Layout,
    column: VarId,
    /// The variables that are bound in it.
    bound: &'a FxHashSet<VarId>,
}

impl Around<'_> {
    fn is_outside(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| var != self.column && !self.bound.contains(&var))
    }

    /// The products of a loop that does nothing else.
    fn products(&self, looped: &Loop, vars: &[VarId]) -> Option<Products> {
        let LoopForm::For { index, count, down: false } = looped.form else { return None };
        if !self.is_outside(count)
            || is_below(count, FEWEST_STEPS)
            || !looped.body.stmts.iter().all(may_stand_here)
            || looped.body.results.len() != looped.states.len()
        {
            return None;
        }
        let defs = Defs::of(looped);
        let mut added = looped.body.stmts.iter().filter_map(|stmt| {
            let Op::AddAcc(acc, at, value) = &stmt.op else { return None };
            Some((*acc, at, *value))
        });
        let products = match (added.next(), vars) {
            (Some((acc, at, value)), []) if added.next().is_none() => {
                vec![self.update(&defs, index, (acc, at, value))?]
            }
            (None, [_, ..]) => {
                let mut products = vec![];
                for (at, sum) in vars.iter().enumerate() {
                    products.extend(self.sums(&defs, looped, index, (at, *sum))?);
                }
                products
            }
            _ => return None,
        };
        Some(Products { index, count, products })
    }

    /// The products that a loop adds to a state in each step.
    fn sums(
        &self,
        defs: &Defs<'_>,
        looped: &Loop,
        step: VarId,
        (at, sum): (usize, VarId),
    ) -> Option<Vec<Product>> {
        let mut addends = vec![];
        defs.addends(looped.body.results[at], &mut addends);
        let state = addends.iter().position(|addend| *addend == Atom::Var(looped.states[at]))?;
        addends.swap_remove(state);
        // What is added twice is computed once in the loop as it stands.
        let is_twice = (1..addends.len()).any(|at| addends[..at].contains(&addends[at]));
        let are_few = (1..MOST_ADDENDS).contains(&addends.len());
        if is_twice || !are_few || looped.init[at] != Atom::Real(0.0) {
            return None;
        }
        let product = |(nth, addend)| self.addend(defs, step, addend, (sum, nth));
        addends.into_iter().enumerate().map(product).collect()
    }

    fn addend(
        &self,
        defs: &Defs<'_>,
        step: VarId,
        addend: Atom,
        (sum, nth): (VarId, usize),
    ) -> Option<Product> {
        let (vector, number, strong) = self.factors(defs, addend)?;
        let (vector, number) =
            (defs.element(self.layout, vector)?, defs.element(self.layout, number)?);
        let names = |atom: &Atom| *atom == Atom::Var(step);
        let is_at_steps = vector.1.iter().filter(|atom| names(atom)).count() == 1
            && vector.1.iter().all(|atom| names(atom) || self.is_outside(*atom));
        (is_at_steps
            && self.is_outside(Atom::Var(vector.0))
            && self.is_number_of(&number, step)
            && !self.plan.is_zero(vector.0)
            && lies_together(self.plan, self.layout, &vector))
        .then_some(Product { to: To::Sum(sum, nth, vector), number, strong })
    }

    /// A product that a loop adds to an element of the lanes' own, another one in each step.
    fn update(
        &self,
        defs: &Defs<'_>,
        index: VarId,
        (acc, at, value): (Atom, &[Atom], Atom),
    ) -> Option<Product> {
        let (vector, number, strong) = self.factors(defs, value)?;
        let number = defs.element(self.layout, number)?;
        let own = place(self.layout, acc.var()?, at);
        let (last, others) = own.1.split_last()?;
        let is_own = *last == Atom::Var(index)
            && self.is_outside(Atom::Var(own.0))
            && others.iter().all(|atom| self.is_outside(*atom))
            && self.layout.kind(Atom::Var(own.0)) == Kind::Varying
            && own.1.iter().all(|atom| self.layout.kind(*atom) == Kind::Uniform);
        let is_of_column = vector.var().is_some_and(|var| !defs.0.contains_key(&var));
        (is_own && is_of_column && self.is_number_of(&number, index)).then_some(Product {
            to: To::Own(own, vector),
            number,
            strong,
        })
    }

    /// The factors of a product: that which differs between lanes, that which they share, and which is strong.
    fn factors(&self, defs: &Defs<'_>, product: Atom) -> Option<(Atom, Atom, u8)> {
        if product.var().is_some_and(|var| self.plan.given.rounded.contains(&var)) {
            return None;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are no products")]
        let ([a, b], is_strong) = match defs.op(product)? {
            Op::Prim(Prim::Mul, args) => ([args[0], args[1]], false),
            Op::MulZero(a, b) => ([*a, *b], true),
            _ => return None,
        };
        let strong = |first| if is_strong { first } else { 0 };
        match [a, b].map(|atom| self.layout.kind(atom)) {
            [Kind::Varying, Kind::Uniform] => Some((a, b, strong(1))),
            [Kind::Uniform, Kind::Varying] => Some((b, a, strong(2))),
            _ => None,
        }
    }

    /// Whether an element that all lanes share is at even distances from step to step, and from column to column.
    fn is_number_of(&self, number: &Element, step: VarId) -> bool {
        let indices = [step, self.column].map(Atom::Var);
        let once = |index| number.1.iter().filter(|atom| **atom == index).count() <= 1;
        indices.into_iter().all(once)
            && number.1.iter().all(|atom| indices.contains(atom) || self.is_outside(*atom))
            && self.is_outside(Atom::Var(number.0))
            && !self.plan.is_zero(number.0)
    }
}

/// Whether a statement may stand in a loop that adds products.
fn may_stand_here(stmt: &Stmt) -> bool {
    let is_sum = matches!(stmt.op, Op::Prim(Prim::Mul | Prim::Add, _) | Op::MulZero(..));
    is_sum || matches!(stmt.op, Op::Index(..) | Op::AddAcc(..))
}

/// What is bound in a loop, by variable.
struct Defs<'l>(FxHashMap<VarId, &'l Op>);

impl<'l> Defs<'l> {
    fn of(looped: &'l Loop) -> Self {
        let stmts = looped.body.stmts.iter();
        Self(stmts.filter_map(|stmt| Some((*stmt.vars.first()?, &stmt.op))).collect())
    }

    fn op(&self, atom: Atom) -> Option<&'l Op> {
        atom.var().and_then(|var| self.0.get(&var)).copied()
    }

    /// What is added up to an atom; some of that, if there is more than [`MOST_ADDENDS`].
    fn addends(&self, atom: Atom, addends: &mut Vec<Atom>) {
        match self.op(atom) {
            _ if addends.len() > MOST_ADDENDS => {}
            Some(Op::Prim(Prim::Add, args)) => {
                args.iter().for_each(|arg| self.addends(*arg, addends));
            }
            _ => addends.push(atom),
        }
    }

    /// The element that an atom is.
    fn element(&self, layout: &Layout, atom: Atom) -> Option<Element> {
        match self.op(atom) {
            Some(Op::Index(Atom::Var(array), at)) => Some(place(layout, *array, at)),
            _ => None,
        }
    }
}

/// An element as one of the array that it is part of.
fn place(layout: &Layout, array: VarId, at: &[Atom]) -> Element {
    let view = layout.view(array);
    (view.root, view.prefix.into_iter().chain(at.iter().copied()).collect())
}

/// Whether the elements of the lanes are vectors in memory.
fn lies_together(plan: &Plan<'_>, layout: &Layout, (root, place): &Element) -> bool {
    let is_packed = row(plan, layout, *root, place).is_some_and(|row| row.is_copied(layout));
    let is_linear = |atom: &Atom| matches!(layout.kind(*atom), Kind::Linear(_));
    let Some((last, others)) = place.split_last() else { return false };
    if layout.kind(Atom::Var(*root)) == Kind::Varying {
        return place.iter().all(|atom| layout.kind(*atom) == Kind::Uniform);
    }
    let is_beside = layout.kind(*last) == Kind::Linear(1) && !others.iter().any(is_linear);
    let is_known = place.iter().all(|atom| layout.kind(*atom) != Kind::Varying);
    is_packed || is_beside && is_known
}
