//! The text of carried stores: [`super::carried_stores`] says which places a loop adds to, with the example and the
//! law.
//!
//! Input: the [`Neighbours`] of a loop across lanes, while the loop is written. Output: lines at five places. Before
//! the loop nothing waits. Before each eight iterations they have brought nothing. Where the program adds, the addend
//! goes into a vector. After the eight iterations their elements are written. Behind the loop what still waits is
//! added.

use pullback_ir::{Atom, Loop, VarId};

use super::carried_stores::{Add, Neighbours, neighbours};
use super::places::Offset;
use super::text::Text;

impl Text<'_, '_> {
    /// The places to which a loop adds, with names for their vectors.
    pub fn neighbours(&mut self, looped: &Loop, index: VarId) -> Vec<Neighbours> {
        // Adding nothing to -0.0 makes it 0.0.
        if self.is_strict || self.layout.jams.contains_key(&index) || self.columns.is_some() {
            return vec![];
        }
        let mut all = neighbours(self.plan, self.layout, looped, index);
        for add in all.iter_mut().flat_map(|group| &mut group.adds) {
            add.name = format!("beside{}", self.fresh());
        }
        all
    }

    /// Begins the vectors that carry addends over with zeros, before the loop.
    pub fn await_nothing(&mut self, groups: &[Neighbours]) {
        for (Add { name, .. }, _) in groups.iter().flat_map(Neighbours::waiting) {
            self.line(format_args!("pb_v {name}_before = {{0}};"));
        }
    }

    /// Begins the vectors of eight iterations with zeros.
    pub fn begin_neighbours(&mut self, groups: &[Neighbours]) {
        for Add { name, .. } in groups.iter().flat_map(|group| &group.adds) {
            self.line(format_args!("pb_v {name} = {{0}};"));
        }
        self.neighbours = groups.to_vec();
        self.neighbours_depth = self.depth + 1;
    }

    /// Adds to the vector of a place instead of to memory, in branches and inner loops too. False for other places.
    pub fn waits(&mut self, acc: Atom, at: &[Atom], value: Atom) -> bool {
        let is_once = self.depth == self.neighbours_depth;
        let mut adds = self.neighbours.iter_mut().flat_map(|group| &mut group.adds);
        let Some(add) = adds.find(|add| add.is(acc, at)) else { return false };
        let is_first = !std::mem::replace(&mut add.is_begun, true) && is_once;
        let name = add.name.clone();
        let mut value = self.addend(value, true);
        if let Some(active) = self.active() {
            value = format!("pb_where({active}, {value}, pb_all(0.0))");
        }
        if is_first {
            self.line(format_args!("{name} = {value};"));
        } else {
            self.line(format_args!("{name} = PB_OP({name}, +, {value});"));
        }
        true
    }

    /// Adds what eight iterations have brought.
    pub fn add_neighbours(&mut self, groups: &[Neighbours]) {
        for group in groups {
            let at = self.neighbour_place(group);
            let mut sum = format!("pb_load({at})");
            for (Add { name, .. }, away) in group.apart() {
                sum = if away > 0 {
                    format!("PB_OP({sum}, +, pb_shifted({name}_before, {name}, {away}))")
                } else {
                    format!("PB_OP({sum}, +, {name})")
                };
            }
            self.line(format_args!("pb_store({at}, {sum});"));
            for (Add { name, .. }, _) in group.waiting() {
                self.line(format_args!("{name}_before = {name};"));
            }
        }
    }

    /// Behind the loop, if it has begun: adds what still waits.
    pub fn add_waiting(&mut self, groups: &[Neighbours], has_begun: &str) {
        if groups.is_empty() {
            return;
        }
        self.open(format_args!("if ({has_begun}) {{"));
        for group in groups {
            let at = self.neighbour_place(group);
            for (Add { name, .. }, away) in group.waiting() {
                self.line(format_args!(
                    "pb_add_where({at}, pb_shifted({name}_before, pb_all(0.0), {away}), pb_first({away}));"
                ));
            }
        }
        self.close();
    }

    /// Where the first of eight iterations adds nearest to its index.
    fn neighbour_place(&self, group: &Neighbours) -> String {
        let base = self.base(group.acc);
        let (Offset::Uniform(at) | Offset::Linear(at, _) | Offset::Varying(at)) =
            self.offset(group.acc, &group.place);
        format!("{base} + ({at}) + INT64_C({})", group.nearest())
    }
}
