//! Folders that only this user can look into.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for temporary files that only this user can look into, gone when this is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one.
    pub fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("pullback-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match make_private(&path) {
                Ok(()) => return Ok(Self(path)),
                // An earlier process of this number left it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files, where it does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a folder that only this user can look into.
#[cfg(unix)]
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir(path)
}
