//! Types of the calculus: monomorphic, sizes erased (sizes are checked by explicit primitives).

use std::rc::Rc;

use pullback_base::{Name, id_type};

id_type!(
    /// A monomorphic sum type of a [`crate::Program`].
    pub DataId, "d"
);

/// A type; cheap to clone, equal by structure.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Type(Rc<TypeKind>);

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// binary64
    Real,
    /// 64-bit signed
    Int,
    /// truth value
    Bool,
    /// message text
    Str,
    /// `(a, b)`; the empty tuple is the unit type.
    Tuple(Vec<Type>),
    /// `{ w: a, b: c }`, fields in the type's canonical order.
    Record(Vec<(Name, Type)>),
    /// A sum type, declared in the program's table.
    Data(DataId),
    /// An array of any size.
    Array(Type),
    /// `a -> b`; functions of several arguments are curried in the type.
    Fun(Type, Type),
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Type {
    /// Wraps a kind.
    pub fn new(kind: TypeKind) -> Self {
        Self(Rc::new(kind))
    }
    /// What it is.
    pub fn kind(&self) -> &TypeKind {
        &self.0
    }
    /// `Real`
    pub fn real() -> Self {
        Self::new(TypeKind::Real)
    }
    /// `Int`
    pub fn int() -> Self {
        Self::new(TypeKind::Int)
    }
    /// `Bool`
    pub fn bool() -> Self {
        Self::new(TypeKind::Bool)
    }
    /// `String`
    pub fn str() -> Self {
        Self::new(TypeKind::Str)
    }
    /// `()`
    pub fn unit() -> Self {
        Self::tuple(vec![])
    }
    /// `(a, b, …)`
    pub fn tuple(items: Vec<Type>) -> Self {
        Self::new(TypeKind::Tuple(items))
    }
    /// `[]element`
    pub fn array(element: Type) -> Self {
        Self::new(TypeKind::Array(element))
    }
    /// `a -> b`
    pub fn fun(from: Type, to: Type) -> Self {
        Self::new(TypeKind::Fun(from, to))
    }
    /// `a -> b -> … -> to`
    pub fn funs(
        from: impl IntoIterator<Item = Type, IntoIter: DoubleEndedIterator>,
        to: Type,
    ) -> Self {
        from.into_iter().rev().fold(to, |to, from| Self::fun(from, to))
    }
}
