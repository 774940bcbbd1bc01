//! The only renderer of diagnostics: rustc's look, through `annotate-snippets`.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{Diagnostic, FileId, Severity, SourceMap};

/// Plain text, or with terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape codes.
    Plain,
    /// ANSI colours.
    Colour,
}

/// Renders one diagnostic: code, title, file, line, column, excerpt, carets, notes and hints.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&*diagnostic.title).id(diagnostic.code));
    for file in files_of(diagnostic) {
        group = group.element(snippet(sources, diagnostic, file));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(&**hint));
    }
    renderer.render(&[group])
}

/// The files of the labels, each once, in label order.
fn files_of(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

fn snippet<'a>(
    sources: &'a SourceMap,
    diagnostic: &'a Diagnostic,
    file: FileId,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = sources.text(file);
    let mut snippet = Snippet::source(text).path(sources.name(file)).fold(true);
    for (index, label) in diagnostic.labels.iter().enumerate() {
        if label.span.file != file {
            continue;
        }
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let range = snapped(text, label.span.range());
        let annotation = kind.span(range);
        snippet = snippet.annotation(if label.text.is_empty() {
            annotation
        } else {
            annotation.label(&*label.text)
        });
    }
    snippet
}

/// Moves a range into the text and onto character boundaries.
fn snapped(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut start = range.start.min(text.len());
    let mut end = range.end.clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn shows_place_excerpt_note_and_hint() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.pull", "def f x =\n  y\n");
        let diagnostic =
            Diagnostic::error("E0201", Span::new(file, 12, 13), "unknown name `y`", "not in scope")
                .note("names must be defined before they are used")
                .hint("did you mean `x`?");
        let text = render(&sources, &diagnostic, Style::Plain);
        for part in [
            "error[E0201]: unknown name `y`",
            "a.pull:2:3",
            "^ not in scope",
            "help: did you mean `x`?",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
