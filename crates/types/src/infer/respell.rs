//! What mends a call of a function that only other languages have, where that hangs on the arguments.
//!
//! ```text
//! mod a b,  mod (a, b),  a mod b      a % b
//! where (c, a, b)                     array.choose c a b
//! xs.sum()                            sum xs
//! ```
//!
//! Input: a call of which something was reported. Output: changes in the hints of these reports.

use pullback_base::Fix;
use pullback_syntax::ast::{Expr, ExprKind};

use super::callee::CallPlaces;
use super::foreign::{is_foreign_package, operator};
use super::names::shelf_import;
use super::state::Infer;
use super::table::Table;
use crate::ty::Ty;

impl Infer<'_> {
    /// Adds the changes to what was reported since there were so many reports; `head` is the type of what is applied.
    pub(super) fn mend_call(&mut self, fun: &Expr, head: &Ty, args: &[&Expr], told: usize) {
        let places = CallPlaces::of(fun.span, args);
        let reports = &mut self.unifier.reports;
        if let ExprKind::Name(name) = &fun.kind {
            reports.mend(told, fun.span, called(name, &places));
        } else if let ExprKind::Field { base, field } = &fun.kind {
            if matches!(&base.kind, ExprKind::Name(package) if is_foreign_package(package)) {
                reports.mend(told, base.span, called(&field.node, &places));
            } else if let [arg] = args
                && is_unit(arg)
            {
                reports.widen_last(told, base.span, fun.span.end().to(arg.span));
            }
        }
        for (before, arg) in args.iter().enumerate() {
            let ExprKind::Name(name) = &arg.kind else { continue };
            let Some(operator) = operator(name) else { continue };
            let text = if takes_more(&mut self.unifier.table, head, before) {
                format!("({operator})")
            } else if before + 1 < args.len() {
                operator.to_owned()
            } else {
                continue;
            };
            self.unifier.reports.mend(told, arg.span, vec![Fix::new(arg.span, text)]);
        }
    }
}

fn is_unit(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Tuple(parts) if parts.is_empty())
}

/// Whether a function of this type still waits for an argument after so many.
fn takes_more(table: &mut Table, head: &Ty, arguments: usize) -> bool {
    let mut at = table.head(head);
    for _ in 0..arguments {
        let Ty::Fun(_, to) = &at else { return false };
        at = table.head(&to.clone());
    }
    matches!(at, Ty::Fun(..))
}

/// What makes the call of a function of this name one of this language.
fn called(name: &str, places: &CallPlaces) -> Vec<Fix> {
    if let Some(operator) = operator(name) {
        return places.infix(operator);
    }
    match name {
        "where" => chosen(places),
        _ => vec![],
    }
}

/// What makes `array.choose c a b` of `where c a b`.
fn chosen(places: &CallPlaces) -> Vec<Fix> {
    let mut fixes = places.renamed("array.choose", 3);
    let import = fixes.first().map(|fix| shelf_import("array", fix.span.file));
    fixes.extend(import);
    fixes
}
