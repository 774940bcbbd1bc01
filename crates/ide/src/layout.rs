//! Where the text of a fix goes, and how it is laid out: arms below the other arms, imports below the other imports. Whoever
//! proposes a fix knows no columns.

use pullback_base::Fix;
use pullback_syntax::ast::{ExprKind, Ident, ItemKind, Pattern, PatternKind};

use crate::edit::Edit;
use crate::file::File;
use crate::walk;
use crate::words::header;

/// The change that a fix is.
pub fn edit(file: &File, fix: &Fix) -> Edit {
    let range = fix.span.range();
    if range == (0..0)
        && let Some(path) =
            fix.text.strip_prefix("import \"").and_then(|it| it.strip_suffix("\"\n"))
    {
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
