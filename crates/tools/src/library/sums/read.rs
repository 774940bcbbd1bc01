//! Deserialisation: terms that read a value from the two arrays.

use pullback_lambda::{DataId, Expr, Scope, Type, TypeKind};
use pullback_prim::Prim;

use super::{Place, Streams, Walk, Walks, is_scalar};
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
            TypeKind::Real => {
                let value = Expr::index(from.reals.clone(), at.reals.clone(), self.span);
                let value = scope.bind(self.program, "x", value);
                let one = self.int(1);
                let reals = self.sum(&at.reals, one, scope);
                (value, Place { reals, ..at })
            }
            TypeKind::Int => {
                let value = self.int_at(from, &at, scope);
                let one = self.int(1);
                let ints = self.sum(&at.ints, one, scope);
                (value, Place { ints, ..at })
            }
            TypeKind::Bool => {
                let number = self.int_at(from, &at, scope);
                let value = self.truth(&number);
                let value = scope.bind(self.program, "b", value);
                let one = self.int(1);
                let ints = self.sum(&at.ints, one, scope);
                (value, Place { ints, ..at })
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
                let args = vec![from.ints.clone(), from.reals.clone(), at.ints, at.reals];
                let called = Expr::app(function, args, self.span);
                let parts = self.taken_apart(called, scope);
                let [value, ints, reals] = parts.as_slice() else { bug("a value with its end") };
                (value.clone(), Place { ints: ints.clone(), reals: reals.clone() })
            }
            TypeKind::Array(_) => self.read_array(ty, from, at, scope),
            TypeKind::Str | TypeKind::Fun(..) => bug("what crosses has numbers"),
        }
    }

    pub(super) fn read_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let [ints, reals, i, r] = given else { bug("what is read is in two arrays") };
        let from = Streams { ints: ints.clone(), reals: reals.clone() };
        let start = Place { ints: i.clone(), reals: r.clone() };
        let mut scope = Scope::default();
        let tag = self.tag(&from.ints, &start, &mut scope);
        let one = self.int(1);
        let after = Place { ints: self.sum(&start.ints, one, &mut scope), ..start };
        let mut cases = vec![];
        for (tag, types) in self.constructors(data).into_iter().enumerate() {
            let (mut inner, mut at, mut fields) = (Scope::default(), after.clone(), vec![]);
            for ty in &types {
                let (field, next) = self.read(ty, &from, at, &mut inner);
                fields.push(field);
                at = next;
            }
            let value = Expr::con(data, tag, fields, self.span);
            let read = Expr::tuple(vec![value, at.ints, at.reals], self.span);
            cases.push(inner.around(read));
        }
        let chosen = self.by_tag(data, &tag, cases);
        scope.around(chosen)
    }

    /// The tag at a place, if there is one.
    pub(super) fn tag(&mut self, ints: &Expr, at: &Place, scope: &mut Scope) -> Expr {
        let size = Expr::size_of(ints.clone(), self.span);
        let is_there = Expr::prim(Prim::IntLt, [at.ints.clone(), size], self.span);
        let tag = Expr::index(ints.clone(), at.ints.clone(), self.span);
        let none = self.fail(ENDS, Type::int());
        let tag = Expr::if_(is_there, tag, none, self.span);
        scope.bind(self.program, "tag", tag)
    }

    fn int_at(&mut self, from: &Streams, at: &Place, scope: &mut Scope) -> Expr {
        let value = Expr::index(from.ints.clone(), at.ints.clone(), self.span);
        scope.bind(self.program, "n", value)
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
            at.ints = self.sum(&at.ints, one, scope);
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

    fn left(&self, array: &Expr, at: &Expr) -> Expr {
        let size = Expr::size_of(array.clone(), self.span);
        Expr::prim(Prim::IntSub, [size, at.clone()], self.span)
    }

    fn read_array(
        &mut self,
        ty: &Type,
        from: &Streams,
        at: Place,
        scope: &mut Scope,
    ) -> (Expr, Place) {
        let (levels, element) = innermost(ty);
        let (sizes, at) = self.sizes(levels, &from.ints, at, scope);
        if !is_scalar(element) {
            return self.read_values(element, &sizes, from, at, scope);
        }
        let is_real = matches!(element.kind(), TypeKind::Real);
        let (stream, start) =
            if is_real { (&from.reals, &at.reals) } else { (&from.ints, &at.ints) };
        let left = self.left(stream, start);
        let count = self.count_of(&sizes, left, scope);
        let (stream, start) = (stream.clone(), start.clone());
        let is_bool = matches!(element.kind(), TypeKind::Bool);
        let array = self.rows(&sizes, None, &mut |walks, place, inner| {
            let index = walks.add(start.clone(), place.clone());
            let number = Expr::index(stream.clone(), index, walks.span);
            if !is_bool {
                return number;
            }
            let number = inner.bind(walks.program, "n", number);
            walks.truth(&number)
        });
        let array = scope.bind(self.program, "array", array);
        let end = if is_real {
            Place { reals: self.sum(&at.reals, count, scope), ..at }
        } else {
            Place { ints: self.sum(&at.ints, count, scope), ..at }
        };
        (array, end)
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
        // Each has a number at least.
        let (ints, reals) = (self.left(&from.ints, &at.ints), self.left(&from.reals, &at.reals));
        let left = self.add(ints, reals);
        let count = self.count_of(sizes, left, scope);
        let none = |walks: &mut Self| {
            let (index, _) = walks.program.place(walks.span);
            Expr::build(count.clone(), index, walks.int(0), walks.span)
        };
        let init = vec![none(self), none(self), at.ints, at.reals];
        let init = Expr::tuple(init, self.span);
        let state = self.program.fresh("starts", init.ty.clone());
        let (index, place) = self.program.place(self.span);
        let mut inner = Scope::default();
        let now = self.program.var(state, self.span);
        let parts = self.taken_apart(now, &mut inner);
        let [all_ints, all_reals, i, r] = parts.as_slice() else { bug("starts with a place") };
        let here = Place { ints: i.clone(), reals: r.clone() };
        let next = self.skip(element, &from.ints, here, &mut inner);
        let starts = [(all_ints, i), (all_reals, r)].map(|(all, start)| {
            Expr::prim(Prim::Update, [all.clone(), place.clone(), start.clone()], self.span)
        });
        let [starts_i, starts_r] = starts;
        let body = Expr::tuple(vec![starts_i, starts_r, next.ints, next.reals], self.span);
        let body = inner.around(body);
        let found = Expr::loop_for(state, init, index, count.clone(), body, self.span);
        let parts = self.taken_apart(found, scope);
        let [starts_i, starts_r, i, r] = parts.as_slice() else { bug("starts with a place") };
        let (from, element) = (from.clone(), element.clone());
        let array = self.rows(sizes, None, &mut |walks, place, inner| {
            let start = [starts_i, starts_r]
                .map(|starts| Expr::index(starts.clone(), place.clone(), walks.span));
            let [ints, reals] = start.map(|start| inner.bind(walks.program, "start", start));
            walks.read(&element, &from, Place { ints, reals }, inner).0
        });
        let array = scope.bind(self.program, "array", array);
        (array, Place { ints: i.clone(), reals: r.clone() })
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
