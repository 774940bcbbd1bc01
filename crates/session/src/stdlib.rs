//! What the binary carries with it: the standard library and the pages of the diagnostics.
//!
//! The tables are made by `build.rs` from `lib/` and `docs/errors/`.

use pullback_base::Span;
use pullback_syntax::ast::ItemKind;
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

/// The modules that define a value of this name for their users: with documentation.
fn modules_with(name: &str) -> Vec<&'static str> {
    let defines = |(module, text): &(&'static str, &str)| {
        let parsed = pullback_syntax::parse(text, Span::NONE.file);
        let here = parsed.module.items.iter().any(|item| {
            matches!(&item.kind, ItemKind::Def(def) if def.name.node == name)
                && !item.doc.is_empty()
        });
        (here && *module != "prelude").then_some(*module)
    };
    embedded::MODULES.iter().filter_map(defines).collect()
}

/// The page of a diagnostic's code.
pub fn page(code: &str) -> Option<&'static str> {
    content(embedded::PAGES, code)
}

fn content(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
