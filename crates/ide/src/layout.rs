//! Where the text of a fix goes, and how it is laid out: arms below the other arms, imports below the other imports. Whoever
//! proposes a fix knows no columns.

use pullback_base::{Fix, Hint};
use pullback_syntax::ast::{Expr, ExprKind, Ident, Import, ItemKind, Pattern, PatternKind};

use crate::edit::Edit;
use crate::file::File;
use crate::walk;
use crate::words::header;

/// The changes that a hint proposes, in the order of the text; none if one of them is not of this file.
pub fn edits(file: &File, hint: &Hint) -> Vec<Edit> {
    if hint.fixes.iter().any(|fix| !file.has(fix.span)) {
        return vec![];
    }
    // A name of a module that is imported under another name needs no second import, which would be proposed here.
    let mut imports = hint.fixes.iter().filter_map(imported);
    let is_known = |path| imports_of(file).any(|import| import.path.node == path);
    if hint.fixes.len() > 1 && imports.any(is_known) {
        return vec![];
    }
    let mut fixes = hint.fixes.clone();
    if let [open, close] = fixes.as_mut_slice() {
        leave_parentheses_out(file, open, close);
    }
    let mut edits: Vec<Edit> = fixes.iter().map(|fix| edit(file, fix)).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// Takes those parentheses out of what is written around an expression that it needs not: those in `(real (x))`.
fn leave_parentheses_out(file: &File, open: &mut Fix, close: &mut Fix) {
    let (from, to) = (open.span.range(), close.span.range());
    if !(from.is_empty() && to.is_empty() && close.text.ends_with(')')) {
        return;
    }
    let is_it = |expr: &Expr| expr.span.range() == (from.start..to.end);
    let all = walk::all(walk::bodies(&file.main().module));
    // What is no expression of a body, such as a size in a type, keeps its parentheses.
    if !all.iter().any(|expr| is_it(expr)) {
        return;
    }
    let is_atom = all.iter().any(|expr| is_it(expr) && is_atom(expr));
    if is_atom && close.text.starts_with(')') && open.text.ends_with('(') {
        open.text.pop();
        close.text.remove(0);
    }
    let is_part = all.iter().any(|expr| match &expr.kind {
        ExprKind::App { fun, args } => is_it(fun) || args.iter().any(is_it),
        ExprKind::Field { base, .. }
        | ExprKind::TupleField { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Slice { base, .. } => is_it(base),
        ExprKind::Name(_)
        | ExprKind::Lit(_)
        | ExprKind::Operator(_)
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Record(_)
        | ExprKind::Comprehension { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Negate(_)
        | ExprKind::Paren(_)
        | ExprKind::With { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Let { .. }
        | ExprKind::LetFun { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Ascribe { .. }
        | ExprKind::Error => false,
    });
    // What begins with a keyword reaches as far as it can.
    let is_call =
        open.text.len() > 1 && open.text.starts_with('(') && !open.text.starts_with("(if ");
    if is_call && !is_part && close.text.ends_with(')') {
        open.text.remove(0);
        close.text.pop();
    }
}

/// Whether an expression needs no parentheses as an argument.
fn is_atom(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_)
            | ExprKind::Lit(_)
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Record(_)
            | ExprKind::Paren(_)
            | ExprKind::Comprehension { .. }
            | ExprKind::Field { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Ascribe { .. }
    )
}

/// The module that a fix imports, if it is an import.
fn imported(fix: &Fix) -> Option<&str> {
    let is_top = fix.span.range() == (0..0);
    fix.text.strip_prefix("import \"")?.strip_suffix("\"\n").filter(|_| is_top)
}

/// What a file imports.
fn imports_of(file: &File) -> impl Iterator<Item = &Import> {
    file.main().module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Import(import) => Some(import),
        ItemKind::Type(_) | ItemKind::Def(_) | ItemKind::Error => None,
    })
}

/// The change that a fix is.
fn edit(file: &File, fix: &Fix) -> Edit {
    let range = fix.span.range();
    if let Some(path) = imported(fix) {
        return import(file, path);
    }
    let text = fix.text.as_str();
    let text = if text.contains('\n') { below(file, range.start, text) } else { text.to_owned() };
    Edit { range, text }
}

/// Lines at the beginning or the end of an arm: each below it, or in the same line if the arm does not begin one.
fn below(file: &File, offset: usize, text: &str) -> String {
    let all = walk::all(walk::bodies(&file.main().module));
    let arms = all.into_iter().filter_map(|expr| {
        if let ExprKind::Match { arms, .. } = &expr.kind { arms.last() } else { None }
    });
    let ends = arms.filter(|arm| {
        let span = arm.span.range();
        span.start == offset || span.end == offset
    });
    let Some(arm) = ends.min_by_key(|arm| arm.span.range().len()) else {
        return text.to_owned();
    };
    let start = arm.span.range().start;
    let line = file.text()[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = file.text()[line..start].trim_end();
    let indentation = before.strip_suffix('|').filter(|before| before.trim().is_empty());
    let line_break = indentation.map_or(" ".to_owned(), |blanks| format!("\n{blanks}"));
    let lines = text.split('\n').map(|line| qualified(line, qualifier(&arm.pattern)));
    lines.collect::<Vec<_>>().join(&line_break)
}

/// The module of a pattern's constructor, as it is written.
fn qualifier(pattern: &Pattern) -> Option<&Ident> {
    if let PatternKind::Con { path, .. } = &pattern.kind { path.module.as_deref() } else { None }
}

/// An arm whose constructor is looked up in a module, as those of the other arms are.
fn qualified(arm: &str, module: Option<&Ident>) -> String {
    let (bar, pattern) = arm.strip_prefix("| ").map_or(("", arm), |pattern| ("| ", pattern));
    match module {
        Some(module) if pattern.starts_with(|first: char| first.is_ascii_uppercase()) => {
            format!("{bar}{}.{pattern}", module.node)
        }
        Some(_) | None => arm.to_owned(),
    }
}

/// An import of a module: behind the other imports, else below what the file begins with.
pub fn import(file: &File, module: &str) -> Edit {
    let text = file.text();
    let items = file.main().module.items.iter();
    let mut imports = items.filter(|item| matches!(item.kind, ItemKind::Import(_)));
    let line = format!("import \"{module}\"");
    if let Some(last) = imports.next_back() {
        let end = last.span.range().end;
        return match text[end..].find('\n') {
            Some(line_end) => Edit::insert(end + line_end + 1, line + "\n"),
            None => Edit::insert(text.len(), format!("\n{line}\n")),
        };
    }
    let header = if header(text).is_empty() { 0 } else { header_end(text) };
    Edit::insert(header, line + "\n\n")
}

/// Where the line behind the first comment and a blank line begins; 0 if the comment belongs to what follows.
fn header_end(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if line.trim().is_empty() {
            return end;
        }
        if !line.starts_with("--") {
            return 0;
        }
    }
    0
}
