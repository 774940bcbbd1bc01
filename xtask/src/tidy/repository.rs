//! The repository's text files, read once for all rules.

use std::path::{Path, PathBuf};

/// The repository's files.
pub struct Repository {
    /// Its root.
    pub root: PathBuf,
    /// Every text file with its text, sorted by path relative to the root.
    pub files: Vec<(String, String)>,
}

impl Repository {
    /// Reads the repository with this root.
    pub fn read(root: &Path) -> std::io::Result<Self> {
        let mut files = Vec::new();
        collect(root, root, &mut files)?;
        files.sort();
        Ok(Self { root: root.to_owned(), files })
    }
    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &(String, String)> {
        self.files.iter().filter(|(path, _)| path.ends_with(".rs"))
    }
    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str())
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    const SKIPPED: [&str; 4] = [".git", "node_modules", "shared", "target"];
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
