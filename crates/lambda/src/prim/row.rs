//! What a row of the primitive table says, and the little language its partial derivatives are
//! written in.
//!
//! A partial derivative is a [`Term`] over the same primitives, so it has partial derivatives itself:
//! the table gives derivatives of every order.

use crate::{Prim, Type, TypeKind};

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// The primitive this row is of.
    pub prim: Prim,
    /// Its name in printed programs, mostly that of the surface language.
    pub name: &'static str,
    /// How many multiplications it counts as where operations are weighed; 0 if it computes nothing.
    pub weight: u64,
    /// The types of its arguments.
    pub params: &'static [PrimTy],
    /// The type of its result.
    pub result: PrimTy,
    /// How it takes part in differentiation.
    pub class: Class,
    /// What it is, with the convention for its derivative where there is one.
    pub doc: &'static str,
}

/// The types primitives are declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimTy {
    /// `Real`
    Real,
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// `String`
    Str,
    /// `()`
    Unit,
    /// The one type variable `a`.
    Elem,
    /// `[]t`
    Array(&'static PrimTy),
    /// An array of anything, of any depth.
    AnyArray,
}

/// How a primitive takes part in differentiation.
#[derive(Debug)]
pub enum Class {
    /// A real function of reals (and integers), with partial derivatives.
    Smooth(Smooth),
    /// From any scalars or arrays to a result whose derivative is zero: it carries no tangent
    /// ([`Prim::ToReal`]: its argument carries none).
    Discrete,
    /// Moves values without looking at them: the tangent moves in the same way.
    Structural,
    /// Adds up an array: linear.
    Sum,
    /// No value of its own: checks or fails.
    Control,
}

/// The analysis of a smooth primitive.
#[derive(Debug)]
pub struct Smooth {
    /// Its value.
    pub value: RealFn,
    /// Whether it is differentiable at these arguments (an Int argument comes converted). Where it is
    /// not, the value and the partials follow the table of conventions.
    pub domain: fn(&[f64]) -> bool,
    /// In which arguments it is linear.
    pub linearity: Linearity,
    /// The partial derivative by each parameter; `None` for an Int parameter.
    pub partials: &'static [Option<Term>],
    /// What occurs in several of them: whoever needs more than one computes it once.
    pub shared: &'static [Term],
}

/// How many shared terms a row may have.
pub const MAX_SHARED: usize = 3;

/// The value of a smooth primitive: a named function of [`crate::prim::values`].
#[derive(Clone, Copy, Debug)]
pub enum RealFn {
    /// `Real -> Real`
    Real1(fn(f64) -> f64),
    /// `Real -> Real -> Real`
    Real2(fn(f64, f64) -> f64),
    /// `Real -> Int -> Real`
    RealInt(fn(f64, i64) -> f64),
    /// `Int -> Real -> Real`
    IntReal(fn(i64, f64) -> f64),
}

/// In which arguments a primitive is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearity {
    /// In all of them together.
    Linear,
    /// In each of two while the other is held.
    Bilinear,
    /// In the first while the others are held.
    LinearInFirst,
    /// In none.
    Nonlinear,
}

/// A partial derivative as a term over the arguments and the result of its primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// An argument, Real or Int as the row declares it.
    Arg(usize),
    /// The value of the primitive itself.
    Result,
    /// A constant.
    Real(f64),
    /// An Int constant.
    Int(i64),
    /// Structurally zero: it contributes nothing, whatever it is multiplied with.
    Zero,
    /// A primitive.
    Prim(Prim, &'static [Term]),
    /// By a Bool-valued term; only the chosen branch counts.
    If(&'static Term, &'static Term, &'static Term),
}

impl Row {
    /// The analysis, if the primitive is smooth.
    pub fn smooth(&self) -> Option<&Smooth> {
        if let Class::Smooth(smooth) = &self.class { Some(smooth) } else { None }
    }

    /// The type of the result for arguments of these types. `None` if they do not fit the parameters
    /// or leave the result undetermined, as for [`Prim::Fail`].
    pub fn result_type(&self, args: &[Type]) -> Option<Type> {
        let mut elem = None;
        let fits = args.len() == self.params.len()
            && self.params.iter().zip(args).all(|(param, arg)| param.matches(arg, &mut elem));
        if fits { self.result.instance(elem.as_ref()) } else { None }
    }

    /// Whether arguments of these types fit and give `result`.
    pub fn admits(&self, args: &[Type], result: &Type) -> bool {
        let mut elem = None;
        args.len() == self.params.len()
            && self.params.iter().zip(args).all(|(param, arg)| param.matches(arg, &mut elem))
            && self.result.matches(result, &mut elem)
    }

    /// Its type for people, such as `[]a -> Int -> a`.
    pub fn show_type(&self) -> String {
        let parts: Vec<_> = self.params.iter().chain([&self.result]).map(PrimTy::show).collect();
        parts.join(" -> ")
    }
}

impl PrimTy {
    fn matches(&self, ty: &Type, elem: &mut Option<Type>) -> bool {
        match (self, ty.kind()) {
            (PrimTy::Elem, _) => elem.get_or_insert_with(|| ty.clone()) == ty,
            (PrimTy::Array(inner), TypeKind::Array(ty)) => inner.matches(ty, elem),
            (PrimTy::Real, TypeKind::Real)
            | (PrimTy::Int, TypeKind::Int)
            | (PrimTy::Bool, TypeKind::Bool)
            | (PrimTy::Str, TypeKind::Str)
            | (PrimTy::AnyArray, TypeKind::Array(_)) => true,
            (PrimTy::Unit, TypeKind::Tuple(items)) => items.is_empty(),
            _ => false,
        }
    }

    fn instance(&self, elem: Option<&Type>) -> Option<Type> {
        Some(match self {
            PrimTy::Real => Type::real(),
            PrimTy::Int => Type::int(),
            PrimTy::Bool => Type::bool(),
            PrimTy::Str => Type::str(),
            PrimTy::Unit => Type::unit(),
            PrimTy::Elem => elem?.clone(),
            PrimTy::Array(inner) => Type::array(inner.instance(elem)?),
            PrimTy::AnyArray => return None,
        })
    }

    fn show(&self) -> String {
        match self {
            PrimTy::Real => "Real".to_string(),
            PrimTy::Int => "Int".to_string(),
            PrimTy::Bool => "Bool".to_string(),
            PrimTy::Str => "String".to_string(),
            PrimTy::Unit => "()".to_string(),
            PrimTy::Elem => "a".to_string(),
            PrimTy::Array(inner) => format!("[]{}", inner.show()),
            PrimTy::AnyArray => "[]…a".to_string(),
        }
    }
}

impl Term {
    /// The number of primitives in this term, each branch counted.
    pub fn size(&self) -> usize {
        match self {
            Term::Arg(_) | Term::Result | Term::Real(_) | Term::Int(_) | Term::Zero => 0,
            Term::Prim(_, args) => 1 + args.iter().map(Term::size).sum::<usize>(),
            Term::If(cond, then, other) => cond.size() + then.size() + other.size(),
        }
    }
}
