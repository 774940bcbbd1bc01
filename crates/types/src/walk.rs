//! The children of a typed expression, in order of evaluation.

use crate::tir::{SizedTy, TAccess, TCheckpoint, TExpr, TExprKind, TLoopForm};

/// Calls `visit` on every direct subexpression.
pub fn for_each_child<'a>(expr: &'a TExpr, visit: &mut dyn FnMut(&'a TExpr)) {
    match &expr.kind {
        TExprKind::Local(..)
        | TExprKind::Global(..)
        | TExprKind::Builtin(_)
        | TExprKind::Con(..)
        | TExprKind::IntLit(_)
        | TExprKind::RealLit(_)
        | TExprKind::BoolLit(_)
        | TExprKind::StrLit(_)
        | TExprKind::Error => {}
        TExprKind::App(fun, args) => {
            visit(fun);
            args.iter().for_each(visit);
        }
        TExprKind::Lam(lam) => {
            for sized in lam.params.iter().filter_map(|param| param.sized.as_ref()) {
                sizes(sized, visit);
            }
            visit(&lam.body);
        }
        TExprKind::Let(_, a, b)
        | TExprKind::LetPoly(_, a, b)
        | TExprKind::Build(_, a, b)
        | TExprKind::For(_, a, b)
        | TExprKind::Index(a, b) => {
            visit(a);
            visit(b);
        }
        TExprKind::LetRec(functions, body) => {
            functions.iter().for_each(|(_, function)| visit(function));
            visit(body);
        }
        TExprKind::If(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        TExprKind::Match(scrutinee, arms) => {
            visit(scrutinee);
            arms.iter().for_each(|arm| visit(&arm.body));
        }
        TExprKind::Tuple(items) | TExprKind::Array(items) => items.iter().for_each(visit),
        TExprKind::Record(fields) => fields.iter().for_each(|(_, value)| visit(value)),
        TExprKind::TupleField(base, _) | TExprKind::Field(base, _) => visit(base),
        TExprKind::Slice(base, range) => {
            visit(base);
            range.iter().for_each(visit);
        }
        TExprKind::With(base, place, value) => {
            visit(base);
            for access in place {
                if let TAccess::Index(index) = access {
                    visit(index);
                }
            }
            visit(value);
        }
        TExprKind::Loop { init, form, checkpoint, body, .. } => {
            visit(init);
            match form {
                TLoopForm::For(_, bound) => visit(bound),
                TLoopForm::While(cond) => visit(cond),
            }
            if let Some(TCheckpoint::Every(steps)) = checkpoint {
                visit(steps);
            }
            visit(body);
        }
        TExprKind::CheckSizes(value, sized) => {
            visit(value);
            sizes(sized, visit);
        }
    }
}

fn sizes<'a>(sized: &'a SizedTy, visit: &mut dyn FnMut(&'a TExpr)) {
    sized.dims.iter().for_each(|dim| visit(&dim.size));
}
