//! Where the repository's programs are.

use std::path::{Path, PathBuf};

use pullback_session::Input;

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Whether a test looks at all that it has, as `cargo xtask laws` asks: `ALL` is set. Else it looks at a part.
pub fn asks_for_all() -> bool {
    std::env::var_os("ALL").is_some()
}

/// Every file with this ending below these folders of the repository, sorted.
pub fn corpus(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&root().join(folder), ending, &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.extension().is_some_and(|known| known == ending) {
            found.push(path);
        }
    }
}

/// A file below `tests/input` as the input of a call: all its parameters, or with a name such as `for_x.csv`
/// the parameter `x`.
pub fn input_at(path: &Path) -> Input {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let parameter = stem.strip_prefix("for_").map(str::to_owned);
    Input { parameter, path: path.to_owned(), is_headless: false }
}
