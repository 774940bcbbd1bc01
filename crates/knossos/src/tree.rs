//! The tree of a program whose names and types are known.

use pullback_base::Span;

use crate::ast::{Derivation, Pattern};
use crate::ty::Type;

/// A program: functions in order of definition.
#[derive(Debug, Default)]
pub struct Program {
    /// The functions.
    pub functions: Vec<Function>,
}

/// The number of a function in its program.
pub type FunctionId = usize;

/// A function.
#[derive(Debug)]
pub struct Function {
    /// What is made of its base, outermost first.
    pub derivations: Vec<Derivation>,
    /// What it is called.
    pub base: String,
    /// Of what it takes.
    pub argument: Type,
    /// Of what it gives.
    pub result: Type,
    /// The names of its parameters with their types; those of one that is defined elsewhere have none.
    pub params: Vec<(String, Type)>,
    /// What it is.
    pub body: Body,
    /// Where it is declared.
    pub span: Span,
}

/// What a function is.
#[derive(Debug)]
pub enum Body {
    /// This, of its parameters.
    Defined(Expr),
    /// One that is built in.
    BuiltIn(&'static BuiltIn),
    /// It is declared and defined nowhere.
    Missing,
}

/// A function that is built in, as text in which `%0` stands for the first argument as an operand and `@0` for it as an
/// argument.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it takes, in letters: `f` is a Float, `i` an Integer, `b` a Bool, `v` a vector and `m` a matrix of Floats.
    pub takes: &'static str,
    /// What it gives.
    pub gives: char,
    /// As Pullback.
    pub text: &'static str,
}

/// What a call calls.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function of the program.
    Function(FunctionId),
    /// One that is built in.
    BuiltIn(&'static BuiltIn),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Str(String),
    /// A truth value.
    Bool(bool),
    /// A variable.
    Var(String),
    /// A choice.
    If(Box<[Expr; 3]>),
    /// Bindings in sequence, and what they are for.
    Let(Vec<(Pattern, Expr)>, Box<Expr>),
    /// A function for a primitive.
    Lam(String, Box<Expr>),
    /// A value under a condition.
    Assert(Box<[Expr; 2]>),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// Some value.
    Dummy,
    /// A call with arguments as written.
    Call(Callee, Vec<Expr>),
    /// A call of the derivative of a function: what it takes is a pair, but for `ForwardPass`.
    Derived(Derivation, Callee, Vec<Expr>),
    /// A primitive with as many arguments as it takes.
    Prim(Prim, Vec<Expr>),
}

/// A primitive: an operation at many types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prim {
    /// A component, from 0, of so many.
    Get(usize, usize),
    /// A tensor of all values of a function of the index.
    Build,
    /// Their sum.
    SumBuild,
    /// A state taken through a vector.
    Fold,
    /// A function of each element.
    Map,
    /// A function of the pairs of elements.
    Map2,
    /// An element.
    Index,
    /// How many there are.
    Size,
    /// The sum of all elements.
    Sum,
    /// A tensor of equal elements.
    ConstVec,
    /// One element that is not zero.
    DeltaVec,
    /// A value if two indices are equal, else zero.
    Delta,
    /// A vector of these.
    VecInit,
    /// Whether both are equal.
    Eq,
    /// Whether they are not.
    Ne,
    /// The shape.
    Shape,
    /// A sum of elements at indices.
    BuildFromSparse,
    /// Several of them at once.
    BuildFromSparseTupled,
    /// A value moved by a tangent.
    TsAdd,
    /// A tangent times a number.
    TsScale,
    /// A tangent negated.
    TsNeg,
    /// The inner product.
    TsDot,
    /// Prints values.
    Print,
    /// Prints a value, and gives it.
    Trace,
    /// The value itself.
    Same,
    /// How far a reverse derivative is from a difference.
    Check,
}
