//! The house rules that no compiler checks. Each rule is a function from the repository to the places
//! where it is broken.
//!
//! Input: the root of the repository. Output: one line a breach, `path[:line]: what is wrong`.

mod crates;
mod documents;
mod sources;

use std::path::{Path, PathBuf};

/// A rule: its name and what finds its breaches.
type Rule = (&'static str, fn(&Repository) -> Vec<String>);

const RULES: &[Rule] = &[
    ("crates import only what lies below them", crates::arrows),
    ("files have a header and at most 600 lines", sources::files),
    ("functions have at most 100 lines", sources::functions),
    ("no leftovers", sources::leftovers),
    ("nothing names a machine's folders", sources::machine_paths),
    ("every path in ARCHITECTURE.md exists", documents::architecture),
    ("every diagnostic code has a page, every page a code", documents::codes),
    ("the change log has an Unreleased section", documents::changelog),
];

/// The repository's files.
pub struct Repository {
    /// Its root.
    pub root: PathBuf,
    /// Every text file with its text, sorted by path relative to the root.
    pub files: Vec<(String, String)>,
}

/// All breaches of all rules.
pub fn tidy(root: &Path) -> Result<Vec<String>, std::io::Error> {
    let mut files = Vec::new();
    collect(root, root, &mut files)?;
    files.sort();
    let repository = Repository { root: root.to_owned(), files };
    Ok(RULES
        .iter()
        .flat_map(|(name, rule)| {
            rule(&repository).into_iter().map(move |breach| format!("{breach} ({name})"))
        })
        .collect())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    const SKIPPED: [&str; 3] = [".git", "target", "shared"];
    const KINDS: [&str; 7] = ["rs", "toml", "md", "pull", "yml", "json", "jsonl"];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name) && !path.is_symlink() {
                collect(root, &path, files)?;
            }
            continue;
        }
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if KINDS.contains(&kind)
            || path.parent().is_some_and(|folder| folder.ends_with(Path::new(".ci")))
        {
            // Some test inputs are no UTF-8 on purpose; the rules have nothing to say about them.
            if let Ok(text) = std::fs::read_to_string(&path) {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                files.push((relative.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    Ok(())
}

impl Repository {
    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &(String, String)> {
        self.files.iter().filter(|(path, _)| path.ends_with(".rs"))
    }
    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        let found = self.files.iter().find(|(name, _)| name == path);
        found.map(|(_, text)| text.as_str())
    }
}

/// The repository this program was built from.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = manifest.as_deref().and_then(Path::parent).map(Path::to_owned);
    here.unwrap_or_else(|| PathBuf::from("."))
}
