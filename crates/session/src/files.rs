//! Where text comes from: the compiler asks a [`Files`], it never opens a file itself.
//!
//! Input: paths. Output: bytes, or the reason why there are none. Reading is bounded, so that an
//! endless device gives an error instead of filling the memory.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use pullback_base::MAX_FILE_BYTES;

/// The largest file that is read as a program. Nobody writes as much, and what no program is gives an error soon.
pub const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// A source of files.
pub trait Files {
    /// The bytes of a file; [`io::ErrorKind::FileTooLarge`] if there are more than `most`.
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;

    /// The bytes of a file of any reasonable size.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_at_most(path, MAX_FILE_BYTES)
    }

    /// The bytes of a program.
    fn read_source(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_at_most(path, MAX_SOURCE_BYTES)
    }

    /// The name under which a file is known: two paths to one file have the same identity.
    fn identity(&self, path: &Path) -> PathBuf {
        lexically_normal(path)
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let file = std::fs::File::open(path)?;
        let most = bound(&file.metadata()?, most);
        read_bounded(file, most)
    }
    fn identity(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| lexically_normal(path))
    }
}

/// Files that exist only in memory, for tests and editors.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// Adds a file or replaces it.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(lexically_normal(path.as_ref()), bytes.into());
        self
    }
}

impl Files for Memory {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let found = self.files.get(&lexically_normal(path));
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        read_bounded(found.ok_or_else(missing)?.as_slice(), most)
    }
}

/// Other files with some texts that take the place of what they hold, as an editor has them.
pub struct Overlay {
    below: Box<dyn Files + Send + Sync>,
    /// By identity.
    texts: BTreeMap<PathBuf, Vec<u8>>,
}

impl Overlay {
    /// Nothing over these files.
    pub fn over(below: Box<dyn Files + Send + Sync>) -> Self {
        Self { below, texts: BTreeMap::new() }
    }
    /// From now on the file has this text.
    pub fn put(&mut self, path: &Path, text: impl Into<Vec<u8>>) {
        self.texts.insert(self.below.identity(path), text.into());
    }
    /// From now on the file is as it is below.
    pub fn take_away(&mut self, path: &Path) {
        self.texts.remove(&self.below.identity(path));
    }
}

impl Files for Overlay {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        match self.texts.get(&self.below.identity(path)) {
            Some(text) => read_bounded(text.as_slice(), most),
            None => self.below.read_at_most(path, most),
        }
    }
    fn identity(&self, path: &Path) -> PathBuf {
        self.below.identity(path)
    }
}

/// How much is read of a file at most: less of a device, since many have no end.
pub fn bound(metadata: &std::fs::Metadata, most: u64) -> u64 {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type()) {
        return most.min(MAX_SOURCE_BYTES);
    }
    let _ = metadata;
    most
}

/// Reads to the end, or fails if there are more bytes than `most`.
pub fn read_bounded(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let (size, unit) = match most {
            0..0x10_0000 => (most, "bytes"),
            0x10_0000..0x4000_0000 => (most >> 20, "MiB"),
            0x4000_0000.. => (most >> 30, "GiB"),
        };
        let title = format!("larger than {size} {unit}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, title));
    }
    Ok(bytes)
}

/// The path without `.` and, where a parent is named, without `..`.
pub fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        let last_is_name = matches!(normal.components().next_back(), Some(Component::Normal(_)));
        if component == Component::ParentDir && last_is_name {
            normal.pop();
        } else if component != Component::CurDir {
            normal.push(component);
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_detours() {
        assert_eq!(lexically_normal(Path::new("./a/../b/./c")), Path::new("b/c"));
        assert_eq!(lexically_normal(Path::new("../a/..")), Path::new(".."));
    }

    #[test]
    fn what_has_no_end_is_read_to_a_bound() {
        let zeros = |most| read_bounded(io::repeat(0), most).expect_err("no end").to_string();
        assert_eq!(zeros(100), "larger than 100 bytes");
        assert_eq!(zeros(MAX_SOURCE_BYTES), "larger than 16 MiB");
        assert_eq!(read_bounded(&[1, 2][..], 2).expect("an end"), [1, 2]);
        let files = Memory::default().with("a.pull", vec![b' '; MAX_SOURCE_BYTES as usize + 1]);
        assert!(files.read_source(Path::new("a.pull")).is_err());
        assert!(files.read(Path::new("a.pull")).is_ok());
    }

    #[test]
    fn an_overlay_takes_the_place_of_a_file_until_it_is_taken_away() {
        let below = Memory::default().with("a.pull", "below").with("b.pull", "other");
        let mut files = Overlay::over(Box::new(below));
        files.put(Path::new("./a.pull"), "above");
        let read = |files: &Overlay, path: &str| files.read(Path::new(path)).unwrap();
        assert_eq!(read(&files, "a.pull"), b"above");
        assert_eq!(read(&files, "b.pull"), b"other");
        files.take_away(Path::new("a.pull"));
        assert_eq!(read(&files, "a.pull"), b"below");
    }

    #[test]
    fn memory_finds_a_file_by_any_spelling() {
        let files = Memory::default().with("a/b.pull", "x");
        assert_eq!(files.read(Path::new("a/./c/../b.pull")).unwrap(), b"x");
        assert!(files.read(Path::new("b.pull")).is_err());
    }
}
