//! Private temporary folders with crash recovery: folders that only this user can look into, and the removal of those
//! whose processes are gone.
//!
//! Input: nothing, or the folder for temporary files. Output: a [`Folder`] that goes when it is dropped; or the removal
//! of what was left.
//!
//! Invariants. A folder has a file that its process keeps locked, which the system unlocks when the process ends. What
//! another process finds unlocked it may remove, under the lock. It removes only folders of this user that nobody else
//! may look into, and none where others could exchange one folder for another.
#![expect(unsafe_code, reason = "the system says who the user is")]

use std::fs::{File, Metadata, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The beginning of the names of all folders.
const NAME: &str = "pullback-";
/// The file in a folder that is locked.
const LOCK: &str = "lock";
/// A folder without a lock that is younger is about to have one; an older one is nobody's.
const ABANDONED: Duration = Duration::from_secs(60);

/// A folder for temporary files that only this user can look into, gone when this is dropped.
pub(crate) struct Folder {
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: Option<File>,
}

impl Folder {
    /// Makes a new folder. The first time, it also removes what was left by processes that are gone.
    pub fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        sweep_once();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{NAME}{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match make_private(&path) {
                Ok(()) => {}
                // An earlier process of this number left it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            let file = path.join(LOCK);
            let lock = File::create_new(&file);
            match lock.as_ref().map(File::try_lock) {
                // Another process may have removed it just before it was locked.
                Ok(Ok(())) if file.exists() => return Ok(Self { path, _lock: lock.ok() }),
                Ok(Ok(()) | Err(TryLockError::WouldBlock)) => {}
                // There are folders without locks.
                Ok(Err(TryLockError::Error(_))) => {
                    std::fs::remove_file(&file)?;
                    return Ok(Self { path, _lock: None });
                }
                Err(_) => {
                    let _ = std::fs::remove_dir_all(&path);
                    lock?;
                }
            }
        }
    }
    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files, where it does no harm.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes what processes left that are gone, once for this process.
pub(crate) fn sweep_once() {
    static SWEPT: AtomicBool = AtomicBool::new(false);
    if !SWEPT.swap(true, Ordering::Relaxed) {
        sweep(&std::env::temp_dir());
    }
}

/// Removes the folders below `base` whose processes are gone.
fn sweep(base: &Path) {
    if std::fs::metadata(base).is_ok_and(|metadata| is_open_to_all(&metadata)) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(base) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_name);
        let metadata = entry.metadata().ok().filter(|metadata| is_ours && metadata.is_dir());
        let Some(metadata) = metadata.filter(is_private) else { continue };
        let path = entry.path();
        match std::fs::symlink_metadata(path.join(LOCK)) {
            Ok(lock) if lock.is_file() => {
                // It stays locked until it is gone.
                let lock = File::options().write(true).open(path.join(LOCK));
                if lock.as_ref().is_ok_and(|lock| lock.try_lock().is_ok()) {
                    let _ = std::fs::remove_dir_all(&path);
                }
            }
            Ok(_) => {}
            Err(_) => {
                let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
                if age.is_some_and(|age| age > ABANDONED) && !is_running(&path) {
                    let _ = std::fs::remove_dir_all(&path);
                }
            }
        }
    }
}

/// Whether a name is that of a folder: with the numbers of a process and of the folder.
fn is_name(name: &str) -> bool {
    let numbers = name.strip_prefix(NAME).and_then(|numbers| numbers.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether the process that a folder is named for may be running.
fn is_running(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let process = name.and_then(|name| name.split('-').nth(1)).unwrap_or("self");
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process).exists()
}

/// Whether others can take the place of what is in a folder.
#[cfg(unix)]
fn is_open_to_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o022 != 0 && metadata.mode() & 0o1000 == 0
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Metadata) -> bool {
    true
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

/// Opens a file that is there to be read, and no link, folder or pipe, which nobody may ever write to.
pub(crate) fn open_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOFOLLOW,
    );
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::other("it is not a file"))
    }
}

/// Whether a file or folder is this user's, and closed to all others.
#[cfg(unix)]
pub(crate) fn is_private(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    metadata.uid() == geteuid() && metadata.mode() & 0o077 == 0
}

/// On systems that do not tell owners no file counts as private, so nothing is kept.
#[cfg(not(unix))]
pub(crate) fn is_private(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path, mode: u32) {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("it is ours");
    }

    #[test]
    fn folders_of_dead_processes_are_swept_and_others_are_left() {
        let base = Folder::new().expect("a folder");
        let make = |name: &str, has_lock: bool| {
            let path = base.file(name);
            make_private(&path).expect("a folder");
            std::fs::write(path.join("code.c"), "").expect("a file");
            let lock = has_lock.then(|| File::create_new(path.join(LOCK)).expect("a file"));
            (path, lock)
        };
        let (dead, _) = make("pullback-4000000-0", true);
        let (live, held) = make("pullback-4000000-1", true);
        held.as_ref().expect("a lock").try_lock().expect("it is free");
        let (young, _) = make("pullback-4000000-2", false);
        let (old, _) = make("pullback-4000000-3", false);
        let (own, _) = make(&format!("pullback-{}-99", std::process::id()), false);
        for path in [&old, &own] {
            let time = std::time::SystemTime::now() - 2 * ABANDONED;
            File::open(path).expect("a folder").set_modified(time).expect("it is ours");
        }
        let (named_otherwise, _) = make("pullback-mine-0", true);
        let (open, _) = make("pullback-4000000-4", true);
        mode(&open, 0o755);
        let link = base.file("pullback-4000000-5");
        std::os::unix::fs::symlink(&named_otherwise, &link).expect("a link");
        mode(base.path(), 0o777);
        sweep(base.path());
        assert!(dead.exists());
        mode(base.path(), 0o700);
        sweep(base.path());
        assert_eq!([&dead, &old].map(|path| path.exists()), [false; 2]);
        assert_eq!(
            [live, young, own, named_otherwise, open, link].map(|path| path.exists()),
            [true; 6]
        );
    }

    #[test]
    fn only_files_are_opened() {
        let folder = Folder::new().expect("a folder");
        let file = folder.file("file");
        std::fs::write(&file, "x").expect("a file");
        assert!(open_file(&file).is_ok());
        std::os::unix::fs::symlink(&file, folder.file("link")).expect("a link");
        let made = std::process::Command::new("mkfifo").arg(folder.file("pipe")).status();
        assert!(made.expect("it starts").success());
        for name in ["link", "pipe", ".", "nothing"] {
            assert!(open_file(&folder.file(name)).is_err(), "{name}");
        }
    }
}
