//! Smart constructors: they compute result types, so that what they build from well-typed parts is
//! well-typed. Misuse is a bug of the caller and panics in debug builds only where no type exists.

use std::rc::Rc;

use pullback_base::{Name, Span, bug};

use crate::{
    AdOp, Arm, DataId, Def, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, TypeKind, Var,
    VarId,
};
use pullback_prim::Prim;

use crate::signature::result_type;
use crate::tangent::tangent;

impl Type {
    /// The type `a -> b -> …` gives after this many arguments.
    pub fn after(&self, args: usize) -> Option<Type> {
        let mut ty = self.clone();
        for _ in 0..args {
            let TypeKind::Fun(_, to) = ty.kind() else { return None };
            ty = to.clone();
        }
        Some(ty)
    }
    /// The parameter and result of a function type.
    pub fn as_fun(&self) -> Option<(&Type, &Type)> {
        if let TypeKind::Fun(from, to) = self.kind() { Some((from, to)) } else { None }
    }
    /// The element of an array type.
    pub fn element(&self) -> Option<&Type> {
        if let TypeKind::Array(element) = self.kind() { Some(element) } else { None }
    }
    /// How many arrays are nested in it, one directly in the other.
    pub fn nesting(&self) -> usize {
        self.element().map_or(0, |element| 1 + element.nesting())
    }
    /// The type of a component of a tuple or record type.
    pub fn component(&self, index: usize) -> Option<&Type> {
        if let TypeKind::Tuple(items) = self.kind() {
            items.get(index)
        } else if let TypeKind::Record(fields) = self.kind() {
            fields.get(index).map(|(_, ty)| ty)
        } else {
            None
        }
    }
    /// All components of a tuple or record type.
    pub fn components(&self) -> Option<Vec<&Type>> {
        if let TypeKind::Tuple(items) = self.kind() {
            Some(items.iter().collect())
        } else if let TypeKind::Record(fields) = self.kind() {
            Some(fields.iter().map(|(_, ty)| ty).collect())
        } else {
            None
        }
    }
}

/// The parts of types that terms promise to have; it is a bug of whoever made the term if they do not.
impl Type {
    /// As [`Type::after`], of a type that has so many parameters.
    #[track_caller]
    pub fn result_after(&self, args: usize) -> Type {
        let Some(result) = self.after(args) else { self.lacks("parameters") };
        result
    }
    /// The parameter and result of what is a function type.
    #[track_caller]
    pub fn sides(&self) -> (&Type, &Type) {
        let Some(sides) = self.as_fun() else { self.lacks("a parameter") };
        sides
    }
    /// The element of what is an array type.
    #[track_caller]
    pub fn item(&self) -> &Type {
        let Some(element) = self.element() else { self.lacks("elements") };
        element
    }
    /// A component of what is a tuple or record type.
    #[track_caller]
    pub fn part(&self, index: usize) -> &Type {
        let Some(component) = self.component(index) else { self.lacks("this component") };
        component
    }
    /// All components of what is a tuple or record type.
    #[track_caller]
    pub fn parts(&self) -> Vec<&Type> {
        let Some(components) = self.components() else { self.lacks("components") };
        components
    }
    #[cold]
    #[track_caller]
    fn lacks(&self, what: &str) -> ! {
        bug("lambda", format_args!("a type with {what}, not {self:?}"))
    }
}

impl Program {
    /// A new variable, unlike all others.
    pub fn fresh(&mut self, name: impl Into<Name>, ty: Type) -> VarId {
        self.vars.push(Var::new(name, ty))
    }
    /// A new variable with the name and type of another.
    pub fn fresh_like(&mut self, var: VarId) -> VarId {
        self.vars.push(self.vars[var].clone())
    }
    /// A new definition, whose body is to follow: without one it is a bug to evaluate it.
    pub fn declare(&mut self, name: impl Into<Name>, ty: Type, span: Span) -> DefId {
        let text = Expr::str("a definition without a body", span);
        let body = Expr::stop(Prim::Broken, text, ty.clone(), span);
        self.defs.push(Def { name: name.into(), ty, body, span })
    }
    /// The tangent type of what is data: there are no functions in it.
    #[track_caller]
    pub fn tangent(&mut self, ty: &Type) -> Type {
        tangent(&mut self.datas, ty)
            .unwrap_or_else(|| bug("lambda", format_args!("data without functions, not {ty:?}")))
    }
    /// `zeros value`, for data.
    #[track_caller]
    pub fn zeros(&mut self, value: Expr, span: Span) -> Expr {
        let ty = self.tangent(&value.ty);
        Expr::ad(AdOp::Zeros, vec![value], ty, span)
    }
    /// An occurrence of a variable.
    pub fn var(&self, var: VarId, span: Span) -> Expr {
        Expr { kind: ExprKind::Var(var), ty: self.vars[var].ty.clone(), span }
    }
    /// An occurrence of a definition.
    pub fn global(&self, def: DefId, span: Span) -> Expr {
        Expr { kind: ExprKind::Global(def), ty: self.defs[def].ty.clone(), span }
    }
    /// `\params -> body`; just the body without parameters.
    pub fn lam(&self, params: Vec<VarId>, body: Expr) -> Expr {
        if params.is_empty() {
            return body;
        }
        let types: Vec<_> = params.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let (ty, span) = (Type::funs(types, body.ty.clone()), body.span);
        Expr { kind: ExprKind::Lam(params, Box::new(body)), ty, span }
    }
    /// Binds an expression to a new variable unless it is one already (or a literal or definition):
    /// gives an expression that may be repeated, and the binding to wrap around its uses.
    pub fn share(&mut self, name: &str, expr: Expr) -> (Expr, Option<(VarId, Expr)>) {
        if expr.is_atom() {
            return (expr, None);
        }
        let var = self.fresh(name, expr.ty.clone());
        (self.var(var, expr.span), Some((var, expr)))
    }
}

/// Code under construction: bindings, the first outermost.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The bindings so far.
    pub bounds: Vec<Bound>,
}

/// A binding of a scope.
#[derive(Clone, Debug)]
pub enum Bound {
    /// `let`
    Let(VarId, Expr),
    /// `let rec`
    Rec(Vec<(VarId, Expr)>),
}

impl Scope {
    /// One more binding.
    pub fn push(&mut self, var: VarId, value: Expr) {
        self.bounds.push(Bound::Let(var, value));
    }
    /// Recursive functions.
    pub fn push_rec(&mut self, functions: Vec<(VarId, Expr)>) {
        self.bounds.push(Bound::Rec(functions));
    }
    /// A name for a value, unless it is an atom.
    pub fn bind(&mut self, program: &mut Program, name: &str, value: Expr) -> Expr {
        let (atom, binding) = program.share(name, value);
        self.extend(binding);
        atom
    }
    /// Several bindings, one after the other.
    pub fn extend(&mut self, bindings: impl IntoIterator<Item = (VarId, Expr)>) {
        self.bounds.extend(bindings.into_iter().map(|(var, value)| Bound::Let(var, value)));
    }
    /// Forgets all bindings.
    pub fn clear(&mut self) {
        self.bounds.clear();
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }
    /// The bindings of another scope, after these.
    pub fn append(&mut self, inner: Scope) {
        self.bounds.extend(inner.bounds);
    }
    /// The bindings around a body.
    pub fn around(self, body: Expr) -> Expr {
        self.bounds.into_iter().rev().fold(body, |body, bound| match bound {
            Bound::Let(var, value) => Expr::let_(var, value, body),
            Bound::Rec(functions) => Expr::let_rec(functions, body),
        })
    }
}

impl Expr {
    /// An expression of any kind.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Self { kind, ty, span }
    }
    /// Whether it is a variable, a definition or a literal: free to repeat.
    pub fn is_atom(&self) -> bool {
        matches!(self.kind, ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Lit(_))
    }
    /// A literal.
    pub fn lit(lit: Lit, span: Span) -> Self {
        let ty = match lit {
            Lit::Real(_) => Type::real(),
            Lit::Int(_) => Type::int(),
            Lit::Bool(_) => Type::bool(),
            Lit::Str(_) => Type::str(),
        };
        Self::new(ExprKind::Lit(lit), ty, span)
    }
    /// A Real literal.
    pub fn real(value: f64, span: Span) -> Self {
        Self::lit(Lit::Real(value), span)
    }
    /// An Int literal.
    pub fn int(value: i64, span: Span) -> Self {
        Self::lit(Lit::Int(value), span)
    }
    /// A Bool literal.
    pub fn bool(value: bool, span: Span) -> Self {
        Self::lit(Lit::Bool(value), span)
    }
    /// A String literal.
    pub fn str(value: &str, span: Span) -> Self {
        Self::lit(Lit::Str(Rc::from(value)), span)
    }
    /// `()`
    pub fn unit(span: Span) -> Self {
        Self::tuple(vec![], span)
    }
    /// A primitive whose arguments determine its result (all but those that fail).
    pub fn prim(prim: Prim, args: impl Into<Vec<Expr>>, span: Span) -> Self {
        let args = args.into();
        let types: Vec<_> = args.iter().map(|arg| arg.ty.clone()).collect();
        let ty = result_type(prim, &types);
        let ty = ty.unwrap_or_else(|| panic!("`{}` applied to {types:?}", prim.row().name));
        Self::new(ExprKind::Prim(prim, args), ty, span)
    }
    /// This array, in which absent rows at a depth have this size.
    pub fn sized(self, depth: usize, size: Expr) -> Self {
        let span = self.span;
        Self::prim(Prim::Sized, vec![self, Self::int(depth as i64, span), size], span)
    }
    /// This array, in which absent rows have the sizes of those of `original`, an atom.
    pub fn sized_like(self, original: &Expr) -> Self {
        let span = self.span;
        let depths = self.ty.nesting().min(original.ty.nesting());
        (1..depths)
            .fold(self, |array, depth| array.sized(depth, Self::dim(original.clone(), depth, span)))
    }
    /// A run-time error with a message, of any type.
    pub fn fail(message: Expr, ty: Type, span: Span) -> Self {
        Self::stop(Prim::Fail, message, ty, span)
    }
    /// A run-time error of one of the primitives of class [`pullback_prim::Class::Fail`], of any type.
    pub fn stop(prim: Prim, text: Expr, ty: Type, span: Span) -> Self {
        Self::new(ExprKind::Prim(prim, vec![text]), ty, span)
    }
    /// `function args`; just the function without arguments.
    pub fn app(function: Expr, args: Vec<Expr>, span: Span) -> Self {
        if args.is_empty() {
            return function;
        }
        let ty = function.ty.after(args.len()).expect("only functions are applied");
        Self::new(ExprKind::App(Box::new(function), args), ty, span)
    }
    /// `let var = value in body`
    pub fn let_(var: VarId, value: Expr, body: Expr) -> Self {
        let (ty, span) = (body.ty.clone(), body.span);
        Self::new(ExprKind::Let(var, Box::new(value), Box::new(body)), ty, span)
    }
    /// Nested `let`s, the first outermost.
    pub fn lets(
        bindings: impl IntoIterator<Item = (VarId, Expr), IntoIter: DoubleEndedIterator>,
        body: Expr,
    ) -> Self {
        bindings.into_iter().rev().fold(body, |body, (var, value)| Self::let_(var, value, body))
    }
    /// `let rec`; just the body without functions.
    pub fn let_rec(functions: Vec<(VarId, Expr)>, body: Expr) -> Self {
        if functions.is_empty() {
            return body;
        }
        let (ty, span) = (body.ty.clone(), body.span);
        Self::new(ExprKind::LetRec(functions, Box::new(body)), ty, span)
    }
    /// `if cond then a else b`
    pub fn if_(cond: Expr, then: Expr, other: Expr, span: Span) -> Self {
        let ty = then.ty.clone();
        Self::new(ExprKind::If(Box::new(cond), Box::new(then), Box::new(other)), ty, span)
    }
    /// A tuple.
    pub fn tuple(items: Vec<Expr>, span: Span) -> Self {
        let ty = Type::tuple(items.iter().map(|item| item.ty.clone()).collect());
        Self::new(ExprKind::Tuple(items), ty, span)
    }
    /// A tuple or record of this type from its components in canonical order.
    pub fn record(items: Vec<Expr>, ty: Type, span: Span) -> Self {
        Self::new(ExprKind::Tuple(items), ty, span)
    }
    /// A component of a tuple or record.
    pub fn proj(base: Expr, index: usize, span: Span) -> Self {
        let ty = base.ty.component(index).expect("the component exists").clone();
        Self::new(ExprKind::Proj(Box::new(base), index), ty, span)
    }
    /// A constructor with all its fields.
    pub fn con(data: DataId, tag: usize, fields: Vec<Expr>, span: Span) -> Self {
        Self::new(ExprKind::Con(tag, fields), Type::new(TypeKind::Data(data)), span)
    }
    /// One-level case analysis; there must be an arm or a default.
    pub fn match_(scrutinee: Expr, arms: Vec<Arm>, default: Option<Expr>, span: Span) -> Self {
        let first = arms.first().map(|arm| &arm.body).or(default.as_ref());
        let ty = first.expect("a match has an arm or a default").ty.clone();
        Self::new(ExprKind::Match(Box::new(scrutinee), arms, default.map(Box::new)), ty, span)
    }
    /// An array literal with elements of this type.
    pub fn array(items: Vec<Expr>, element: Type, span: Span) -> Self {
        Self::new(ExprKind::Array(items), Type::array(element), span)
    }
    /// `[ body | var < size ]`
    pub fn build(size: Expr, var: VarId, body: Expr, span: Span) -> Self {
        let ty = Type::array(body.ty.clone());
        Self::new(ExprKind::Build { size: Box::new(size), var, body: Box::new(body) }, ty, span)
    }
    /// `loop var = init for index < count do body`
    pub fn loop_for(
        var: VarId,
        init: Expr,
        index: VarId,
        count: Expr,
        body: Expr,
        span: Span,
    ) -> Self {
        let form = LoopForm::For { var: index, count: Box::new(count) };
        Self::loop_(var, init, form, body, span)
    }
    /// `loop var = init while cond do body`
    pub fn loop_while(var: VarId, init: Expr, cond: Expr, body: Expr, span: Span) -> Self {
        Self::loop_(var, init, LoopForm::While(Box::new(cond)), body, span)
    }
    fn loop_(var: VarId, init: Expr, form: LoopForm, body: Expr, span: Span) -> Self {
        let ty = init.ty.clone();
        let kind = ExprKind::Loop { var, init: Box::new(init), form, body: Box::new(body) };
        Self::new(kind, ty, span)
    }
    /// A differentiation operator of this result type ([`crate::ad_type`] computes it).
    pub fn ad(op: AdOp, args: Vec<Expr>, ty: Type, span: Span) -> Self {
        Self::new(ExprKind::Ad(op, args), ty, span)
    }
}
