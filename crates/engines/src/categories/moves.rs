//! The reverse half of primitives that move or add up values: cotangents go back the way values came.

use pullback_base::bug;
use pullback_lambda::{Expr, Type, place};
use pullback_prim::{Move, Prim};

use super::cl::NAME;
use super::flow::root;
use super::reverse::Reverse;

impl Reverse<'_> {
    /// `dt` is in one of its two forms: of the tangent type itself if it is `sure`.
    pub(super) fn structural(&mut self, moves: Move, args: &[Expr], dt: Expr, sure: bool) {
        let span = self.arith.span;
        let primitive = |prim, args| Expr::prim(prim, args, span);
        let size = |array: &Expr| Expr::size_of(array.clone(), span);
        match moves {
            Move::Keep { array } => {
                let same = self.arith.formed(dt, sure);
                self.give(&args[array], same);
            }
            // An element is a part of its array, so its cotangent is added there at once.
            Move::Pick { .. } => {}
            Move::Put { array, index, element } => {
                let index = place(index, args, span);
                self.put(&args[array], &index, &args[element], dt, sure);
            }
            Move::Cut { array, from, to: _ } => {
                self.cut(&args[array], &place(from, args, span), &dt, sure);
            }
            Move::Join { first, second } => {
                let middle = self.arith.bind("n", size(&args[first]));
                let left = vec![dt.clone(), Expr::int(0, span), middle.clone()];
                let right = vec![dt.clone(), middle, size(&dt)];
                for (at, part) in [(first, left), (second, right)] {
                    if self.wants(&args[at]) {
                        let part = self.arith.formed(primitive(Prim::Slice, part), sure);
                        self.give(&args[at], part);
                    }
                }
            }
            Move::Unnest { rows: at } => {
                let rows = self.rows(&args[at], &dt);
                let rows = self.arith.formed(rows, sure);
                self.give(&args[at], rows);
            }
            Move::Total { array } => {
                let index = self.arith.program.fresh("i", Type::int());
                let each = Expr::build(size(&args[array]), index, dt, span);
                let each = self.arith.formed(each, sure);
                self.give(&args[array], each);
            }
        }
    }

    /// The cotangents of an array and of the element that was put into it.
    fn put(&mut self, array: &Expr, index: &Expr, element: &Expr, dt: Expr, sure: bool) {
        let span = self.arith.span;
        if self.wants(element) {
            let place = Expr::index(dt.clone(), index.clone(), span);
            let part = self.arith.formed(place, sure);
            self.give(element, part);
        }
        if self.wants(array) {
            let old = Expr::index(array.clone(), index.clone(), span);
            let gone = self.arith.absent(&old);
            let whole = if sure { self.arith.inject(&dt) } else { dt };
            let rest = Expr::prim(Prim::Update, vec![whole, index.clone(), gone], span);
            let rest = self.arith.formed(rest, false);
            self.give(array, rest);
        }
    }

    /// The rows of what was made flat; they may differ in size.
    fn rows(&mut self, array: &Expr, flat: &Expr) -> Expr {
        let span = self.arith.span;
        let primitive = |prim, args| Expr::prim(prim, args, span);
        let [row, last] = ["i", "k"].map(|name| self.arith.program.fresh(name, Type::int()));
        let [row_atom, last_atom] = [row, last].map(|var| self.arith.program.var(var, span));
        let size = |array: &Expr, at: &Expr| {
            let row = Expr::index(array.clone(), at.clone(), span);
            Expr::size_of(row, span)
        };
        let count = self.arith.bind("n", Expr::size_of(array.clone(), span));
        // Where each row ends.
        let ends = self.arith.program.fresh("ends", Type::array(Type::int()));
        let ends_atom = self.arith.program.var(ends, span);
        let before = primitive(Prim::IntSub, vec![last_atom.clone(), Expr::int(1, span)]);
        let before = Expr::index(ends_atom.clone(), before, span);
        let first = primitive(Prim::IntEq, vec![last_atom.clone(), Expr::int(0, span)]);
        let start = Expr::if_(first, Expr::int(0, span), before, span);
        let end = primitive(Prim::IntAdd, vec![start, size(array, &last_atom)]);
        let next = primitive(Prim::Update, vec![ends_atom, last_atom, end]);
        let unused = self.arith.program.fresh("i", Type::int());
        let zeros = Expr::build(count.clone(), unused, Expr::int(0, span), span);
        let ends = Expr::loop_for(ends, zeros, last, count.clone(), next, span);
        let ends = self.arith.bind("ends", ends);
        let to = Expr::index(ends, row_atom.clone(), span);
        let to_var = self.arith.program.fresh("to", Type::int());
        let to_atom = self.arith.program.var(to_var, span);
        let from = primitive(Prim::IntSub, vec![to_atom.clone(), size(array, &row_atom)]);
        let part = primitive(Prim::Slice, vec![flat.clone(), from, to_atom]);
        Expr::build(count, row, Expr::let_(to_var, to, part), span).sized_like(array)
    }

    /// Adds the cotangent of a slice in its place.
    fn cut(&mut self, array: &Expr, from: &Expr, dt: &Expr, sure: bool) {
        let span = self.arith.span;
        let Some(var) = self.asked(array) else {
            bug(NAME, "a slice whose cotangent is asked for")
        };
        let place = root(&self.aliases, var);
        let direct = place == var;
        let start = if direct { self.taken(var) } else { self.arith.absent(array) };
        let element = Expr::index(array.clone(), Expr::int(0, span), span);
        let acc = self.arith.program.fresh("acc", start.ty.clone());
        let index = self.arith.program.fresh("i", Type::int());
        let whole = self.arith.program.var(acc, span);
        let at = self.arith.program.var(index, span);
        let next = self.arith.scope(|arith| {
            let part = Expr::index(dt.clone(), at.clone(), span);
            let part = arith.formed(part, sure);
            let there = Expr::prim(Prim::IntAdd, vec![from.clone(), at], span);
            let there = arith.bind("at", there);
            let old = Expr::index(whole.clone(), there.clone(), span);
            let old = arith.formed(old, false);
            let new = arith.add(old, part, &element.ty);
            let new = arith.whole(&new, &element);
            Expr::prim(Prim::Update, vec![whole, there, new], span)
        });
        let count = Expr::size_of(dt.clone(), span);
        let done = Expr::loop_for(acc, start, index, count, next, span);
        let done = self.arith.formed(done, false);
        if direct {
            self.cots.insert(var, done);
        } else {
            self.give(array, done);
        }
    }
}
