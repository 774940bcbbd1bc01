//! How variables are used: how often, and whether only by their components; and which variables a
//! function captures.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::{Expr, ExprKind, LoopForm, Program, VarId};

/// How each variable of a program is used.
pub(super) struct Uses {
    vars: Vec<Use>,
}

#[derive(Clone, Default)]
struct Use {
    whole: bool,
    fields: BTreeSet<usize>,
}

impl Uses {
    /// Looks through a whole program.
    pub(super) fn of(program: &Program) -> Self {
        let mut uses = Self { vars: vec![Use::default(); program.vars.len()] };
        for def in program.defs.iter() {
            uses.visit(&def.body);
        }
        uses
    }

    fn visit(&mut self, expr: &Expr) {
        if let ExprKind::Proj(base, index) = &expr.kind
            && let ExprKind::Var(var) = base.kind
        {
            self.vars[var.0 as usize].fields.insert(*index);
            return;
        }
        if let ExprKind::Var(var) = expr.kind {
            self.vars[var.0 as usize].whole = true;
        }
        each_child(expr, &mut |child| self.visit(child));
    }

    /// Whether the variable occurs at all.
    pub(super) fn is_used(&self, var: VarId) -> bool {
        let found = &self.vars[var.0 as usize];
        found.whole || !found.fields.is_empty()
    }

    /// Which of its components are used, if it is never used as a whole.
    pub(super) fn fields_only(&self, var: VarId, count: usize) -> Option<Vec<bool>> {
        let found = &self.vars[var.0 as usize];
        (!found.whole).then(|| (0..count).map(|index| found.fields.contains(&index)).collect())
    }
}

/// Calls `f` on each direct subterm, in order of evaluation.
pub(super) fn each_child<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Lit(_) => {}
        ExprKind::Prim(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::Con(_, args)
        | ExprKind::Array(args)
        | ExprKind::Ad(_, args) => args.iter().for_each(f),
        ExprKind::Lam(_, body) => f(body),
        ExprKind::App(function, args) => {
            f(function);
            args.iter().for_each(f);
        }
        ExprKind::Let(_, bound, body) => {
            f(bound);
            f(body);
        }
        ExprKind::LetRec(functions, body) => {
            functions.iter().for_each(|(_, function)| f(function));
            f(body);
        }
        ExprKind::If(cond, then, other) => {
            f(cond);
            f(then);
            f(other);
        }
        ExprKind::Proj(base, _) => f(base),
        ExprKind::Match(scrutinee, arms, default) => {
            f(scrutinee);
            arms.iter().for_each(|arm| f(&arm.body));
            if let Some(default) = default {
                f(default);
            }
        }
        ExprKind::Build { size, body, .. } => {
            f(size);
            f(body);
        }
        ExprKind::Loop { init, form, body, .. } => {
            f(init);
            match form {
                LoopForm::For { count, .. } => f(count),
                LoopForm::While(cond) => f(cond),
            }
            f(body);
        }
    }
}

/// The variables that occur in `exprs` and are bound outside, in order of first occurrence.
/// Binders are unique, so it is enough to leave out all that are bound anywhere inside.
pub(super) fn free_variables<'e>(exprs: impl Iterator<Item = &'e Expr>) -> Vec<VarId> {
    let mut found = Free { bound: FxHashSet::default(), seen: FxHashSet::default(), order: vec![] };
    for expr in exprs {
        found.visit(expr);
    }
    let Free { bound, order, .. } = found;
    order.into_iter().filter(|var| !bound.contains(var)).collect()
}

struct Free {
    bound: FxHashSet<VarId>,
    seen: FxHashSet<VarId>,
    order: Vec<VarId>,
}

impl Free {
    fn visit(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => {
                if self.seen.insert(*var) {
                    self.order.push(*var);
                }
            }
            ExprKind::Lam(params, _) => self.bound.extend(params),
            ExprKind::Let(var, ..) | ExprKind::Build { var, .. } => {
                self.bound.insert(*var);
            }
            ExprKind::LetRec(functions, _) => {
                self.bound.extend(functions.iter().map(|(var, _)| *var));
            }
            ExprKind::Match(_, arms, _) => {
                self.bound.extend(arms.iter().flat_map(|arm| arm.vars.iter()));
            }
            ExprKind::Loop { var, form, .. } => {
                self.bound.insert(*var);
                if let LoopForm::For { var, .. } = form {
                    self.bound.insert(*var);
                }
            }
            ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::App(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Ad(..) => {}
        }
        each_child(expr, &mut |child| self.visit(child));
    }
}
