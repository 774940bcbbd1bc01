//! Deserialisation: terms that read a value from its arrays.

use pullback_lambda::{DataId, Expr, Scope, Type, TypeKind};
use pullback_prim::Prim;

use super::{INTS, Place, REALS, STRINGS, Streams, Walk, Walks, stream_of};
use crate::bug::bug;
use crate::library::packed::innermost;

const ENDS: &str = "the numbers end before the value does";

impl Walks<'_> {
    /// The value of a type from a place on, and where it ends.
    pub(super) fn read(
        &mut self,
        ty: &Type,
        from: &Streams,
        at: Place,
        scope: &mut Scope,
    ) -> (Expr, Place) {
        match ty.kind() {
            TypeKind::Real => self.read_one(REALS, from, at, scope),
            TypeKind::Int => self.read_one(INTS, from, at, scope),
            TypeKind::Str => self.read_one(STRINGS, from, at, scope),
            TypeKind::Bool => {
                let (number, at) = self.read_one(INTS, from, at, scope);
                let value = self.truth(&number);
                (scope.bind(self.program, "b", value), at)
            }
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let (mut at, mut items) = (at, vec![]);
                for part in ty.parts() {
                    let (item, next) = self.read(part, from, at, scope);
                    items.push(item);
                    at = next;
                }
                (Expr::record(items, ty.clone(), self.span), at)
            }
            TypeKind::Data(data) => {
                let function = self.function(*data, Walk::Read);
                let args = [from.0.clone(), at.0].concat();
                let called = Expr::app(function, args, self.span);
                let mut parts = self.taken_apart(called, scope);
                let end = parts.split_off(1);
                let Some(value) = parts.pop() else { bug("a value with its end") };
                (value, Place(end))
            }
            TypeKind::Array(_) => self.read_array(ty, from, at, scope),
            TypeKind::Fun(..) => bug("what crosses has numbers and Strings"),
        }
    }

    /// The element of an array at a place, and the place behind it.
    fn read_one(
        &mut self,
        stream: usize,
        from: &Streams,
        at: Place,
        scope: &mut Scope,
    ) -> (Expr, Place) {
        let value = Expr::index(from.0[stream].clone(), at.0[stream].clone(), self.span);
        let value = scope.bind(self.program, "x", value);
        let one = self.int(1);
        (value, self.after(at, stream, one, scope))
    }

    pub(super) fn read_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let (streams, places) = given.split_at(self.streams);
        let (from, start) = (Streams(streams.to_vec()), Place(places.to_vec()));
        let mut scope = Scope::default();
        let tag = self.tag(&from.0[INTS], &start, &mut scope);
        let one = self.int(1);
        let after = self.after(start, INTS, one, &mut scope);
        let mut cases = vec![];
        for (tag, types) in self.constructors(data).into_iter().enumerate() {
            let (mut inner, mut at, mut fields) = (Scope::default(), after.clone(), vec![]);
            for ty in &types {
                let (field, next) = self.read(ty, &from, at, &mut inner);
                fields.push(field);
                at = next;
            }
            let value = Expr::con(data, tag, fields, self.span);
            let read = Expr::tuple([vec![value], at.0].concat(), self.span);
            cases.push(inner.around(read));
        }
        let chosen = self.by_tag(data, &tag, cases);
        scope.around(chosen)
    }

    /// The tag at a place, if there is one.
    pub(super) fn tag(&mut self, ints: &Expr, at: &Place, scope: &mut Scope) -> Expr {
        let size = Expr::size_of(ints.clone(), self.span);
        let is_there = Expr::prim(Prim::IntLt, [at.0[INTS].clone(), size], self.span);
        let tag = Expr::index(ints.clone(), at.0[INTS].clone(), self.span);
        let none = self.fail(ENDS, Type::int());
        let tag = Expr::if_(is_there, tag, none, self.span);
        scope.bind(self.program, "tag", tag)
    }

    /// The truth value that a number stands for.
    fn truth(&mut self, number: &Expr) -> Expr {
        let is = |value| {
            Expr::prim(Prim::IntEq, [number.clone(), Expr::int(value, self.span)], self.span)
        };
        let (one, zero) = (is(1), is(0));
        let wrong = self.fail("a truth value is 0 or 1", Type::bool());
        let other = Expr::if_(zero, Expr::bool(false, self.span), wrong, self.span);
        Expr::if_(one, Expr::bool(true, self.span), other, self.span)
    }

    /// The sizes of an array at a place, and where its elements begin.
    pub(super) fn sizes(
        &mut self,
        levels: usize,
        ints: &Expr,
        at: Place,
        scope: &mut Scope,
    ) -> (Vec<Expr>, Place) {
        let mut at = at;
        let mut sizes = vec![];
        for _ in 0..levels {
            let size = self.tag(ints, &at, scope);
            let below = Expr::prim(Prim::IntLt, [size.clone(), self.int(0)], self.span);
            let wrong = self.fail("the size of an array is negative", Type::int());
            let checked = Expr::if_(below, wrong, size, self.span);
            sizes.push(scope.bind(self.program, "size", checked));
            let one = self.int(1);
            at = self.after(at, INTS, one, scope);
        }
        (sizes, at)
    }

    /// How many elements there are, if so many can follow: `left` numbers do.
    pub(super) fn count_of(&mut self, sizes: &[Expr], left: Expr, scope: &mut Scope) -> Expr {
        let count = self.product(sizes, scope);
        let is_more = Expr::prim(Prim::IntGt, [count.clone(), left], self.span);
        let wrong = self.fail(ENDS, Type::int());
        let checked = Expr::if_(is_more, wrong, count, self.span);
        scope.bind(self.program, "count", checked)
    }

    /// How many elements of an array are left.
    fn left(&self, from: &Streams, at: &Place, stream: usize) -> Expr {
        let size = Expr::size_of(from.0[stream].clone(), self.span);
        Expr::prim(Prim::IntSub, [size, at.0[stream].clone()], self.span)
    }

    fn read_array(
        &mut self,
        ty: &Type,
        from: &Streams,
        at: Place,
        scope: &mut Scope,
    ) -> (Expr, Place) {
        let (levels, element) = innermost(ty);
        let (sizes, at) = self.sizes(levels, &from.0[INTS], at, scope);
        let Some(stream) = stream_of(element) else {
            return self.read_values(element, &sizes, from, at, scope);
        };
        let left = self.left(from, &at, stream);
        let count = self.count_of(&sizes, left, scope);
        let (items, start) = (from.0[stream].clone(), at.0[stream].clone());
        let is_bool = matches!(element.kind(), TypeKind::Bool);
        let array = self.rows(&sizes, None, &mut |walks, place, inner| {
            let index = walks.add(start.clone(), place.clone());
            let number = Expr::index(items.clone(), index, walks.span);
            if !is_bool {
                return number;
            }
            let number = inner.bind(walks.program, "n", number);
            walks.truth(&number)
        });
        let array = scope.bind(self.program, "array", array);
        (array, self.after(at, stream, count, scope))
    }

    /// An array of values that take more numbers or fewer: first where each begins, then each.
    fn read_values(
        &mut self,
        element: &Type,
        sizes: &[Expr],
        from: &Streams,
        at: Place,
        scope: &mut Scope,
    ) -> (Expr, Place) {
        // Each has a number or a String at least.
        let all = (0..self.streams).map(|stream| self.left(from, &at, stream));
        let left = all.reduce(|all, left| self.add(all, left)).unwrap_or_else(|| self.int(0));
        let count = self.count_of(sizes, left, scope);
        let mut init = vec![];
        for _ in 0..self.streams {
            let (index, _) = self.program.place(self.span);
            init.push(Expr::build(count.clone(), index, self.int(0), self.span));
        }
        init.extend(at.0);
        let init = Expr::tuple(init, self.span);
        let state = self.program.fresh("starts", init.ty.clone());
        let (index, place) = self.program.place(self.span);
        let mut inner = Scope::default();
        let now = self.program.var(state, self.span);
        let parts = self.taken_apart(now, &mut inner);
        let (all, here) = parts.split_at(self.streams);
        let next = self.skip(element, &from.0[INTS], Place(here.to_vec()), &mut inner);
        let starts = all.iter().zip(here).map(|(all, start)| {
            Expr::prim(Prim::Update, [all.clone(), place.clone(), start.clone()], self.span)
        });
        let body = Expr::tuple(starts.chain(next.0).collect(), self.span);
        let body = inner.around(body);
        let found = Expr::loop_for(state, init, index, count.clone(), body, self.span);
        let mut starts = self.taken_apart(found, scope);
        let end = starts.split_off(self.streams);
        let (from, element) = (from.clone(), element.clone());
        let array = self.rows(sizes, None, &mut |walks, place, inner| {
            let mut at = vec![];
            for starts in &starts {
                let start = Expr::index(starts.clone(), place.clone(), walks.span);
                at.push(inner.bind(walks.program, "start", start));
            }
            walks.read(&element, &from, Place(at), inner).0
        });
        let array = scope.bind(self.program, "array", array);
        (array, Place(end))
    }

    /// Arrays of these sizes in each other, whose elements are told by their number row by row.
    fn rows(
        &mut self,
        sizes: &[Expr],
        before: Option<Expr>,
        element: &mut dyn FnMut(&mut Self, &Expr, &mut Scope) -> Expr,
    ) -> Expr {
        let Some((size, rest)) = sizes.split_first() else { bug("an array has sizes") };
        let (index, place) = self.program.place(self.span);
        let mut inner = Scope::default();
        let number = match before {
            Some(before) => {
                let rows = Expr::prim(Prim::IntMul, [before, size.clone()], self.span);
                let number = self.add(rows, place);
                inner.bind(self.program, "k", number)
            }
            None => place,
        };
        let body = if rest.is_empty() {
            element(self, &number, &mut inner)
        } else {
            self.rows(rest, Some(number), element)
        };
        let array = Expr::build(size.clone(), index, inner.around(body), self.span);
        let depths = rest.iter().enumerate();
        depths.fold(array, |array, (at, size)| array.sized(at + 1, size.clone()))
    }
}
