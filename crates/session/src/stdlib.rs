//! What the binary carries with it: the standard library and the pages of the diagnostics.
//!
//! The tables are made by `build.rs` from `lib/` and `docs/errors/`.

use pullback_base::Span;
use pullback_syntax::ast::{Item, ItemKind, TypeBody};
use pullback_types::Shelf;

use crate::bug::bug;

/// The library, for messages about names that it defines.
pub const SHELF: Shelf = Shelf { modules: || module_names().collect(), with: modules_with };

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// What diagnostics call the prelude, the module that is in scope everywhere.
pub const PRELUDE: &str = "lib/prelude.pull";

/// The prelude's text.
pub fn prelude() -> &'static str {
    content(embedded::MODULES, "prelude").unwrap_or_else(|| bug("the prelude is embedded"))
}

/// The text of a module that an import may name.
pub fn module(name: &str) -> Option<&'static str> {
    if name == "prelude" { None } else { content(embedded::MODULES, name) }
}

/// The names of the modules that an import may name.
pub fn module_names() -> impl Iterator<Item = &'static str> {
    embedded::MODULES.iter().map(|(name, _)| *name).filter(|name| *name != "prelude")
}

/// The page on the language.
pub fn language() -> &'static str {
    embedded::LANGUAGE
}

/// What a module of the library has for its users: what is documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A definition.
    Value,
    /// A type.
    Type,
    /// A constructor of a type.
    Constructor,
}

/// The modules that define a value of this name for their users.
fn modules_with(name: &str) -> Vec<&'static str> {
    exporters(name, Export::Value)
}

/// The modules that have something of this name for their users.
pub fn exporters(name: &str, export: Export) -> Vec<&'static str> {
    let has = |item: &Item| {
        let is_it = match (&item.kind, export) {
            (ItemKind::Def(def), Export::Value) => def.name.node == name,
            (ItemKind::Type(decl), Export::Type) => decl.name.node == name,
            (ItemKind::Type(decl), Export::Constructor) => {
                matches!(&decl.body, TypeBody::Sum(all) if all.iter().any(|it| it.name.node == name))
            }
            (ItemKind::Def(_) | ItemKind::Type(_), _)
            | (ItemKind::Import(_) | ItemKind::Error, _) => false,
        };
        is_it && !item.doc.is_empty()
    };
    let defines = |(module, text): &(&'static str, &str)| {
        // Most modules do not have the word, and are not parsed.
        let here = has_word(text, name)
            && pullback_syntax::parse(text, Span::NONE.file).module.items.iter().any(has);
        (here && *module != "prelude").then_some(*module)
    };
    embedded::MODULES.iter().filter_map(defines).collect()
}

/// Whether a text has a word behind a blank, as declarations have it.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'');
    text.match_indices(word).any(|(at, _)| {
        text[..at].ends_with([' ', '\n']) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// The page of a diagnostic's code.
pub fn page(code: &str) -> Option<&'static str> {
    content(embedded::PAGES, code)
}

fn content(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
