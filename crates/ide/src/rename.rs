//! Another name for something, everywhere it is named.
//!
//! Input: a file with the files that may name what it declares, an offset, and a name. Output: the changes in each file,
//! or a [`Refusal`]. Law: what each name means stays the same; where it would not, the rename is refused.

use std::ops::Range;

use pullback_base::Span;
use pullback_syntax::{Class, classes};
use pullback_types::{BoundBy, Occurrence, Role};

use crate::edit::Edit;
use crate::file::File;
use crate::meaning::{Meaning, members};
use crate::references::{Declaration, occurrences};

/// Why something is not renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

/// The bytes of the name at an offset, if it can be renamed.
pub fn renamable(file: &File, offset: usize) -> Result<Range<usize>, Refusal> {
    let refuse = |why: &str| Err(Refusal(why.to_owned()));
    let Some(it) = file.occurrence_at(offset) else { return refuse("no name stands here") };
    let Some(meaning) = file.meaning(it) else {
        return refuse("it is not known what this name means");
    };
    let declared = meaning.declared(file);
    match meaning {
        Meaning::BuiltIn => refuse("this name is built in"),
        Meaning::Field => refuse("fields belong to every record that has them"),
        Meaning::TypeVariable => refuse("type variables are renamed by hand"),
        Meaning::Module(_) => refuse("modules are renamed by the `as` of their imports"),
        _ if file.analysis.library.contains(&declared.file) => {
            refuse("this belongs to the library")
        }
        Meaning::Local(_)
        | Meaning::Definition(..)
        | Meaning::Type(..)
        | Meaning::Constructor(..) => Ok(it.span.range()),
    }
}

/// The changes that give what stands at an offset another name: for each of the files, the first one first.
pub fn rename(
    file: &File,
    others: &[&File],
    offset: usize,
    name: &str,
) -> Result<Vec<Vec<Edit>>, Refusal> {
    renamable(file, offset)?;
    let refuse = |why: String| Err(Refusal(why));
    let (Some(it), class) = (file.occurrence_at(offset), only_class(name)) else {
        return refuse("no name stands here".to_owned());
    };
    let upper = it.name.starts_with(|first: char| first.is_ascii_uppercase());
    let wanted = if upper { Class::Upper } else { Class::Lower };
    if class != Some(wanted) || name == "_" {
        let letter = if upper { "an upper-case" } else { "a lower-case" };
        return refuse(format!("`{name}` is no name that begins with {letter} letter"));
    }
    let Some(declaration) = Declaration::of(file, it) else {
        return refuse("it is declared nowhere".to_owned());
    };
    let mut changes = vec![];
    for file in std::iter::once(&file).chain(others) {
        let found: Vec<&Occurrence> = occurrences(file, &declaration).collect();
        if let Some(why) = clash(file, &found, it, name) {
            return refuse(why);
        }
        changes.push(found.into_iter().map(|it| edit(file, it, name)).collect());
    }
    Ok(changes)
}

fn edit(file: &File, it: &Occurrence, name: &str) -> Edit {
    let is_short_field = match it.role {
        Role::Local(number) => it.declares && file.local(number).by == BoundBy::Field,
        Role::Value
        | Role::Constructor
        | Role::Type
        | Role::TypeVariable
        | Role::Field
        | Role::Module => false,
    };
    let text = if is_short_field { format!("{} = {name}", it.name) } else { name.to_owned() };
    Edit { range: it.span.range(), text }
}

/// What a text is, if it is one piece.
fn only_class(text: &str) -> Option<Class> {
    match classes(text).as_slice() {
        [(range, class)] if *range == (0..text.len()) => Some(*class),
        _ => None,
    }
}

/// What the new name would clash with.
fn clash(file: &File, found: &[&Occurrence], it: &Occurrence, name: &str) -> Option<String> {
    // A local name that would hide it, or be hidden by it.
    for place in found {
        let hides = file.locals_at(place.span.range().start).into_iter();
        if hides.map(|(_, bound)| &bound.name).any(|known| known == name) {
            return Some(format!("`{name}` means something else where this is named"));
        }
    }
    if let Role::Local(number) = it.role {
        let scope: Span = file.local(number).scope;
        let taken = file.occurrences().iter().any(|other| {
            let at = other.span.range();
            other.name == name
                && matches!(other.role, Role::Local(_) | Role::Value)
                && scope.range().start <= at.start
                && at.end <= scope.range().end
        });
        return taken.then(|| format!("`{name}` is used where this is in scope"));
    }
    let is_here = !found.is_empty();
    let declared = members(file.main()).any(|(known, _)| known.node == name);
    (is_here && declared).then(|| format!("`{name}` is declared in {}", file.name()))
}
