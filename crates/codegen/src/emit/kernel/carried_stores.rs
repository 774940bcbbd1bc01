//! Register pipelining of stores (scalar replacement across iterations, Callahan, Carr & Kennedy 1990): where a loop
//! adds at its index and a few places away, a vector carries what earlier iterations add to the elements of later ones.
//!
//! Written one by one, neighbouring places would be stored several times, each time before the last store has arrived
//! in memory. Here the addends are shifted between vectors, and eight elements are written once.
//!
//! ```text
//! IR  for i.7 < n.2 { acc.6[i.7] += a.8;  next.10 = int_add(i.7, 1);  acc.6[next.10] += b.9 }
//! C   pb_store(at, PB_OP(PB_OP(pb_load(at), +, pb_shifted(beside1_before, beside1, 1)), +, beside2));
//! C   beside1_before = beside1;      after the loop   pb_add_where(at, pb_shifted(beside1_before, 0, 1), pb_first(1));
//! ```
//!
//! Input: a loop across lanes. Output: the accumulators from outside that it adds to at two or more places that differ
//! by numbers, all less than eight apart.
//!
//! Law: an element gets what is added to it in the order of the iterations, as if they came one after the other. Only
//! what one iteration adds to one place, in branches and inner loops too, is added up before. What the last iteration
//! adds behind its own place waits in a vector, and is added before the rest of the loop. Code that keeps the order of
//! sums does without, since to add nothing to -0.0 gives 0.0.

use pullback_analysis::affine::Ints;
use pullback_ir::{Atom, Loop, Op, VarId};

use super::plan::Plan;
use super::vectorise::{Kind, LANES, Layout};
use crate::transformations::Which;

/// Places of one accumulator that lie a fixed number of elements apart.
#[derive(Clone)]
pub(super) struct Neighbours {
    /// The accumulator, and its place at the index of the loop.
    pub acc: VarId,
    pub place: Vec<Atom>,
    /// What is added, the farthest first.
    pub adds: Vec<Add>,
}

/// The additions to one place.
#[derive(Clone)]
pub(super) struct Add {
    pub acc: Atom,
    pub at: Vec<Atom>,
    /// How far the place is from the index of the loop.
    away: i64,
    /// Its vectors: what the iterations bring, and what those before have brought.
    pub name: String,
    /// Whether a line that adds to its vector has been written yet.
    pub is_begun: bool,
}

impl Neighbours {
    /// How far the nearest place is from the index of the loop.
    pub fn nearest(&self) -> i64 {
        self.adds.last().map_or(0, |add| add.away)
    }

    /// Each addition, and how many places it lies beyond the nearest one.
    pub fn apart(&self) -> impl Iterator<Item = (&Add, i64)> {
        let nearest = self.nearest();
        self.adds.iter().map(move |add| (add, add.away.checked_sub(nearest).unwrap_or(LANES)))
    }

    /// The additions beyond the nearest one, which a vector carries to later iterations.
    pub fn waiting(&self) -> impl Iterator<Item = (&Add, i64)> {
        self.apart().filter(|(_, apart)| *apart > 0)
    }
}

impl Add {
    /// Whether an accumulator is added to there.
    pub fn is(&self, acc: Atom, at: &[Atom]) -> bool {
        self.acc == acc && self.at == at
    }
}

/// The accumulators from outside to which a loop adds by neighbours: at two or more places.
pub(super) fn neighbours(
    plan: &Plan<'_>,
    layout: &Layout,
    looped: &Loop,
    index: VarId,
) -> Vec<Neighbours> {
    if !plan.has(Which::CarriedStores) {
        return vec![];
    }
    let (ints, mut all): (Ints, Vec<Neighbours>) = (Ints::of(&looped.body), vec![]);
    for stmt in &looped.body.stmts {
        let Op::AddAcc(Atom::Var(acc), at, _) = &stmt.op else { continue };
        let view = layout.view(*acc);
        let mut place: Vec<Atom> = view.prefix.iter().chain(at).copied().collect();
        let Some(last) = place.pop() else { continue };
        let Some(away) = ints.distance(last, index.into()) else { continue };
        let is_outside = |atom: &Atom| {
            atom.var().is_none_or(|var| var != index && !layout.is_inside(var))
                && layout.kind(*atom) == Kind::Uniform
        };
        let is_whole = place.len() + 1 == usize::from(plan.ty(view.root.into()).rank);
        if layout.is_inside(view.root) || !is_whole || !place.iter().all(is_outside) {
            continue;
        }
        place.push(index.into());
        let add =
            Add { acc: (*acc).into(), at: at.clone(), away, name: String::new(), is_begun: false };
        match all.iter_mut().find(|group| group.acc == view.root && group.place == place) {
            Some(group) if group.adds.iter().any(|other| other.is(add.acc, at)) => {}
            Some(group) => group.adds.push(add),
            None => all.push(Neighbours { acc: view.root, place, adds: vec![add] }),
        }
    }
    all.retain_mut(|group| {
        group.adds.sort_by_key(|add| std::cmp::Reverse(add.away));
        let is_near = |(_, away): (&Add, i64)| away < LANES;
        let differ = group.adds.windows(2).all(|pair| pair[0].away > pair[1].away);
        group.adds.len() > 1 && differ && group.waiting().all(is_near)
    });
    all
}
