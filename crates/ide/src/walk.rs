//! The expressions inside of an expression, and of a file.

use pullback_syntax::ast::{Access, Clause, Expr, ExprKind, ItemKind, LoopForm, Module, SlicePart};

/// Calls `visit` on every direct subexpression, but for the sizes in types.
pub fn for_each_child<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Lit(_) | ExprKind::Operator(_) | ExprKind::Error => {}
        ExprKind::Tuple(items) | ExprKind::Array(items) => items.iter().for_each(visit),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, value)| visit(value)),
        ExprKind::Comprehension { body, clauses } => {
            for clause in clauses {
                match clause {
                    Clause::Range { bound, .. } => visit(bound),
                    Clause::In { source, .. } => visit(source),
                }
            }
            visit(body);
        }
        ExprKind::App { fun, args } => {
            visit(fun);
            args.iter().for_each(visit);
        }
        ExprKind::Lambda { body, .. } => visit(body),
        ExprKind::Binary { lhs, rhs, .. } => {
            visit(lhs);
            visit(rhs);
        }
        ExprKind::Negate(inner) | ExprKind::Paren(inner) => visit(inner),
        ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => visit(base),
        ExprKind::Index { base, indices } => {
            visit(base);
            indices.iter().for_each(visit);
        }
        ExprKind::Slice { base, parts } => {
            visit(base);
            parts.iter().flat_map(SlicePart::exprs).for_each(visit);
        }
        ExprKind::With { base, place, value } => {
            visit(base);
            for access in place {
                if let Access::Index(indices, _) = access {
                    indices.iter().for_each(&mut *visit);
                }
            }
            visit(value);
        }
        ExprKind::If { cond, then, otherwise } => {
            visit(cond);
            visit(then);
            visit(otherwise);
        }
        ExprKind::Match { scrutinee, arms } => {
            visit(scrutinee);
            arms.iter().for_each(|arm| visit(&arm.body));
        }
        ExprKind::Let { value, body, .. } => {
            visit(value);
            visit(body);
        }
        ExprKind::LetFun { defs, body, .. } => {
            defs.iter().for_each(|def| visit(&def.body));
            visit(body);
        }
        ExprKind::Loop { init, form, checkpoint, body, .. } => {
            visit(init);
            match form {
                LoopForm::For { bound, .. } => visit(bound),
                LoopForm::While(cond) => visit(cond),
            }
            checkpoint.iter().for_each(|steps| visit(steps));
            visit(body);
        }
        ExprKind::Ascribe { expr, .. } => visit(expr),
    }
}

/// All expressions inside of some, themselves included, without recursion.
pub fn all<'e>(roots: impl IntoIterator<Item = &'e Expr>) -> Vec<&'e Expr> {
    let mut todo: Vec<&Expr> = roots.into_iter().collect();
    let mut seen = Vec::new();
    while let Some(expr) = todo.pop() {
        seen.push(expr);
        for_each_child(expr, &mut |child| todo.push(child));
    }
    seen
}

/// The bodies of the definitions of a file.
pub fn bodies(module: &Module) -> impl Iterator<Item = &Expr> {
    module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Def(def) => Some(&def.body),
        ItemKind::Import(_) | ItemKind::Type(_) | ItemKind::Error => None,
    })
}
