//! Serialisation: terms that count the numbers and Strings of a value, and write them into their arrays.

use pullback_lambda::{DataId, Expr, Scope, TypeKind};
use pullback_prim::Prim;

use super::{Place, Walk, Walks, fixed, stream_of};
use crate::bug::bug;
use crate::library::packed::innermost;

impl Walks<'_> {
    /// How many elements of each array a value takes: an atom, or a part of one.
    pub(super) fn count(&mut self, value: &Expr, scope: &mut Scope) -> Place {
        let ty = value.ty.clone();
        if let Some(counts) = fixed(&ty) {
            return self.counted(counts);
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let none = self.nowhere();
                value.parts(self.span).iter().fold(none, |all, part| {
                    let more = self.count(part, scope);
                    self.behind(&all, more, scope)
                })
            }
            TypeKind::Data(data) => {
                let function = self.function(*data, Walk::Count);
                self.places(Expr::app(function, vec![value.clone()], self.span), scope)
            }
            TypeKind::Array(_) => self.count_array(value, scope),
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                bug("numbers and Strings take one element")
            }
        }
    }

    pub(super) fn count_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let [value] = given else { bug("a value is counted") };
        self.by_constructor(data, value, &mut |walks, _, fields| {
            let mut inner = Scope::default();
            let tag = walks.counted([1, 0, 0]);
            let all = fields.iter().fold(tag, |all, field| {
                let more = walks.count(field, &mut inner);
                walks.behind(&all, more, &mut inner)
            });
            inner.around(walks.tuple(&all))
        })
    }

    /// The elements of arrays in each other, one after the other, and their sizes.
    fn elements(&mut self, value: &Expr, scope: &mut Scope) -> (Expr, Vec<Expr>) {
        let array = scope.bind(self.program, "array", value.clone());
        let levels = innermost(&value.ty).0;
        let sizes = (0..levels).map(|depth| {
            let size = Expr::dim(array.clone(), depth, self.span);
            scope.bind(self.program, "size", size)
        });
        let sizes = sizes.collect();
        let flat = (1..levels).fold(array, |array, _| {
            let flat = Expr::prim(Prim::Flatten, [array], self.span);
            scope.bind(self.program, "elements", flat)
        });
        (flat, sizes)
    }

    fn count_array(&mut self, value: &Expr, scope: &mut Scope) -> Place {
        let levels = self.counted([innermost(&value.ty).0 as i64, 0, 0]);
        let (elements, _) = self.elements(value, scope);
        let count = Expr::size_of(elements.clone(), self.span);
        let count = scope.bind(self.program, "count", count);
        if let Some(counts) = fixed(elements.ty.item()) {
            let each = self.counted(counts).0.into_iter().map(|each| {
                let all = Expr::prim(Prim::IntMul, [count.clone(), each], self.span);
                scope.bind(self.program, "count", all)
            });
            let all = Place(each.collect());
            return self.behind(&levels, all, scope);
        }
        let init = self.tuple(&levels);
        let state = self.program.fresh("counts", init.ty.clone());
        let (index, place) = self.program.place(self.span);
        let mut inner = Scope::default();
        let now = self.program.var(state, self.span);
        let all = self.places(now, &mut inner);
        let element = Expr::index(elements, place, self.span);
        let element = inner.bind(self.program, "element", element);
        let more = self.count(&element, &mut inner);
        let all = self.behind(&all, more, &mut inner);
        let body = inner.around(self.tuple(&all));
        let counts = Expr::loop_for(state, init, index, count, body, self.span);
        self.places(counts, scope)
    }

    /// The state once a value is written, from the state before: the arrays, and where they are written next.
    pub(super) fn write(&mut self, value: &Expr, state: Expr, scope: &mut Scope) -> Expr {
        let ty = value.ty.clone();
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => {
                self.put(value, state, scope)
            }
            TypeKind::Tuple(_) | TypeKind::Record(_) => value
                .parts(self.span)
                .iter()
                .fold(state, |state, part| self.write(part, state, scope)),
            TypeKind::Data(data) => {
                let function = self.function(*data, Walk::Write);
                Expr::app(function, vec![state, value.clone()], self.span)
            }
            TypeKind::Array(_) => self.write_array(value, state, scope),
            TypeKind::Fun(..) => bug("what crosses has numbers and Strings"),
        }
    }

    /// What stands for a number, a truth value or a String in its array.
    fn shown(&self, value: Expr) -> Expr {
        if !matches!(value.ty.kind(), TypeKind::Bool) {
            return value;
        }
        let (one, zero) = (self.int(1), self.int(0));
        Expr::if_(value, one, zero, self.span)
    }

    /// Writes a number, a truth value or a String.
    fn put(&mut self, value: &Expr, state: Expr, scope: &mut Scope) -> Expr {
        let mut parts = self.taken_apart(state, scope);
        let element = self.shown(value.clone());
        let Some(which) = stream_of(&value.ty) else { bug("what is put is one element") };
        let place = parts[self.streams + which].clone();
        let one = self.int(1);
        parts[which] =
            Expr::prim(Prim::Update, [parts[which].clone(), place.clone(), element], self.span);
        parts[self.streams + which] = self.add(place, one);
        Expr::tuple(parts, self.span)
    }

    pub(super) fn write_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let [state, value] = given else { bug("a value is written") };
        self.by_constructor(data, value, &mut |walks, tag, fields| {
            let mut inner = Scope::default();
            let tag = walks.int(tag as i64);
            let state = walks.put(&tag, state.clone(), &mut inner);
            let state =
                fields.iter().fold(state, |state, field| walks.write(field, state, &mut inner));
            inner.around(state)
        })
    }

    fn write_array(&mut self, value: &Expr, state: Expr, scope: &mut Scope) -> Expr {
        let (elements, sizes) = self.elements(value, scope);
        let state = sizes.iter().fold(state, |state, size| self.put(size, state, scope));
        let count = Expr::size_of(elements.clone(), self.span);
        if let Some(which) = stream_of(elements.ty.item()) {
            return self.write_numbers(which, &elements, count, state, scope);
        }
        let var = self.program.fresh("written", state.ty.clone());
        let (index, place) = self.program.place(self.span);
        let mut inner = Scope::default();
        let element = Expr::index(elements, place, self.span);
        let element = inner.bind(self.program, "element", element);
        let now = self.program.var(var, self.span);
        let next = self.write(&element, now, &mut inner);
        Expr::loop_for(var, state, index, count, inner.around(next), self.span)
    }

    fn write_numbers(
        &mut self,
        which: usize,
        elements: &Expr,
        count: Expr,
        state: Expr,
        scope: &mut Scope,
    ) -> Expr {
        let mut parts = self.taken_apart(state, scope);
        let count = scope.bind(self.program, "count", count);
        let start = parts[self.streams + which].clone();
        let stream = self.program.fresh("stream", parts[which].ty.clone());
        let (index, place) = self.program.place(self.span);
        let element = Expr::index(elements.clone(), place.clone(), self.span);
        let element = self.shown(element);
        let to = self.add(start.clone(), place);
        let now = self.program.var(stream, self.span);
        let body = Expr::prim(Prim::Update, [now, to, element], self.span);
        parts[which] =
            Expr::loop_for(stream, parts[which].clone(), index, count.clone(), body, self.span);
        parts[self.streams + which] = self.add(start, count);
        Expr::tuple(parts, self.span)
    }
}
