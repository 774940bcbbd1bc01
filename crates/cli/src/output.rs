//! The file that an answer is written to.
//!
//! Input: a path, before the work is done. Output: a [`Destination`] that can be written, or a diagnostic, so
//! that no work is lost; then the file.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, Span};
use pullback_driver::Format;

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
            Some(_) | None => {
                let title = format!("`{}` ends in neither `.json` nor `.npz`", path.display());
                return Err(Diagnostic::error("E0818", Span::NONE, title, "")
                    .note("an output file is JSON or a NumPy archive, and its ending says which"));
            }
        };
        writable(path)?;
        Ok(Self { path: path.to_owned(), format })
    }
    /// Writes the file.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Diagnostic> {
        std::fs::write(&self.path, bytes).map_err(|error| unwritten(&self.path, &error))
    }
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
