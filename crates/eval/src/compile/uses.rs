//! How variables are used: whether at all, and whether only by their components.

use std::collections::BTreeSet;

use pullback_lambda::{Expr, ExprKind, Program, VarId};

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
        expr.for_each_child(&mut |child| self.visit(child));
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
