//! `check`, `fmt`, `explain`: what needs no evaluation.

use std::path::Path;

use pullback_base::{CODES, Diagnostic, Span, nearest};
use pullback_types::{leftovers, type_like_variables};

use crate::expected::{check_lines, infer_with_expectations, load_with_expectations};
use crate::knossos;
use crate::load::Modules;
use crate::pipeline::Inferred;
use crate::query::{Query, Stop};
use crate::stdlib;

/// Reports every mistake in a file, the files it imports and its expectations.
pub fn check(query: &mut Query<'_>, path: &Path) {
    check_and(query, path, |_, _| {});
}

/// As [`check`]; then `look` sees the program, as far as there is one. What was loaded comes back.
pub fn check_and(
    query: &mut Query<'_>,
    path: &Path,
    look: impl FnOnce(&Modules, &Inferred<'_>),
) -> Option<Modules> {
    let mut loaded = None;
    if let Ok((modules, lines)) = load_with_expectations(query, path) {
        let (inferred, ids) = infer_with_expectations(query, &modules, &lines);
        check_lines(query, &inferred, &lines, &ids);
        let module = &modules.main().module;
        // Where something is wrong, what is meant is not known, and so not what is left over. What a program of Knossos
        // leaves over is of no concern: its translation binds more than it needs.
        if !query.has_errors() && modules.main().knossos.is_none() {
            let beside: Vec<_> = lines.iter().flat_map(|line| line.kind.expressions()).collect();
            query.diagnostics.extend(leftovers(module, &beside));
        }
        query.diagnostics.extend(type_like_variables(module));
        look(&modules, &inferred);
        drop(inferred);
        loaded = Some(modules);
    }
    query.sort_diagnostics();
    loaded
}

/// A file's text before and after formatting. A file with syntax errors is not formatted.
pub fn fmt(query: &mut Query<'_>, path: &Path) -> Result<(String, String), Stop> {
    let file = query.read_text(path)?;
    let text = query.sources.text(file).to_owned();
    if knossos::is_program(path) {
        let formatted = knossos::format(query, file)?;
        return Ok((text, formatted));
    }
    let parse = pullback_syntax::parse(&text, file);
    query.diagnostics.extend(parse.diagnostics);
    query.stop_on_errors()?;
    let formatted = pullback_syntax::format_file(&text, file).map_err(|_| Stop)?;
    Ok((text, formatted))
}

/// The page of a diagnostic's code.
pub fn explain(query: &mut Query<'_>, code: &str) -> Result<&'static str, Stop> {
    let code = code.trim().to_ascii_uppercase();
    if let Some(page) = stdlib::page(&code) {
        return Ok(page);
    }
    let title = format!("there is no diagnostic `{code}`");
    let diagnostic = Diagnostic::error("E0814", Span::NONE, title, "");
    // `e301`, `E301` and `301` mean E0301.
    let digits = code.trim_start_matches('E');
    if let Some(page) = stdlib::page(&format!("E{digits:0>4}")) {
        return Ok(page);
    }
    let family = code.get(..3).unwrap_or(&code);
    let known = CODES.iter().map(|(code, _)| *code).filter(|known| known.starts_with(family));
    query.fail(match nearest(&code, known) {
        Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
        None => diagnostic.hint("codes look like E0301; every message begins with its code"),
    })
}
