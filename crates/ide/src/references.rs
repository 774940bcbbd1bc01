//! All places where something is named, in one file and in others.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pullback_base::Name;
use pullback_session::{Place, lexically_normal};
use pullback_types::Occurrence;

use crate::file::File;
use crate::meaning::Meaning;

/// A declaration, in words that hold for all files of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    file: PathBuf,
    range: Range<usize>,
    name: Name,
}

impl Declaration {
    /// What a name is declared as; none for what has no declaration of its own.
    pub fn of(file: &File, it: &Occurrence) -> Option<Self> {
        let meaning = file.meaning(it)?;
        if let Meaning::Module(_) = meaning {
            return None;
        }
        let span = meaning.declared(file);
        if span.is_none() {
            return None;
        }
        let path = Path::new(file.analysis.findings.sources.name(span.file));
        let (file, range) = (lexically_normal(path), span.range());
        Some(Self { file, range, name: it.name.clone() })
    }
}

/// The names in a file that are declared so.
pub(crate) fn occurrences<'f>(
    file: &'f File,
    declaration: &'f Declaration,
) -> impl Iterator<Item = &'f Occurrence> {
    file.occurrences()
        .iter()
        .filter(|it| it.name == declaration.name)
        .filter(move |it| Declaration::of(file, it).is_some_and(|other| other == *declaration))
}

/// All places where what stands at an offset of the first file is named, in all of these files.
pub fn references(file: &File, others: &[&File], offset: usize) -> Vec<Place> {
    let Some(it) = file.occurrence_at(offset) else { return vec![] };
    let Some(declaration) = Declaration::of(file, it) else {
        let same = file.occurrences().iter().filter(|other| {
            other.role == it.role && other.name == it.name && other.module == it.module
        });
        return file.analysis.places(same.map(|it| it.span));
    };
    let mut places = vec![];
    for file in std::iter::once(&file).chain(others) {
        let spans = occurrences(file, &declaration).map(|it| it.span);
        places.extend(file.analysis.places(spans));
    }
    places
}

/// The places in a file where what stands at an offset is named, and whether it is declared there.
pub fn highlights(file: &File, offset: usize) -> Vec<(Range<usize>, bool)> {
    let Some(it) = file.occurrence_at(offset) else { return vec![] };
    let Some(declaration) = Declaration::of(file, it) else { return vec![] };
    let found = occurrences(file, &declaration);
    found.map(|it| (it.span.range(), it.declares)).collect()
}
