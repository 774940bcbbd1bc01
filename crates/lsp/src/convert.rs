//! Plain data as the protocol's: places, edits, diagnostics.

use std::ops;

use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Documentation, Location, MarkupContent, MarkupKind, Position, Range, TextEdit,
};
use pullback_base::{Lines, Utf16};
use pullback_ide::{Edit, Problem};
use pullback_session::Place;

use crate::uri;

/// A position as the protocol has it.
pub fn position(lines: &Lines<'_>, offset: usize) -> Position {
    let Utf16 { line, column } = lines.position(offset);
    Position { line, character: column }
}

/// The offset of a position.
pub fn offset(lines: &Lines<'_>, position: Position) -> usize {
    lines.offset(Utf16 { line: position.line, column: position.character })
}

/// Bytes as a range of the protocol.
pub fn range(lines: &Lines<'_>, bytes: &ops::Range<usize>) -> Range {
    Range { start: position(lines, bytes.start), end: position(lines, bytes.end) }
}

/// A change of a text.
pub fn edit(lines: &Lines<'_>, edit: &Edit) -> TextEdit {
    TextEdit { range: range(lines, &edit.range), new_text: edit.text.clone() }
}

/// A place in a file, whose lines these are.
pub fn location(place: &Place, lines: &Lines<'_>) -> Option<Location> {
    let uri = uri::of_name(&place.file)?;
    Some(Location { uri, range: range(lines, &place.range) })
}

/// Text with marks.
pub fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

/// Documentation, if there is any.
pub fn documentation(text: &str) -> Option<Documentation> {
    (!text.is_empty()).then(|| markdown(text.to_owned()).into())
}

/// Something that is wrong; `text_of` knows the texts of other files by their names.
pub fn diagnostic<'t>(
    lines: &Lines<'_>,
    problem: &Problem,
    text_of: impl Fn(&str) -> &'t str,
) -> Diagnostic {
    let related = problem.related.iter().filter_map(|it| {
        let location = location(&it.place, &Lines::of(text_of(&it.place.file)))?;
        Some(DiagnosticRelatedInformation { location, message: it.text.clone() })
    });
    let severity =
        if problem.is_error { DiagnosticSeverity::Error } else { DiagnosticSeverity::Warning };
    Diagnostic {
        range: range(lines, &problem.range),
        severity: Some(severity),
        code: Some(Code::String(problem.code.to_owned())),
        code_description: None,
        source: Some("pullback".to_owned()),
        message: problem.message.clone().into(),
        tags: problem.is_leftover.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: Some(related.collect()),
        data: None,
    }
}
