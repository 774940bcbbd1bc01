//! Cotangents under way: none yet, a term, or the parts of a tuple.
//!
//! A Real that has got no contribution is told apart from one that happens to be zero, as the table of
//! conventions asks: where it has to be a number, it is `-0.0`, which adding changes to whatever is
//! added and which no sum of contributions gives. What goes out to the user is cleaned.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{
    AdOp, Arm, DataId, Def, DefId, Expr, ExprKind, Prim, Program, Type, TypeKind, VarId,
    contains_real, tangent,
};

use super::flow::Access;

/// A cotangent.
#[derive(Clone, Debug)]
pub(super) enum Cot {
    /// No contribution.
    None,
    /// An atom; the flag says whether it may stand for no contribution.
    Whole(Expr, bool),
    /// The parts of a tuple or record.
    Parts(Vec<Cot>),
}

/// Bindings of the reverse half, the first outermost.
pub(super) type Bindings = Vec<(VarId, Expr)>;

/// What is made by recursion over types, on demand.
#[derive(Default)]
pub(super) struct Library {
    made: BTreeMap<(&'static str, String), DefId>,
}

/// Arithmetic of cotangents: emits code into bindings.
pub(super) struct Arithmetic<'p> {
    pub program: &'p mut Program,
    pub library: &'p mut Library,
    pub out: Bindings,
    pub span: Span,
}

/// The cotangent without contributions of the shape of a value.
pub(super) fn absent(program: &mut Program, value: &Expr) -> Expr {
    let mut library = Library::default();
    let span = value.span;
    let mut arith = Arithmetic { program, library: &mut library, out: vec![], span };
    arith.absent(value)
}

/// Makes the body of an arm from the fields, further arguments, the type of the result and the tag.
type MakeArm<'a> = dyn Fn(&mut Arithmetic<'_>, &[Expr], &[Expr], &Type, usize) -> Expr + 'a;

impl Arithmetic<'_> {
    /// The tangent type of a first-order type.
    pub fn dot(&mut self, ty: &Type) -> Type {
        tangent(&mut self.program.datas, ty).unwrap_or_else(Type::unit)
    }

    pub fn has_real(&self, ty: &Type) -> bool {
        contains_real(&self.program.datas, ty)
    }

    /// Binds a term to a variable unless it is an atom.
    pub fn bind(&mut self, name: &str, expr: Expr) -> Expr {
        let (atom, binding) = self.program.share(name, expr);
        self.out.extend(binding);
        atom
    }

    /// The cotangent without contributions of the shape of a value.
    pub fn absent(&mut self, value: &Expr) -> Expr {
        let span = self.span;
        if !self.has_real(&value.ty) {
            return self.zeros(value);
        }
        match value.ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let count = value.ty.components().unwrap_or_default().len();
                let parts = (0..count).map(|at| Expr::proj(value.clone(), at, span));
                let parts: Vec<Expr> = parts.collect();
                let parts = parts.iter().map(|part| self.absent(part)).collect();
                let dot = self.dot(&value.ty);
                Expr::record(parts, dot, span)
            }
            TypeKind::Array(element) => {
                let index = self.program.fresh("i", Type::int());
                let at = self.program.var(index, span);
                let size = Expr::prim(Prim::Size, vec![value.clone()], span);
                let part = if let TypeKind::Real = element.kind() {
                    Expr::real(-0.0, span)
                } else {
                    let part = Expr::prim(Prim::Index, vec![value.clone(), at], span);
                    self.absent(&part)
                };
                Expr::build(size, index, part, span)
            }
            TypeKind::Data(data) => {
                let dot = self.dot(&value.ty);
                let def = self.by_data("absent", *data, &[], dot, &|this, fields, _, dot, tag| {
                    let items = fields.iter().map(|field| this.absent(field)).collect();
                    Expr::new(ExprKind::Con(tag, items), dot.clone(), this.span)
                });
                Expr::app(self.program.global(def, span), vec![value.clone()], span)
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Expr::real(-0.0, span)
            }
        }
    }

    /// The tangent of a value without Reals.
    fn zeros(&mut self, value: &Expr) -> Expr {
        let dot = self.dot(&value.ty);
        if let TypeKind::Tuple(items) = dot.kind()
            && items.is_empty()
        {
            return Expr::unit(self.span);
        }
        Expr::ad(AdOp::Zeros, vec![value.clone()], dot, self.span)
    }

    /// The sum of two cotangents of a tangent type.
    pub fn sum(&mut self, left: &Expr, right: &Expr) -> Expr {
        let (span, ty) = (self.span, left.ty.clone());
        if !self.has_real(&ty) {
            return left.clone();
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let count = ty.components().unwrap_or_default().len();
                let part = |whole: &Expr, at| Expr::proj(whole.clone(), at, span);
                let parts = (0..count).map(|at| (part(left, at), part(right, at)));
                let parts: Vec<(Expr, Expr)> = parts.collect();
                let parts = parts.iter().map(|(a, b)| self.sum(a, b)).collect();
                Expr::record(parts, ty.clone(), span)
            }
            TypeKind::Array(_) => {
                let def = self.sum_of_arrays(&ty);
                let args = vec![left.clone(), right.clone()];
                Expr::app(self.program.global(def, span), args, span)
            }
            TypeKind::Data(data) => {
                let other = [ty.clone()];
                let def = self.by_data(
                    "sum",
                    *data,
                    &other,
                    ty.clone(),
                    &|this, left, rest, dot, tag| {
                        this.sum_of_constructors(left, &rest[0], dot, tag)
                    },
                );
                let args = vec![left.clone(), right.clone()];
                Expr::app(self.program.global(def, span), args, span)
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Expr::prim(Prim::Add, vec![left.clone(), right.clone()], span)
            }
        }
    }

    /// Adds element by element into the first array.
    fn sum_of_arrays(&mut self, ty: &Type) -> DefId {
        let key = ("sum", format!("{ty:?}"));
        if let Some(def) = self.library.made.get(&key) {
            return *def;
        }
        let span = Span::NONE;
        let def = self.declare("sum", &[ty.clone(), ty.clone()], ty.clone());
        self.library.made.insert(key, def);
        let [a, b, acc] = ["a", "b", "acc"].map(|name| self.program.fresh(name, ty.clone()));
        let index = self.program.fresh("i", Type::int());
        let [left, right, sum] = [a, b, acc].map(|var| self.program.var(var, span));
        let at = self.program.var(index, span);
        let size = Expr::prim(Prim::Size, vec![right.clone()], span);
        let new = {
            let old = Expr::prim(Prim::Index, vec![sum.clone(), at.clone()], span);
            let part = Expr::prim(Prim::Index, vec![right, at.clone()], span);
            self.sum(&old, &part)
        };
        let next = Expr::prim(Prim::Update, vec![sum, at, new], span);
        let body = Expr::loop_for(acc, left, index, size, next, span);
        self.program.defs[def].body = self.program.lam(vec![a, b], body);
        def
    }

    fn sum_of_constructors(&mut self, left: &[Expr], right: &Expr, dot: &Type, tag: usize) -> Expr {
        let span = self.span;
        let vars: Vec<VarId> =
            left.iter().map(|field| self.program.fresh("w", field.ty.clone())).collect();
        let items = left.iter().zip(&vars).map(|(field, var)| {
            let other = self.program.var(*var, span);
            self.sum(field, &other)
        });
        let items = items.collect();
        let body = Expr::new(ExprKind::Con(tag, items), dot.clone(), span);
        Expr::match_(right.clone(), vec![Arm { tag, vars, body }], Some(right.clone()), span)
    }

    /// The same cotangent in which what is absent is zero.
    pub fn clean(&mut self, value: &Expr) -> Expr {
        let (span, ty) = (self.span, value.ty.clone());
        if !self.has_real(&ty) {
            return value.clone();
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let count = ty.components().unwrap_or_default().len();
                let parts: Vec<Expr> =
                    (0..count).map(|at| Expr::proj(value.clone(), at, span)).collect();
                let parts = parts.iter().map(|part| self.clean(part)).collect();
                Expr::record(parts, ty.clone(), span)
            }
            TypeKind::Array(_) => {
                let index = self.program.fresh("i", Type::int());
                let at = self.program.var(index, span);
                let size = Expr::prim(Prim::Size, vec![value.clone()], span);
                let part = Expr::prim(Prim::Index, vec![value.clone(), at], span);
                let part = self.clean(&part);
                Expr::build(size, index, part, span)
            }
            TypeKind::Data(data) => {
                let def =
                    self.by_data("clean", *data, &[], ty.clone(), &|this, fields, _, dot, tag| {
                        let items = fields.iter().map(|field| this.clean(field)).collect();
                        Expr::new(ExprKind::Con(tag, items), dot.clone(), this.span)
                    });
                Expr::app(self.program.global(def, span), vec![value.clone()], span)
            }
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Expr::prim(Prim::Add, vec![value.clone(), Expr::real(0.0, span)], span)
            }
        }
    }

    fn declare(&mut self, name: &'static str, from: &[Type], to: Type) -> DefId {
        let span = Span::NONE;
        let ty = Type::funs(from.to_vec(), to);
        let body = Expr::fail(Expr::str("", span), ty.clone(), span);
        self.program.defs.push(Def { name: name.into(), ty, body, span })
    }

    /// A definition by case analysis of its first argument.
    fn by_data(
        &mut self,
        name: &'static str,
        data: DataId,
        more: &[Type],
        to: Type,
        arm: &MakeArm<'_>,
    ) -> DefId {
        let from = Type::new(TypeKind::Data(data));
        let key = (name, format!("{from:?}"));
        if let Some(def) = self.library.made.get(&key) {
            return *def;
        }
        let (outer, span) = (self.span, Span::NONE);
        self.span = span;
        let types: Vec<Type> = [from.clone()].into_iter().chain(more.iter().cloned()).collect();
        let def = self.declare(name, &types, to.clone());
        self.library.made.insert(key, def);
        let params: Vec<VarId> =
            types.iter().map(|ty| self.program.fresh("v", ty.clone())).collect();
        let given: Vec<Expr> = params.iter().map(|var| self.program.var(*var, span)).collect();
        let mut arms = vec![];
        for (tag, con) in self.program.datas[data].constructors.clone().into_iter().enumerate() {
            let vars: Vec<VarId> =
                con.fields.iter().map(|ty| self.program.fresh("v", ty.clone())).collect();
            let fields: Vec<Expr> = vars.iter().map(|var| self.program.var(*var, span)).collect();
            let body = arm(self, &fields, &given[1..], &to, tag);
            arms.push(Arm { tag, vars, body });
        }
        let body = Expr::match_(given[0].clone(), arms, None, span);
        self.program.defs[def].body = self.program.lam(params, body);
        self.span = outer;
        def
    }

    /// Whether a Real cotangent stands for no contribution: it is `-0.0`.
    pub fn is_absent(&mut self, cotangent: &Expr) -> Expr {
        let span = self.span;
        let inverse = Expr::prim(Prim::Div, vec![Expr::real(1.0, span), cotangent.clone()], span);
        Expr::prim(Prim::Eq, vec![inverse, Expr::real(f64::NEG_INFINITY, span)], span)
    }

    /// A cotangent as a term, of the shape of a value.
    pub fn whole(&mut self, cot: &Cot, value: &Expr) -> Expr {
        match cot {
            Cot::None => self.absent(value),
            Cot::Whole(expr, _) => expr.clone(),
            Cot::Parts(parts) => {
                let mut items = vec![];
                for (at, part) in parts.iter().enumerate() {
                    let value = Expr::proj(value.clone(), at, self.span);
                    items.push(self.whole(part, &value));
                }
                let dot = self.dot(&value.ty);
                Expr::record(items, dot, self.span)
            }
        }
    }

    /// The parts of the cotangent of a tuple of a type.
    pub fn parts(&mut self, cot: Cot, ty: &Type) -> Vec<Cot> {
        let types: Vec<Type> = ty.components().unwrap_or_default().into_iter().cloned().collect();
        match cot {
            Cot::None => types.iter().map(|_| Cot::None).collect(),
            Cot::Parts(parts) => parts,
            Cot::Whole(expr, maybe) => {
                let mut parts = vec![];
                for (at, ty) in types.iter().enumerate() {
                    parts.push(if self.has_real(ty) {
                        let part = Expr::proj(expr.clone(), at, self.span);
                        Cot::Whole(self.bind("d", part), maybe)
                    } else {
                        Cot::None
                    });
                }
                parts
            }
        }
    }

    /// The sum of two cotangents of a variable of a type.
    pub fn plus(&mut self, left: Cot, right: Cot, ty: &Type) -> Cot {
        match (left, right) {
            (Cot::None, cot) | (cot, Cot::None) => cot,
            (Cot::Whole(a, x), Cot::Whole(b, y)) => {
                let sum = self.sum(&a, &b);
                Cot::Whole(self.bind("d", sum), x && y)
            }
            (a @ (Cot::Parts(_) | Cot::Whole(..)), b @ (Cot::Parts(_) | Cot::Whole(..))) => {
                let types: Vec<Type> =
                    ty.components().unwrap_or_default().into_iter().cloned().collect();
                let (a, b) = (self.parts(a, ty), self.parts(b, ty));
                let pairs = a.into_iter().zip(b).zip(&types);
                Cot::Parts(pairs.map(|((a, b), ty)| self.plus(a, b, ty)).collect())
            }
        }
    }

    /// A cotangent with a contribution to a part; `value` is what the cotangent is of.
    pub fn deposit(&mut self, cot: Cot, path: &[Access], delta: Cot, value: &Expr) -> Cot {
        let span = self.span;
        match path {
            [] => self.plus(cot, delta, &value.ty),
            [Access::Component(at), rest @ ..] => {
                let mut parts = self.parts(cot, &value.ty);
                let part = std::mem::replace(&mut parts[*at], Cot::None);
                parts[*at] = self.deposit(part, rest, delta, &Expr::proj(value.clone(), *at, span));
                Cot::Parts(parts)
            }
            [Access::Index(_), ..] => {
                let indices: Vec<Expr> =
                    path.iter()
                        .map_while(|access| {
                            if let Access::Index(at) = access { Some(at.clone()) } else { None }
                        })
                        .collect();
                let rest = &path[indices.len()..];
                let current = self.whole(&cot, value);
                let current = self.named("d", current);
                let read = |from: &Expr, count: usize| {
                    indices[..count].iter().fold(from.clone(), |array, at| {
                        Expr::prim(Prim::Index, vec![array, at.clone()], span)
                    })
                };
                let element = read(value, indices.len());
                let old = self.bind("old", read(&current, indices.len()));
                let new = self.deposit(Cot::Whole(old, true), rest, delta, &element);
                let new = self.whole(&new, &element);
                let mut new = self.bind("new", new);
                for depth in (0..indices.len()).rev() {
                    let args = vec![read(&current, depth), indices[depth].clone(), new];
                    new = Expr::prim(Prim::Update, args, span);
                }
                Cot::Whole(self.bind("d", new), true)
            }
        }
    }

    /// Binds to a variable, also what is an atom of another kind.
    fn named(&mut self, name: &str, expr: Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Var(_)) {
            return expr;
        }
        let var = self.program.fresh(name, expr.ty.clone());
        let atom = self.program.var(var, expr.span);
        self.out.push((var, expr));
        atom
    }
}
