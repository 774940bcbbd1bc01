//! Serialisation of values of sum types: how C gives and takes them, as one array of Ints and one of Reals.
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
//! elements row by row. Ints and truth values go to the Ints, Reals to the Reals. An array of sums is one such value.
//!
//! Law: `read` fails unless the arrays are those of one value, to their ends. It reads forward only, so whatever it is
//! given, it takes no more steps than there are numbers in it.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{
    Arm, DataId, Def, DefId, Expr, Program, Scope, Type, TypeKind, VarId, contains_real,
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
    let mut walks = Walks { program, span, made: BTreeMap::new() };
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

/// What a function of a sum type does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Walk {
    /// `ints reals i r -> (value, i, r)`
    Read,
    /// `ints i r -> (i, r)`
    Skip,
    /// `value -> (how many Ints, how many Reals)`
    Count,
    /// `(ints, reals, i, r) value -> (ints, reals, i, r)`
    Write,
}

/// Where a walk is in the two arrays.
#[derive(Clone)]
struct Place {
    ints: Expr,
    reals: Expr,
}

/// The arrays that are read.
#[derive(Clone)]
struct Streams {
    ints: Expr,
    reals: Expr,
}

/// The functions of a program that walk over values.
struct Walks<'p> {
    program: &'p mut Program,
    span: Span,
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
        let ints = scope.bind(self.program, "ints", parts[0].clone());
        let none = Expr::array(vec![], Type::real(), self.span);
        let reals = scope.bind(self.program, "reals", parts.get(1).cloned().unwrap_or(none));
        let streams = Streams { ints, reals };
        let start = Place { ints: self.int(0), reals: self.int(0) };
        let (value, end) = self.read(ty, &streams, start, scope);
        // What is left over is a mistake.
        let all = [(end.ints, &streams.ints), (end.reals, &streams.reals)].map(|(end, all)| {
            Expr::prim(Prim::IntEq, [end, Expr::size_of(all.clone(), self.span)], self.span)
        });
        let [ints, reals] = all;
        let rest = self.fail("there are more numbers than those of a value", value.ty.clone());
        let other = self.fail("there are more numbers than those of a value", value.ty.clone());
        let value = scope.bind(self.program, "value", value);
        let inner = Expr::if_(reals, value, rest, self.span);
        let checked = Expr::if_(ints, inner, other, self.span);
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
        let zeros = |walks: &mut Self, count: Expr, zero: Expr| {
            let (index, _) = walks.program.place(walks.span);
            Expr::build(count, index, zero, walks.span)
        };
        let ints = zeros(self, counts.ints, Expr::int(0, self.span));
        let reals = zeros(self, counts.reals, Expr::real(0.0, self.span));
        let state = Expr::tuple(vec![ints, reals, self.int(0), self.int(0)], self.span);
        let state = self.write(&value, state, scope);
        let state = scope.bind(self.program, "written", state);
        let items = state.parts(self.span).into_iter().take(ty.parts().len()).collect();
        Expr::record(items, ty, self.span)
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

    fn pair(&self, place: &Place) -> Expr {
        Expr::tuple(vec![place.ints.clone(), place.reals.clone()], self.span)
    }

    /// The components of a term, which gets a name.
    fn taken_apart(&mut self, term: Expr, scope: &mut Scope) -> Vec<Expr> {
        let whole = scope.bind(self.program, "parts", term);
        let parts = whole.parts(self.span);
        parts.into_iter().map(|part| scope.bind(self.program, "part", part)).collect()
    }

    fn places(&mut self, pair: Expr, scope: &mut Scope) -> Place {
        let mut parts = self.taken_apart(pair, scope);
        match (parts.pop(), parts.pop()) {
            (Some(reals), Some(ints)) => Place { ints, reals },
            _ => bug("a place is a pair"),
        }
    }

    /// The function of a sum type, which is made the first time that it is asked for.
    fn function(&mut self, data: DataId, walk: Walk) -> Expr {
        if let Some(def) = self.made.get(&(data, walk)) {
            return self.program.global(*def, self.span);
        }
        let value = Type::new(TypeKind::Data(data));
        let int = Type::int;
        let (ints, reals) = (Type::array(int()), Type::array(Type::real()));
        let state = Type::tuple(vec![ints.clone(), reals.clone(), int(), int()]);
        let (verb, takes, gives) = match walk {
            Walk::Read => {
                let gives = Type::tuple(vec![value, int(), int()]);
                ("read", vec![ints, reals, int(), int()], gives)
            }
            Walk::Skip => ("skip", vec![ints, int(), int()], Type::tuple(vec![int(), int()])),
            Walk::Count => ("count", vec![value], Type::tuple(vec![int(), int()])),
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

/// How many Ints and Reals a value of a type takes, if that is the same for all.
fn fixed(ty: &Type) -> Option<(i64, i64)> {
    match ty.kind() {
        TypeKind::Real => Some((0, 1)),
        TypeKind::Int | TypeKind::Bool => Some((1, 0)),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            ty.parts().into_iter().try_fold((0, 0), |(ints, reals), part| {
                let (more_ints, more_reals) = fixed(part)?;
                Some((ints + more_ints, reals + more_reals))
            })
        }
        TypeKind::Data(_) | TypeKind::Array(_) => None,
        TypeKind::Str | TypeKind::Fun(..) => bug("what crosses has numbers"),
    }
}

/// Whether a type is that of a number or a truth value.
fn is_scalar(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Real | TypeKind::Int | TypeKind::Bool)
}
