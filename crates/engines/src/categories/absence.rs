//! Cotangents that may be absent: what is not there is a constructor, never a number.
//!
//! Input: tangent types and terms of them. Output: the type `Maybe` of a tangent type, and code that goes
//! between the two. A Real becomes `Absent | Present(Real)`, a sum gets a constructor `Absent` beside its
//! own, tuples and arrays have `Maybe`s as parts, and what has no Reals is a unit. Absence is part of the
//! structure, so it has derivatives like everything else: none.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{
    Arm, Constructor, Data, DataId, DefId, Expr, ExprKind, Program, Scope, Type, TypeKind,
    contains_real,
};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

/// The constructor of what is not there.
pub(super) const ABSENT: usize = 0;
/// The constructor of a Real that is there; those of a sum come in their order after [`ABSENT`].
pub(super) const PRESENT: usize = 1;

/// What is made by recursion over types, on demand.
#[derive(Default)]
pub(super) struct Library {
    made: FxHashMap<(&'static str, Type), DefId>,
    /// The sums that may be absent, by tangent sums.
    sums: BTreeMap<DataId, DataId>,
    /// The sum of a Real that may be absent.
    maybe_real: Option<DataId>,
}

/// Arithmetic of tangents and cotangents: emits code into bindings.
pub(super) struct Arithmetic<'p> {
    pub program: &'p mut Program,
    pub library: &'p mut Library,
    pub out: Scope,
    pub span: Span,
}

impl<'p> Arithmetic<'p> {
    /// Without bindings yet, for code of this place.
    pub fn new(program: &'p mut Program, library: &'p mut Library, span: Span) -> Self {
        Self { program, library, out: Scope::default(), span }
    }
}

impl Arithmetic<'_> {
    /// The tangent type of a first-order type.
    pub fn dot(&mut self, ty: &Type) -> Type {
        self.program.tangent(ty)
    }

    pub fn has_real(&self, ty: &Type) -> bool {
        contains_real(&self.program.datas, ty)
    }

    /// The type of what may be absent, for a value of a type.
    pub fn maybe_of(&mut self, ty: &Type) -> Type {
        let dot = self.dot(ty);
        self.maybe(&dot)
    }

    /// The type of what may be absent, for a tangent type.
    pub fn maybe(&mut self, dot: &Type) -> Type {
        if !self.has_real(dot) {
            return Type::unit();
        }
        match dot.kind() {
            TypeKind::Real => Type::new(TypeKind::Data(self.maybe_real())),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let parts = dot.parts();
                Type::tuple(parts.into_iter().map(|part| self.maybe(part)).collect())
            }
            TypeKind::Array(element) => Type::array(self.maybe(element)),
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.maybe_sum(*data))),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => Type::unit(),
        }
    }

    /// `Maybe Real = Absent | Present(Real)`
    fn maybe_real(&mut self) -> DataId {
        if let Some(known) = self.library.maybe_real {
            return known;
        }
        let absent = Constructor { name: "Absent".into(), fields: vec![] };
        let present = Constructor { name: "Present".into(), fields: vec![Type::real()] };
        let made = self.program.datas.push(Data::new("Maybe Real", vec![absent, present]));
        self.library.maybe_real = Some(made);
        made
    }

    fn maybe_sum(&mut self, data: DataId) -> DataId {
        if let Some(known) = self.library.sums.get(&data) {
            return *known;
        }
        let Data { name, constructors, .. } = self.program.datas[data].clone();
        let name = if name.contains(' ') { format!("({name})") } else { name.to_string() };
        let made = self.program.datas.push(Data::new(format!("Maybe {name}"), vec![]));
        self.library.sums.insert(data, made);
        let mut all = vec![Constructor { name: "Absent".into(), fields: vec![] }];
        for con in constructors {
            let fields = con.fields.iter().map(|field| self.maybe(field)).collect();
            all.push(Constructor { name: con.name, fields });
        }
        self.program.datas[made].constructors = all;
        made
    }

    /// Binds a term to a variable unless it is an atom.
    pub fn bind(&mut self, name: &str, expr: Expr) -> Expr {
        self.out.bind(self.program, name, expr)
    }

    /// Code with the bindings that it needs.
    pub fn scope(&mut self, make: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let outer = std::mem::take(&mut self.out);
        let code = make(self);
        std::mem::replace(&mut self.out, outer).around(code)
    }

    fn call(&self, def: DefId, args: Vec<Expr>) -> Expr {
        Expr::app(self.program.global(def, self.span), args, self.span)
    }

    /// What is there: a Real.
    pub fn present(&mut self, number: Expr) -> Expr {
        Expr::con(self.maybe_real(), PRESENT, vec![number], self.span)
    }

    /// Nothing, in the shape of a value.
    pub fn absent(&mut self, value: &Expr) -> Expr {
        let span = self.span;
        if !self.has_real(&value.ty) {
            return Expr::unit(span);
        }
        if value.ty.is_product() {
            let parts = value.parts(span);
            return Expr::tuple(parts.iter().map(|part| self.absent(part)).collect(), span);
        }
        if let TypeKind::Array(_) = value.ty.kind() {
            let (index, at) = self.program.place(span);
            let size = Expr::size_of(value.clone(), span);
            let part = self.absent(&Expr::index(value.clone(), at, span));
            return Expr::build(size, index, part, span).sized_like(value);
        }
        let ty = self.maybe_of(&value.ty);
        Expr::new(ExprKind::Con(ABSENT, vec![]), ty, span)
    }

    /// The tangent of a value in which everything is zero.
    pub fn zeros(&mut self, value: &Expr) -> Expr {
        let dot = self.dot(&value.ty);
        if dot == Type::unit() {
            return Expr::unit(self.span);
        }
        self.program.zeros(value.clone(), self.span)
    }

    /// The sum of two terms of one type, which may be that of what may be absent.
    pub fn sum(&mut self, left: &Expr, right: &Expr) -> Expr {
        let (span, ty) = (self.span, left.ty.clone());
        if !self.has_real(&ty) {
            return left.clone();
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let (left, right) = (left.parts(span), right.parts(span));
                let parts = left.iter().zip(&right).map(|(a, b)| self.sum(a, b)).collect();
                Expr::record(parts, ty.clone(), span)
            }
            TypeKind::Array(_) => {
                let def = self.sum_of_arrays(&ty);
                self.call(def, vec![left.clone(), right.clone()])
            }
            TypeKind::Data(data) => {
                let def = self.sum_of_sums(*data);
                self.call(def, vec![left.clone(), right.clone()])
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Expr::prim(Prim::Add, vec![left.clone(), right.clone()], span)
            }
        }
    }

    /// A Real that may be absent plus one that is there: a Real.
    pub fn plus(&mut self, maybe: &Expr, number: &Expr) -> Expr {
        let from = [maybe.ty.clone(), Type::real()];
        let def = self.library("plus", &from, Type::real(), |this, given| {
            let x = this.program.fresh("x", Type::real());
            let left = this.program.var(x, Span::NONE);
            let sum = Expr::prim(Prim::Add, vec![left, given[1].clone()], Span::NONE);
            let arms =
                vec![Arm::new(ABSENT, vec![], given[1].clone()), Arm::new(PRESENT, vec![x], sum)];
            Expr::match_(given[0].clone(), arms, None, Span::NONE)
        });
        self.call(def, vec![maybe.clone(), number.clone()])
    }

    /// Adds element by element into the first array.
    fn sum_of_arrays(&mut self, ty: &Type) -> DefId {
        self.library("sum", &[ty.clone(), ty.clone()], ty.clone(), |this, given| {
            let span = Span::NONE;
            let acc = this.program.fresh("acc", given[0].ty.clone());
            let index = this.program.fresh("i", Type::int());
            let (sum, at) = (this.program.var(acc, span), this.program.var(index, span));
            let size = Expr::size_of(given[1].clone(), span);
            let part = |whole: &Expr| Expr::index(whole.clone(), at.clone(), span);
            let (old, new) = (part(&sum), part(&given[1]));
            let next = this.scope(|this| {
                let (old, new) = (this.bind("old", old), this.bind("new", new));
                let new = this.sum(&old, &new);
                Expr::prim(Prim::Update, vec![sum, at.clone(), new], span)
            });
            Expr::loop_for(acc, given[0].clone(), index, size, next, span)
        })
    }

    /// The sum of two of a sum type, under the same constructor; what is absent is neutral.
    fn sum_of_sums(&mut self, data: DataId) -> DefId {
        let ty = Type::new(TypeKind::Data(data));
        self.library("sum", &[ty.clone(), ty.clone()], ty, |this, given| {
            let maybe =
                data == this.maybe_real() || this.library.sums.values().any(|sum| *sum == data);
            let constructors = this.program.datas[data].constructors.clone();
            let mut arms = vec![];
            for (tag, con) in constructors.into_iter().enumerate() {
                if maybe && tag == ABSENT {
                    arms.push(Arm::new(tag, vec![], given[1].clone()));
                    continue;
                }
                let (left, a) = this.program.fields("v", &con.fields, Span::NONE);
                let (right, b) = this.program.fields("v", &con.fields, Span::NONE);
                let items = a.iter().zip(&b).map(|(a, b)| this.sum(a, b)).collect();
                let both = Expr::con(data, tag, items, Span::NONE);
                // Under another constructor than the value's there is nothing.
                let other = Some(given[0].clone());
                let inner = vec![Arm::new(tag, right, both)];
                let inner = Expr::match_(given[1].clone(), inner, other, Span::NONE);
                arms.push(Arm::new(tag, left, inner));
            }
            Expr::match_(given[0].clone(), arms, None, Span::NONE)
        })
    }

    /// What is all there, as what may be absent.
    pub fn inject(&mut self, dot: &Expr) -> Expr {
        let span = self.span;
        if !self.has_real(&dot.ty) {
            return Expr::unit(span);
        }
        match dot.ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let parts = dot.parts(span);
                Expr::tuple(parts.iter().map(|part| self.inject(part)).collect(), span)
            }
            TypeKind::Array(_) => {
                let (index, at) = self.program.place(span);
                let size = Expr::size_of(dot.clone(), span);
                let part = Expr::index(dot.clone(), at, span);
                let part = self.scope(|this| {
                    let part = this.bind("d", part);
                    this.inject(&part)
                });
                Expr::build(size, index, part, span).sized_like(dot)
            }
            TypeKind::Data(data) => {
                let (data, ty) = (*data, dot.ty.clone());
                let to = self.maybe(&ty);
                let def = self.library("present", &[ty], to.clone(), |this, given| {
                    this.by_constructor(data, &given[0], |this, tag, fields| {
                        let items = fields.iter().map(|field| this.inject(field)).collect();
                        Expr::new(ExprKind::Con(tag + 1, items), to.clone(), Span::NONE)
                    })
                });
                self.call(def, vec![dot.clone()])
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                self.present(dot.clone())
            }
        }
    }

    /// A tangent of a value: zero where there is nothing.
    pub fn extract(&mut self, maybe: &Expr, value: &Expr) -> Expr {
        let span = self.span;
        if !self.has_real(&value.ty) {
            return self.zeros(value);
        }
        match value.ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let (maybes, parts) = (maybe.parts(span), value.parts(span));
                let parts = maybes.iter().zip(&parts);
                let parts = parts.map(|(maybe, part)| self.extract(maybe, part)).collect();
                let dot = self.dot(&value.ty);
                Expr::record(parts, dot, span)
            }
            TypeKind::Array(_) => {
                let (index, at) = self.program.place(span);
                let part = |whole: &Expr| Expr::index(whole.clone(), at.clone(), span);
                let size = Expr::size_of(maybe.clone(), span);
                let part = self.extract(&part(maybe), &part(value));
                Expr::build(size, index, part, span).sized_like(value)
            }
            TypeKind::Data(data) => {
                let (data, from) = (*data, value.ty.clone());
                let to = self.dot(&from);
                let from = [maybe.ty.clone(), from];
                let def = self.library("filled", &from, to, |this, given| {
                    this.extracted(data, &given[0], &given[1])
                });
                self.call(def, vec![maybe.clone(), value.clone()])
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                let x = self.program.fresh("x", Type::real());
                let number = self.program.var(x, span);
                let zero = Expr::real(0.0, span);
                let arms = vec![Arm::new(ABSENT, vec![], zero), Arm::new(PRESENT, vec![x], number)];
                Expr::match_(maybe.clone(), arms, None, span)
            }
        }
    }

    fn extracted(&mut self, data: DataId, maybe: &Expr, value: &Expr) -> Expr {
        let TypeKind::Data(maybe_data) = *maybe.ty.kind() else { return self.zeros(value) };
        let dot = self.dot(&value.ty);
        self.by_constructor(data, value, |this, tag, fields| {
            let parts = this.program.datas[maybe_data].constructors[tag + 1].fields.clone();
            let (vars, parts) = this.program.fields("v", &parts, Span::NONE);
            let items = parts.iter().zip(fields).map(|(part, field)| this.extract(part, field));
            let items = items.collect();
            let whole = Expr::new(ExprKind::Con(tag, items), dot.clone(), Span::NONE);
            let zeros = this.zeros(value);
            Expr::match_(
                maybe.clone(),
                vec![Arm::new(tag + 1, vars, whole)],
                Some(zeros),
                Span::NONE,
            )
        })
    }

    /// Whether anything is there.
    pub fn any(&mut self, maybe: &Expr) -> Expr {
        let span = self.span;
        let absent = Expr::bool(false, span);
        if !self.has_real(&maybe.ty) {
            return absent;
        }
        let there = Expr::bool(true, span);
        if maybe.ty.is_product() {
            let count = maybe.ty.parts().len();
            let parts = (0..count).map(|at| Expr::proj(maybe.clone(), at, span));
            return parts.rev().fold(absent, |others, part| {
                let found = self.any(&part);
                Expr::if_(found, there.clone(), others, span)
            });
        }
        if let TypeKind::Array(_) = maybe.ty.kind() {
            let found = self.program.fresh("found", Type::bool());
            let (index, at) = self.program.place(span);
            let known = self.program.var(found, span);
            let size = Expr::size_of(maybe.clone(), span);
            let part = self.any(&Expr::index(maybe.clone(), at, span));
            let next = Expr::if_(known.clone(), known, part, span);
            return Expr::loop_for(found, absent, index, size, next, span);
        }
        // A sum that is not absent got something.
        let arms = vec![Arm::new(ABSENT, vec![], absent)];
        Expr::match_(maybe.clone(), arms, Some(there), span)
    }

    /// Case analysis of a sum, with code for each constructor.
    fn by_constructor(
        &mut self,
        data: DataId,
        scrutinee: &Expr,
        mut make: impl FnMut(&mut Self, usize, &[Expr]) -> Expr,
    ) -> Expr {
        let mut arms = vec![];
        for (tag, con) in self.program.datas[data].constructors.clone().into_iter().enumerate() {
            let (vars, fields) = self.program.fields("v", &con.fields, Span::NONE);
            let body = make(self, tag, &fields);
            arms.push(Arm::new(tag, vars, body));
        }
        Expr::match_(scrutinee.clone(), arms, None, Span::NONE)
    }

    /// A definition of the library for a type, made unless it is there.
    fn library(
        &mut self,
        name: &'static str,
        from: &[Type],
        to: Type,
        make: impl FnOnce(&mut Self, &[Expr]) -> Expr,
    ) -> DefId {
        let key = (name, from[0].clone());
        if let Some(def) = self.library.made.get(&key) {
            return *def;
        }
        let ty = Type::funs(from.to_vec(), to);
        let def = self.program.declare(name, ty, Span::NONE);
        self.library.made.insert(key, def);
        let span = std::mem::replace(&mut self.span, Span::NONE);
        let (params, given) = self.program.fields("v", from, Span::NONE);
        let body = self.scope(|this| make(this, &given));
        self.program.defs[def].body = self.program.lam(params, body);
        self.span = span;
        def
    }
}
