//! The system's C compiler: which it is, and how it is asked. It is run with arguments, never through a shell,
//! in a folder of its own that is gone afterwards.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::cache::Key;
use crate::emit::Fp;
use crate::folder::Folder;

/// How hard the compiler tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// For code that runs once, such as tests.
    Quick,
    /// For code that runs long, on this machine.
    Fast,
    /// For code that runs long, on every machine of this kind.
    Portable,
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
            Self::Quick => &["-O1"],
            Self::Fast => NATIVE,
            Self::Portable => &["-O3"],
        }
    }
}

/// How products and sums are rounded: each, unless the text asks for more, or once both.
fn rounding(fp: Fp) -> &'static [&'static str] {
    match fp {
        Fp::Strict => &["-ffp-contract=off"],
        Fp::Fast => &["-ffp-contract=fast", "-DPB_CONTRACTS"],
    }
}

/// What is asked for code that runs long here. Where the compiler knows a processor by an older one it takes it for
/// slow at wide vectors, and spends registers of those on addresses: so it is told to tune for none.
const NATIVE: &[&str] = if cfg!(target_arch = "x86_64") {
    &["-O3", "-march=native", "-mtune=generic"]
} else {
    &["-O3", "-march=native"]
};

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
    // The assembler reads while the compiler writes.
    "-pipe",
];

/// The system's C compiler.
#[derive(Debug)]
struct Compiler {
    name: OsString,
    /// Where it is, and what it says of itself.
    identity: Vec<u8>,
}

/// The name of the compiler: that of the environment's `CC`, else `cc`, if one can be run.
pub fn compiler() -> Option<&'static OsString> {
    known().map(|compiler| &compiler.name)
}

fn known() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    let find = || {
        let name = name();
        let output = Command::new(&name).arg("--version").stdin(Stdio::null()).output().ok()?;
        let mut identity = place(Path::new(&name)).into_os_string().into_encoded_bytes();
        identity.extend(&output.stdout);
        output.status.success().then_some(Compiler { name, identity })
    };
    COMPILER.get_or_init(find).as_ref()
}

/// The name by which the compiler is called.
fn name() -> OsString {
    let named = std::env::var_os("CC").filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "cc".into())
}

/// Whether there is a file where the compiler would be: nothing is run to find out.
pub fn may_compile() -> bool {
    find(Path::new(&name())).is_some()
}

/// The file of a command.
fn find(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").filter(|_| name.components().count() == 1);
    let folders = path.iter().flat_map(std::env::split_paths);
    let mut places = folders.map(|folder| folder.join(name)).chain([name.to_owned()]);
    places.find(|place| place.is_file())
}

/// Where a command is, without links.
fn place(name: &Path) -> PathBuf {
    let place = find(name).unwrap_or_else(|| name.to_owned());
    std::fs::canonicalize(&place).unwrap_or(place)
}

/// The variables of the environment that compilers look at.
const ENVIRONMENT: &[&str] = &[
    "CPATH",
    "C_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "SOURCE_DATE_EPOCH",
];

/// The key of the object that a text becomes: all that decides what it is.
pub(crate) fn key(text: &str, fp: Fp, level: Level) -> Option<Key> {
    let mut parts = vec![known()?.identity.clone(), processor(), text.as_bytes().to_vec()];
    parts.extend(
        FLAGS.iter().chain(level.flags()).chain(rounding(fp)).map(|flag| flag.as_bytes().to_vec()),
    );
    parts.extend(ENVIRONMENT.iter().map(|name| match std::env::var_os(name) {
        Some(value) => [b"=", value.as_encoded_bytes()].concat(),
        None => vec![],
    }));
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Some(Key::of(&parts))
}

/// What kind of processor this is, which `-march=native` compiles for.
fn processor() -> Vec<u8> {
    /// What the lines begin with that say so; others say how fast it is just now.
    const KINDS: &[&str] =
        &["vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ", "isa"];
    let mut text = String::new();
    if let Ok(file) = std::fs::File::open("/proc/cpuinfo") {
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            // The first processor stands for all.
            if line.is_empty() {
                break;
            }
            if KINDS.iter().any(|kind| line.starts_with(kind)) {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    text.push_str(std::env::consts::ARCH);
    text.into_bytes()
}

/// Compiles a text to a shared object.
pub(crate) fn compile(
    text: &str,
    fp: Fp,
    level: Level,
    folder: &Folder,
) -> Result<PathBuf, Failure> {
    let Some(name) = compiler() else { return Err(Failure::NoCompiler) };
    let (source, object) = (folder.file("code.c"), folder.file("code.so"));
    std::fs::write(&source, text).map_err(|error| Failure::Refused(error.to_string()))?;
    let output = Command::new(name)
        .args(FLAGS)
        .args(level.flags())
        .args(rounding(fp))
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

/// Compiles the text of a library to a shared object, and puts it at a path.
pub fn shared_object(text: &str, level: Level, to: &Path) -> Result<(), Failure> {
    let folder = Folder::new().map_err(|error| Failure::Refused(error.to_string()))?;
    let object = compile(text, Fp::Strict, level, &folder)?;
    let copied = std::fs::copy(object, to).map(drop);
    copied.map_err(|error| Failure::Refused(error.to_string()))
}
