//! Serialisation of values of sum types: how C gives and takes them, as one array of Ints, one of Reals and one of Strings.
//!
//! Input: a definition. Output: one that takes and gives such arrays, `\s -> write (f (read s))` with
//! `read (write x) = x`. So its derivatives are with respect to the array of Reals, and no other part of a library knows
//! that there were sums.
//!
//! ```text
//! type Shape = Circle Real | Poly [](Real, Int)
//! Poly [(0.5, 7), (1.5, 8)]      ints 1 2 7 8      reals 0.5 1.5
//! ```
//!
//! A value is written parts first to last. A sum value writes its tag and then its fields, an array its sizes and then its
//! elements row by row. Ints and truth values go to the Ints, Reals to the Reals, Strings to the Strings. An array of sums is
//! one such value. A type without Reals or without Strings has no array of these, and a definition whose sums have no
//! Strings passes none along.
//!
//! Law: `read` fails unless the arrays are those of one value, to their ends. It reads forward only, so whatever it is
//! given, it takes no more steps than there are numbers in it.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{
    Arm, DataId, Def, DefId, Expr, Program, Scope, Type, TypeKind, VarId, contains_real,
    contains_string,
};
use pullback_prim::Prim;

use super::packed;
use crate::bug::bug;

mod read;
mod skip;
mod write;

/// A definition as it is called from outside, with the types of its parameters and of its result: packed, and without sums.
pub fn crossed(
    program: &mut Program,
    def: DefId,
    types: &[Type],
    result: &Type,
) -> (DefId, Vec<Type>, Type) {
    let def = packed::define(program, def, types, result);
    let types: Vec<Type> = types.iter().map(packed::packed).collect();
    let result = packed::packed(result);
    let def = define(program, def, &types, &result);
    let types = types.iter().map(|ty| flat(program, ty)).collect();
    let result = flat(program, &result);
    (def, types, result)
}

/// Whether there are values of sum types in a value.
pub fn holds_sums(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Data(_) => true,
        TypeKind::Tuple(_) | TypeKind::Record(_) => ty.parts().into_iter().any(holds_sums),
        TypeKind::Array(element) => holds_sums(element),
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
            false
        }
    }
}

/// The type of what stands for a packed value.
fn flat(program: &Program, ty: &Type) -> Type {
    if !holds_sums(ty) {
        return ty.clone();
    }
    if ty.is_product() {
        return packed::of_parts(ty, |part| flat(program, part));
    }
    let mut fields = vec![("ints".into(), Type::array(Type::int()))];
    if contains_real(&program.datas, ty) {
        fields.push(("reals".into(), Type::array(Type::real())));
    }
    if contains_string(&program.datas, ty) {
        fields.push(("strings".into(), Type::array(Type::str())));
    }
    Type::new(TypeKind::Record(fields))
}

/// The definition that takes and gives values without sums: it itself, if there are none.
fn define(program: &mut Program, def: DefId, types: &[Type], result: &Type) -> DefId {
    if !types.iter().chain([result]).any(holds_sums) {
        return def;
    }
    let Def { name, span, .. } = program.defs[def].clone();
    let flats: Vec<Type> = types.iter().map(|ty| flat(program, ty)).collect();
    let vars: Vec<VarId> = flats.into_iter().map(|ty| program.fresh("given", ty)).collect();
    let has_sums = |ty: &Type| holds_sums(ty) && contains_string(&program.datas, ty);
    let streams = 2 + usize::from(types.iter().chain([result]).any(has_sums));
    let mut walks = Walks { program, span, streams, made: BTreeMap::new() };
    let mut scope = Scope::default();
    let mut args = vec![];
    for (ty, var) in types.iter().zip(&vars) {
        let given = walks.program.var(*var, span);
        args.push(walks.open(ty, &given, &mut scope));
    }
    let called = Expr::app(walks.program.global(def, span), args, span);
    let value = scope.bind(walks.program, "value", called);
    let gives = walks.close(&value, &mut scope);
    let body = program.lam(vars, scope.around(gives));
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// The arrays of numbers and Strings that stand for values, in their order.
const INTS: usize = 0;
const REALS: usize = 1;
const STRINGS: usize = 2;

/// The most arrays that stand for a value.
const MOST: usize = 3;

/// What a function of a sum type does. It is given, and gives, as many arrays and places as its definition has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Walk {
    /// `ints reals strings i r s -> (value, i, r, s)`
    Read,
    /// `ints i r s -> (i, r, s)`
    Skip,
    /// `value -> (how many Ints, how many Reals, how many Strings)`
    Count,
    /// `(ints, reals, strings, i, r, s) value -> (ints, reals, strings, i, r, s)`
    Write,
}

/// Where a walk is in each of the arrays.
#[derive(Clone)]
struct Place(Vec<Expr>);

/// The arrays that are read.
#[derive(Clone)]
struct Streams(Vec<Expr>);

/// The functions of a program that walk over values.
struct Walks<'p> {
    program: &'p mut Program,
    span: Span,
    /// How many arrays stand for a value.
    streams: usize,
    made: BTreeMap<(DataId, Walk), DefId>,
}

impl Walks<'_> {
    /// The value of this type, from what stands for it: an atom, or a part of one.
    fn open(&mut self, ty: &Type, given: &Expr, scope: &mut Scope) -> Expr {
        if !holds_sums(ty) {
            return given.clone();
        }
        if ty.is_product() {
            let parts = given.parts(self.span);
            let parts = ty.parts().into_iter().zip(&parts);
            let items = parts.map(|(ty, part)| self.open(ty, part, scope)).collect();
            return Expr::record(items, ty.clone(), self.span);
        }
        let parts = given.parts(self.span);
        let types = (0..self.streams).map(element_of);
        let streams: Vec<Expr> = types
            .map(|element| {
                let part = parts.iter().find(|part| *part.ty.item() == element);
                let none = || Expr::array(vec![], element.clone(), self.span);
                scope.bind(self.program, "stream", part.cloned().unwrap_or_else(none))
            })
            .collect();
        let streams = Streams(streams);
        let start = self.nowhere();
        let (value, end) = self.read(ty, &streams, start, scope);
        let value = scope.bind(self.program, "value", value);
        // What is left over is a mistake.
        let ends = end.0.into_iter().zip(&streams.0);
        let checked = ends.rev().fold(value, |value, (end, all)| {
            let all = Expr::size_of(all.clone(), self.span);
            let is_end = Expr::prim(Prim::IntEq, [end, all], self.span);
            let rest = self.fail("there are more numbers than those of a value", value.ty.clone());
            Expr::if_(is_end, value, rest, self.span)
        });
        scope.bind(self.program, "value", checked)
    }

    /// What stands for a value, an atom or a part of one.
    fn close(&mut self, value: &Expr, scope: &mut Scope) -> Expr {
        if !holds_sums(&value.ty) {
            return value.clone();
        }
        let ty = flat(self.program, &value.ty);
        if value.ty.is_product() {
            let parts = value.parts(self.span);
            let items = parts.iter().map(|part| self.close(part, scope)).collect();
            return Expr::record(items, ty, self.span);
        }
        let value = scope.bind(self.program, "value", value.clone());
        let counts = self.count(&value, scope);
        let nothing =
            [Expr::int(0, self.span), Expr::real(0.0, self.span), Expr::str("", self.span)];
        let mut state: Vec<Expr> = vec![];
        for (count, nothing) in counts.0.into_iter().zip(nothing) {
            let (index, _) = self.program.place(self.span);
            state.push(Expr::build(count, index, nothing, self.span));
        }
        state.extend(self.nowhere().0);
        let state = self.write(&value, Expr::tuple(state, self.span), scope);
        let state = scope.bind(self.program, "written", state);
        let written = state.parts(self.span);
        let items = ty.parts().into_iter().map(|part| {
            match written.iter().find(|written| written.ty == *part) {
                Some(written) => written.clone(),
                None => bug("what is written is in an array of its own"),
            }
        });
        Expr::record(items.collect(), ty.clone(), self.span)
    }

    /// The start of all arrays.
    fn nowhere(&self) -> Place {
        Place(vec![self.int(0); self.streams])
    }

    /// The place behind one more element of an array.
    fn after(&mut self, at: Place, stream: usize, count: Expr, scope: &mut Scope) -> Place {
        let mut places = at.0;
        places[stream] = self.sum(&places[stream], count, scope);
        Place(places)
    }

    /// The place behind so many more elements of each array.
    fn behind(&mut self, at: &Place, more: Place, scope: &mut Scope) -> Place {
        let both = at.0.iter().zip(more.0);
        Place(both.map(|(at, more)| self.sum(at, more, scope)).collect())
    }

    /// How many elements there are of each array, as a place.
    fn counted(&self, counts: [i64; MOST]) -> Place {
        Place(counts[..self.streams].iter().map(|count| self.int(*count)).collect())
    }

    fn int(&self, value: i64) -> Expr {
        Expr::int(value, self.span)
    }

    fn add(&self, one: Expr, other: Expr) -> Expr {
        Expr::prim(Prim::IntAdd, [one, other], self.span)
    }

    /// A sum, bound to a name.
    fn sum(&mut self, one: &Expr, other: Expr, scope: &mut Scope) -> Expr {
        let sum = self.add(one.clone(), other);
        scope.bind(self.program, "next", sum)
    }

    fn fail(&self, text: &str, ty: Type) -> Expr {
        Expr::fail(Expr::str(text, self.span), ty, self.span)
    }

    fn tuple(&self, place: &Place) -> Expr {
        Expr::tuple(place.0.clone(), self.span)
    }

    /// The components of a term, which gets a name.
    fn taken_apart(&mut self, term: Expr, scope: &mut Scope) -> Vec<Expr> {
        let whole = scope.bind(self.program, "parts", term);
        let parts = whole.parts(self.span);
        parts.into_iter().map(|part| scope.bind(self.program, "part", part)).collect()
    }

    fn places(&mut self, tuple: Expr, scope: &mut Scope) -> Place {
        Place(self.taken_apart(tuple, scope))
    }

    /// The function of a sum type, which is made the first time that it is asked for.
    fn function(&mut self, data: DataId, walk: Walk) -> Expr {
        if let Some(def) = self.made.get(&(data, walk)) {
            return self.program.global(*def, self.span);
        }
        let value = Type::new(TypeKind::Data(data));
        let arrays: Vec<Type> = (0..self.streams).map(|at| Type::array(element_of(at))).collect();
        let places = vec![Type::int(); self.streams];
        let state = Type::tuple([arrays.clone(), places.clone()].concat());
        let (verb, takes, gives) = match walk {
            Walk::Read => {
                let gives = Type::tuple([vec![value], places.clone()].concat());
                ("read", [arrays, places].concat(), gives)
            }
            Walk::Skip => {
                let takes = [vec![Type::array(Type::int())], places.clone()].concat();
                ("skip", takes, Type::tuple(places))
            }
            Walk::Count => ("count", vec![value], Type::tuple(places)),
            Walk::Write => ("write", vec![state.clone(), value], state),
        };
        let name = format!("{verb} {}", self.program.datas[data].name);
        let ty = Type::funs(takes.clone(), gives);
        let def = self.program.declare(name.as_str(), ty, self.span);
        self.made.insert((data, walk), def);
        let vars: Vec<VarId> =
            takes.into_iter().map(|ty| self.program.fresh("given", ty)).collect();
        let given: Vec<Expr> = vars.iter().map(|var| self.program.var(*var, self.span)).collect();
        let body = match walk {
            Walk::Read => self.read_body(data, &given),
            Walk::Skip => self.skip_body(data, &given),
            Walk::Count => self.count_body(data, &given),
            Walk::Write => self.write_body(data, &given),
        };
        self.program.defs[def].body = self.program.lam(vars, body);
        self.program.global(def, self.span)
    }

    /// The types of the fields of each constructor.
    fn constructors(&self, data: DataId) -> Vec<Vec<Type>> {
        self.program.datas[data].constructors.iter().map(|con| con.fields.clone()).collect()
    }

    /// One of several terms, by a tag; what is no tag fails.
    fn by_tag(&mut self, data: DataId, tag: &Expr, mut cases: Vec<Expr>) -> Expr {
        let Some(ty) = cases.first().map(|case| case.ty.clone()) else {
            bug("a sum has constructors")
        };
        let name = &self.program.datas[data].name;
        let wrong = self.fail(&format!("no constructor of `{name}` has this tag"), ty);
        let mut term = wrong;
        while let Some(case) = cases.pop() {
            let is_it = [tag.clone(), self.int(cases.len() as i64)];
            let is_it = Expr::prim(Prim::IntEq, is_it, self.span);
            term = Expr::if_(is_it, case, term, self.span);
        }
        term
    }

    /// One of several terms, by the constructor of a value.
    fn by_constructor(
        &mut self,
        data: DataId,
        value: &Expr,
        case: &mut dyn FnMut(&mut Self, usize, Vec<Expr>) -> Expr,
    ) -> Expr {
        let mut arms = vec![];
        for (tag, types) in self.constructors(data).into_iter().enumerate() {
            let (vars, fields) = self.program.fields("field", &types, self.span);
            let body = case(self, tag, fields);
            arms.push(Arm::new(tag, vars, body));
        }
        Expr::match_(value.clone(), arms, None, self.span)
    }

    /// The product of sizes.
    fn product(&mut self, sizes: &[Expr], scope: &mut Scope) -> Expr {
        let mut all = sizes.iter().cloned();
        let first = all.next().unwrap_or_else(|| self.int(1));
        all.fold(first, |product, size| {
            let product = Expr::prim(Prim::IntMul, [product, size], self.span);
            scope.bind(self.program, "count", product)
        })
    }
}

/// What an array holds.
fn element_of(stream: usize) -> Type {
    match stream {
        INTS => Type::int(),
        REALS => Type::real(),
        STRINGS => Type::str(),
        _ => bug("there are three arrays"),
    }
}

/// The array that holds a number, a truth value or a String of this type, if it is one.
fn stream_of(ty: &Type) -> Option<usize> {
    match ty.kind() {
        TypeKind::Int | TypeKind::Bool => Some(INTS),
        TypeKind::Real => Some(REALS),
        TypeKind::Str => Some(STRINGS),
        TypeKind::Tuple(_)
        | TypeKind::Record(_)
        | TypeKind::Data(_)
        | TypeKind::Array(_)
        | TypeKind::Fun(..) => None,
    }
}

/// How many elements of each array a value of a type takes, if that is the same for all.
fn fixed(ty: &Type) -> Option<[i64; MOST]> {
    if let Some(stream) = stream_of(ty) {
        let mut counts = [0; MOST];
        counts[stream] = 1;
        return Some(counts);
    }
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            ty.parts().into_iter().try_fold([0; MOST], |counts, part| {
                let more = fixed(part)?;
                Some(std::array::from_fn(|at| counts[at] + more[at]))
            })
        }
        TypeKind::Data(_) | TypeKind::Array(_) => None,
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
            bug("what crosses has numbers and Strings")
        }
    }
}
