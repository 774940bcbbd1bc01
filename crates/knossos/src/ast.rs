//! The tree of a Knossos program as it is written.

use pullback_base::{Span, Spanned};

use crate::ty::Type;

/// A declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
}

/// What is declared.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `(def NAME type params body)`
    Def {
        /// Its name.
        name: FunName,
        /// Of what it gives.
        result: Type,
        /// What it takes.
        params: Vec<Binder>,
        /// What it is.
        body: Expr,
    },
    /// `(edef NAME result argument)`: a function that is defined elsewhere.
    External {
        /// Its name.
        name: FunName,
        /// Of what it gives.
        result: Type,
        /// Of what it takes.
        argument: Type,
    },
    /// `(gdef derivation [f T])`: a derivative that is wanted.
    Wanted(FunName),
    /// `(rule "name" params pattern replacement)`
    Rule {
        /// Its variables.
        params: Vec<Binder>,
        /// What is replaced.
        pattern: Expr,
        /// What takes its place.
        replacement: Expr,
    },
}

/// What is made of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Derivation {
    /// The linear map.
    D,
    /// The derivative in a direction.
    Fwd,
    /// The transposed derivative.
    Rev,
    /// The value, and what the way back needs.
    ForwardPass,
    /// The way back.
    ReversePass,
    /// Both passes.
    BothPasses,
    /// The shape of the result.
    Shape,
    /// The function by way of categories.
    Category,
}

/// Each derivation with its word.
pub const DERIVATIONS: [(&str, Derivation); 8] = [
    ("D", Derivation::D),
    ("fwd", Derivation::Fwd),
    ("rev", Derivation::Rev),
    ("suffwdpass", Derivation::ForwardPass),
    ("sufrevpass", Derivation::ReversePass),
    ("sufrev", Derivation::BothPasses),
    ("shape", Derivation::Shape),
    ("CL", Derivation::Category),
];

impl Derivation {
    /// Its word.
    pub fn word(self) -> &'static str {
        DERIVATIONS.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
    }
}

/// The name of a function.
#[derive(Clone, Debug)]
pub struct FunName {
    /// What is made of it, outermost first.
    pub derivations: Vec<Derivation>,
    /// The function.
    pub base: String,
    /// The type of its argument, where it is written.
    pub ty: Option<Type>,
    /// Where it is written.
    pub span: Span,
}

impl FunName {
    /// As it is written.
    pub fn text(&self) -> String {
        let mut text = match &self.ty {
            Some(ty) => format!("[{} {ty}]", self.base),
            None => self.base.clone(),
        };
        for derivation in self.derivations.iter().rev() {
            text = format!("[{} {text}]", derivation.word());
        }
        text
    }
}

/// A variable with its type.
#[derive(Clone, Debug)]
pub struct Binder {
    /// Its name.
    pub name: Spanned<String>,
    /// Its type.
    pub ty: Type,
}

/// What a `let` binds.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A variable.
    Var(Spanned<String>),
    /// The components of a tuple.
    Tuple(Vec<Spanned<String>>, Span),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
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
    /// `(if c a b)`
    If(Box<[Expr; 3]>),
    /// `(let … e)`, bindings in sequence; `let`s inside each other are one.
    Let(Vec<(Pattern, Expr)>, Box<Expr>),
    /// `(lam (v : T) e)`
    Lam(Binder, Box<Expr>),
    /// `(assert c e)`
    Assert(Box<[Expr; 2]>),
    /// `(tuple a b)`
    Tuple(Vec<Expr>),
    /// `($dummy T)`: some value.
    Dummy(Type),
    /// `(f a b)`
    Call(FunName, Vec<Expr>),
}
