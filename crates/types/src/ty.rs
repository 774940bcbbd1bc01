//! Types during inference, with sizes.

use std::rc::Rc;

use pullback_base::{Name, id_type};

use crate::ids::{LocalId, ParamId};

id_type!(
    /// A declared sum type.
    pub TypeDeclId, "s"
);
id_type!(
    /// A unification variable for types.
    pub TyVar, "?"
);
id_type!(
    /// A size that is no polynomial. Equal ones have the same id.
    pub OpaqueId, "o"
);
id_type!(
    /// A unification variable for sizes.
    pub SizeVar, "?n"
);

/// A type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Ty {
    /// binary64
    Real,
    /// 64-bit integer
    Int,
    /// truth value
    Bool,
    /// message text
    Str,
    /// Tuples; `()` is empty.
    Tuple(Rc<[Ty]>),
    /// Records: fields in canonical order (see [`crate::records`]).
    Record(Rc<[(Name, Ty)]>),
    /// A declared sum at these type arguments.
    Sum(TypeDeclId, Rc<[Ty]>),
    /// An array.
    Array(Size, Rc<Ty>),
    /// A function.
    Fun(Rc<Ty>, Rc<Ty>),
    /// `T a` of a type not known yet, of a quantified one, or of a sum whose tangents are not the sum
    /// itself because there are Ints, Bools or Strings inside. Every other `T a` is written out.
    Tangent(Rc<Ty>),
    /// `b` with every Real replaced by `T a`: the type of a Jacobian; fields `b`, `a`.
    Jacobian(Rc<Ty>, Rc<Ty>),
    /// A quantified variable.
    Param(ParamId),
    /// A unification variable; none is left in a [`crate::tir::Typed`] without errors.
    Var(TyVar),
    /// An erroneous type: agrees with everything.
    #[default]
    Error,
}

/// The size of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// Some size: agrees with everything, checked at run time.
    Any,
    /// A polynomial in normal form.
    Poly(Rc<Poly>),
}

/// A polynomial over size names with integer coefficients, in normal form: monomials sorted, no zero
/// coefficient. The empty monomial is the constant term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Poly {
    /// Each monomial (sorted atoms, repeated for powers) with its coefficient.
    pub terms: Vec<(Vec<Atom>, i64)>,
}

/// An atom of a size polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A declared size name: rigid, stands for any number.
    Rigid(LocalId),
    /// An Int variable in scope (a parameter or `let`), of unknown value.
    Local(LocalId),
    /// A size that a generalised definition quantifies over, unique in the program.
    Param(u32),
    /// A unification variable; none is left in a [`crate::tir::Typed`].
    Var(SizeVar),
    /// A quotient or other expression that is no polynomial; its text is in
    /// [`crate::tir::Typed::opaques`].
    Opaque(OpaqueId),
}

impl AsRef<Ty> for Ty {
    fn as_ref(&self) -> &Self {
        self
    }
}
