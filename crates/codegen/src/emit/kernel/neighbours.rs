//! What a loop across lanes adds to neighbours in an accumulator, at its index and a few places away. Eight iterations
//! would write each element several times, each time before the last one has arrived in memory. Instead what is added
//! is shifted between vectors, and eight elements are written once.
//!
//! Law: an element gets what is added to it in the order of the iterations, as one after the other would add it. What
//! the last iteration adds behind its own place waits in a vector, and is added before the rest of the loop.

use pullback_ir::{Atom, Block, Loop, Op, VarId};
use pullback_prim::Prim;

use super::lanes::{Kind, LANES};
use super::places::Offset;
use super::text::Text;

/// Places of an accumulator that differ by numbers.
#[derive(Clone)]
pub(super) struct Neighbours {
    /// The accumulator, and its place at the index of the loop.
    acc: VarId,
    place: Vec<Atom>,
    /// What is added, the farthest first.
    adds: Vec<Add>,
}

#[derive(Clone)]
struct Add {
    acc: Atom,
    at: Vec<Atom>,
    /// How far it is from the index.
    away: i64,
    /// Its vectors: what the iterations bring, and what those before have brought.
    name: String,
}

impl Neighbours {
    /// How far what is added nearest is from the index.
    fn nearest(&self) -> i64 {
        self.adds.last().map_or(0, |add| add.away)
    }

    fn waiting(&self) -> impl Iterator<Item = (&Add, i64)> {
        let nearest = self.nearest();
        let away = move |add: &Add| add.away.checked_sub(nearest).unwrap_or(LANES);
        self.adds.iter().map(move |add| (add, away(add))).filter(|(_, away)| *away > 0)
    }
}

/// An Int that is the index of a loop and a number.
fn away(body: &Block, index: VarId, atom: Atom) -> Option<i64> {
    let var = atom.var()?;
    if var == index {
        return Some(0);
    }
    let stmt = body.stmts.iter().find(|stmt| stmt.vars == [var])?;
    let Op::Prim(prim, args) = &stmt.op else { return None };
    match (prim, args.as_slice()) {
        (Prim::IntAdd, [Atom::Var(base), Atom::Int(by)] | [Atom::Int(by), Atom::Var(base)]) => {
            (*base == index).then_some(*by)
        }
        (Prim::IntSub, [Atom::Var(base), Atom::Int(by)]) if *base == index => by.checked_neg(),
        (..) => None,
    }
}

impl<'k> Text<'_, 'k> {
    /// The accumulators from outside of which a loop adds to neighbours, and nothing else to those places.
    pub fn neighbours(&mut self, looped: &'k Loop, index: VarId) -> Vec<Neighbours> {
        let mut all: Vec<Neighbours> = vec![];
        // Adding nothing to -0.0 makes it 0.0.
        if self.is_strict || self.layout.jams.contains_key(&index) || self.columns.is_some() {
            return all;
        }
        for stmt in &looped.body.stmts {
            let Op::AddAcc(Atom::Var(acc), at, _) = &stmt.op else { continue };
            let view = self.layout.view(*acc);
            let mut place: Vec<Atom> = view.prefix.iter().chain(at).copied().collect();
            let Some(last) = place.pop() else { continue };
            let Some(away) = away(&looped.body, index, last) else { continue };
            let is_outside = |atom: &Atom| {
                atom.var().is_none_or(|var| var != index && !self.layout.is_inside(var))
                    && self.kind(*atom) == Kind::Uniform
            };
            let is_whole = place.len() + 1 == usize::from(self.ty(view.root.into()).rank);
            if self.layout.is_inside(view.root) || !is_whole || !place.iter().all(is_outside) {
                continue;
            }
            place.push(index.into());
            let add = Add { acc: (*acc).into(), at: at.clone(), away, name: String::new() };
            match all.iter_mut().find(|group| group.acc == view.root && group.place == place) {
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
        for add in all.iter_mut().flat_map(|group| &mut group.adds) {
            add.name = format!("n{}", self.fresh());
        }
        all
    }

    /// Before the loop nothing waits.
    pub fn await_nothing(&mut self, groups: &[Neighbours]) {
        for (Add { name, .. }, _) in groups.iter().flat_map(Neighbours::waiting) {
            self.line(format_args!("pb_v {name}_before = {{0}};"));
        }
    }

    /// Notes what is added to one of neighbours; whether it is that.
    pub fn waits(&mut self, acc: Atom, at: &[Atom], value: Atom) -> bool {
        let mut adds = self.neighbours.iter().flat_map(|group| &group.adds);
        let Some(add) = adds.find(|add| add.acc == acc && add.at == at) else { return false };
        let (name, value) = (add.name.clone(), self.addend(value, true));
        self.line(format_args!("const pb_v {name} = {value};"));
        true
    }

    /// Adds what eight iterations have brought.
    pub fn add_neighbours(&mut self, groups: &[Neighbours]) {
        for group in groups {
            let at = self.neighbour_place(group);
            let mut sum = format!("pb_load({at})");
            for Add { name, away, .. } in &group.adds {
                let away = away - group.nearest();
                sum = if away > 0 {
                    format!("({sum} + pb_shifted({name}_before, {name}, {away}))")
                } else {
                    format!("({sum} + {name})")
                };
            }
            self.line(format_args!("pb_store({at}, {sum});"));
            for (Add { name, .. }, _) in group.waiting() {
                self.line(format_args!("{name}_before = {name};"));
            }
        }
    }

    /// Behind the loop: adds what still waits.
    pub fn add_waiting(&mut self, groups: &[Neighbours]) {
        for group in groups {
            let at = self.neighbour_place(group);
            for (Add { name, .. }, away) in group.waiting() {
                self.line(format_args!(
                    "pb_add_where({at}, pb_shifted({name}_before, pb_all(0.0), {away}), pb_first({away}));"
                ));
            }
        }
    }

    /// Where the first of eight iterations adds nearest to its index.
    fn neighbour_place(&self, group: &Neighbours) -> String {
        let base = self.base(group.acc);
        let (Offset::Uniform(at) | Offset::Linear(at, _) | Offset::Varying(at)) =
            self.offset(group.acc, &group.place);
        format!("{base} + ({at}) + INT64_C({})", group.nearest())
    }
}
