//! The text of register tiling: what [`super::tile_products`] decides and describes, with the examples and the law.
//!
//! Input: while a loop over columns is written, its products. Output: calls that add up those of all columns, and a loop that
//! does the rest, one column after the other. The calls say where the factors lie, and how far apart they are from step to
//! step and from column to column:
//!
//! ```text
//! x.0[i.7, k.10], rows packed       (const double *)p0_7, 32, 8  a step is four full vectors
//! y.1[k.10, j.8]                    a1 + s1, 1, v1.d[1]          a column is one number further, a step one row
//! y.1 turned                        g1.p + s1 * g1.column, g1.column, g1.row
//! ```

use pullback_analysis::sizes::Size;
use pullback_base::{Id, bug};
use pullback_ir::{Atom, Loop, VarId};
use rustc_hash::FxHashMap;

use super::pack_rows::{self, row};
use super::places::{FULL, Offset};
use super::plan::local_name;
use super::text::Text;
use super::tile_products::{COLUMNS, Element, Product, Products, Tile, To, products};
use super::vectorise::LANES;
use crate::emit::numbers::int;

/// The room for what all columns have, as C.
fn room(var: VarId) -> String {
    format!("t{}", var.index())
}

impl<'k> Text<'_, 'k> {
    /// Writes the iterations of a loop some columns at a time, if it goes so here.
    pub fn tiles(&mut self, looped: &'k Loop, vars: &[VarId], index: VarId, count: &str) -> bool {
        let may_go = self.across.is_some() && self.mask.is_none() && self.columns.is_none();
        if !may_go || self.is_alone || !self.layout.tiled.contains(&index) {
            return false;
        }
        let Some(loops) = products(self.plan, self.layout, looped) else {
            bug("codegen", "a loop of products")
        };
        let (i, number) = (local_name(index), self.fresh());
        let (first, some) = (format!("s{number}"), format!("l{number}"));
        let [rooms, before, after] = self.calls(&loops, index, &some);
        self.open(format_args!(
            "for (int64_t {first} = 0; {first} < {count}; {first} += {COLUMNS}) {{"
        ));
        self.look(looped);
        self.line(format_args!(
            "const int64_t {some} = {count} - {first} < {COLUMNS} ? {count} - {first} : {COLUMNS};"
        ));
        let parts = self.parts;
        for room in rooms {
            self.line(format_args!("pb_v {room}[{COLUMNS} * {parts}];"));
        }
        self.line(format_args!("int64_t {i} = {first};"));
        before.iter().for_each(|call| self.line(format_args!("{call}")));
        let (mut sums, mut factors) = (FxHashMap::default(), FxHashMap::default());
        for of in &loops {
            for product in &of.products {
                match &product.to {
                    To::Sum(sum, ..) => drop(sums.insert(*sum, room(*sum))),
                    To::Own(_, vector) => {
                        factors.insert(of.index, (room(of.index), *vector));
                    }
                }
            }
        }
        self.tile = Some(Tile { first: first.clone(), index, sums, factors });
        self.open(format_args!("for (; {i} < {first} + {some}; {i}++) {{"));
        self.depth += 1;
        self.block(&looped.body, &[]);
        self.collect(looped, vars, index);
        self.next_states(looped, None);
        self.depth -= 1;
        self.close();
        self.tile = None;
        if !after.is_empty() {
            self.line(format_args!("{i} = {first};"));
            after.iter().for_each(|call| self.line(format_args!("{call}")));
        }
        self.close();
        true
    }

    /// The rooms of products, the calls that add up those of sums, and the calls that add those of updates.
    fn calls(&self, loops: &[Products], column: VarId, some: &str) -> [Vec<String>; 3] {
        let [mut rooms, mut before, mut after] = [const { vec![] }; 3];
        let parts = self.parts;
        for Products { index, count, products } in loops {
            let count = self.scalar(*count);
            for Product { to, number, strong } in products {
                let (numbers, by_column, by_step) = self.numbers(number, column, *index);
                match to {
                    To::Sum(sum, nth, vector) => {
                        let (sums, (vectors, by, lanes)) =
                            (room(*sum), self.vectors(vector, *index));
                        let function = if *nth == 0 { "pb_products" } else { "pb_add_products" };
                        before.push(format!(
                            "{function}({sums}, {parts}, {vectors}, {by}, {lanes}, {numbers}, {by_column}, {by_step}, {some}, {count}, {strong});"
                        ));
                        rooms.extend((*nth == 0).then_some(sums));
                    }
                    To::Own(own, _) => {
                        let (to, vectors) = (self.own_elements(own, *index), room(*index));
                        let by = LANES * parts as i64;
                        after.push(format!(
                            "pb_add_products({to}, {parts}, (const double *){vectors}, {by}, 8, {numbers}, {by_step}, {by_column}, {count}, {some}, {strong});"
                        ));
                        rooms.push(vectors);
                    }
                }
            }
        }
        [rooms, before, after]
    }

    /// Takes the sums of a loop for the column that is being written, or keeps its vector, if it adds products.
    pub fn takes_products(&mut self, looped: &Loop, vars: &[VarId]) -> bool {
        let Some(tile) = &self.tile else { return false };
        let at = format!("({} - {})", local_name(tile.index), tile.first);
        let factor = looped.for_index().and_then(|index| tile.factors.get(&index));
        if let Some((room, vector)) = factor.cloned() {
            self.each_part(&mut |text| {
                let (place, value) = (text.own(&at), text.vector(vector));
                text.line(format_args!("{room}[{place}] = {value};"));
            });
            return true;
        }
        let sums = vars.iter().map(|var| tile.sums.get(var).cloned()).collect::<Option<Vec<_>>>();
        let Some(sums) = sums.filter(|sums| !sums.is_empty()) else { return false };
        for (var, room) in vars.iter().zip(sums) {
            self.each_of(*var, &mut |text| {
                let value = format!("{room}[{}]", text.own(&at));
                text.define(*var, &value);
            });
        }
        true
    }

    /// Where the vectors of a product begin, how many numbers they are apart, and how many lanes of each are in memory.
    pub fn vectors(&self, (root, place): &Element, step: VarId) -> (String, String, &'static str) {
        let (start, dimension) = start(place, step);
        let Some(dimension) = dimension else { bug("codegen", "a vector of each step") };
        let stride = self.stride_of(*root, dimension);
        let by = format!("{stride} * {}", LANES * self.parts as i64);
        let own = |array: &str, at: &str| format!("(const double *)({array} + {})", self.own(at));
        if let Some(row) = row(self.plan, self.layout, *root, &start)
            && row.is_copied(self.layout)
        {
            return (own(&pack_rows::name(row.pack), &self.place_in_row(&row)), by, FULL);
        }
        if let Some(matrix) = self.taken_columns(*root, place) {
            return (format!("{matrix}.p"), format!("{matrix}.row"), FULL);
        }
        let base = self.base(*root);
        match self.offset(*root, &start) {
            Offset::Uniform(at) => (own(&base, &at), by, FULL),
            Offset::Linear(at, _) => (format!("{base} + {at}"), stride, self.lanes_before_end()),
            Offset::Varying(_) => bug("codegen", "vectors in memory"),
        }
    }

    /// Where the numbers of a product begin, and how far they are apart from column to column and from step to step.
    pub fn numbers(
        &self,
        (root, place): &Element,
        column: VarId,
        step: VarId,
    ) -> (String, String, String) {
        let (start, step_at) = start(place, step);
        let column_at = place.iter().position(|atom| *atom == Atom::Var(column));
        if let Some((matrix, _)) = self.turned(*root, place) {
            let stride = |at: Option<usize>| match at {
                Some(0) => format!("{matrix}.row"),
                Some(_) => format!("{matrix}.column"),
                None => "0".to_owned(),
            };
            let [row, at] = [start[0], start[1]].map(|atom| self.scalar(atom));
            let from = format!("{matrix}.p + (({row}) * {matrix}.row + ({at}) * {matrix}.column)");
            return (from, stride(column_at), stride(step_at));
        }
        let stride = |at: Option<usize>| at.map_or("0".to_owned(), |at| self.stride_of(*root, at));
        let Offset::Uniform(at) = self.offset(*root, &start) else {
            bug("codegen", "a number that all lanes share")
        };
        (format!("{} + {at}", self.base(*root)), stride(column_at), stride(step_at))
    }

    /// The first of the elements of the lanes' own that steps name.
    pub fn own_elements(&self, (root, place): &Element, step: VarId) -> String {
        let Offset::Uniform(at) = self.offset(*root, &start(place, step).0) else {
            bug("codegen", "an element of the lanes' own")
        };
        format!("{} + {}", self.base(*root), self.own(&at))
    }

    /// How many elements one place of a dimension is from the next.
    fn stride_of(&self, root: VarId, dimension: usize) -> String {
        let sizes = self.plan.sizes.get(&root).cloned().unwrap_or_default();
        let sizes: Vec<String> =
            sizes[dimension + 1..].iter().map(|size: &Size| self.size(*size)).collect();
        if sizes.is_empty() { int(1) } else { sizes.join(" * ") }
    }
}

/// A place at the first step, and the dimension along which steps go.
fn start(place: &[Atom], step: VarId) -> (Vec<Atom>, Option<usize>) {
    let is_step = |atom: &Atom| *atom == Atom::Var(step);
    let start = place.iter().map(|atom| if is_step(atom) { Atom::Int(0) } else { *atom });
    (start.collect(), place.iter().position(is_step))
}
