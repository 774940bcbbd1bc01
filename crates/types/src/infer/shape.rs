//! Types up to sizes: the type of two branches together, and the types of definitions that are used
//! inside their own group before their sizes are known.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::clash::{Clash, Sizes};
use super::solver::Solver;
use super::table::{Among, Table};
use super::unifier::Unifier;
use crate::tir::Constraint;
use crate::ty::{Atom, Poly, Size, SizeVar, Ty, TyVar};

/// How many unknown types of one shape are looked at in search of a type without end.
const MAX_ALIKE: usize = 1000;

impl Table {
    /// The common type of two that agree up to sizes.
    fn join(&mut self, a: &Ty, b: &Ty) -> Result<Ty, Clash> {
        self.spend()?;
        let (a, b) = (self.head(a), self.head(b));
        Ok(match (&a, &b) {
            (Ty::Error, _) => b,
            (Ty::Var(_), Ty::Var(var)) => {
                let loose = self.free(*var).is_some_and(|free| free.loose);
                if loose { b } else { a }
            }
            (Ty::Array(left, left_element), Ty::Array(right, right_element)) => {
                let (left, right) = (self.resolve_size(left), self.resolve_size(right));
                let element = self.join(left_element, right_element)?;
                Ty::Array(if left == right { left } else { Size::Any }, element.into())
            }
            (Ty::Tuple(left), Ty::Tuple(right)) if !Rc::ptr_eq(left, right) => {
                let pairs: Vec<_> = left.iter().zip(right.iter()).collect();
                Ty::Tuple(
                    pairs.into_iter().map(|(a, b)| self.join(a, b)).collect::<Result<_, _>>()?,
                )
            }
            (Ty::Record(left), Ty::Record(right)) if !Rc::ptr_eq(left, right) => {
                let pairs: Vec<_> = left.iter().zip(right.iter()).collect();
                let joined = |((name, a), (_, b)): (&(_, Ty), &(_, Ty))| {
                    Ok((Clone::clone(name), self.join(a, b)?))
                };
                Ty::Record(
                    pairs
                        .into_iter()
                        .map(joined)
                        .collect::<Result<Vec<(pullback_base::Name, Ty)>, Clash>>()?
                        .into(),
                )
            }
            _ => a,
        })
    }

    fn group_size(&mut self, size: &Size, own: &[(Atom, SizeVar)], complete: bool) -> Size {
        let Size::Poly(poly) = self.resolve_size(size) else { return Size::Any };
        let copy = poly.substitute(&mut |atom| match own.iter().find(|(mine, _)| mine == atom) {
            Some((_, var)) => Some(Poly::atom(Atom::Var(*var))),
            None if matches!(atom, Atom::Var(_)) && !complete => None,
            None => Some(Poly::atom(atom.clone())),
        });
        super::table::size_of(copy)
    }
}

impl Unifier {
    /// The common type of two branches whose types agree up to sizes: a size that differs is unknown.
    pub(super) fn join(&mut self, a: &Ty, b: &Ty) -> Ty {
        self.table.begin_steps();
        self.table.join(a, b).unwrap_or_else(|_| self.reports.report_too_large(self.at).ty())
    }

    /// Whether the unknown type, or one that waits to have its shape, is a part of `head`: then a type
    /// of that shape has no end. A tangent type may have the shape of what it is the tangent of.
    fn shape_occurs(&mut self, var: TyVar, head: &Ty) -> bool {
        if matches!(head, Ty::Var(_)) {
            return false;
        }
        let parts = self.table.vars(head, Among::OfShape);
        if parts.is_empty() {
            return false;
        }
        let mut alike: IndexSet<TyVar, FxBuildHasher> = IndexSet::default();
        alike.insert(var);
        let mut next = 0;
        while let Some(var) = alike.get_index(next).copied().filter(|_| next < MAX_ALIKE) {
            if parts.contains(&var) {
                return true;
            }
            next += 1;
            for index in self.table.waiting(var).to_vec() {
                if let Some(pending) = self.constraints.get(index)
                    && let Constraint::SameShape(a, b) = pending.constraint.clone()
                    && let (Ty::Var(a), Ty::Var(b)) = (self.table.head(&a), self.table.head(&b))
                {
                    alike.extend([a, b]);
                }
            }
        }
        false
    }

    /// The outermost shape of `head`, with new unknown parts of the same shapes. The copy is the loose
    /// one (its sizes forgotten) or the exact one (its sizes open).
    fn shape_copy(&mut self, head: &Ty, to_loose: bool) -> Ty {
        match head {
            Ty::Array(_, element) => {
                let size = if to_loose { Size::Any } else { self.fresh_size() };
                Ty::Array(size, self.shape_part(element, to_loose).into())
            }
            Ty::Tuple(items) => {
                Ty::Tuple(items.iter().map(|item| self.shape_part(item, to_loose)).collect())
            }
            Ty::Sum(id, args) => {
                Ty::Sum(*id, args.iter().map(|arg| self.shape_part(arg, to_loose)).collect())
            }
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(name, ty)| (name.clone(), self.shape_part(ty, to_loose)))
                    .collect(),
            ),
            Ty::Fun(a, b) => {
                Ty::Fun(self.shape_part(a, to_loose).into(), self.shape_part(b, to_loose).into())
            }
            Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Real
            | Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error => head.clone(),
        }
    }

    fn shape_part(&mut self, part: &Ty, to_loose: bool) -> Ty {
        let part = self.table.resolve(part);
        if matches!(part, Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Error) {
            return part;
        }
        let (copy, constraint) = if to_loose {
            let copy = self.fresh_loose();
            (copy.clone(), Constraint::SameShape(part, copy))
        } else {
            let copy = self.fresh();
            (copy.clone(), Constraint::SameShape(copy, part))
        };
        self.require(constraint);
        copy
    }

    /// A copy of the type of a definition for a use inside its own group: its own sizes (`own`, with
    /// the variables that stand for them here) are instantiated; unless its signature is complete, any
    /// other size and what is not known yet is taken up to sizes.
    pub(super) fn group_copy(
        &mut self,
        ty: &Ty,
        own: &[(Atom, SizeVar)],
        complete: bool,
    ) -> Result<Ty, Clash> {
        self.table.spend()?;
        let head = self.table.resolve(ty);
        Ok(match &head {
            Ty::Var(_) if !complete => {
                let copy = self.fresh_loose();
                self.require(Constraint::SameShape(head, copy.clone()));
                copy
            }
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Var(_) | Ty::Error => head,
            Ty::Array(size, element) => {
                let size = self.table.group_size(size, own, complete);
                Ty::Array(size, self.group_copy(element, own, complete)?.into())
            }
            Ty::Tuple(items) => Ty::Tuple(self.group_copies(items.iter(), own, complete)?.into()),
            Ty::Sum(id, args) => {
                Ty::Sum(*id, self.group_copies(args.iter(), own, complete)?.into())
            }
            Ty::Record(fields) => {
                let types = self.group_copies(fields.iter().map(|(_, ty)| ty), own, complete)?;
                Ty::Record(fields.iter().map(|(name, _)| name.clone()).zip(types).collect())
            }
            Ty::Tangent(inner) => Ty::Tangent(self.group_copy(inner, own, complete)?.into()),
            Ty::Fun(a, b) => {
                let a = self.group_copy(a, own, complete)?;
                Ty::Fun(a.into(), self.group_copy(b, own, complete)?.into())
            }
            Ty::Jacobian(a, b) => {
                let a = self.group_copy(a, own, complete)?;
                Ty::Jacobian(a.into(), self.group_copy(b, own, complete)?.into())
            }
        })
    }

    fn group_copies<'t>(
        &mut self,
        items: impl Iterator<Item = &'t Ty>,
        own: &[(Atom, SizeVar)],
        complete: bool,
    ) -> Result<Vec<Ty>, Clash> {
        items.map(|item| self.group_copy(item, own, complete)).collect()
    }
}

impl Solver<'_> {
    /// Both types are the same up to sizes; the second is the one whose sizes are forgotten.
    pub(super) fn solve_same_shape(&mut self, exact: &Ty, loose: &Ty) -> super::solve::Verdict {
        let (left, right) = (self.unifier.table.head(exact), self.unifier.table.head(loose));
        match (&left, &right) {
            (Ty::Var(a), Ty::Var(b)) if a != b => {
                return super::solve::Verdict::Waits(vec![*a, *b]);
            }
            (Ty::Var(var), other) | (other, Ty::Var(var))
                if self.unifier.shape_occurs(*var, other) =>
            {
                self.report_endless(&Constraint::SameShape(left, right));
            }
            (Ty::Var(_), _) => {
                let copy = self.unifier.shape_copy(&right, false);
                self.agree_in_constraint(&left, &copy);
            }
            (_, Ty::Var(_)) => {
                let copy = self.unifier.shape_copy(&left, true);
                self.agree_in_constraint(&copy, &right);
            }
            _ => {
                let at = self.unifier.at;
                if let Err(clash) = self.unify(&left, &right, Sizes::Join) {
                    self.report_clash(at, &right, &left, &clash, &super::mismatch::Why::Plain);
                }
            }
        }
        super::solve::Verdict::Done
    }
}
