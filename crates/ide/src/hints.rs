//! Types with sizes beside what is written without: results and parameters of definitions, names that `let` binds,
//! states of loops.

use std::ops::Range;

use pullback_syntax::ast::{Def, Expr, ExprKind, ItemKind, Param, Pattern, PatternKind};

use crate::file::File;
use crate::walk;
use crate::words::{arrows, scheme};

/// A type that is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Behind what.
    pub offset: usize,
    /// The type with its colon.
    pub text: String,
    /// Whether the text could stand there as it is.
    pub can_be_written: bool,
}

/// The types that are not written in a part of a file, in the order of the text.
pub fn hints(file: &File, part: Range<usize>) -> Vec<Hint> {
    let module = &file.main().module;
    let mut found = vec![];
    for item in &module.items {
        let ItemKind::Def(def) = &item.kind else { continue };
        let range = item.span.range();
        if range.start > part.end || range.end < part.start {
            continue;
        }
        params(file, &def.params, &mut found);
        found.extend(result(file, def));
        for expr in walk::all([&def.body]) {
            inside(file, expr, &mut found);
        }
    }
    found.retain(|hint| part.start <= hint.offset && hint.offset <= part.end);
    found.sort_by_key(|hint| hint.offset);
    found
}

/// The type of the result of a definition.
pub fn result(file: &File, def: &Def) -> Option<Hint> {
    if def.result.is_some() || def.is_broken {
        return None;
    }
    let ty = scheme(file, def).filter(|ty| !ty.contains("=>"))?;
    let parts = arrows(ty);
    let rest = parts.get(def.params.len()..).filter(|rest| !rest.is_empty())?;
    let last = def.params.last().map(|param| {
        param.ty.as_ref().map_or(param.pattern.span, |ty| ty.span.to(param.pattern.span))
    });
    let end = last.or(def.sizes.last().map(|size| size.span)).unwrap_or(def.name.span);
    let text = file.text();
    // Brackets around a parameter or a size are no part of it.
    let behind = &text[end.range().end..];
    let closing = behind.len() - behind.trim_start_matches([')', ']']).len();
    let offset = end.range().end + closing;
    Some(Hint { offset, text: format!(": {}", rest.join(" -> ")), can_be_written: true })
}

fn params(file: &File, params: &[Param], found: &mut Vec<Hint>) {
    let untyped = params.iter().filter(|param| param.ty.is_none());
    untyped.for_each(|param| names(file, &param.pattern, false, found));
}

/// What an expression binds.
fn inside(file: &File, expr: &Expr, found: &mut Vec<Hint>) {
    let is_name = |pattern: &Pattern| matches!(pattern.kind, PatternKind::Var(_));
    if let ExprKind::Let { pattern, ty: None, value, .. } = &expr.kind {
        if !matches!(value.kind, ExprKind::Lit(_) | ExprKind::Lambda { .. }) {
            names(file, pattern, is_name(pattern), found);
        }
    } else if let ExprKind::Loop { pattern, ty: None, .. } = &expr.kind {
        names(file, pattern, is_name(pattern), found);
    } else if let ExprKind::LetFun { defs, .. } = &expr.kind {
        defs.iter().for_each(|def| params(file, &def.params, found));
    }
}

/// The types of the names in a pattern.
fn names(file: &File, pattern: &Pattern, can_be_written: bool, found: &mut Vec<Hint>) {
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        match &pattern.kind {
            PatternKind::Var(_) => {
                let item = file.analysis.exactly(pattern.span.range());
                found.extend(item.map(|item| Hint {
                    offset: pattern.span.range().end,
                    text: format!(": {}", item.ty),
                    can_be_written,
                }));
            }
            PatternKind::Tuple(items) => todo.extend(items),
            PatternKind::Record(fields) => {
                todo.extend(fields.iter().filter_map(|(_, field)| field.as_ref()));
            }
            PatternKind::Con { args, .. } => todo.extend(args),
            PatternKind::As { pattern, .. } | PatternKind::Paren(pattern) => todo.push(pattern),
            // Its type is written.
            PatternKind::Ascribe { .. }
            | PatternKind::Wildcard
            | PatternKind::Lit { .. }
            | PatternKind::Error => {}
        }
    }
}
