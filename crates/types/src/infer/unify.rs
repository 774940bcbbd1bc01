//! Unification: makes an actual type agree with an expected one.
//!
//! Direction matters for sizes only: an unknown actual size where a known one is expected is accepted
//! but *not proven* (the caller adds a run-time check), an expected unknown size accepts everything.

use std::rc::Rc;

use super::clash::{Clash, Sizes};
use super::solver::Solver;
use super::table::Free;
use super::unifier::Unifier;
use crate::tir::Constraint;
use crate::ty::{Atom, Poly, Size, SizeVar, Ty, TyVar};

/// What a type must be adjusted to when a variable becomes it.
struct Limit {
    var: Option<TyVar>,
    free: Free,
}

impl Unifier {
    /// A new unknown type.
    pub(super) fn fresh(&mut self) -> Ty {
        Ty::Var(self.table.fresh(Free { level: self.level(), depth: self.depth(), loose: false }))
    }

    /// A new unknown type whose sizes are forgotten.
    pub(super) fn fresh_loose(&mut self) -> Ty {
        Ty::Var(self.table.fresh(Free { level: self.level(), depth: self.depth(), loose: true }))
    }

    /// A new unknown size.
    pub(super) fn fresh_size_var(&mut self) -> SizeVar {
        self.table.fresh_size(self.level(), self.depth())
    }

    /// A new unknown size.
    pub(super) fn fresh_size(&mut self) -> Size {
        let var = self.fresh_size_var();
        Size::Poly(Poly::atom(Atom::Var(var)).into())
    }

    pub(super) fn unify_in(
        &mut self,
        actual: &Ty,
        expected: &Ty,
        sizes: Sizes,
    ) -> Result<bool, Clash> {
        self.table.spend()?;
        let (actual, expected) = (self.table.head(actual), self.table.head(expected));
        match (&actual, &expected) {
            (Ty::Var(var), Ty::Error) | (Ty::Error, Ty::Var(var)) => {
                self.bind(*var, &Ty::Error)?;
                Ok(true)
            }
            (Ty::Error, _) | (_, Ty::Error) => Ok(true),
            (Ty::Real, Ty::Real)
            | (Ty::Int, Ty::Int)
            | (Ty::Bool, Ty::Bool)
            | (Ty::Str, Ty::Str) => Ok(true),
            (Ty::Param(a), Ty::Param(b)) if a == b => Ok(true),
            (Ty::Var(a), Ty::Var(b)) if a == b => Ok(true),
            (Ty::Var(a), Ty::Var(b)) => self.unify_vars(*a, *b),
            (Ty::Tangent(a), Ty::Tangent(b)) => self.unify_tangents(a, b, sizes),
            (Ty::Var(var), other) | (other, Ty::Var(var)) => self.unify_var(*var, other),
            (tangent @ Ty::Tangent(inner), other) | (other, tangent @ Ty::Tangent(inner)) => {
                // A constraint would no longer know which of the two is expected.
                if self.table.is_sum_tangent(tangent)
                    && !matches!(other, Ty::Param(_) | Ty::Jacobian(..))
                {
                    return Err(Clash::Types);
                }
                self.require(Constraint::Tangent(inner.as_ref().clone(), other.clone()));
                Ok(true)
            }
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                if Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                self.unify_all(a.iter().zip(b.iter()), sizes)
            }
            (Ty::Record(a), Ty::Record(b)) if same_fields(a, b) => {
                if Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                let pairs = a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b));
                self.unify_all(pairs, sizes)
            }
            (Ty::Sum(a, a_args), Ty::Sum(b, b_args)) if a == b => {
                self.unify_all(a_args.iter().zip(b_args.iter()), sizes)
            }
            (Ty::Array(a_size, a), Ty::Array(b_size, b)) => {
                // The elements first: a wrong element type is the greater mistake.
                let elements = self.unify_in(a, b, sizes)?;
                Ok(self.unify_size(a_size, b_size, sizes)? && elements)
            }
            (Ty::Fun(a, a_result), Ty::Fun(b, b_result)) => {
                if Rc::ptr_eq(a, b) && Rc::ptr_eq(a_result, b_result) {
                    return Ok(true);
                }
                let argument = self.unify_in(b, a, sizes)?;
                Ok(self.unify_in(a_result, b_result, sizes)? && argument)
            }
            _ => Err(Clash::Types),
        }
    }

    fn unify_all<'t>(
        &mut self,
        pairs: impl Iterator<Item = (&'t Ty, &'t Ty)>,
        sizes: Sizes,
    ) -> Result<bool, Clash> {
        let mut proven = true;
        for (actual, expected) in pairs {
            proven &= self.unify_in(actual, expected, sizes)?;
        }
        Ok(proven)
    }

    /// A loose variable must not forget the sizes of what it meets, nor the other learn from it.
    fn unify_vars(&mut self, a: TyVar, b: TyVar) -> Result<bool, Clash> {
        let loose = |free: Option<Free>| free.is_some_and(|free| free.loose);
        match (loose(self.table.free(a)), loose(self.table.free(b))) {
            (true, false) => self.require(Constraint::SameShape(Ty::Var(b), Ty::Var(a))),
            (false, true) => self.require(Constraint::SameShape(Ty::Var(a), Ty::Var(b))),
            (true, true) | (false, false) => self.bind(a, &Ty::Var(b))?,
        }
        Ok(true)
    }

    /// The tangent of a sum determines the sum; that of anything else is left to a constraint.
    fn unify_tangents(&mut self, a: &Ty, b: &Ty, sizes: Sizes) -> Result<bool, Clash> {
        let (left, right) = (self.table.head(a), self.table.head(b));
        match (&left, &right) {
            (Ty::Sum(..), Ty::Sum(..)) => self.unify_in(&left, &right, sizes),
            _ if left == right => Ok(true),
            _ => {
                self.require(Constraint::Tangent(left, Ty::Tangent(right.into())));
                Ok(true)
            }
        }
    }

    fn unify_var(&mut self, var: TyVar, other: &Ty) -> Result<bool, Clash> {
        if let Ty::Tangent(inner) = other
            && self.table.occurs(var, inner)?
        {
            // `T a = a` is no infinite type: it holds for everything made of Reals.
            self.require(Constraint::Tangent(inner.as_ref().clone(), Ty::Var(var)));
            return Ok(true);
        }
        self.bind(var, other)?;
        Ok(true)
    }

    fn bind(&mut self, var: TyVar, ty: &Ty) -> Result<(), Clash> {
        let Some(free) = self.table.free(var) else { return Ok(()) };
        let adjusted = self.adjust(ty, &Limit { var: Some(var), free })?;
        let woken = self.table.bind(var, adjusted.unwrap_or_else(|| ty.clone()), self.at);
        self.constraints.wake(woken);
        Ok(())
    }

    /// Makes two unknown types the same, whatever they remember of sizes.
    pub(super) fn merge(&mut self, var: TyVar, into: TyVar) {
        if let Some(free) = self.table.free(var) {
            self.table.lower(into, Free { loose: false, ..free });
            let woken = self.table.bind(var, Ty::Var(into), self.at);
            self.constraints.wake(woken);
        }
    }

    /// The type as seen outside the binders deeper than the current depth: sizes that mention their
    /// variables become unknown.
    pub(super) fn leave_scope(&mut self, ty: &Ty) -> Ty {
        self.table.begin_steps();
        let free = Free { level: u32::MAX, depth: self.depth(), loose: false };
        match self.adjust(ty, &Limit { var: None, free }) {
            Ok(adjusted) => adjusted.unwrap_or_else(|| ty.clone()),
            Err(Clash::TooLarge) => {
                self.reports.report_too_large(self.at);
                Ty::Error
            }
            Err(_) => ty.clone(),
        }
    }

    /// Checks that `ty` may be seen under `limit` and lowers its variables to it; `Some` if sizes had
    /// to be forgotten.
    fn adjust(&mut self, ty: &Ty, limit: &Limit) -> Result<Option<Ty>, Clash> {
        self.table.spend()?;
        let head = self.table.resolve(ty);
        let changed = match &head {
            Ty::Var(var) => {
                if Some(*var) == limit.var {
                    return Err(Clash::Infinite);
                }
                self.table.lower(*var, limit.free);
                None
            }
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Error => None,
            Ty::Param(param) => {
                if self.table.param_level(*param) > limit.free.level {
                    return Err(Clash::Escape(head));
                }
                None
            }
            Ty::Tuple(items) => {
                self.adjust_all(items.iter(), limit)?.map(|items| Ty::Tuple(items.into()))
            }
            Ty::Sum(id, args) => {
                self.adjust_all(args.iter(), limit)?.map(|args| Ty::Sum(*id, args.into()))
            }
            Ty::Record(fields) => {
                self.adjust_all(fields.iter().map(|(_, ty)| ty), limit)?.map(|types| {
                    Ty::Record(fields.iter().map(|(name, _)| name.clone()).zip(types).collect())
                })
            }
            Ty::Array(size, element) => {
                let new_size = self.adjust_size(size, limit.free);
                let new_element = self.adjust(element, limit)?;
                (new_size.is_some() || new_element.is_some()).then(|| {
                    let element = new_element.map_or_else(|| element.clone(), Rc::new);
                    Ty::Array(new_size.unwrap_or_else(|| size.clone()), element)
                })
            }
            Ty::Tangent(inner) => self.adjust(inner, limit)?.map(|inner| Ty::Tangent(inner.into())),
            Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
                let (new_a, new_b) = (self.adjust(a, limit)?, self.adjust(b, limit)?);
                (new_a.is_some() || new_b.is_some()).then(|| {
                    let a = new_a.map_or_else(|| a.clone(), Rc::new);
                    let b = new_b.map_or_else(|| b.clone(), Rc::new);
                    if matches!(head, Ty::Fun(..)) { Ty::Fun(a, b) } else { Ty::Jacobian(a, b) }
                })
            }
        };
        Ok(changed)
    }

    fn adjust_all<'t>(
        &mut self,
        items: impl Iterator<Item = &'t Ty>,
        limit: &Limit,
    ) -> Result<Option<Vec<Ty>>, Clash> {
        let mut any = false;
        let mut all = Vec::new();
        for item in items {
            let adjusted = self.adjust(item, limit)?;
            any |= adjusted.is_some();
            all.push(adjusted.unwrap_or_else(|| item.clone()));
        }
        Ok(any.then_some(all))
    }
}

impl Solver<'_> {
    /// Makes `actual` agree with `expected`; true if all sizes are proven equal.
    pub(super) fn unify(
        &mut self,
        actual: &Ty,
        expected: &Ty,
        sizes: Sizes,
    ) -> Result<bool, Clash> {
        if self.unifier.reports.has_stopped() {
            return Ok(true);
        }
        self.unifier.table.begin_steps();
        let result = self.unifier.unify_in(actual, expected, sizes);
        self.run_ready();
        result
    }
}

fn same_fields(a: &[(pullback_base::Name, Ty)], b: &[(pullback_base::Name, Ty)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a == b)
}
