//! What is wrong with a file, for an editor.
//!
//! Input: a file. Output: [`Problem`]s in the order of the text. What is wrong with a file that it imports is told at
//! the import.

use std::ops::Range;
use std::path::Path;

use pullback_base::{Diagnostic, Span};
use pullback_session::Place;
use pullback_syntax::ast::ItemKind;

use crate::edit::Edit;
use crate::file::File;
use crate::layout;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub range: Range<usize>,
    /// Whether the program has no meaning because of it.
    pub is_error: bool,
    /// Its code.
    pub code: &'static str,
    /// What is wrong, why, and what to do, in lines.
    pub message: String,
    /// Other places that have to do with it.
    pub related: Vec<Related>,
    /// Whether the text is there for nothing.
    pub is_leftover: bool,
    /// What would mend it.
    pub fixes: Vec<ProposedFix>,
}

/// Another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub place: Place,
    /// What is to be seen there.
    pub text: String,
}

/// A change that would mend something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedFix {
    /// What it does, in words.
    pub title: String,
    /// The changes, which belong together, in the order of the text.
    pub edits: Vec<Edit>,
}

/// What mends a match without all its arms: the words of the diagnostic leave a choice.
const ARMS: &str = "write the arms that are missing";

/// What is wrong with a file.
pub fn problems(file: &File) -> Vec<Problem> {
    file.analysis.findings.diagnostics.iter().map(|found| problem(file, found)).collect()
}

fn problem(file: &File, found: &Diagnostic) -> Problem {
    let Diagnostic { code, title, labels, notes, hints, .. } = found;
    let is_here = file.has(found.span());
    let range = if is_here { found.span().range() } else { import_of(file, found.span()) };
    let mut message = title.clone();
    let own = labels.first().map(|label| label.text.as_str()).filter(|text| !text.is_empty());
    message.extend(own.map(|text| format!("\n{text}")));
    message.extend(notes.iter().map(|note| format!("\n{note}")));
    message.extend(hints.iter().map(|hint| format!("\nhelp: {}", hint.text)));
    let others = labels.iter().skip(usize::from(is_here));
    let related = others.filter_map(|label| {
        let text = if label.text.is_empty() { title.clone() } else { label.text.clone() };
        Some(Related { place: file.place(label.span)?, text })
    });
    let fixes = hints.iter().filter_map(|hint| {
        let edits = layout::edits(file, hint);
        // What puts a match in parentheses is two changes.
        let writes_arms = *code == "E0501" && hint.fixes.len() == 1;
        let title = if writes_arms { ARMS } else { hint.text.as_str() };
        (!edits.is_empty()).then(|| ProposedFix { title: title.to_owned(), edits })
    });
    Problem {
        range,
        is_error: found.is_error(),
        code,
        message,
        related: related.collect(),
        is_leftover: matches!(*code, "W0201" | "W0202"),
        fixes: fixes.collect(),
    }
}

/// Where the file imports the one with this span, or its first bytes.
fn import_of(file: &File, span: Span) -> Range<usize> {
    if span.is_none() {
        return 0..0;
    }
    let name = Path::new(file.analysis.findings.sources.name(span.file)).file_stem();
    let imports = file.main().module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Import(import) => Some(import),
        ItemKind::Type(_) | ItemKind::Def(_) | ItemKind::Error => None,
    });
    let mut paths = imports.map(|import| &import.path);
    let ends = |path: &str| path.rsplit('/').next() == name.and_then(|name| name.to_str());
    paths.find(|path| ends(&path.node)).map_or(0..0, |path| path.span.range())
}
