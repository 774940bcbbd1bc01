//! Checks of patterns, after inference and before elaboration: a `match` must cover every case, each
//! arm should be reachable, and the patterns of `let`, parameters, loops and comprehensions must
//! always match.
//!
//! Input: a typed program without errors. Output: diagnostics; the program is not changed. The test of
//! one `match` takes a bounded number of steps; beyond it the match is accepted, and a value that no
//! arm fits is a run-time error.

mod matrix;
mod pattern;
mod witness;

use std::ops::Range;

use pullback_base::{Diagnostic, Fix, Span};

use crate::tir::{TArm, TExpr, TExprKind, TPat, TPatKind, Typed};
use crate::ty::Ty;
use crate::walk::for_each_child;
use matrix::{Checker, Row};
use pattern::Pat;

/// The most missing cases that one message names.
const MAX_CASES: usize = 4;
/// The most missing cases that one fix writes arms for.
const MAX_ARMS: usize = 32;

/// Errors for missing cases and refutable patterns, warnings for arms that are never reached, in all
/// definitions but so many that come first.
pub fn check_patterns(typed: &Typed, first: usize) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for global in typed.globals.iter().skip(first) {
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
    let Some(patterns) = patterns_of(arms) else { return };
    let mut checker = Checker::new(typed, arms.len());
    let useful = checker.useful(&patterns);
    let mut rows = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        if useful[index] {
            rows.push(vec![pattern]);
            continue;
        }
        let cover = patterns[..index].iter().position(|above| checker.covers(above, pattern));
        let before = index.checked_sub(1).map(|before| arms[before].span);
        let cover = cover.map(|above| &arms[above]);
        out.push(unreachable_arm(typed, &arms[index], before, cover));
    }
    let missing = missing_cases(typed, &mut checker, rows, MAX_ARMS);
    if !missing.is_empty() {
        let end = arms.last().map(|arm| End::of(typed, arm, &patterns));
        out.push(inexhaustive(scrutinee, &missing, end));
    }
}

fn patterns_of(arms: &[TArm]) -> Option<Vec<Pat>> {
    arms.iter().map(|arm| Pat::of(&arm.pattern)).collect()
}

/// Cases that the rows do not cover: all of them, if there are no more than `most`.
fn missing_cases(
    typed: &Typed,
    checker: &mut Checker<'_>,
    rows: Vec<Row<'_>>,
    most: usize,
) -> Vec<String> {
    let mut shown = Vec::new();
    let mut found: Vec<Pat> = Vec::new();
    while found.len() < most {
        let mut all = rows.clone();
        all.extend(found.iter().map(|pattern| vec![pattern]));
        let Some(case) = checker.missing(&all) else { break };
        shown.push(if case.is_vague() { "_".to_owned() } else { case.show(typed, false) });
        found.push(case.pattern());
    }
    shown
}

/// The arms of a `match` from the first on behind which none is reached: perhaps those of an outer one.
fn foreign_arms<'t>(typed: &Typed, body: &'t TExpr) -> Option<(&'t [TArm], &'t [TArm])> {
    let TExprKind::Match(_, arms) = &body.kind else { return None };
    let useful = Checker::new(typed, arms.len()).useful(&patterns_of(arms)?);
    let own = useful.iter().rposition(|useful| *useful)? + 1;
    (own < arms.len()).then(|| arms.split_at(own))
}

/// What puts the `match` of the last arm in parentheses, if the arms that it takes are those that are missing.
fn parentheses(typed: &Typed, body: &TExpr, patterns: &[Pat]) -> Option<[Fix; 2]> {
    let (own, foreign) = foreign_arms(typed, body)?;
    let foreign = patterns_of(foreign)?;
    let rows: Vec<Row<'_>> = patterns.iter().chain(&foreign).map(|pattern| vec![pattern]).collect();
    let is_all = missing_cases(typed, &mut Checker::new(typed, rows.len()), rows, 1).is_empty();
    let end = own.last()?.span;
    is_all.then(|| Fix::around(body.span.start().to(end), "(", ")"))
}

fn check_irrefutable(typed: &Typed, pattern: &TPat, place: &str, out: &mut Vec<Diagnostic>) {
    let Some(simple) = Pat::of(pattern) else { return };
    let cases = missing_cases(typed, &mut Checker::new(typed, 1), vec![vec![&simple]], 1);
    let Some(case) = cases.first() else { return };
    let label = if case == "_" {
        "other values do not fit".to_owned()
    } else {
        format!("`{case}` does not fit")
    };
    out.push(
        Diagnostic::error(
            "E0502",
            pattern.span,
            format!("a pattern in {place} must match every value"),
            label,
        )
        .note("only `match` can choose between cases; everywhere else a pattern just takes a value apart")
        .hint(format!("give the whole value a name and use `match` on it, with an arm `| {case} -> …` too")),
    );
}

/// How a `match` ends.
struct End {
    /// The last arm.
    arm: Span,
    /// Whether it takes arms that are perhaps those of this match, and what gives them back.
    swallows: Option<Vec<Fix>>,
    /// Whether it would take an arm that is written behind it.
    is_open: bool,
}

impl End {
    /// The last arm of a match with these patterns.
    fn of(typed: &Typed, arm: &TArm, patterns: &[Pat]) -> Self {
        let end = arm.span.range().end;
        let mut is_open = false;
        let mut todo = vec![&arm.body];
        while let Some(expr) = todo.pop() {
            // A match in parentheses ends before the arm does.
            if let TExprKind::Match(_, arms) = &expr.kind {
                is_open |= arms.last().is_some_and(|arm| arm.span.range().end == end);
            }
            for_each_child(expr, &mut |child| todo.push(child));
        }
        let is_same = |foreign: &TArm| {
            let of_any_type = matches!(foreign.pattern.kind, TPatKind::Wild);
            of_any_type || foreign.pattern.ty == arm.pattern.ty
        };
        let swallows = foreign_arms(typed, &arm.body).map(|(_, foreign)| {
            let fits = foreign.iter().all(is_same);
            let fixes = fits.then(|| parentheses(typed, &arm.body, patterns)).flatten();
            fixes.into_iter().flatten().collect()
        });
        Self { arm: arm.span, swallows, is_open }
    }
}

/// The arms that are missing, as they are written behind the last one, or else before its pattern.
fn arms_to_write(missing: &[String], last: &End) -> (Span, String) {
    let arms = missing.iter().map(|case| format!("{case} -> error \"not written yet\""));
    if last.is_open {
        return (last.arm.start(), arms.map(|arm| arm + "\n| ").collect());
    }
    let Range { end, .. } = last.arm.range();
    (Span::new(last.arm.file, end, end), arms.map(|arm| format!("\n| {arm}")).collect())
}

fn inexhaustive(scrutinee: &TExpr, missing: &[String], last: Option<End>) -> Diagnostic {
    let (all, missing) = (missing, &missing[..missing.len().min(MAX_CASES)]);
    let quoted: Vec<_> = missing.iter().map(|case| format!("`{case}`")).collect();
    let label = match quoted.as_slice() {
        [only] if only == "`_`" => "values other than those in the arms are not covered".to_owned(),
        [only] => format!("{only} is not covered"),
        several if several.len() < MAX_CASES => format!("{} are not covered", several.join(", ")),
        several => format!("{} and perhaps more are not covered", several.join(", ")),
    };
    let arms: Vec<_> = missing.iter().map(|case| format!("| {case} -> …")).collect();
    let diagnostic =
        Diagnostic::error("E0501", scrutinee.span, "this match does not cover every case", label)
            .note("a match must have an arm for every value that can arrive");
    if let Some(fixes) = last.as_ref().and_then(|last| last.swallows.clone()) {
        return diagnostic.fixes(
            "put the inner `match` in parentheses: without them it takes all arms that follow",
            fixes,
        );
    }
    let rest = if missing == ["_"] { "" } else { ", or `| _ -> …` for all the rest" };
    let words = format!("add `{}`{rest}", arms.join(" "));
    match last {
        Some(last) => {
            let (place, text) = arms_to_write(all, &last);
            diagnostic.fix(words, place, text)
        }
        None => diagnostic.hint(words),
    }
}

/// An arm that is never reached, behind the arm at `before`.
fn unreachable_arm(
    typed: &Typed,
    arm: &TArm,
    before: Option<Span>,
    cover: Option<&TArm>,
) -> Diagnostic {
    let span = arm.pattern.span;
    let removal = before.map(|before| Fix::new(before.end().to(arm.span), ""));
    let diagnostic =
        Diagnostic::warning("W0501", span, "this arm is never reached", "never reached")
            .note("arms are tried from top to bottom and the first that fits is taken");
    let Some(cover) = cover else {
        return diagnostic.fixes("remove the arm: those above cover every case together", removal);
    };
    let diagnostic = diagnostic.label(cover.pattern.span, "this already matches all of it");
    match meant_constructor(typed, &cover.pattern) {
        Some(name) => diagnostic.fix(
            format!(
                "a lower-case name matches everything: write `{name}` if the constructor is meant"
            ),
            cover.pattern.span,
            name,
        ),
        None => diagnostic.fixes("remove the arm, or move it above the more general one", removal),
    }
}

/// The constructor that a variable pattern may be a misspelling of.
fn meant_constructor<'t>(typed: &'t Typed, pattern: &TPat) -> Option<&'t str> {
    let (TPatKind::Var(local), Ty::Sum(decl, _)) = (&pattern.kind, &pattern.ty) else {
        return None;
    };
    let written = &typed.locals[*local].name;
    let mut names =
        typed.types[*decl].constructors.iter().map(|constructor| constructor.name.as_str());
    names.find(|name| name.eq_ignore_ascii_case(written))
}
