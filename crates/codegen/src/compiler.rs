//! The system's C compiler: which it is, and how it is asked. It is run with arguments, never through a shell,
//! in a folder of its own that is gone afterwards.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How hard the compiler tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// For code that runs once, such as tests.
    Quick,
    /// For code that runs long.
    Fast,
}

/// Why there is no native code.
#[derive(Clone, Debug)]
pub enum Failure {
    /// There is no C compiler.
    NoCompiler,
    /// The program has something that native code lacks.
    Unsupported(String),
    /// The compiler or the loader refused: a mistake in Pullback or in the system.
    Refused(String),
}

impl Level {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Quick => &["-O1", "-ffp-contract=off"],
            Self::Fast => &["-O3", "-march=native", "-ffp-contract=off"],
        }
    }
}

/// What is asked of every compiler.
const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
];

/// The name of the compiler: that of the environment's `CC`, else `cc`, if one can be run.
pub fn compiler() -> Option<&'static OsString> {
    static COMPILER: OnceLock<Option<OsString>> = OnceLock::new();
    let find = || {
        let named = std::env::var_os("CC").filter(|name| !name.is_empty());
        let name = named.unwrap_or_else(|| "cc".into());
        let mut command = Command::new(&name);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success()).then_some(name)
    };
    COMPILER.get_or_init(find).as_ref()
}

/// A folder that only this user can look into, gone when this is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one.
    pub fn new() -> Result<Self, Failure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let refused = |error: std::io::Error| Failure::Refused(format!("no folder: {error}"));
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("pullback-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match make_private(&path) {
                Ok(()) => return Ok(Self(path)),
                // An earlier process of this number left it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(refused(error)),
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

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir(path)
}

/// Compiles a text to a shared object.
pub(crate) fn compile(text: &str, level: Level, folder: &Folder) -> Result<PathBuf, Failure> {
    let Some(name) = compiler() else { return Err(Failure::NoCompiler) };
    let (source, object) = (folder.file("code.c"), folder.file("code.so"));
    std::fs::write(&source, text).map_err(|error| Failure::Refused(error.to_string()))?;
    let output = Command::new(name)
        .args(FLAGS)
        .args(level.flags())
        .arg("-o")
        .arg(&object)
        .arg(&source)
        .arg("-lm")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::Refused(error.to_string()))?;
    if output.status.success() {
        Ok(object)
    } else {
        let told = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Refused(told.lines().take(20).collect::<Vec<_>>().join("\n")))
    }
}
