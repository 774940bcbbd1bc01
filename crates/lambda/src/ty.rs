//! Types of the calculus: monomorphic, sizes erased (sizes are checked by explicit primitives).

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use pullback_base::{Name, id_type};

id_type!(
    /// A monomorphic sum type of a [`crate::Program`].
    pub DataId, "d"
);

/// A type; cheap to clone, equal by structure.
#[derive(Clone, Eq)]
pub struct Type(Rc<TypeKind>);

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        // Most types that are compared are copies of one.
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

thread_local! {
    /// The types that most terms have, made once.
    static COMMON: Common = Common {
        real: Type::new(TypeKind::Real),
        int: Type::new(TypeKind::Int),
        bool: Type::new(TypeKind::Bool),
        str: Type::new(TypeKind::Str),
        unit: Type::new(TypeKind::Tuple(vec![])),
    };
}

struct Common {
    real: Type,
    int: Type,
    bool: Type,
    str: Type,
    unit: Type,
}

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
        COMMON.with(|common| common.real.clone())
    }
    /// `Int`
    pub fn int() -> Self {
        COMMON.with(|common| common.int.clone())
    }
    /// `Bool`
    pub fn bool() -> Self {
        COMMON.with(|common| common.bool.clone())
    }
    /// `String`
    pub fn str() -> Self {
        COMMON.with(|common| common.str.clone())
    }
    /// `()`
    pub fn unit() -> Self {
        COMMON.with(|common| common.unit.clone())
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
