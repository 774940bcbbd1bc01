//! Constraints that hang on the rank of arrays: the operands of `@`, and what `sum` adds.
//!
//! `m @ v`, `m @ m` and `v @ m` differ by what the left operand holds, numbers or rows; `sum` gives the
//! number at the end of arrays inside each other. Either waits until that is known.

use pullback_base::Span;
use pullback_syntax::ast::BinaryOp;

use super::mismatch::Why;
use super::solve::Verdict;
use super::solver::Solver;
use super::unifier::Unifier;
use crate::tir::Constraint;
use crate::ty::Ty;

/// What stands on the left of `@`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// A matrix, beside a matrix or a vector.
    Matrix,
    /// A row, beside a matrix.
    Row,
}

/// The operands and the result of `@`.
pub(super) struct Product {
    pub left: Ty,
    pub right: Ty,
    pub result: Ty,
}

impl Unifier {
    /// What the left operand is, as far as the elements of both operands and of the result tell.
    fn left_of(&mut self, [left, right, result]: [&Ty; 3]) -> Option<Left> {
        let left = self.table.head(left);
        if matches!(left, Ty::Array(..)) {
            return Some(Left::Matrix);
        }
        if matches!(left, Ty::Real | Ty::Int) || self.must_be_scalar(&left) {
            return Some(Left::Row);
        }
        let right = self.table.head(right);
        let right_is_vector = matches!(right, Ty::Real | Ty::Int) || self.must_be_scalar(&right);
        let result_is_matrix = matches!(self.table.head(result), Ty::Array(..));
        (right_is_vector || result_is_matrix).then_some(Left::Matrix)
    }

    /// What the left operand of `@` is, if that is known; the operands may be no arrays.
    pub(super) fn left_operand(&mut self, left: &Ty, right: &Ty) -> Option<Left> {
        let (left, right) = (self.table.head(left), self.table.head(right));
        let unknown = self.fresh();
        let element = |ty: &Ty| {
            if let Ty::Array(_, element) = ty { element.as_ref().clone() } else { unknown.clone() }
        };
        self.left_of([&element(&left), &element(&right), &unknown])
    }

    /// Whether a constraint says that an unknown type is Int or Real.
    fn must_be_scalar(&mut self, head: &Ty) -> bool {
        let Ty::Var(var) = *head else { return false };
        let waiting = self.table.waiting(var).to_vec();
        waiting.into_iter().any(|index| {
            let Some(pending) = self.constraints.get(index) else { return false };
            let (Constraint::Scalar(ty) | Constraint::Ord(ty)) = &pending.constraint else {
                return false;
            };
            let ty = ty.clone();
            self.table.resolve(&ty) == Ty::Var(var)
        })
    }

    /// An unknown type turns out to be a number: what waits for its rank is looked at again.
    pub(super) fn wake_ranks(&mut self, head: &Ty) {
        let Ty::Var(var) = *head else { return };
        let waits_for_rank = |index: &usize| {
            let pending = self.constraints.get(*index);
            pending.is_some_and(|pending| {
                matches!(pending.constraint, Constraint::Product(..) | Constraint::Leaf(..))
            })
        };
        let woken = self.table.waiting(var).iter().copied().filter(waits_for_rank).collect();
        self.constraints.wake(woken);
    }
}

impl Solver<'_> {
    /// The operands and the result of `@` with this on its left.
    pub(super) fn product_types(&mut self, left: Left, span: Span) -> Product {
        let scalar = self.unifier.fresh();
        let (n, m) = (self.unifier.fresh_size(), self.unifier.fresh_size());
        self.require_at(span, Constraint::Scalar(scalar.clone()));
        let row = Ty::Array(m.clone(), scalar.clone().into());
        match left {
            Left::Matrix => {
                let right = self.unifier.fresh();
                self.require_at(span, Constraint::MatRow(right.clone(), scalar));
                let result = Ty::Array(n.clone(), right.clone().into());
                let left = Ty::Array(n, row.into());
                Product { left, right: Ty::Array(m, right.into()), result }
            }
            Left::Row => {
                let left = Ty::Array(n.clone(), scalar.into());
                Product { left, right: Ty::Array(n, row.clone().into()), result: row }
            }
        }
    }

    /// The operands and the result of `@` with what is not known yet on its left.
    pub(super) fn open_product(&mut self, span: Span) -> Product {
        let mut array = || {
            let element = self.unifier.fresh();
            self.unifier.array_of(element)
        };
        let product = Product { left: array(), right: array(), result: array() };
        let (left, right) = (product.left.clone(), product.right.clone());
        self.require_at(span, Constraint::Product(left, right, product.result.clone()));
        product
    }

    pub(super) fn solve_product(&mut self, left: &Ty, right: &Ty, result: &Ty) -> Verdict {
        let arrays = [left, right, result].map(|ty| self.unifier.table.head(ty));
        let [Ty::Array(_, a), Ty::Array(_, b), Ty::Array(_, c)] = &arrays else {
            return Verdict::Done;
        };
        let head = self.unifier.table.head(a);
        if matches!(
            head,
            Ty::Bool | Ty::Str | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) | Ty::Fun(..)
        ) {
            self.report_matmul(&head);
            return Verdict::Done;
        }
        if let Ty::Error = head {
            return Verdict::Done;
        }
        let Some(side) = self.unifier.left_of([a, b, c]) else {
            let mut vars = Vec::new();
            for ty in [a, b, c] {
                vars.extend(self.unifier.table.free_vars(ty, false));
            }
            return Verdict::Waits(vars);
        };
        self.settle_product(side, [left, right, result]);
        Verdict::Done
    }

    /// Decides what is on the left of `@`.
    pub(super) fn settle_product(&mut self, side: Left, [left, right, result]: [&Ty; 3]) {
        let at = self.unifier.at;
        let product = self.product_types(side, at);
        let why = Why::Operator(BinaryOp::MatMul);
        self.agree(left, &product.left, at, &why);
        self.agree(right, &product.right, at, &why);
        self.agree(&product.result, result, at, &why);
    }

    pub(super) fn solve_mat_row(&mut self, row: &Ty, scalar: &Ty) -> Verdict {
        let head = self.unifier.table.head(row);
        match &head {
            Ty::Real | Ty::Int | Ty::Error => self.agree_in_constraint(&head, scalar),
            Ty::Array(_, element) => self.agree_in_constraint(element, scalar),
            Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_) => return self.unifier.table.waits(&head),
            Ty::Bool
            | Ty::Str
            | Ty::Tuple(_)
            | Ty::Record(_)
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Jacobian(..) => self.report_matmul(&head),
        }
        Verdict::Done
    }

    /// The numbers at the end of arrays inside each other.
    pub(super) fn solve_leaf(&mut self, structure: &Ty, number: &Ty) -> Verdict {
        let head = self.unifier.table.head(structure);
        match &head {
            Ty::Real | Ty::Int | Ty::Error => self.agree_in_constraint(&head, number),
            Ty::Array(_, element) => {
                self.unifier.require(Constraint::Leaf(element.as_ref().clone(), number.clone()));
            }
            Ty::Var(_) if head == self.unifier.table.head(number) => {}
            Ty::Var(_) if self.unifier.must_be_scalar(&head) => {
                self.agree_in_constraint(&head, number);
            }
            Ty::Var(_) | Ty::Param(_) | Ty::Tangent(_) | Ty::Jacobian(..) => {
                let mut vars = self.unifier.table.free_vars(&head, false);
                vars.extend(self.unifier.table.free_vars(number, false));
                return Verdict::Waits(vars);
            }
            Ty::Bool | Ty::Str | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) | Ty::Fun(..) => {
                self.report_scalar(&head, false);
            }
        }
        Verdict::Done
    }

    /// Decides the ranks that nothing tells: the left of `@` is a matrix, and `sum` adds a vector.
    pub(super) fn default_ranks(&mut self, open: &[usize]) -> bool {
        let mut has_decided = false;
        for index in open {
            let Some(pending) = self.unifier.constraints.get(*index) else { continue };
            if !matches!(pending.constraint, Constraint::Product(..) | Constraint::Leaf(..)) {
                continue;
            }
            let Some(pending) = self.unifier.constraints.take(*index) else { continue };
            (self.unifier.at, has_decided) = (pending.span, true);
            if let Constraint::Product(left, right, result) = &pending.constraint {
                self.settle_product(Left::Matrix, [left, right, result]);
            } else if let Constraint::Leaf(structure, number) = &pending.constraint {
                self.agree_in_constraint(structure, number);
            }
        }
        has_decided
    }
}
