//! What is still open at the end of a top-level group: literals are Int, other numbers are Real, and
//! what nothing is known of is `()`.

use super::scheme::types_of;
use super::solver::Solver;
use super::table::Table;
use crate::tir::Constraint;
use crate::ty::{Ty, TyVar};

impl Table {
    fn still_open(&mut self, ty: &Ty) -> bool {
        matches!(self.head(ty), Ty::Var(_))
    }
}

impl Solver<'_> {
    /// Decides every constraint that still waits.
    pub(super) fn default_constraints(&mut self) {
        self.run_ready();
        // Nothing is solved any more after a type was too large.
        while !self.unifier.reports.has_stopped() {
            let open = self.unifier.constraints.open();
            if open.is_empty() {
                break;
            }
            if !self.default_ranks(&open) && !self.default_numbers(&open) {
                self.default_one(open[0]);
            }
            self.run_ready();
        }
        self.unifier.constraints.clear();
    }

    /// Decides the variables that must be numbers.
    fn default_numbers(&mut self, open: &[usize]) -> bool {
        let constraints: Vec<Constraint> = open
            .iter()
            .filter_map(|index| self.unifier.constraints.get(*index))
            .map(|p| p.constraint.clone())
            .collect();
        let (mut real, mut int, mut number) = (Vec::new(), Vec::new(), Vec::new());
        for constraint in &constraints {
            let (list, ty) = if let Constraint::Vector(ty) = constraint {
                (&mut real, ty)
            } else if let Constraint::Scalar(ty) | Constraint::Whole(ty) = constraint {
                (&mut int, ty)
            } else if let Constraint::Num(ty) | Constraint::Ord(ty) = constraint {
                (&mut number, ty)
            } else {
                continue;
            };
            if let Ty::Var(var) = self.unifier.table.resolve(ty) {
                list.push(var);
            }
        }
        let all: Vec<TyVar> = real.iter().chain(&int).chain(&number).copied().collect();
        for var in &all {
            let ty = if real.contains(var) || !int.contains(var) { Ty::Real } else { Ty::Int };
            self.agree_in_constraint(&Ty::Var(*var), &ty);
        }
        !all.is_empty()
    }

    /// Decides one constraint that is about nothing known.
    fn default_one(&mut self, index: usize) {
        let Some(pending) = self.unifier.constraints.take(index) else { return };
        self.unifier.at = pending.span;
        match &pending.constraint {
            Constraint::Field(record, name, ty) => {
                if self.unifier.table.still_open(record) {
                    self.unifier.reports.report_unknown_base("record", name, pending.span);
                }
                self.agree_in_constraint(&Ty::Error, record);
                self.agree_in_constraint(&Ty::Error, ty);
            }
            Constraint::Component(tuple, component, ty) => {
                if self.unifier.table.still_open(tuple) {
                    self.unifier.reports.report_unknown_base(
                        "tuple",
                        &component.to_string(),
                        pending.span,
                    );
                }
                self.agree_in_constraint(&Ty::Error, tuple);
                self.agree_in_constraint(&Ty::Error, ty);
            }
            Constraint::Power(base, exponent) => {
                self.agree_if_open(exponent, &Ty::Int);
                self.agree_if_open(base, &Ty::Real);
            }
            Constraint::MatRow(row, scalar) => self.agree_in_constraint(row, scalar),
            Constraint::Tangent(primal, ty) => {
                let both_open =
                    self.unifier.table.still_open(primal) && self.unifier.table.still_open(ty);
                if both_open {
                    self.agree_in_constraint(primal, ty);
                } else if !matches!(self.unifier.table.head(primal), Ty::Param(_)) {
                    self.agree_if_open(primal, ty);
                }
            }
            Constraint::Jacobian(_, output, _, _) => {
                self.agree_if_open(output, &Ty::Real);
                self.unifier.require(pending.constraint.clone());
            }
            Constraint::SameShape(a, b) => {
                self.agree_in_constraint(a, b);
            }
            Constraint::Product(..)
            | Constraint::Leaf(..)
            | Constraint::Num(_)
            | Constraint::Vector(_)
            | Constraint::Whole(_)
            | Constraint::Scalar(_)
            | Constraint::Ord(_)
            | Constraint::Eq(_)
            | Constraint::Diff(_) => {
                for ty in types_of(&pending.constraint) {
                    for var in self.unifier.table.free_vars(ty, false) {
                        self.agree_in_constraint(&Ty::Var(var), &Ty::Tuple([].into()));
                    }
                }
            }
        }
    }

    fn agree_if_open(&mut self, ty: &Ty, default: &Ty) {
        if self.unifier.table.still_open(ty) {
            self.agree_in_constraint(ty, default);
        }
    }
}
