//! The typed tree: what inference hands to elaboration. Names are resolved, sugar with a type-directed
//! meaning is kept as typed nodes, every node has its (possibly polymorphic) type.
//!
//! Polymorphism: a definition or local binding quantifies over [`Ty::Param`]s; each use records the
//! types its parameters take ([`TExprKind::Global`], [`TExprKind::Local`]). Elaboration substitutes
//! them and so makes one monomorphic instance per use at distinct types. Overloaded operators are
//! resolved then, at concrete types.

use pullback_base::{IdVec, Name, Span};
use pullback_prim::Prim;
use pullback_syntax::ast::{Arithmetic, NumberSide};

use crate::ty::{OpaqueId, Ty, TypeDeclId};

pub use crate::ids::{GlobalId, LocalId, ParamId};

/// Everything inference found out about a program and the modules it imports.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// Declared sum types (aliases are gone).
    pub types: IdVec<TypeDeclId, SumDecl>,
    /// All definitions of all modules.
    pub globals: IdVec<GlobalId, Global>,
    /// All local variables.
    pub locals: IdVec<LocalId, Local>,
    /// All quantified type variables, by the name to show.
    pub params: IdVec<ParamId, Name>,
    /// All sizes that are no polynomials, by the text to show.
    pub opaques: IdVec<OpaqueId, String>,
    /// What stands inside of erroneous expressions, and what inference has replaced, for whoever asks what stands where.
    pub salvaged: Vec<TExpr>,
}

/// A declared sum type.
#[derive(Clone, Debug)]
pub struct SumDecl {
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub params: Vec<ParamId>,
    /// Constructors: tag = position. Field types mention `params`.
    pub constructors: Vec<ConDecl>,
    /// The tangent type that it names for its values.
    pub tangent: Option<OwnTangent>,
    /// Where its name is declared.
    pub span: Span,
}

/// A tangent type that a declaration names: `with tangent U by retract, local`.
#[derive(Clone, Debug)]
pub struct OwnTangent {
    /// `U`, made of Reals by tuples, records and arrays.
    pub ty: Ty,
    /// `T -> U -> T`; none before all definitions have types.
    pub retract: Option<TExpr>,
    /// `T -> T -> U`; none before all definitions have types.
    pub local: Option<TExpr>,
}

/// A constructor.
#[derive(Clone, Debug)]
pub struct ConDecl {
    /// Its name.
    pub name: Name,
    /// Field types.
    pub fields: Vec<Ty>,
}

/// A top-level definition.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// The module (file stem) that defines it.
    pub module: Name,
    /// What its type quantifies over, in order.
    pub params: Vec<ParamId>,
    /// The sizes its type quantifies over (for display; sizes are not passed).
    pub sizes: Vec<SizeParam>,
    /// What the types of `params` must satisfy (checked at every use).
    pub constraints: Vec<Constraint>,
    /// Its type.
    pub ty: Ty,
    /// The body; a function's is a [`TExprKind::Lam`].
    pub body: TExpr,
    /// Where its name is written.
    pub span: Span,
    /// Its documentation.
    pub doc: String,
}

/// A size that a type quantifies over.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeParam {
    /// The [`crate::ty::Atom::Param`] it is.
    pub id: u32,
    /// Its name.
    pub name: Name,
    /// The position of the Int parameter whose value it is, as in `replicate : (n: Int) -> a -> [n]a`.
    pub value_of: Option<usize>,
}

/// What a type must satisfy.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// Int, Real, or an array, tuple or record of such.
    Num(Ty),
    /// Made of Reals by arrays, tuples and records: what `*.` scales.
    Vector(Ty),
    /// Made of Ints by arrays, tuples and records.
    Whole(Ty),
    /// Int or Real: the type of an integer literal, and of what `sum` gives.
    Scalar(Ty),
    /// Int or Real, compared by `<`.
    Ord(Ty),
    /// First-order data, compared by `==`.
    Eq(Ty),
    /// First-order data at the boundary of a derivative.
    Diff(Ty),
    /// A record with this field of this type.
    Field(Ty, Name, Ty),
    /// A tuple with this component of this type.
    Component(Ty, usize, Ty),
    /// `base ^ exponent`.
    Power(Ty, Ty),
    /// The rows of the right operand of `@` (first) over the scalar (second): the scalar itself where
    /// the operand is a vector, an array of it where it is a matrix.
    MatRow(Ty, Ty),
    /// `left @ right` is this, three arrays: waits until it is known whether the left one is a matrix
    /// or a row.
    Product(Ty, Ty, Ty),
    /// A number, or arrays inside each other (first) of these numbers (second): what `sum` adds.
    Leaf(Ty, Ty),
    /// `T a` (first) is this type.
    Tangent(Ty, Ty),
    /// The Jacobian of a `b` (first) by an `a` (second) is this type.
    Jacobian(JacobianOf, Ty, Ty, Ty),
    /// Both are the same type, up to sizes.
    SameShape(Ty, Ty),
}

/// Where the `b` of a Jacobian comes from, which decides what to say about one that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JacobianOf {
    /// It is the function's result.
    Result,
    /// It is the gradient, so that the Jacobian is a Hessian and its shape is the argument's.
    Gradient,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its source name.
    pub name: Name,
    /// What its type quantifies over (empty unless `let`-bound to a function).
    pub params: Vec<ParamId>,
    /// Its type.
    pub ty: Ty,
    /// Where its name is written; nowhere if no program names it.
    pub span: Span,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct TExpr {
    /// What it is.
    pub kind: TExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where it stands.
    pub span: Span,
}

impl TExpr {
    /// What stands for an erroneous expression.
    pub fn error(span: Span) -> Self {
        Self { kind: TExprKind::Error, ty: Ty::Error, span }
    }
    /// A built-in applied to arguments, with a result of this type.
    pub fn built(builtin: Builtin, args: Vec<Self>, ty: Ty) -> Self {
        let span = args.first().map_or(Span::NONE, |first| first.span);
        let to = |to: Ty, arg: &Self| Ty::Fun(arg.ty.clone().into(), to.into());
        let kind = TExprKind::Builtin(builtin);
        let function = Self { kind, ty: args.iter().rev().fold(ty.clone(), to), span };
        Self { kind: TExprKind::App(Box::new(function), args), ty, span }
    }
}

/// What a typed expression is.
#[derive(Clone, Debug)]
pub enum TExprKind {
    /// A local variable at these types.
    Local(LocalId, Vec<Ty>),
    /// A definition at these types.
    Global(GlobalId, Vec<Ty>),
    /// A built-in used as a value: elaboration eta-expands it where it is not saturated.
    Builtin(Builtin),
    /// A constructor as a function of its fields, or a nullary one as a value. The type at the end of
    /// the node's type is the sum, or its tangent type `T Sum` with the tangents of the fields.
    Con(TypeDeclId, usize),
    /// An integer literal of type Int or Real (the node's type decides).
    IntLit(u64),
    /// A Real literal.
    RealLit(f64),
    /// A Bool literal.
    BoolLit(bool),
    /// A String literal.
    StrLit(String),
    /// Application to one or more arguments.
    App(Box<TExpr>, Vec<TExpr>),
    /// A function; sizes declared with it are bound and checked on entry.
    Lam(Box<TLam>),
    /// `let p = e in body`; the pattern must be irrefutable.
    Let(TPat, Box<TExpr>, Box<TExpr>),
    /// `let f = e in body` with a generalised function `f`.
    LetPoly(LocalId, Box<TExpr>, Box<TExpr>),
    /// `let rec`: each right-hand side is a [`TExprKind::Lam`].
    LetRec(Vec<(LocalId, TExpr)>, Box<TExpr>),
    /// `if`
    If(Box<TExpr>, Box<TExpr>, Box<TExpr>),
    /// `match`: arms in order; elaboration checks that they cover everything.
    Match(Box<TExpr>, Vec<TArm>),
    /// A tuple.
    Tuple(Vec<TExpr>),
    /// A record: fields in the order written (which is the order of evaluation).
    Record(Vec<(Name, TExpr)>),
    /// A component of a tuple.
    TupleField(Box<TExpr>, usize),
    /// A field of a record (the base's type is a record with that field).
    Field(Box<TExpr>, Name),
    /// An array literal.
    Array(Vec<TExpr>),
    /// `[ body | local < bound ]`
    Build(LocalId, Box<TExpr>, Box<TExpr>),
    /// `[ body | p <- source ]`: pattern, source, body.
    For(TPat, Box<TExpr>, Box<TExpr>),
    /// `a[i]` (one index; `a[i, j]` is nested).
    Index(Box<TExpr>, Box<TExpr>),
    /// `a[lo:hi:step]`; of more dimensions it is nested.
    Slice(Box<TExpr>, Box<TRange>),
    /// `base with place = value`
    With(Box<TExpr>, Vec<TAccess>, Box<TExpr>),
    /// `loop`
    Loop {
        /// The state's pattern, irrefutable.
        pattern: TPat,
        /// The first state.
        init: Box<TExpr>,
        /// When it ends.
        form: TLoopForm,
        /// Where it has checkpoints.
        checkpoint: Option<TCheckpoint>,
        /// The next state.
        body: Box<TExpr>,
    },
    /// A value whose sizes must be checked at run time against this type because they are not known
    /// to agree statically (from an ascription or a declared result type).
    CheckSizes(Box<TExpr>, SizedTy),
    /// Stands for an erroneous expression. Elaboration runs only on programs without errors.
    Error,
}

/// The bounds and the step of a slice, as far as they are written.
#[derive(Clone, Debug, Default)]
pub struct TRange {
    /// The first index.
    pub lo: Option<TExpr>,
    /// The index that is not reached any more.
    pub hi: Option<TExpr>,
    /// From one index to the next.
    pub step: Option<TExpr>,
}

impl TRange {
    /// What is written, in order.
    pub fn iter(&self) -> impl Iterator<Item = &TExpr> {
        [&self.lo, &self.hi, &self.step].into_iter().flatten()
    }

    /// What is written, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut TExpr> {
        [&mut self.lo, &mut self.hi, &mut self.step].into_iter().flatten()
    }
}

/// A function: `sizes` are the declared size names that it binds, each to a variable usable as an Int
/// in the body. On entry elaboration binds each to the first place it is measured in the parameters'
/// `sized` types and checks every other place (see [`SizedTy`]).
#[derive(Clone, Debug)]
pub struct TLam {
    /// Size variables bound here, in order of declaration.
    pub sizes: Vec<LocalId>,
    /// Parameters; patterns are irrefutable.
    pub params: Vec<TParam>,
    /// The body.
    pub body: TExpr,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct TParam {
    /// Its pattern.
    pub pattern: TPat,
    /// Its type.
    pub ty: Ty,
    /// The sizes its declared type speaks of, if it was declared and has any.
    pub sized: Option<SizedTy>,
}

/// The sizes in a declared type: where they stand, and the Int expression each must equal.
#[derive(Clone, Debug, Default)]
pub struct SizedTy {
    /// In order of writing.
    pub dims: Vec<SizedDim>,
    /// Who says what the sizes are.
    pub source: SizeSource,
}

/// Who says what the sizes of a value are.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SizeSource {
    /// Its declared type.
    #[default]
    Declared,
    /// The first state of the loop whose next state it is.
    FirstState,
    /// The other arguments of this function, which is given a function that makes the value.
    Arguments(Name),
    /// The type of the n-th argument (from 0) of this function, which the value is.
    Argument(Name, usize),
    /// What these words name, which has the same type.
    Beside(&'static str),
}

/// One array dimension of a declared type.
#[derive(Clone, Debug)]
pub struct SizedDim {
    /// How to get from the value to the array: components of tuples and records.
    pub path: Vec<Step>,
    /// Which dimension of that array, 0 outermost.
    pub depth: usize,
    /// The expected size: an Int expression over size variables and Int locals in scope. A lone
    /// variable that is not bound yet is bound by this dimension.
    pub size: TExpr,
}

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Component of a tuple.
    Tuple(usize),
    /// Field of a record.
    Field(Name),
}

/// An arm of a match.
#[derive(Clone, Debug)]
pub struct TArm {
    /// The pattern.
    pub pattern: TPat,
    /// The value.
    pub body: TExpr,
    /// The whole arm.
    pub span: Span,
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum TLoopForm {
    /// `for local < bound`
    For(LocalId, Box<TExpr>),
    /// `while cond`
    While(Box<TExpr>),
}

/// How many steps of a loop lie between two checkpoints.
#[derive(Clone, Debug)]
pub enum TCheckpoint {
    /// So many.
    Every(Box<TExpr>),
    /// The root of how many there are: `checkpoint sqrt`.
    Root,
}

/// A step into a place of `with`.
#[derive(Clone, Debug)]
pub enum TAccess {
    /// `[i]`
    Index(TExpr),
    /// `.field`
    Field(Name),
}

/// A typed pattern.
#[derive(Clone, Debug)]
pub struct TPat {
    /// What it is.
    pub kind: TPatKind,
    /// The type of the values it takes apart.
    pub ty: Ty,
    /// Where it stands.
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug)]
pub enum TPatKind {
    /// Matches everything.
    Wild,
    /// Binds.
    Var(LocalId),
    /// Binds the whole and matches on.
    As(LocalId, Box<TPat>),
    /// An Int literal.
    Int(i64),
    /// A Real literal.
    Real(f64),
    /// A Bool literal.
    Bool(bool),
    /// A String literal.
    Str(String),
    /// A tuple.
    Tuple(Vec<TPat>),
    /// Fields of a record; others are not looked at.
    Record(Vec<(Name, TPat)>),
    /// A constructor with all its fields; the pattern's type is the sum or its tangent type.
    Con(TypeDeclId, usize, Vec<TPat>),
    /// Stands for an erroneous pattern.
    Error,
}

/// A built-in operation whose meaning elaboration knows. The node's type is the function type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// A monomorphic or array primitive of the table, under its surface name.
    Prim(Prim),
    /// `+ - * /` on Int, Real, and elementwise on arrays, tuples and records of them.
    Add,
    /// See [`Builtin::Add`].
    Sub,
    /// See [`Builtin::Add`].
    Mul,
    /// See [`Builtin::Add`].
    Div,
    /// `%` on Int.
    Rem,
    /// Unary minus, elementwise.
    Neg,
    /// `^`: Real ^ Real, Real ^ Int, Int ^ Int, elementwise in the base.
    Pow,
    /// `*.`, `.+` and so on: a number and every number of an array, tuple or record.
    Dotted(NumberSide, Arithmetic),
    /// `@`: matrix times matrix, matrix times vector or row times matrix.
    MatMul,
    /// `==` on every first-order type.
    Eq,
    /// `!=`
    Ne,
    /// `< <= > >=` on Int and Real.
    Lt,
    /// See [`Builtin::Lt`].
    Le,
    /// See [`Builtin::Lt`].
    Gt,
    /// See [`Builtin::Lt`].
    Ge,
    /// `&&`, lazy in its second operand when saturated.
    And,
    /// `||`
    Or,
    /// `max`, `min`, `abs`, `signum` on Int and Real.
    Max,
    /// See [`Builtin::Max`].
    Min,
    /// See [`Builtin::Max`].
    Abs,
    /// See [`Builtin::Max`].
    Signum,
    /// `sum` on arrays of any rank of Ints or Reals.
    Sum,
    /// `einsum "ij,jk->ik" : [i][j]Real -> [j][k]Real -> [i][k]Real`. Inference replaces it by a function.
    Einsum,
    /// `build : (n: Int) -> (Int -> a) -> [n]a`
    Build,
    /// `assert : Bool -> String -> a -> a`
    Assert,
    /// `error : String -> a`
    Error,
    /// `string : a -> String`
    String,
    /// `debug : String -> a -> a`
    Debug,
    /// `vjp : (a -> b) -> a -> (b, T b -> T a)`
    Vjp,
    /// `jvp : (a -> b) -> a -> T a -> (b, T b)`
    Jvp,
    /// `linearize : (a -> b) -> a -> (b, T a -> T b)`
    Linearize,
    /// `rd : (a -> b) -> a -> T b -> T a`
    Rd,
    /// `grad : (a -> Real) -> a -> T a`
    Grad,
    /// `value_and_grad : (a -> Real) -> a -> (Real, T a)`
    ValueAndGrad,
    /// `jacobian : (a -> b) -> a -> b[T a]`: `b` with every Real replaced by `T a`.
    Jacobian,
    /// [`Builtin::Jacobian`] by a pushforward for each Real of the argument.
    JacobianForward,
    /// [`Builtin::Jacobian`] by a pullback for each Real of the result.
    JacobianReverse,
    /// `hessian : (a -> Real) -> a -> (T a)[T a]`
    Hessian,
    /// `hvp : (a -> Real) -> a -> T a -> T a`
    Hvp,
    /// `stop_gradient : a -> a`
    StopGradient,
    /// `custom_vjp : (a -> b) -> (a -> (b, T b -> T a)) -> a -> b`
    CustomVjp,
    /// `custom_jvp : (a -> b) -> (a -> T a -> (b, T b)) -> a -> b`
    CustomJvp,
    /// `zeros : a -> T a`
    Zeros,
    /// `move : a -> T a -> a`
    Move,
    /// `displacement : a -> a -> T a`
    Displacement,
    /// `as_tangent : a -> T a`
    AsTangent,
    /// `map_reals : (Real -> Real) -> a -> a`
    MapReals,
    /// `map_reals2 : (Real -> Real -> Real) -> a -> a -> a`
    MapReals2,
    /// `fold_reals : (b -> Real -> b) -> b -> a -> b`
    FoldReals,
    /// `sum_reals : a -> Real`
    SumReals,
    /// `checkpoint : (a -> b) -> a -> b`
    Checkpoint,
    /// `assume_linear : (a -> b) -> a -> b`
    AssumeLinear,
    /// `perturb : Real -> a -> a`
    Perturb,
    /// `differentiated_as : (() -> a) -> (() -> a) -> a`
    DifferentiatedAs,
}
