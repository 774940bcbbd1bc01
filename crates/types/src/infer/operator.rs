//! Binary operators.

use pullback_base::{Diagnostic, Span, Spanned};
use pullback_syntax::ast::{BinaryOp, Expr};

use super::clash::{Clash, Sizes};
use super::literal::is_int_literal;
use super::mismatch::Why;
use super::solver::Solver;
use super::state::Infer;
use crate::builtins;
use crate::tir::{Constraint, TExpr, TExprKind};
use crate::ty::Ty;

impl<'a> Infer<'a> {
    /// `lhs op rhs`; not `|>`.
    pub(super) fn binary(
        &mut self,
        op: &Spanned<BinaryOp>,
        lhs: &'a Expr,
        rhs: &'a Expr,
        span: Span,
    ) -> TExpr {
        let on = Why::Operator(op.node);
        let (lhs, rhs, ty) = match op.node {
            BinaryOp::Or | BinaryOp::And => {
                let lhs = self.check(lhs, &Ty::Bool, &on);
                (lhs, self.check(rhs, &Ty::Bool, &on), Ty::Bool)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_at(lhs.span, Constraint::Eq(lhs.ty.clone()));
                (lhs, rhs, Ty::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_number(&lhs, Constraint::Ord);
                (lhs, rhs, Ty::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_number(&lhs, Constraint::Num);
                // What has no arithmetic has been reported, so its result is not looked at.
                let number = !matches!(
                    self.unifier.table.head(&lhs.ty),
                    Ty::Bool | Ty::Str | Ty::Fun(..) | Ty::Sum(..)
                );
                let ty = if number { lhs.ty.clone() } else { Ty::Error };
                (lhs, rhs, ty)
            }
            BinaryOp::Rem => {
                let lhs = self.check(lhs, &Ty::Int, &on);
                (lhs, self.check(rhs, &Ty::Int, &on), Ty::Int)
            }
            BinaryOp::Scale => {
                let lhs = self.check(lhs, &Ty::Real, &on);
                let rhs = self.infer(rhs);
                self.solver().require_number(&rhs, Constraint::Vector);
                let ty = rhs.ty.clone();
                (lhs, rhs, ty)
            }
            BinaryOp::MatMul => self.matmul(lhs, rhs),
            BinaryOp::Pow => self.power(lhs, rhs),
            // Application; the caller takes it apart.
            BinaryOp::Pipe => return TExpr::error(span),
        };
        let erroneous = |operand: &TExpr| matches!(operand.kind, TExprKind::Error);
        let ty = if !matches!(ty, Ty::Bool) && (erroneous(&lhs) || erroneous(&rhs)) {
            Ty::Error
        } else {
            ty
        };
        let Some(builtin) = builtins::of_operator(op.node) else { return TExpr::error(span) };
        let fun = Ty::Fun(rhs.ty.clone().into(), ty.clone().into());
        let fun = Ty::Fun(lhs.ty.clone().into(), fun.into());
        let head = TExpr { kind: TExprKind::Builtin(builtin), ty: fun, span: op.span };
        TExpr { kind: TExprKind::App(Box::new(head), vec![lhs, rhs]), ty, span }
    }

    /// Two operands of the same type.
    fn operands(&mut self, op: &Spanned<BinaryOp>, lhs: &'a Expr, rhs: &'a Expr) -> (TExpr, TExpr) {
        let left = self.infer(lhs);
        let wanted = self.unifier.table.head(&left.ty);
        // A literal or a constructor takes its type from the other operand.
        let structured = matches!(wanted, Ty::Tangent(_) | Ty::Tuple(_) | Ty::Record(_))
            && matches!(op.node, BinaryOp::Eq | BinaryOp::Ne);
        let why = Why::Operand(op.node, left.span);
        if structured || (is_int_literal(rhs) && matches!(wanted, Ty::Real | Ty::Int)) {
            let right = self.check(rhs, &wanted, &why);
            return (left, right);
        }
        let right = self.infer(rhs);
        self.unifier.at = right.span;
        let (left, right) = match self.solver().unify(&right.ty, &left.ty, Sizes::Strict) {
            Ok(_) => (left, right),
            Err(clash) => {
                self.solver().report_operands(op, &left, &right, &clash);
                (TExpr::error(left.span), TExpr::error(right.span))
            }
        };
        (left, right)
    }

    fn power(&mut self, lhs: &'a Expr, rhs: &'a Expr) -> (TExpr, TExpr, Ty) {
        let lhs = self.infer(lhs);
        self.solver().require_number(&lhs, Constraint::Num);
        let mut ty = lhs.ty.clone();
        let rhs = if is_int_literal(rhs) {
            self.check(rhs, &Ty::Int, &Why::Operator(BinaryOp::Pow))
        } else {
            let rhs = self.infer(rhs);
            self.solver().require_at(rhs.span, Constraint::Power(lhs.ty.clone(), rhs.ty.clone()));
            if matches!(
                (self.unifier.table.head(&ty), self.unifier.table.head(&rhs.ty)),
                (Ty::Int, Ty::Real)
            ) {
                ty = Ty::Error;
            }
            rhs
        };
        (lhs, rhs, ty)
    }

    fn matmul(&mut self, lhs: &'a Expr, rhs: &'a Expr) -> (TExpr, TExpr, Ty) {
        let (lhs, rhs) = (self.infer(lhs), self.infer(rhs));
        if self.solver().report_bad_matrices(&lhs, &rhs) {
            let (left, right) = (TExpr::error(lhs.span), TExpr::error(rhs.span));
            return (left, right, Ty::Error);
        }
        let (left, right, result) = self.solver().matmul_types(rhs.span);
        let why = Why::Operator(BinaryOp::MatMul);
        let lhs = self.solver().coerce(lhs, &left, &why);
        let rhs = self.solver().coerce(rhs, &right, &why);
        (lhs, rhs, result)
    }
}

impl Solver<'_> {
    /// A constraint on an operand, unless it is plainly satisfied.
    fn require_number(&mut self, operand: &TExpr, constraint: fn(Ty) -> Constraint) {
        if !matches!(self.unifier.table.head(&operand.ty), Ty::Real | Ty::Error) {
            self.require_at(operand.span, constraint(operand.ty.clone()));
        }
    }

    /// Reports operands of `@` that are plainly no matrix and no vector.
    fn report_bad_matrices(&mut self, lhs: &TExpr, rhs: &TExpr) -> bool {
        let (left, right) = (self.unifier.known(&lhs.ty), self.unifier.known(&rhs.ty));
        let open = |ty: &Ty| matches!(ty, Ty::Var(_) | Ty::Error | Ty::Tangent(_));
        let matrix = |ty: &Ty| {
            if let Ty::Array(_, row) = ty {
                matches!(row.as_ref(), Ty::Array(..)) || open(row)
            } else {
                open(ty)
            }
        };
        let vector = |ty: &Ty| matches!(ty, Ty::Array(..)) || open(ty);
        if matrix(&left) && vector(&right) {
            return false;
        }
        let (span, bad) = if matrix(&left) { (rhs.span, &right) } else { (lhs.span, &left) };
        let found = self.show(bad);
        let diagnostic = Diagnostic::error(
            "E0316",
            span,
            format!("`@` multiplies matrices, but this is `{found}`"),
            format!("this is `{found}`"),
        )
        .note(
            "`@` multiplies a matrix `[n][m]Real` by a matrix `[m][k]Real` or a vector `[m]Real`",
        );
        let diagnostic = match (&left, &right) {
            (Ty::Array(..), Ty::Array(..)) => diagnostic.hint("the inner product of two vectors is `dot a b`; a row times a matrix is `transpose m @ v`"),
            _ => diagnostic.hint("use `*` for numbers and `*.` to scale"),
        };
        self.unifier.report(diagnostic);
        true
    }

    fn report_operands(
        &mut self,
        op: &Spanned<BinaryOp>,
        left: &TExpr,
        right: &TExpr,
        clash: &Clash,
    ) {
        let (a, b) = (self.unifier.known(&left.ty), self.unifier.known(&right.ty));
        if matches!(a, Ty::Fun(..)) && matches!(b, Ty::Int | Ty::Real) && op.node == BinaryOp::Sub {
            let found = self.show(&a);
            let diagnostic = Diagnostic::error("E0303", left.span, "a number is subtracted from a function", format!("this is `{found}`"))
                .note("`f -1.0` is a difference, not an application")
                .hint("put parentheses around a negative argument, `f (-1.0)`, or give the function its missing arguments");
            self.unifier.report(diagnostic);
            return;
        }
        if matches!(a, Ty::Fun(..)) && !matches!(b, Ty::Fun(..) | Ty::Var(_)) {
            self.report_mismatch(left.span, &a, &b, &Why::Operand(op.node, right.span));
            return;
        }
        let is_structure = |ty: &Ty| matches!(ty, Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_));
        let arithmetic =
            matches!(op.node, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        let number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Real);
        let hint = match (&a, &b) {
            (Ty::Int, Ty::Real) => {
                Some("write `real` before the Int operand to turn it into a Real")
            }
            (Ty::Real, Ty::Int) => {
                Some("write `real` before the Int operand to turn it into a Real")
            }
            (x, y) if arithmetic && number(x) && is_structure(y) && op.node == BinaryOp::Mul => {
                Some("write `*.` to scale by a Real")
            }
            (x, y) if arithmetic && is_structure(x) && number(y) => Some(
                "scale with `s *. v`, the number on the left; for other operations use `[ x + 1.0 | x <- xs ]`",
            ),
            (x, y) if arithmetic && number(x) && is_structure(y) => {
                Some("use a comprehension such as `[ 1.0 + x | x <- xs ]`")
            }
            _ => None,
        };
        let Some(hint) = hint.filter(|_| matches!(clash, Clash::Types)) else {
            self.report_clash(
                right.span,
                &right.ty,
                &left.ty,
                clash,
                &Why::Operand(op.node, left.span),
            );
            return;
        };
        let mut show = crate::show::Show::new(self.typed, &[]);
        let (a, b) = (show.ty(&a), show.ty(&b));
        let text = op.node.text();
        let diagnostic = Diagnostic::error(
            "E0301",
            op.span,
            format!("the operands of `{text}` have different types: `{a}` and `{b}`"),
            "",
        )
        .label(left.span, format!("this is `{a}`"))
        .label(right.span, format!("this is `{b}`"))
        .note("numbers are not converted by themselves")
        .hint(hint);
        self.unifier.report(diagnostic);
    }
}
