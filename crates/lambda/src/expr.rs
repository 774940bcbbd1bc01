//! Terms and programs of the calculus.
//!
//! Binders are unique in a program ([`VarId`]), so substitution never captures. Every node carries its
//! type and the source span that run-time errors point to ([`Span::NONE`] for parsed text).
//! Call by value; arguments, tuple components and array elements are evaluated from left to right.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pullback_base::{FileId, IdVec, Name, Span, id_type};

use crate::{DataId, Type, TypeKind};
use pullback_prim::{Prim, Routine};

id_type!(
    /// A variable, bound exactly once in its program.
    pub VarId, "v"
);
id_type!(
    /// A top-level definition.
    pub DefId, "f"
);

/// A closed program: sum types, variables and mutually recursive definitions.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Monomorphic sum types.
    pub datas: IdVec<DataId, Data>,
    /// Every variable's name and type.
    pub vars: IdVec<VarId, Var>,
    /// Every definition. All may refer to all.
    pub defs: IdVec<DefId, Def>,
    /// The files of the library: errors there are told with the call from outside that led there.
    pub library: BTreeSet<FileId>,
    /// The sum types in the states that translations pass through functions. A parameter that is a record
    /// with one of them is never given without the parameter before it.
    pub states: BTreeSet<DataId>,
    /// The sum types that translations keep to themselves: no argument and no result of the program holds one. A
    /// constructor of them around a number is as small as the number in the evaluator, and those of states lie side by
    /// side.
    pub packed: BTreeSet<DataId>,
    /// Whether what a pass makes of it is verified: in tests and debug builds.
    pub verify_passes: bool,
    /// The definitions that a routine computes where their arguments are large. Engines that transform programs read the
    /// text instead.
    pub routines: BTreeMap<DefId, Routine>,
    /// The names of passes of the compiler that are left out of its path, of those that may be.
    pub without_passes: Vec<String>,
    /// The sums that an engine made for cotangents: a program that has some is a derivative already.
    pub cotangents: BTreeSet<DataId>,
    /// The type of one word whose own type is erased, if the program has it: see [`Program::erased_word`].
    pub erased: Option<DataId>,
}

impl Program {
    /// The type of one word whose own type is erased. Only fields of constructors have it. A constructor takes a value
    /// of any type there, and an arm opens the field at the type of its variable: a reinterpret cast that
    /// nothing checks.
    pub fn erased_word(&mut self) -> Type {
        let data = match self.erased {
            Some(data) => data,
            None => self.datas.push(Data::new("Any", vec![])),
        };
        self.erased = Some(data);
        Type::new(TypeKind::Data(data))
    }

    /// Whether values of this type are words whose own type is erased.
    pub fn is_erased(&self, ty: &Type) -> bool {
        matches!(ty.kind(), TypeKind::Data(data) if self.erased == Some(*data))
    }
}

/// Whether a place belongs to one of the files of the library; a place that is not known counts as one.
pub fn in_library(library: &BTreeSet<FileId>, place: Span) -> bool {
    place.is_none() || library.contains(&place.file)
}

/// A sum type.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Its name as a user would write it, such as `Tree Real`, or `T Shape` for a tangent type.
    pub name: Name,
    /// Its constructors: tag = position.
    pub constructors: Vec<Constructor>,
    /// The sum that is its tangent, once that has been asked for; none also for one that is its own tangent.
    pub tangent: Option<DataId>,
}

impl Data {
    /// A sum of these constructors.
    pub fn new(name: impl Into<Name>, constructors: Vec<Constructor>) -> Self {
        Self { name: name.into(), constructors, tangent: None }
    }
}

/// A constructor.
#[derive(Clone, Debug, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// The types of its fields.
    pub fields: Vec<Type>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The source name, or a hint.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it holds an operand of an operator on structures: its neighbours hold the others, and stages may
    /// show them in another order.
    pub is_operand: bool,
}

impl Var {
    /// A variable of this type.
    pub fn new(name: impl Into<Name>, ty: Type) -> Self {
        Self { name: name.into(), ty, is_operand: false }
    }
}

/// A definition. If its body is not a [`ExprKind::Lam`] it is a constant, evaluated at most once.
#[derive(Clone, Debug)]
pub struct Def {
    /// The source name; instances of a polymorphic one share it.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its closed body.
    pub body: Expr,
    /// Where its name was written.
    pub span: Span,
}

/// A term.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub span: Span,
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A variable.
    Var(VarId),
    /// A definition.
    Global(DefId),
    /// A literal.
    Lit(Lit),
    /// A saturated primitive.
    Prim(Prim, Vec<Expr>),
    /// A function of one or more parameters; its type is curried.
    Lam(Vec<VarId>, Box<Expr>),
    /// Application to one or more arguments: fewer than the function takes give a partial
    /// application, more apply its result to the rest.
    App(Box<Expr>, Vec<Expr>),
    /// `let x = e in body`
    Let(VarId, Box<Expr>, Box<Expr>),
    /// Mutually recursive functions: each right-hand side is a [`ExprKind::Lam`].
    LetRec(Vec<(VarId, Expr)>, Box<Expr>),
    /// `if c then a else b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A tuple or a record (the type says which), in canonical field order.
    Tuple(Vec<Expr>),
    /// A component of a tuple or record.
    Proj(Box<Expr>, usize),
    /// A constructor with all its fields; the type says of which sum.
    Con(usize, Vec<Expr>),
    /// One-level case analysis of a sum: arms by tag, each tag at most once, and a default unless
    /// all tags have arms.
    Match(Box<Expr>, Vec<Arm>, Option<Box<Expr>>),
    /// An array literal; the type says what an empty one holds.
    Array(Vec<Expr>),
    /// `[ body | var < size ]`; a negative size is a run-time error.
    Build {
        /// How many elements.
        size: Box<Expr>,
        /// The index.
        var: VarId,
        /// The element.
        body: Box<Expr>,
    },
    /// `loop var = init (for i < n | while c) do body`
    Loop {
        /// The state.
        var: VarId,
        /// The first state.
        init: Box<Expr>,
        /// When it ends.
        form: LoopForm,
        /// The next state.
        body: Box<Expr>,
    },
    /// A differentiation operator.
    Ad(AdOp, Vec<Expr>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Lit {
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(Rc<str>),
}

/// An arm of a [`ExprKind::Match`].
#[derive(Clone, Debug)]
pub struct Arm {
    /// The constructor's position.
    pub tag: usize,
    /// One variable a field.
    pub vars: Vec<VarId>,
    /// The value.
    pub body: Expr,
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// Runs for `var` = 0, 1, …, `count` - 1 (not at all if `count` ≤ 0).
    For {
        /// The index.
        var: VarId,
        /// Evaluated once, after `init`.
        count: Box<Expr>,
    },
    /// Runs while the condition, which sees the state, holds.
    While(Box<Expr>),
}

/// A differentiation operator. `T` is the tangent type ([`crate::tangent`]): `T Real = Real`,
/// `T Int = T Bool = T String = ()`, structures componentwise. Functions `a -> b` have first-order
/// `a` and `b`. A cotangent or tangent argument must have the shape of its primal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdOp {
    /// `vjp : (a -> b) -> a -> (b, T b -> T a)`
    Vjp,
    /// `jvp : (a -> b) -> a -> T a -> (b, T b)`
    Jvp,
    /// `linearize : (a -> b) -> a -> (b, T a -> T b)`
    Linearize,
    /// `stop_gradient : a -> a`: the same value with zero derivative.
    StopGradient,
    /// `custom_vjp : (a -> b) -> (a -> (b, T b -> T a)) -> a -> b`: the value of the first, the
    /// derivative of the second (both in reverse and, by transposition, in forward mode).
    CustomVjp,
    /// `custom_jvp : (a -> b) -> (a -> T a -> (b, T b)) -> a -> b`: likewise; the rule must be linear
    /// in its last argument.
    CustomJvp,
    /// `zeros : a -> T a`: the zero tangent of the argument's shape.
    Zeros,
    /// `checkpoint : (a -> b) -> a -> b`: the application. Compiled code saves nothing of it for reverse mode but
    /// what the function captured and its argument, and runs it again in the backward sweep. Any types.
    Checkpoint,
    /// `assume_linear : (a -> b) -> a -> b`: the application. What tests whether a rule is linear takes the word of
    /// the program that this function is, and does not look at its steps.
    AssumeLinear,
    /// `perturb : Real -> a -> a`: every Real in the value, also those that functions in it captured, held constant
    /// and moved by the number times a weight of its own between 1 and 2 ([`crate::weights`]). Any types. Where it
    /// is not known before the program runs what a function captured, programs that are transformed leave it alone.
    Perturb,
    /// `differentiated_as : (() -> a) -> (() -> a) -> a`: either of them applied, which give the same value; the second
    /// wherever something may be differentiated. Any types.
    DifferentiatedAs,
}
