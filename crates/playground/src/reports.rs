//! Diagnostics as JSON: each as it is printed, and where in the program it is.

use pullback_base::{Diagnostic, SourceMap, Style, render};
use serde_json::{Value as Json, json};

use crate::offsets::Offsets;

/// Diagnostics about the program and what was asked of it; `name` is what the program is called.
pub(crate) fn reports(sources: &SourceMap, found: &[Diagnostic], name: &str) -> Json {
    found.iter().map(|diagnostic| report(sources, diagnostic, name)).collect()
}

fn report(sources: &SourceMap, diagnostic: &Diagnostic, name: &str) -> Json {
    let span = diagnostic.span();
    let here = !span.is_none() && sources.name(span.file) == name;
    let place = here.then(|| {
        let (from, to) = Offsets::of(sources.text(span.file)).units(&span.range());
        json!({ "from": from, "to": to, "line": sources.line_col(span.start()).line })
    });
    json!({
        "code": diagnostic.code,
        "isError": diagnostic.is_error(),
        "title": diagnostic.title,
        "text": render(sources, diagnostic, Style::Plain),
        "place": place,
    })
}
