//! What was found, as data that any thread may keep: diagnostics with the text that they point into.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use pullback_base::{Diagnostic, FileId, LineCol, SourceMap, Span, Style, render};

/// Diagnostics, and the texts of their places.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What was found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// All text that the diagnostics point into.
    pub sources: SourceMap,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What the file is called: its path, or `<expression>` and the like for text that was given.
    pub file: String,
    /// The bytes.
    pub range: Range<usize>,
    /// Where it begins, for people.
    pub start: LineCol,
    /// Where it ends, for people.
    pub end: LineCol,
}

impl Place {
    /// The place of a span; none if it comes from no text.
    pub fn of(sources: &SourceMap, span: Span) -> Option<Self> {
        (!span.is_none()).then(|| Self {
            file: sources.name(span.file).to_owned(),
            range: span.range(),
            start: sources.line_col(span.start()),
            end: sources.line_col(span.end()),
        })
    }
    /// The places of many spans, without those that come from no text.
    pub fn all(sources: &SourceMap, spans: impl IntoIterator<Item = Span>) -> Vec<Self> {
        let mut starts: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
        let spans = spans.into_iter().filter(|span| !span.is_none());
        let places = spans.map(|span| {
            let text = sources.text(span.file);
            let starts = starts.entry(span.file).or_insert_with(|| {
                let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
                std::iter::once(0).chain(breaks).collect()
            });
            let position = |offset: usize| {
                let line = starts.partition_point(|start| *start <= offset);
                let column = text[starts[line - 1]..offset].chars().count() + 1;
                LineCol { line, column }
            };
            let range = span.range();
            let file = sources.name(span.file).to_owned();
            Self { file, start: position(range.start), end: position(range.end), range }
        });
        places.collect()
    }
}

impl Findings {
    /// Whether there are errors (warnings do not count).
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
    /// The main place of a diagnostic.
    pub fn place(&self, diagnostic: &Diagnostic) -> Option<Place> {
        Place::of(&self.sources, diagnostic.span())
    }
    /// The codes, in order.
    pub fn codes(&self) -> Vec<&'static str> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |diagnostic| render(&self.sources, diagnostic, Style::Plain);
        self.diagnostics.iter().try_for_each(|diagnostic| f.write_str(&shown(diagnostic)))
    }
}
