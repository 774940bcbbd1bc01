//! What could be done at a place: what mends a mistake, imports of the library among it, and types that could be written.

use std::ops::Range;

use pullback_syntax::ast::ItemKind;

use crate::diagnostics::{Problem, problems};
use crate::edit::Edit;
use crate::file::File;
use crate::hints;
use crate::imports::imports;

/// Something that could be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, in words.
    pub title: String,
    /// The changes of the file.
    pub edits: Vec<Edit>,
    /// What it mends; none if it mends nothing.
    pub mends: Option<Problem>,
}

/// The line that an offset is in.
fn line(text: &str, offset: usize) -> Range<usize> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    start..end
}

/// What could be done in a part of a file. A mistake is mended from anywhere in the line in which it begins.
pub fn actions(file: &File, part: Range<usize>) -> Vec<Action> {
    let touches = |range: &Range<usize>| range.start <= part.end && part.start <= range.end;
    let mut found = vec![];
    for problem in problems(file) {
        let fixes = problem.fixes.clone().into_iter();
        let near = fixes.filter(|fix| {
            touches(&problem.range)
                || touches(&line(file.text(), problem.range.start))
                || fix.edits.iter().any(|edit| touches(&edit.range))
        });
        found.extend(near.map(|fix| Action {
            title: fix.title,
            edits: fix.edits,
            mends: Some(problem.clone()),
        }));
        if touches(&problem.range)
            && let Some(it) = file.occurrence_at(problem.range.start)
            && it.span.range() == problem.range
        {
            let is_new = |edits: &Vec<Edit>| found.iter().all(|action| action.edits != *edits);
            let proposed = imports(file, it).into_iter().filter(|(_, edits)| is_new(edits));
            let proposed: Vec<_> = proposed.collect();
            let mends = Some(problem);
            found.extend(proposed.into_iter().map(|(title, edits)| Action {
                title,
                edits,
                mends: mends.clone(),
            }));
        }
    }
    for item in &file.main().module.items {
        let ItemKind::Def(def) = &item.kind else { continue };
        let head = item.span.range().start..def.body.span.range().start;
        let Some(hint) = hints::result(file, def).filter(|_| touches(&head)) else { continue };
        found.push(Action {
            title: format!("write the type of the result: `{}`", hint.text),
            edits: vec![Edit::insert(hint.offset, hint.text)],
            mends: None,
        });
    }
    found
}
