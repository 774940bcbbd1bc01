//! The file that an answer is written to.
//!
//! Input: a path, before the work is done. Output: a [`Destination`] that can be written, or a diagnostic, so
//! that no work is lost; then the file.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, Span};
use pullback_session::Format;

/// A file that can be written.
pub struct Destination {
    path: PathBuf,
    /// In which form.
    pub format: Format,
}

impl Destination {
    /// Looks whether a file can be written, and in which form its ending wants it.
    pub fn new(path: &Path) -> Result<Self, Diagnostic> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let format = match ending.as_deref() {
            Some("json") => Format::Json,
            Some("npz") => Format::Npz,
            Some("npy") => Format::Npy,
            Some("csv") => Format::Csv,
            Some(_) | None => {
                let title = format!(
                    "`{}` ends in none of `.json`, `.npz`, `.npy` and `.csv`",
                    path.display()
                );
                return Err(Diagnostic::error("E0818", Span::NONE, title, "")
                    .note("an output file is JSON, a NumPy archive, a NumPy array or a table, and its ending says which"));
            }
        };
        writable(path)?;
        Ok(Self { path: path.to_owned(), format })
    }
    /// Writes the file. Who stops the command meanwhile finds the file as it was, or as it is to be.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Diagnostic> {
        let written = match replaced(&self.path) {
            Some(path) => replace(&path, bytes).or_else(|_| std::fs::write(&path, bytes)),
            None => std::fs::write(&self.path, bytes),
        };
        written.map_err(|error| unwritten(&self.path, &error))
    }
}

/// The file that another one can take the place of, links followed: none of a device or a pipe.
fn replaced(path: &Path) -> Option<PathBuf> {
    if !path.is_symlink() && !path.exists() {
        return Some(path.to_owned());
    }
    let path = path.canonicalize().ok()?;
    path.is_file().then_some(path)
}

/// Writes a file beside the one of this name, and then gives it its name.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = std::fs::write(&beside, bytes).and_then(|()| {
        if let Ok(known) = path.metadata() {
            std::fs::set_permissions(&beside, known.permissions())?;
        }
        std::fs::rename(&beside, path)
    });
    if written.is_err() {
        // What could not be written whole is not left behind; why that failed is what is told.
        std::fs::remove_file(&beside).ok();
    }
    written
}

/// Looks whether a file can be written. What is there stays as it is until the answer is known.
pub fn writable(path: &Path) -> Result<(), Diagnostic> {
    let is_new = !path.exists();
    if let Err(error) = OpenOptions::new().append(true).create(true).open(path) {
        return Err(unwritten(path, &error));
    }
    if is_new {
        std::fs::remove_file(path).map_err(|error| unwritten(path, &error))?;
    }
    Ok(())
}

/// A file could not be written.
pub fn unwritten(path: &Path, error: &std::io::Error) -> Diagnostic {
    let title = format!("cannot write `{}`: {error}", path.display());
    Diagnostic::error("E0801", Span::NONE, title, "")
        .hint("check that its folder is there, and the permissions")
}
