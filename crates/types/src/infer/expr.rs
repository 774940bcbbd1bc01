//! Expressions: one entry for inferring a type and one for checking against a known type.
//!
//! Checking passes the expected type down through binders and branches, so that a mistake is reported
//! at the innermost expression that makes it.

use pullback_base::Span;
use pullback_syntax::ast::{Arm, BinaryOp, Expr, ExprKind};

use super::clash::Sizes;
use super::mismatch::Why;
use super::solver::Solver;
use super::state::Infer;
use super::table::Table;
use crate::tir::{LocalId, TArm, TExpr, TExprKind, TLam, TParam, TPat, TPatKind};
use crate::ty::Ty;

/// The type an expression is expected to have, and why.
pub(super) type Want<'w> = Option<(&'w Ty, &'w Why)>;

/// A function of these variables.
pub(super) fn lambda_of(params: &[(LocalId, Ty)], body: TExpr, span: Span) -> TExpr {
    let ty = params
        .iter()
        .rev()
        .fold(body.ty.clone(), |to, (_, from)| Ty::Fun(from.clone().into(), to.into()));
    let param = |(id, ty): &(LocalId, Ty)| TParam {
        pattern: TPat { kind: TPatKind::Var(*id), ty: ty.clone(), span },
        ty: ty.clone(),
        sized: None,
    };
    let lambda = TLam { sizes: vec![], params: params.iter().map(param).collect(), body };
    TExpr { kind: TExprKind::Lam(Box::new(lambda)), ty, span }
}

impl Table {
    /// Whether the tangent type of a sum is a component or field, in a type without arrays: the sizes
    /// of these may differ from branch to branch. Looks at a bounded part of the type.
    fn holds_sum_tangent(&mut self, ty: &Ty) -> bool {
        let mut found = false;
        let mut rest = vec![ty.clone()];
        for _ in 0..1000 {
            let Some(part) = rest.pop() else { return found };
            let head = self.head(&part);
            if let Ty::Array(..) = head {
                return false;
            } else if let Ty::Tuple(parts) = &head {
                rest.extend(parts.iter().cloned());
            } else if let Ty::Record(fields) = &head {
                rest.extend(fields.iter().map(|(_, ty)| ty.clone()));
            } else {
                found |= self.is_sum_tangent(&head);
            }
        }
        false
    }
}

impl<'a> Infer<'a> {
    /// An expression of whatever type it has.
    pub(super) fn infer(&mut self, expr: &'a Expr) -> TExpr {
        self.expr(expr, None)
    }

    /// An expression that must have the type `want`.
    pub(super) fn check(&mut self, expr: &'a Expr, want: &Ty, why: &Why) -> TExpr {
        let head = self.unifier.table.head(want);
        if matches!(head, Ty::Var(_)) {
            let typed = self.expr(expr, None);
            return self.solver().coerce(typed, want, why);
        }
        self.expr(expr, Some((&head, why)))
    }

    /// An expression whose type is wanted, if anything is.
    pub(super) fn sub(&mut self, expr: &'a Expr, want: Want<'_>) -> TExpr {
        match want {
            Some((want, why)) => self.check(expr, want, why),
            None => self.infer(expr),
        }
    }

    fn expr(&mut self, expr: &'a Expr, want: Want<'_>) -> TExpr {
        if self.unifier.reports.has_stopped() {
            return TExpr::error(expr.span);
        }
        let span = expr.span;
        self.unifier.at = span;
        let typed = match &expr.kind {
            ExprKind::Error => TExpr::error(span),
            ExprKind::Paren(inner) => {
                let inner = self.sub(inner, want);
                return TExpr { span, ..inner };
            }
            ExprKind::Name(name) => {
                let head = self.name_head(name, span, want.map(|(ty, _)| ty));
                self.solver().name_value(head)
            }
            ExprKind::Lit(literal) => return self.solver().literal(literal, span, want),
            ExprKind::Operator(_) => {
                let head = self.call_head(expr, None);
                self.solver().name_value(head)
            }
            ExprKind::Tuple(items) => self.tuple(items, span, want),
            ExprKind::Record(fields) => self.record(fields, span, want),
            ExprKind::Array(items) => self.array(items, span, want),
            ExprKind::Comprehension { body, clauses } => {
                self.comprehension(body, clauses, span, want)
            }
            ExprKind::App { fun, args } => {
                self.call(fun, args.iter().collect(), span, want.map(|(ty, _)| ty))
            }
            ExprKind::Lambda { params, body } => self.lambda(params, body, span, want),
            ExprKind::Binary { op, lhs, rhs } if op.node == BinaryOp::Pipe => {
                self.call(rhs, vec![lhs], span, want.map(|(ty, _)| ty))
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(op, lhs, rhs, span),
            ExprKind::Negate(inner) => self.negate(inner, span, want),
            ExprKind::Index { base, indices } => self.index(base, indices, span),
            ExprKind::Slice { base, parts } => self.slice(base, parts, span),
            ExprKind::Field { base, field } => self.field(base, field, span, want),
            ExprKind::TupleField { base, index } => self.tuple_field(base, index, span),
            ExprKind::With { base, place, value } => self.with(base, place, value, span, want),
            ExprKind::If { cond, then, otherwise } => {
                return self.if_else(cond, then, otherwise, span, want);
            }
            ExprKind::Match { scrutinee, arms } => {
                return self.match_with(scrutinee, arms, span, want);
            }
            ExprKind::Let { pattern, ty, value, body } => {
                return self.let_in(pattern, ty.as_deref(), value, body, span, want);
            }
            ExprKind::LetFun { recursive, defs, body } => {
                return self.let_fun(*recursive, defs, body, span, want);
            }
            ExprKind::Loop { pattern, ty, init, form, checkpoint, body } => {
                let (ty, steps) = (ty.as_deref(), checkpoint.as_deref());
                self.repeat(pattern, ty, init, form, steps, body, span, want)
            }
            ExprKind::Ascribe { expr, ty } => self.ascribe(expr, ty, span),
        };
        match want {
            Some((want, why)) => self.solver().coerce(typed, want, why),
            None => typed,
        }
    }

    fn tuple(&mut self, items: &'a [Expr], span: Span, want: Want<'_>) -> TExpr {
        let wanted = match want {
            Some((Ty::Tuple(wanted), why)) if wanted.len() == items.len() => {
                Some((wanted.clone(), why))
            }
            _ => None,
        };
        let part = |(index, item): (usize, &'a Expr)| match &wanted {
            Some((wanted, why)) => self.check(item, &wanted[index], &why.part()),
            None => self.infer(item),
        };
        let items: Vec<TExpr> = items.iter().enumerate().map(part).collect();
        let ty = Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect());
        TExpr { kind: TExprKind::Tuple(items), ty, span }
    }

    fn if_else(
        &mut self,
        cond: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let cond = self.check(cond, &Ty::Bool, &Why::Condition);
        let then = self.in_doubt(|this| this.sub(then, want));
        let why = Why::Branch(then.span);
        let otherwise = self.in_doubt(|this| this.later_branch(otherwise, want, &then.ty, &why));
        let ty = match want {
            Some((want, _)) => want.clone(),
            None => self.solver().join_branch(&then.ty.clone(), &otherwise, &why),
        };
        TExpr { kind: TExprKind::If(Box::new(cond), Box::new(then), Box::new(otherwise)), ty, span }
    }

    /// A branch after one of type `first`. Where that holds the tangent type of a sum, so does this
    /// one's: its constructors alone would be taken for those of the sum.
    pub(super) fn later_branch(
        &mut self,
        branch: &'a Expr,
        want: Want<'_>,
        first: &Ty,
        why: &Why,
    ) -> TExpr {
        if want.is_none() && self.unifier.table.holds_sum_tangent(first) {
            return self.check(branch, first, why);
        }
        self.sub(branch, want)
    }

    fn match_with(
        &mut self,
        scrutinee: &'a Expr,
        arms: &'a [Arm],
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let scrutinee = self.infer(scrutinee);
        let mut joined: Option<(Ty, Span)> = None;
        let mut typed = Vec::with_capacity(arms.len());
        for arm in arms {
            let (pattern, body) = self.scoped(|this| {
                let pattern =
                    this.bind_pattern(&arm.pattern, &scrutinee.ty, &Why::Scrutinee(scrutinee.span));
                let body = this.in_doubt(|this| match &joined {
                    Some((ty, first)) => {
                        this.later_branch(&arm.body, want, ty, &Why::Branch(*first))
                    }
                    None => this.sub(&arm.body, want),
                });
                (pattern, body)
            });
            let mut body = body;
            body.ty = self.unifier.leave_scope(&body.ty);
            if want.is_none() {
                joined = Some(match joined {
                    None => (body.ty.clone(), body.span),
                    Some((ty, first)) => {
                        (self.solver().join_branch(&ty, &body, &Why::Branch(first)), first)
                    }
                });
            }
            typed.push(TArm { pattern, body, span: arm.span });
        }
        let ty = match (want, joined) {
            (Some((want, _)), _) => want.clone(),
            (None, Some((ty, _))) => ty,
            (None, None) => Ty::Error,
        };
        TExpr { kind: TExprKind::Match(Box::new(scrutinee), typed), ty, span }
    }
}

impl Solver<'_> {
    /// The common type of a branch and those before it.
    pub(super) fn join_branch(&mut self, ty: &Ty, branch: &TExpr, why: &Why) -> Ty {
        if self.report_unlike_literal(branch, ty, why) {
            return Ty::Error;
        }
        let before = std::mem::replace(&mut self.unifier.at, branch.span);
        let joined = match self.unify(&branch.ty, ty, Sizes::Join) {
            Ok(_) => self.unifier.join(ty, &branch.ty),
            Err(clash) => self.report_clash(branch.span, &branch.ty, ty, &clash, why).ty(),
        };
        self.unifier.at = before;
        joined
    }
}
