//! Persistent compilation cache, addressed by content: objects that were compiled before, kept for this user, so that a
//! second run of the same code compiles nothing.
//!
//! Input: the key of a text, which is the hash of all that decides what the compiler makes of it. Output: the object,
//! open for reading, if it is there and is what was stored.
//!
//! Invariants. The folder and the files in it belong to this user, and nobody else may look into them; otherwise they
//! are left alone. The last bytes of a file are the hash of the others, and a file that has another hash is removed. A
//! file appears under its name at once and whole. Together the files take no more than [`MOST`]: those go first that
//! were used longest ago (LRU). Whatever fails here only means that there is nothing kept.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::folder::{is_private, make_private, open_file};

/// The most bytes of all files together.
const MOST: u64 = 256 << 20;
/// The most bytes that are left when some files have to go.
const KEPT: u64 = MOST / 4 * 3;
/// A file without its final name that is older was left by a process that ended early.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The bytes of a hash.
const HASH: usize = 32;

/// The folder of objects.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// The name of the file of an object: the hash of what it is made of, and an ending that says what it is.
#[derive(Clone, Debug)]
pub(crate) struct Key(String);

/// The endings of files: objects that are loaded, the units of which they are linked, and memos of programs.
const LOADED: &str = "so";
const UNIT: &str = "o";
const MEMO: &str = "memo";
const ENDINGS: [&str; 3] = [LOADED, UNIT, MEMO];

impl Key {
    /// The key of these parts; their lengths count too.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(format!("{}.{LOADED}", hasher.finalize().to_hex()))
    }

    /// The key of a unit that is made of the same.
    pub fn of_unit(self) -> Self {
        Self(self.0.replace(LOADED, UNIT))
    }

    /// The key of a memo of the same.
    pub fn of_memo(self) -> Self {
        Self(self.0.replace(LOADED, MEMO))
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The key of an object by the name of its file.
    pub fn named(name: &str) -> Option<Self> {
        let hash = name.strip_suffix(LOADED)?.strip_suffix('.')?;
        let is_hash = hash.len() == 2 * HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(name.to_owned()))
    }
}

impl Cache {
    /// The cache of this user, unless `PULLBACK_CACHE` is `off` or there is no folder for it.
    pub fn open() -> Option<Self> {
        if std::env::var_os("PULLBACK_CACHE").is_some_and(|value| value == "off") {
            return None;
        }
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Self::at(&base)
    }

    /// The cache below a folder, which is made if it is not there.
    pub fn at(base: &Path) -> Option<Self> {
        let folder = base.join("pullback");
        if !folder.exists() {
            std::fs::create_dir_all(base).ok()?;
            // Another process may be as quick.
            let _ = make_private(&folder);
        }
        let metadata = std::fs::symlink_metadata(&folder).ok()?;
        (metadata.is_dir() && is_private(&metadata)).then_some(Self { folder })
    }

    /// Where an object is kept.
    pub fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0)
    }

    /// The file of the object of a key. One that is not what was stored is removed.
    pub fn find(&self, key: &Key) -> Option<File> {
        self.look(key).map(|(file, _)| file)
    }

    /// The object of a key; as [`Cache::find`].
    pub fn read(&self, key: &Key) -> Option<Vec<u8>> {
        self.look(key).map(|(_, object)| object)
    }

    fn look(&self, key: &Key) -> Option<(File, Vec<u8>)> {
        let path = self.path(key);
        if std::fs::symlink_metadata(&path).is_err() {
            return None;
        }
        let Some(found) = open_file(&path).ok().and_then(stored) else {
            self.remove(key);
            return None;
        };
        // A folder that cannot be written to keeps its times.
        let _ = found.0.set_modified(SystemTime::now());
        Some(found)
    }

    /// Forgets an object.
    pub fn remove(&self, key: &Key) {
        let _ = std::fs::remove_file(self.path(key));
    }

    /// Keeps an object.
    pub fn store(&self, key: &Key, object: &[u8]) {
        self.store_all(std::iter::once((key, object)));
    }

    /// Keeps several objects.
    pub fn store_all<'k>(&self, objects: impl Iterator<Item = (&'k Key, impl AsRef<[u8]>)>) {
        for (key, object) in objects {
            self.put(key, object.as_ref());
        }
        self.tidy(MOST, KEPT);
    }

    fn put(&self, key: &Key, object: &[u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = self.folder.join(format!("new-{}-{number}", std::process::id()));
        if write(&new, object).and_then(|()| std::fs::rename(&new, self.path(key))).is_err() {
            let _ = std::fs::remove_file(&new);
        }
    }

    /// Removes what was used longest ago if there is more than `most`, until `kept` is left, and what was abandoned.
    fn tidy(&self, most: u64, kept: u64) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = vec![];
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let Ok(time) = metadata.modified() else { continue };
            let is_object = entry
                .path()
                .extension()
                .is_some_and(|own| ENDINGS.iter().any(|ending| own == *ending));
            if is_object {
                files.push((time, metadata.len(), entry.path()));
            } else if time.elapsed().is_ok_and(|age| age > ABANDONED) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        if total <= most {
            return;
        }
        files.sort();
        for (_, bytes, path) in files {
            if total <= kept {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// A file that is as it was stored, and the object in it.
fn stored(file: File) -> Option<(File, Vec<u8>)> {
    let metadata = file.metadata().ok()?;
    if !is_private(&metadata) || metadata.len() > MOST {
        return None;
    }
    let mut bytes = vec![];
    (&file).read_to_end(&mut bytes).ok()?;
    let (object, sum) = bytes.split_last_chunk::<HASH>()?;
    let (length, is_whole) = (object.len(), blake3::hash(object) == *sum);
    bytes.truncate(length);
    is_whole.then_some((file, bytes))
}

/// Writes an object and its hash to a new file that only this user can read.
fn write(path: &Path, object: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(object)?;
    file.write_all(blake3::hash(object).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    /// How large the object of a key is, if it is found.
    fn read(cache: &Cache, key: &Key) -> Option<usize> {
        let bytes = cache.find(key)?.metadata().expect("a file").len();
        usize::try_from(bytes).ok()?.checked_sub(HASH)
    }

    #[test]
    fn what_is_stored_is_found_until_it_is_damaged() {
        let folder = Folder::new().expect("a folder");
        let cache = Cache::at(&folder.file("base")).expect("a cache");
        let (one, other) = (Key::of(&[b"a", b"bc"]), Key::of(&[b"ab", b"c"]));
        assert_ne!(one.0, other.0);
        assert_eq!(read(&cache, &one), None);
        cache.store(&one, &[1; 1000]);
        assert_eq!((read(&cache, &one), read(&cache, &other)), (Some(1000), None));
        for damage in [0, 500, 1010] {
            cache.store(&one, &[1; 1000]);
            let mut bytes = std::fs::read(cache.path(&one)).expect("the file");
            bytes[damage] ^= 1;
            std::fs::write(cache.path(&one), &bytes).expect("the file");
            assert_eq!(read(&cache, &one), None);
            assert!(!cache.path(&one).exists());
        }
        for length in [0, HASH - 1, 500] {
            std::fs::write(cache.path(&one), vec![1; length]).expect("the file");
            assert_eq!(read(&cache, &one), None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_change_is_left_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new().expect("a folder");
        let base = folder.file("base");
        let cache = Cache::at(&base).expect("a cache");
        let mode = |path: &Path, mode: u32| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, permissions).expect("it is ours");
        };
        let key = Key::of(&[b"x"]);
        cache.store(&key, &[1; 10]);
        let metadata = std::fs::metadata(cache.path(&key)).expect("the file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        mode(&cache.path(&key), 0o622);
        assert_eq!(read(&cache, &key), None);
        mode(&base.join("pullback"), 0o755);
        assert!(Cache::at(&base).is_none());
        mode(&base.join("pullback"), 0o700);
        assert!(Cache::at(&base).is_some());
        let link = folder.file("link");
        std::fs::create_dir(&link).expect("a folder");
        std::os::unix::fs::symlink(base.join("pullback"), link.join("pullback")).expect("a link");
        assert!(Cache::at(&link).is_none());
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = Folder::new().expect("a folder");
        let cache = Cache::at(&folder.file("base")).expect("a cache");
        let keys: Vec<Key> = (0..10_u8).map(|number| Key::of(&[&[number]])).collect();
        for (age, key) in keys.iter().enumerate() {
            cache.store(key, &[1; 1000]);
            let file = File::options().write(true).open(cache.path(key)).expect("the file");
            let time = SystemTime::now() - Duration::from_secs(100 + age as u64);
            file.set_modified(time).expect("it is ours");
        }
        // Being found makes the oldest the youngest.
        assert!(cache.find(&keys[9]).is_some());
        cache.tidy(20_000, 5_000);
        assert!(keys.iter().all(|key| cache.path(key).exists()));
        cache.tidy(10_000, 5_000);
        let left: Vec<usize> = (0..10).filter(|at| cache.path(&keys[*at]).exists()).collect();
        assert_eq!(left, [0, 1, 2, 9]);
    }
}
