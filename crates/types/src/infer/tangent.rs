//! Heads of types: variables followed, `T a` written out as far as `a` is known.
//!
//! `T Real = Real`; `T Int = T Bool = T String = ()`; tuples, records and arrays componentwise; a sum
//! with nothing discrete inside is its own tangent type, any other has a derived one, which stays
//! `T Sum`, unless its declaration names one. `T (T a) = T a`.

use std::rc::Rc;

use super::table::Table;
use crate::ty::{Ty, TypeDeclId};

impl Table {
    /// The type with its outermost shape made explicit.
    pub fn head(&mut self, ty: &Ty) -> Ty {
        let known = self.resolve(ty);
        let Ty::Tangent(inner) = &known else { return known };
        let inner = self.head(inner);
        self.tangent_of(inner)
    }

    /// The head of `T inner`, `inner` being a head.
    fn tangent_of(&mut self, inner: Ty) -> Ty {
        match inner {
            Ty::Tuple(items) => Ty::Tuple(items.iter().map(tangent).collect()),
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(name, ty)| (name.clone(), tangent(ty))).collect())
            }
            Ty::Array(size, element) => Ty::Array(size, tangent(&element).into()),
            Ty::Sum(id, args) => {
                if let Some(own) = &self.sum(id).tangent {
                    own.clone()
                } else if self.sum_is_discrete(id, &args, &mut 2000) == Some(false) {
                    Ty::Sum(id, args)
                } else {
                    Ty::Tangent(Rc::new(Ty::Sum(id, args)))
                }
            }
            simple @ (Ty::Real
            | Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error) => tangent(&simple),
        }
    }

    /// Whether values of the type hold an Int, a Bool, a String or what names its tangent type; `None` if that is not
    /// known yet.
    /// `budget` bounds how much is looked through.
    fn is_discrete(&mut self, ty: &Ty, budget: &mut u32) -> Option<bool> {
        *budget = budget.checked_sub(1)?;
        match self.head(ty) {
            Ty::Real | Ty::Tangent(_) | Ty::Jacobian(..) | Ty::Error => Some(false),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Fun(..) => Some(true),
            Ty::Param(_) | Ty::Var(_) => None,
            Ty::Array(_, element) => self.is_discrete(&element, budget),
            Ty::Tuple(items) => self.any_discrete(items.iter(), budget),
            Ty::Record(fields) => self.any_discrete(fields.iter().map(|(_, ty)| ty), budget),
            Ty::Sum(id, args) => self.sum_is_discrete(id, &args, budget),
        }
    }

    fn sum_is_discrete(&mut self, id: TypeDeclId, args: &[Ty], budget: &mut u32) -> Option<bool> {
        let info = self.sum(id);
        if info.discrete || info.tangent.is_some() {
            return Some(true);
        }
        let used = info.uses.clone();
        let args: Vec<&Ty> =
            args.iter().zip(used).filter(|(_, used)| *used).map(|(arg, _)| arg).collect();
        self.any_discrete(args.into_iter(), budget)
    }

    /// Whether the type is the tangent type of a sum that is known to differ from the sum.
    pub fn is_sum_tangent(&mut self, head: &Ty) -> bool {
        if let Ty::Tangent(inner) = head {
            self.free_vars(inner, true).is_empty() && matches!(self.head(inner), Ty::Sum(..))
        } else {
            false
        }
    }

    /// Whether the type is the derived tangent type of this sum.
    pub(super) fn is_tangent_of(&mut self, ty: &Ty, sum: TypeDeclId) -> bool {
        self.args_of_tangent(ty, sum).is_some()
    }

    /// The arguments of this sum if the type is its derived tangent type.
    pub(super) fn args_of_tangent(&mut self, ty: &Ty, sum: TypeDeclId) -> Option<Vec<Ty>> {
        let Ty::Tangent(inner) = self.head(ty) else { return None };
        let Ty::Sum(id, args) = self.head(&inner) else { return None };
        (id == sum).then(|| args.to_vec())
    }

    fn any_discrete<'t>(
        &mut self,
        items: impl Iterator<Item = &'t Ty>,
        budget: &mut u32,
    ) -> Option<bool> {
        let mut all_known = true;
        for item in items {
            match self.is_discrete(item, budget) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(false)
    }
}

/// `T ty`, written out where that takes one step.
pub(super) fn tangent(ty: &Ty) -> Ty {
    match ty {
        Ty::Real => Ty::Real,
        Ty::Int | Ty::Bool | Ty::Str => Ty::Tuple(Rc::new([])),
        Ty::Tangent(_) | Ty::Jacobian(..) => ty.clone(),
        // Functions have no tangents; the constraint `Diff` says so to the user.
        Ty::Fun(..) | Ty::Error => Ty::Error,
        Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) | Ty::Array(..) | Ty::Param(_) | Ty::Var(_) => {
            Ty::Tangent(Rc::new(ty.clone()))
        }
    }
}
