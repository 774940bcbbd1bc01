//! The built-in operations as a module of the reference.
//!
//! Input: the tables of docs/language.md, whose first two columns are names and types, and the primitive table,
//! which says what each primitive is. Output: a [`Module`] with every built-in name.

use pullback_prim::Prim;
use pullback_session::stdlib;
use pullback_types::builtins;

use super::read::{Entry, Module};
use crate::bug::bug;

/// The head and the comment of the built-in operation of this name.
pub fn built_in(name: &str) -> Option<(String, String)> {
    let entry = module().entries.into_iter().find(|entry| entry.name == name)?;
    Some((entry.head, entry.comment))
}

/// The built-in operations.
pub fn module() -> Module {
    let rows = rows(stdlib::language());
    let entries = builtins::names().map(|name| {
        let Some(row) = rows.iter().find(|row| row.name == name) else {
            bug("docs/language.md has a row for every built-in name")
        };
        let prim = Prim::ALL.iter().find(|prim| prim.row().name == name);
        let comment = match (&row.meaning, prim) {
            (Some(meaning), _) => sentence(meaning),
            (None, Some(prim)) => sentence(prim.row().doc),
            (None, None) => row.note.as_deref().map_or_else(String::new, sentence),
        };
        Entry {
            name: name.to_owned(),
            section: None,
            head: format!("{name} : {}", row.ty),
            comment,
            examples: vec![],
            constructors: vec![],
        }
    });
    let about = "The operations that are built into the language, in scope everywhere. docs/language.md tells \
        all of them with examples, and their conventions where there is no derivative.";
    Module {
        name: "built-in".to_owned(),
        about: about.to_owned(),
        in_scope: true,
        entries: entries.collect(),
    }
}

/// A name in a table of the reference.
struct Row {
    name: String,
    ty: String,
    meaning: Option<String>,
    /// What is said in parentheses beside the name.
    note: Option<String>,
}

/// The rows of all tables whose first column has names and whose second has types.
fn rows(page: &str) -> Vec<Row> {
    let mut rows = vec![];
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let columns: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [names, types, rest @ ..] = columns.as_slice() else { continue };
        let types: Vec<&str> = quoted(types).collect();
        let names: Vec<&str> = quoted(names).flat_map(str::split_whitespace).collect();
        if !types.iter().any(|ty| ty.contains("->")) {
            continue;
        }
        for (place, name) in names.iter().enumerate() {
            let note =
                line.split_once(&format!("`{name}` (")).and_then(|(_, rest)| rest.split_once(')'));
            rows.push(Row {
                name: (*name).to_owned(),
                ty: types[place.min(types.len() - 1)].to_owned(),
                meaning: rest.first().map(|meaning| (*meaning).to_owned()),
                note: note.map(|(note, _)| note.to_owned()),
            });
        }
    }
    rows
}

fn quoted(column: &str) -> impl Iterator<Item = &str> {
    column.split('`').skip(1).step_by(2)
}

/// With a capital letter in front and a full stop at the end.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let end = if words.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
