//! Constraints: remembered when they arise, looked at again when a type they wait for is known.
//!
//! A solved constraint is gone, perhaps leaving simpler ones; a violated one is reported at the place
//! where it arose; any other waits. What still waits when a definition is generalised becomes part of
//! its scheme; what waits at the end is decided by [`super::default`].

use pullback_base::{Name, Span};

use super::callee::Cause;
use super::clash::Sizes;
use super::reports::Reported;
use super::solver::Solver;
use super::table::Table;
use super::tangent::tangent;
use super::unifier::Unifier;
use crate::tir::{Constraint, JacobianOf};
use crate::ty::{Ty, TyVar, TypeDeclId};

/// How deep constraints may nest: a type that is the same up to sizes as a part of itself has no end.
const MAX_NESTING: u32 = 100;

/// How many constraints one unification may give rise to: beyond that their types grow without end,
/// in more than one part at a time.
const MAX_DERIVED: u32 = 100_000;

/// What became of a constraint.
pub(super) enum Verdict {
    /// Solved, split or reported.
    Done,
    /// It waits for these variables, or for the instance of a quantified one.
    Waits(Vec<TyVar>),
}

impl Table {
    /// Whether the type may turn out to be one with fields or components.
    fn may_have_parts(&self, head: &Ty) -> bool {
        if let Ty::Param(param) = head {
            return !self.is_written(*param);
        }
        matches!(head, Ty::Var(_) | Ty::Tangent(_))
    }

    /// The number type a structure is made of, as far as its first part tells.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Option<Ty> {
        let mut ty = self.head(ty);
        for _ in 0..64 {
            let next = if let Ty::Array(_, element) = &ty {
                element.as_ref().clone()
            } else if let Ty::Tuple(items) = &ty {
                items.first()?.clone()
            } else if let Ty::Record(fields) = &ty {
                fields.first()?.1.clone()
            } else {
                return Some(ty);
            };
            ty = self.head(&next);
        }
        None
    }

    /// Whether arithmetic goes through a sum as far as its own fields tell.
    pub(super) fn may_be_vector(&self, id: TypeDeclId, constraint: &Constraint) -> bool {
        let info = self.sum(id);
        let is_flat = !info.discrete && info.tangent.is_none();
        is_flat && !info.function && !matches!(constraint, Constraint::Whole(_))
    }

    /// The constraint waits for whatever variables the type has.
    pub(super) fn waits(&mut self, ty: &Ty) -> Verdict {
        Verdict::Waits(self.free_vars(ty, false))
    }
}

impl Unifier {
    /// Remembers a constraint that arises at [`Infer::at`]; it is looked at when the current
    /// unification is done.
    pub(super) fn require(&mut self, constraint: Constraint) {
        self.constraints.add(constraint, self.at, self.cause.clone());
    }

    /// The same constraint on a part of the type.
    fn require_part(&mut self, like: &Constraint, part: Ty) {
        let constraint = if let Constraint::Vector(_) = like {
            Constraint::Vector(part)
        } else if let Constraint::Whole(_) = like {
            Constraint::Whole(part)
        } else if let Constraint::Eq(_) = like {
            Constraint::Eq(part)
        } else if let Constraint::Diff(_) = like {
            Constraint::Diff(part)
        } else {
            Constraint::Num(part)
        };
        self.require(constraint);
    }

    /// A new unknown type with this tangent type.
    fn primal_of(&mut self, ty: &Ty) -> Ty {
        let part = self.fresh();
        self.require(Constraint::Tangent(part.clone(), ty.clone()));
        part
    }

    fn jacobian_part(&mut self, of: JacobianOf, output: &Ty, input: &Ty) -> Ty {
        if matches!(output, Ty::Real) {
            return tangent(input);
        }
        let part = self.fresh();
        self.require(Constraint::Jacobian(of, output.clone(), input.clone(), part.clone()));
        part
    }
}

impl Solver<'_> {
    /// Remembers a constraint that arises at `span` and looks at it.
    pub(super) fn require_at(&mut self, span: Span, constraint: Constraint) {
        let before = std::mem::replace(&mut self.unifier.at, span);
        self.unifier.require(constraint);
        self.run_ready();
        self.unifier.at = before;
    }

    /// Runs `body`, in which constraints arise for this reason.
    pub(super) fn caused<R>(&mut self, cause: Cause, body: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.unifier.cause, cause);
        let result = body(self);
        self.unifier.cause = before;
        result
    }

    /// Looks at every constraint that may have become solvable.
    pub(super) fn run_ready(&mut self) {
        if !self.unifier.constraints.begin() {
            return;
        }
        let (at, cause) = (self.unifier.at, self.unifier.cause.clone());
        let mut derived = 0;
        while let Some(ready) = self.unifier.constraints.next_ready() {
            for index in ready {
                let Some(pending) = self.unifier.constraints.take(index) else { continue };
                if self.unifier.reports.has_stopped() {
                    continue;
                }
                self.unifier.at = pending.span;
                self.unifier.cause = pending.cause.clone();
                derived += u32::from(pending.nesting > 0);
                if pending.nesting > MAX_NESTING || derived > MAX_DERIVED {
                    self.report_endless(&pending.constraint);
                    continue;
                }
                self.unifier.constraints.enter(&pending);
                if let Verdict::Waits(vars) = self.solve(&pending.constraint) {
                    for var in vars {
                        self.unifier.table.wait(var, index);
                    }
                    self.unifier.constraints.put_back(index, pending);
                }
            }
        }
        self.unifier.at = at;
        self.unifier.cause = cause;
        self.unifier.constraints.end();
    }

    /// The types of a constraint that goes on forever; they become erroneous.
    pub(super) fn report_endless(&mut self, constraint: &Constraint) {
        let types: Vec<Ty> = super::scheme::types_of(constraint).into_iter().cloned().collect();
        let erroneous = types.iter().any(|ty| matches!(self.unifier.table.head(ty), Ty::Error));
        if self.unifier.reports.is_first_endless() && !erroneous {
            self.unifier.reports.report_infinite(self.unifier.at);
        }
        for ty in types {
            self.agree_in_constraint(&Ty::Error, &ty);
        }
    }

    fn solve(&mut self, constraint: &Constraint) -> Verdict {
        match constraint {
            Constraint::Num(ty) | Constraint::Vector(ty) | Constraint::Whole(ty) => {
                self.solve_arithmetic(constraint, ty)
            }
            Constraint::Scalar(ty) | Constraint::Ord(ty) => self.solve_scalar(constraint, ty),
            Constraint::Eq(ty) | Constraint::Diff(ty) => self.solve_first_order(constraint, ty),
            Constraint::Field(record, name, ty) => self.solve_field(record, name, ty),
            Constraint::Component(tuple, index, ty) => self.solve_component(tuple, *index, ty),
            Constraint::Power(base, exponent) => self.solve_power(base, exponent),
            Constraint::MatRow(row, scalar) => self.solve_mat_row(row, scalar),
            Constraint::Product(a, b, c) => self.solve_product(a, b, c),
            Constraint::Leaf(structure, number) => self.solve_leaf(structure, number),
            Constraint::Tangent(primal, ty) => self.solve_tangent(primal, ty),
            Constraint::Jacobian(of, output, input, ty) => {
                self.solve_jacobian(*of, output, input, ty)
            }
            Constraint::SameShape(a, b) => self.solve_same_shape(a, b),
        }
    }

    fn solve_arithmetic(&mut self, constraint: &Constraint, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(ty);
        match &head {
            Ty::Error => {}
            Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_) | Ty::Jacobian(..)
                if !self.unifier.table.is_sum_tangent(&head) =>
            {
                return self.unifier.table.waits(&head);
            }
            // The tangents of a sum are made of Reals, and of what is discrete nothing is left.
            Ty::Tangent(_) if !matches!(constraint, Constraint::Whole(_)) => {}
            Ty::Sum(id, args) if self.unifier.table.may_be_vector(*id, constraint) => {
                let uses = self.unifier.table.sum(*id).uses.clone();
                for (arg, _) in args.iter().zip(uses).filter(|(_, used)| *used) {
                    self.unifier.require(Constraint::Vector(arg.clone()));
                }
            }
            Ty::Real if !matches!(constraint, Constraint::Whole(_)) => {}
            Ty::Int if !matches!(constraint, Constraint::Vector(_)) => {}
            Ty::Array(_, element) => {
                self.unifier.require_part(constraint, element.as_ref().clone())
            }
            Ty::Tuple(items) => {
                items.iter().for_each(|item| self.unifier.require_part(constraint, item.clone()))
            }
            Ty::Record(fields) => {
                fields.iter().for_each(|(_, ty)| self.unifier.require_part(constraint, ty.clone()))
            }
            Ty::Real
            | Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_) => self.report_arithmetic(&head, constraint),
        }
        Verdict::Done
    }

    fn solve_scalar(&mut self, constraint: &Constraint, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(ty);
        match &head {
            Ty::Real | Ty::Int | Ty::Error => Verdict::Done,
            Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_) | Ty::Jacobian(..) => {
                self.unifier.wake_ranks(&head);
                self.unifier.table.waits(&head)
            }
            Ty::Bool
            | Ty::Str
            | Ty::Tuple(_)
            | Ty::Record(_)
            | Ty::Sum(..)
            | Ty::Array(..)
            | Ty::Fun(..) => {
                self.report_scalar(&head, matches!(constraint, Constraint::Ord(_)));
                Verdict::Done
            }
        }
    }

    fn solve_first_order(&mut self, constraint: &Constraint, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(ty);
        match &head {
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Error => {}
            Ty::Var(_) | Ty::Param(_) | Ty::Jacobian(..) => return self.unifier.table.waits(&head),
            Ty::Tangent(inner) => self.unifier.require_part(constraint, inner.as_ref().clone()),
            Ty::Array(_, element) => {
                self.unifier.require_part(constraint, element.as_ref().clone())
            }
            Ty::Tuple(items) => {
                items.iter().for_each(|item| self.unifier.require_part(constraint, item.clone()))
            }
            Ty::Record(fields) => {
                fields.iter().for_each(|(_, ty)| self.unifier.require_part(constraint, ty.clone()))
            }
            Ty::Sum(id, args) => {
                let info = self.unifier.table.sum(*id);
                if info.function {
                    self.report_function(&head, matches!(constraint, Constraint::Diff(_)));
                    return Verdict::Done;
                }
                let uses = info.uses.clone();
                for (arg, _) in args.iter().zip(uses).filter(|(_, used)| *used) {
                    self.unifier.require_part(constraint, arg.clone());
                }
            }
            Ty::Fun(..) => self.report_function(&head, matches!(constraint, Constraint::Diff(_))),
        }
        Verdict::Done
    }

    fn solve_field(&mut self, record: &Ty, name: &Name, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(record);
        if self.unifier.table.may_have_parts(&head) {
            return self.unifier.table.waits(&head);
        }
        let found = self
            .known_field(&head, name, self.unifier.at, self.unifier.at)
            .unwrap_or_else(Reported::ty);
        self.agree_in_constraint(&found, ty);
        Verdict::Done
    }

    fn solve_component(&mut self, tuple: &Ty, index: usize, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(tuple);
        if self.unifier.table.may_have_parts(&head) {
            return self.unifier.table.waits(&head);
        }
        let found = self
            .known_component(&head, index, self.unifier.at, self.unifier.at)
            .unwrap_or_else(Reported::ty);
        self.agree_in_constraint(&found, ty);
        Verdict::Done
    }

    /// A Real exponent needs a Real base; an Int base needs an Int exponent.
    fn solve_power(&mut self, base: &Ty, exponent: &Ty) -> Verdict {
        match self.unifier.table.head(exponent) {
            Ty::Int | Ty::Error => Verdict::Done,
            Ty::Real => {
                if matches!(self.unifier.table.leaf(base), Some(Ty::Int)) {
                    self.unifier.report_int_base();
                } else {
                    self.unifier.require(Constraint::Vector(base.clone()));
                }
                Verdict::Done
            }
            head @ (Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_)) => {
                if let (Ty::Var(_), Some(Ty::Int)) = (&head, self.unifier.table.leaf(base)) {
                    self.agree_in_constraint(&head, &Ty::Int);
                    return Verdict::Done;
                }
                let mut vars = self.unifier.table.free_vars(&head, false);
                vars.extend(self.unifier.table.free_vars(base, false));
                Verdict::Waits(vars)
            }
            head @ (Ty::Bool
            | Ty::Str
            | Ty::Tuple(_)
            | Ty::Record(_)
            | Ty::Sum(..)
            | Ty::Array(..)
            | Ty::Fun(..)
            | Ty::Jacobian(..)) => {
                self.report_exponent(&head);
                Verdict::Done
            }
        }
    }

    /// `T primal = ty`, solved in both directions: `T α = Real` gives `α = Real`.
    fn solve_tangent(&mut self, primal: &Ty, ty: &Ty) -> Verdict {
        let left = self.unifier.table.head(&tangent(primal));
        let Ty::Tangent(inner) = &left else {
            self.agree_in_constraint(&left, ty);
            return Verdict::Done;
        };
        let (inner, right) = (self.unifier.table.head(inner), self.unifier.table.head(ty));
        match (&inner, &right) {
            (_, Ty::Error) => {}
            (Ty::Sum(..), Ty::Tangent(other))
                if matches!(self.unifier.table.head(other), Ty::Sum(..)) =>
            {
                self.agree_in_constraint(&inner, other);
            }
            (_, Ty::Tangent(other)) => {
                if self.unifier.table.head(other) != inner {
                    let mut vars = self.unifier.table.free_vars(&inner, false);
                    vars.extend(self.unifier.table.free_vars(other, false));
                    return Verdict::Waits(vars);
                }
            }
            (_, Ty::Var(var)) => {
                if self.unifier.table.free_vars(&inner, false).contains(var) {
                    return self.unifier.table.waits(&inner);
                }
                self.agree_in_constraint(&left, &right);
            }
            (_, Ty::Param(_)) if inner == right => return Verdict::Waits(vec![]),
            (Ty::Var(_), Ty::Param(_)) => return self.unifier.table.waits(&inner),
            (Ty::Var(_), Ty::Tuple(items)) if items.is_empty() => {
                return self.unifier.table.waits(&inner);
            }
            (Ty::Var(_), Ty::Real) => self.agree_in_constraint(&inner, &right),
            (Ty::Var(_), Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_)) => {
                self.invert_tangent(&inner, &right)
            }
            (Ty::Var(_), Ty::Sum(..)) => {
                self.agree_in_constraint(&inner, &right);
                self.unifier.require(Constraint::Tangent(inner, right));
            }
            (Ty::Sum(a, _), Ty::Sum(b, _)) if a == b => {
                let vars = self.unifier.table.free_vars(&inner, true);
                if !vars.is_empty() {
                    self.agree_in_constraint(&inner, &right);
                    return Verdict::Waits(self.unifier.table.free_vars(&inner, false));
                }
                self.report_mismatch(self.unifier.at, &left, &right, &super::mismatch::Why::Plain);
            }
            _ => {
                self.report_mismatch(self.unifier.at, &left, &right, &super::mismatch::Why::Plain);
            }
        }
        Verdict::Done
    }

    /// Gives the unknown `primal` the outer shape of its tangent type.
    fn invert_tangent(&mut self, primal: &Ty, ty: &Ty) {
        let shape = if let Ty::Array(size, element) = ty {
            let part = self.unifier.fresh();
            self.unifier.require(Constraint::Tangent(part.clone(), element.as_ref().clone()));
            Ty::Array(size.clone(), part.into())
        } else if let Ty::Tuple(items) = ty {
            Ty::Tuple(items.iter().map(|item| self.unifier.primal_of(item)).collect())
        } else if let Ty::Record(fields) = ty {
            let part = |(name, ty): &(Name, Ty)| (name.clone(), self.unifier.primal_of(ty));
            Ty::Record(fields.iter().map(part).collect())
        } else {
            return;
        };
        self.agree_in_constraint(primal, &shape);
    }

    fn solve_jacobian(&mut self, of: JacobianOf, output: &Ty, input: &Ty, ty: &Ty) -> Verdict {
        let head = self.unifier.table.head(output);
        let shape = match &head {
            Ty::Real => tangent(input),
            Ty::Int | Ty::Bool | Ty::Str => Ty::Tuple([].into()),
            Ty::Array(size, element) => {
                Ty::Array(size.clone(), self.unifier.jacobian_part(of, element, input).into())
            }
            Ty::Tuple(items) => Ty::Tuple(
                items.iter().map(|item| self.unifier.jacobian_part(of, item, input)).collect(),
            ),
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(name, ty)| (name.clone(), self.unifier.jacobian_part(of, ty, input)))
                    .collect(),
            ),
            Ty::Sum(id, _) if self.unifier.table.sum(*id).tangent.is_some() => {
                let tangents = self.unifier.table.head(&tangent(&head));
                self.unifier.jacobian_part(of, &tangents, input)
            }
            Ty::Sum(..) => {
                self.report_jacobian_of_sum(of, &head);
                Ty::Error
            }
            Ty::Tangent(_) if self.unifier.table.is_sum_tangent(&head) => {
                self.report_jacobian_of_sum(of, &head);
                Ty::Error
            }
            // A function is reported by its `Diff` constraint.
            Ty::Error | Ty::Fun(..) => Ty::Error,
            Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_) | Ty::Jacobian(..) => {
                return self.unifier.table.waits(&head);
            }
        };
        self.agree_in_constraint(&shape, ty);
        Verdict::Done
    }

    /// Agreement that a constraint demands.
    pub(super) fn agree_in_constraint(&mut self, actual: &Ty, expected: &Ty) {
        if let Err(clash) = self.unify(actual, expected, Sizes::Strict) {
            self.report_clash(
                self.unifier.at,
                actual,
                expected,
                &clash,
                &super::mismatch::Why::Plain,
            );
        }
    }
}
