//! What the binary carries with it: the standard library and the pages of the diagnostics.
//!
//! The tables are made by `build.rs` from `lib/` and `docs/errors/`.

use crate::session::bug;

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

/// The page of a diagnostic's code.
pub fn page(code: &str) -> Option<&'static str> {
    content(embedded::PAGES, code)
}

fn content(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
