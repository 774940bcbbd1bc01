//! The only renderer of diagnostics: rustc's look, through `annotate-snippets`.
//!
//! Only the lines between the first and the last label are handed to it, and of a very long line only
//! the part around the labels, so that a message about a huge file costs no more than any other.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, FileId, Severity, SourceMap};

/// A line whose labels lie in this many bytes or more from its start is cut around them.
const LONG_LINE: usize = 4096;
/// The longest title, label, note or hint that is shown in full, in bytes.
const MAX_TEXT: usize = 1000;

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
    let mut diagnostic = diagnostic.clone();
    for label in &mut diagnostic.labels {
        label.span = sources.origin(label.span);
    }
    let diagnostic = &diagnostic;
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group =
        Group::with_title(level.primary_title(clipped(&diagnostic.title)).id(diagnostic.code));
    for file in files_of(diagnostic) {
        let excerpt = Excerpt::of(sources, diagnostic, file);
        if excerpt.cut {
            group = group.element(excerpt.origin(sources, diagnostic));
        }
        group = group.element(excerpt.snippet(sources, diagnostic));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(clipped(note)));
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(clipped(&hint.text)));
    }
    renderer.render(&[group])
}

/// A text of at most [`MAX_TEXT`] bytes: names and types may be of any length.
fn clipped(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let end = snapped(text, MAX_TEXT..MAX_TEXT).end;
    Cow::Owned(format!("{}…", &text[..end]))
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

/// The part of a file that a diagnostic shows.
struct Excerpt {
    file: FileId,
    range: Range<usize>,
    /// The number of its first line.
    line: usize,
    /// Whether it starts or ends inside a line.
    cut: bool,
}

impl Excerpt {
    fn of(sources: &SourceMap, diagnostic: &Diagnostic, file: FileId) -> Self {
        let text = sources.text(file);
        let mut labels: Option<Range<usize>> = None;
        for label in diagnostic.labels.iter().filter(|label| label.span.file == file) {
            let range = snapped(text, label.span.range());
            labels = Some(match labels {
                None => range,
                Some(all) => all.start.min(range.start)..all.end.max(range.end),
            });
        }
        let labels = labels.unwrap_or(0..text.len());
        let before = &text[..labels.start];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[labels.end..].find('\n').map_or(text.len(), |length| labels.end + length);
        let line = before.matches('\n').count() + 1;
        let cut = labels.start - start > LONG_LINE || end - labels.end > LONG_LINE;
        let around = labels.start.saturating_sub(LONG_LINE)..labels.end.saturating_add(LONG_LINE);
        let mut range = snapped(text, start.max(around.start)..end.min(around.end));
        if range.end > labels.end && text[..range.end].ends_with('\r') {
            range.end -= 1;
        }
        Self { file, range, line, cut }
    }

    /// Where the first label stands, for an excerpt whose columns are not those of the file.
    fn origin(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> Origin<'static> {
        let label = diagnostic.labels.iter().find(|label| label.span.file == self.file);
        let place = sources.line_col(label.map_or(crate::Span::NONE, |label| label.span));
        Origin::path(sources.name(self.file).to_owned()).line(place.line).char_column(place.column)
    }

    fn snippet<'a>(
        &self,
        sources: &'a SourceMap,
        diagnostic: &'a Diagnostic,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let text = sources.text(self.file);
        let shown = &text[self.range.clone()];
        let mut snippet = Snippet::source(shown).line_start(self.line).fold(true);
        if !self.cut {
            snippet = snippet.path(sources.name(self.file));
        }
        for (index, label) in diagnostic.labels.iter().enumerate() {
            if label.span.file != self.file {
                continue;
            }
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = snapped(text, label.span.range());
            let annotation =
                kind.span(range.start - self.range.start..range.end - self.range.start);
            snippet = snippet.annotation(if label.text.is_empty() {
                annotation
            } else {
                annotation.label(clipped(&label.text))
            });
        }
        snippet
    }
}

/// Moves a range into the text and onto character boundaries.
fn snapped(text: &str, range: Range<usize>) -> Range<usize> {
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

    #[test]
    fn a_cut_line_keeps_its_place() {
        let mut sources = SourceMap::default();
        let text = format!("first\n{}x{}\n", "é ".repeat(10_000), " y".repeat(10_000));
        let file = sources.add("a.pull", text);
        let at = 6 + 30_000;
        let diagnostic =
            Diagnostic::error("E0201", Span::new(file, at, at + 1), "unknown name `x`", "here");
        let text = render(&sources, &diagnostic, Style::Plain);
        assert!(text.contains("a.pull:2:20001"), "{text}");
        assert!(text.contains("^ here"), "{text}");
    }
}
