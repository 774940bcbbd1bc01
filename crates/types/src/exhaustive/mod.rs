//! Checks of patterns, after inference and before elaboration: a `match` must cover every case, each
//! arm should be reachable, and the patterns of `let`, parameters, loops and comprehensions must
//! always match.
//!
//! Input: a typed program without errors. Output: diagnostics; the program is not changed. The test of
//! one `match` takes a bounded number of steps; beyond it the match is accepted, and a value that no
//! arm fits is a run-time error.

mod matrix;
mod walk;
mod witness;

use pullback_base::Diagnostic;

use crate::tir::{TArm, TExpr, TExprKind, TPat, Typed};
use matrix::{Checker, Pat};
use walk::for_each_child;

/// Errors for missing cases and refutable patterns, warnings for arms that are never reached, over
/// all definitions of all modules.
pub fn check_patterns(typed: &Typed) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for global in typed.globals.iter() {
        check_expr(typed, &global.body, &mut diagnostics);
    }
    diagnostics
}

fn check_expr(typed: &Typed, expr: &TExpr, out: &mut Vec<Diagnostic>) {
    match &expr.kind {
        TExprKind::Match(scrutinee, arms) => check_match(typed, scrutinee, arms, out),
        TExprKind::Let(pattern, _, _) => check_irrefutable(typed, pattern, "`let`", out),
        TExprKind::For(pattern, _, _) => check_irrefutable(typed, pattern, "a comprehension", out),
        TExprKind::Loop { pattern, .. } => check_irrefutable(typed, pattern, "a loop", out),
        TExprKind::Lam(lam) => {
            for param in &lam.params {
                check_irrefutable(typed, &param.pattern, "a parameter", out);
            }
        }
        TExprKind::Local(..)
        | TExprKind::Global(..)
        | TExprKind::Builtin(_)
        | TExprKind::Con(..)
        | TExprKind::IntLit(_)
        | TExprKind::RealLit(_)
        | TExprKind::BoolLit(_)
        | TExprKind::StrLit(_)
        | TExprKind::App(..)
        | TExprKind::LetPoly(..)
        | TExprKind::LetRec(..)
        | TExprKind::If(..)
        | TExprKind::Tuple(_)
        | TExprKind::Record(_)
        | TExprKind::TupleField(..)
        | TExprKind::Field(..)
        | TExprKind::Array(_)
        | TExprKind::Build(..)
        | TExprKind::Index(..)
        | TExprKind::Slice(..)
        | TExprKind::With(..)
        | TExprKind::CheckSizes(..)
        | TExprKind::Error => {}
    }
    for_each_child(expr, &mut |child| check_expr(typed, child, out));
}

fn check_match(typed: &Typed, scrutinee: &TExpr, arms: &[TArm], out: &mut Vec<Diagnostic>) {
    let mut checker = Checker::new(typed);
    let Some(patterns) = arms.iter().map(|arm| Pat::of(&arm.pattern)).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let mut rows = Vec::new();
    for (arm, pattern) in arms.iter().zip(&patterns) {
        let row = vec![pattern];
        if checker.missing(&rows, &row).is_none() {
            out.push(unreachable_arm(arm));
        } else {
            rows.push(row);
        }
    }
    if let Some(witness) = checker.missing(&rows, &[&Pat::Wild]) {
        let missing = witness.first().map_or_else(|| "_".to_owned(), |case| case.show(typed, false));
        out.push(inexhaustive(scrutinee, &missing));
    }
}

fn check_irrefutable(typed: &Typed, pattern: &TPat, place: &str, out: &mut Vec<Diagnostic>) {
    let Some(simple) = Pat::of(pattern) else { return };
    let mut checker = Checker::new(typed);
    let Some(witness) = checker.missing(&[vec![&simple]], &[&Pat::Wild]) else { return };
    let missing = witness.first().map_or_else(|| "_".to_owned(), |case| case.show(typed, false));
    out.push(
        Diagnostic::error(
            "E0502",
            pattern.span,
            format!("this pattern does not match every value, as it must in {place}"),
            format!("does not match `{missing}`"),
        )
        .note("only `match` can choose between cases; everywhere else a pattern just takes a value apart")
        .hint(format!("use `match … with` here and give an arm for `{missing}` too")),
    );
}

fn inexhaustive(scrutinee: &TExpr, missing: &str) -> Diagnostic {
    let rest = if missing == "_" { String::new() } else { ", or `| _ -> …` for all the rest".into() };
    Diagnostic::error(
        "E0501",
        scrutinee.span,
        "this match does not cover every case",
        format!("`{missing}` is not covered"),
    )
    .note("a match must have an arm for every value that can arrive")
    .hint(format!("add an arm `| {missing} -> …`{rest}"))
}

fn unreachable_arm(arm: &TArm) -> Diagnostic {
    Diagnostic::warning(
        "W0501",
        arm.pattern.span,
        "this arm is never reached",
        "the arms above match every such value",
    )
    .note("arms are tried from top to bottom and the first that fits is taken")
    .hint("remove the arm, or move it above the more general ones")
}
