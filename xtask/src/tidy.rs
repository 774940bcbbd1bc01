//! The house rules that no compiler checks. Each rule is a function from the repository to the places
//! where it is broken.
//!
//! Input: the root of the repository. Output: one line a breach, `path[:line]: what is wrong`.

mod circles;
mod crates;
mod documents;
mod links;
mod modules;
mod repository;
mod sources;
mod tokens;

use std::path::{Path, PathBuf};

use repository::Repository;

/// A rule: its name and what finds its breaches.
type Rule = (&'static str, fn(&Repository) -> Vec<String>);

const RULES: &[Rule] = &[
    ("crates import only what lies below them", crates::arrows),
    ("no circles among the modules of a crate", circles::circles),
    ("files have a header and at most 600 lines", sources::files),
    ("functions have at most 100 lines", sources::functions),
    ("nothing is made up where it is missing", sources::fallbacks),
    ("no leftovers", sources::leftovers),
    ("nothing names a machine's folders", sources::machine_paths),
    ("every path in ARCHITECTURE.md exists", documents::architecture),
    ("every test in docs/GUARANTEES.md exists", documents::guarantees),
    ("every link of a document leads somewhere", links::links),
    ("every diagnostic code has a page, every page a code", documents::codes),
    ("the change log has an Unreleased section", documents::changelog),
];

/// All breaches of all rules.
pub fn tidy(root: &Path) -> Result<Vec<String>, std::io::Error> {
    let repository = Repository::read(root)?;
    Ok(RULES
        .iter()
        .flat_map(|(name, rule)| {
            rule(&repository).into_iter().map(move |breach| format!("{breach} ({name})"))
        })
        .collect())
}

/// The repository this program was built from.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = manifest.as_deref().and_then(Path::parent).map(Path::to_owned);
    here.unwrap_or_else(|| PathBuf::from("."))
}
