//! Discovery of the system's C compiler: what the environment's `CC` names, else `cc`, else a spare one; and what it says that
//! it is.
//!
//! Input: the environment. Output: the first compiler that says which version it has, once for a process. That is kept as
//! long as the program is the same file, since to ask takes longer than to find code that was made before.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use pullback_base::Instant;

use crate::cache::{Cache, Key};
use crate::guard::run;
use crate::level::Level;
use crate::stamp::stamp;

/// The system's C compiler.
#[derive(Debug)]
pub(crate) struct Compiler {
    pub line: Line,
    /// The path of the compiler, its arguments, and what it prints about its version.
    pub identity: Vec<u8>,
}

/// How a compiler is called: a command, and arguments that come before all others.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub name: OsString,
    args: Vec<OsString>,
}

impl Line {
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.name);
        command.args(&self.args);
        command
    }

    /// The options of a level.
    pub fn flags(&self, level: Level) -> Vec<&'static str> {
        let words = std::iter::once(&self.name).chain(&self.args);
        let stems = words.filter_map(|word| Path::new(word).file_stem());
        let is_zig = stems.into_iter().any(|stem| stem == "zig" || stem == "ziglang");
        if is_zig { level.flags_of_zig() } else { level.flags().to_vec() }
    }

    /// The key of what a program says of its version. A script, and a command with arguments, may call another one tomorrow.
    fn of_its_own(&self, place: &Path) -> Option<Key> {
        let mut head = [0; 4];
        File::open(place).and_then(|mut file| file.read_exact(&mut head)).ok()?;
        let is_program = head == *b"\x7fELF" && self.args.is_empty();
        Some(Key::of(&[b"version", stamp(place).filter(|_| is_program)?.as_bytes()]).of_memo())
    }

    /// What the environment's `CC` says: the name of a file, which may have blanks in it, or a command with arguments.
    fn named(text: OsString) -> Self {
        let words = text.to_string_lossy();
        let mut words = words.split_whitespace().map(OsString::from);
        match (find(Path::new(&text)), words.next()) {
            (None, Some(name)) => Self { name, args: words.collect() },
            (Some(_), _) | (None, None) => Self { name: text, args: vec![] },
        }
    }
}

/// How long a compiler may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(30);

/// What runs if there is no `cc`.
static SPARE: OnceLock<Line> = OnceLock::new();

/// Names a compiler that runs if the environment names none and there is no `cc`: a command, and its first arguments. This
/// counts if it is said before a compiler is looked for.
pub fn spare_compiler(name: OsString, args: Vec<OsString>) {
    // The first one counts.
    let _ = SPARE.set(Line { name, args });
}

/// The name of the compiler: that of the environment's `CC`, else `cc`, else the spare one, if one can be run.
pub fn compiler() -> Option<&'static OsString> {
    known().map(|compiler| &compiler.line.name)
}

pub(crate) fn known() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    if let Some(known) = COMPILER.get() {
        return known.as_ref();
    }
    // Nobody waits for the answer: in a process that forked from the one that asks it would never come.
    let found = lines().into_iter().find_map(|line| answering(line, Cache::open()));
    COMPILER.get_or_init(|| found).as_ref()
}

/// The compiler that is called so, if it says what it is.
fn answering(line: Line, cache: Option<Cache>) -> Option<Compiler> {
    let place = place(Path::new(&line.name));
    let kept = cache.zip(line.of_its_own(&place));
    let known = kept.as_ref().and_then(|(cache, key)| cache.read(key));
    let printed = known.or_else(|| {
        let mut command = line.command();
        command.arg("--version");
        let answer = run(command, false, None, Some(Instant::now() + PATIENCE)).ok()??;
        answer.status.success().then_some(())?;
        if let Some((cache, key)) = &kept {
            cache.store(key, &answer.printed);
        }
        Some(answer.printed)
    })?;
    let mut identity = place.into_os_string().into_encoded_bytes();
    for arg in &line.args {
        identity.push(0);
        identity.extend(arg.as_encoded_bytes());
    }
    identity.extend(printed);
    Some(Compiler { line, identity })
}

/// How the compiler may be called, the best way first.
fn lines() -> Vec<Line> {
    match std::env::var_os("CC").filter(|name| !name.is_empty()) {
        Some(text) => vec![Line::named(text)],
        None => {
            let usual = Line { name: "cc".into(), args: vec![] };
            std::iter::once(usual).chain(SPARE.get().cloned()).collect()
        }
    }
}

/// Whether there is a file where the compiler would be: nothing is run to find out.
pub fn may_compile() -> bool {
    lines().iter().any(|line| find(Path::new(&line.name)).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn the_environment_may_name_arguments() {
        let words = |text: &str| {
            let line = Line::named(text.into());
            let all = std::iter::once(&line.name).chain(&line.args);
            all.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("ccache  gcc -m64"), ["ccache", "gcc", "-m64"]);
        assert_eq!(words("gcc"), ["gcc"]);
        assert_eq!(words("  "), ["  "]);
        let folder = Folder::new().unwrap();
        let spaced = folder.file("a compiler");
        std::fs::write(&spaced, "").unwrap();
        assert_eq!(words(&spaced.to_string_lossy()), [spaced.to_string_lossy()]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_compiler_says_is_kept_as_long_as_it_is_the_same_file() {
        let folder = Folder::new().expect("a folder");
        let cache = || Cache::at(&folder.file("base"));
        let program = folder.file("compiler");
        let line = |args: &[&str]| Line {
            name: program.clone().into(),
            args: args.iter().map(OsString::from).collect(),
        };
        let says = |line: Line, cache| {
            let identity = answering(line, cache).expect("an answer").identity;
            String::from_utf8_lossy(&identity).into_owned()
        };
        let copy = |name: &str| {
            std::fs::remove_file(&program).unwrap_or_default();
            std::fs::copy(find(Path::new(name)).expect("a program"), &program).expect("a file");
        };
        copy("echo");
        let asked = says(line(&[]), cache());
        let key = line(&[]).of_its_own(&program).expect("a key");
        cache().expect("a cache").store(&key, b"what was kept");
        assert!(says(line(&[]), cache()).ends_with("what was kept"));
        assert_eq!(says(line(&[]), None), asked);
        // What has arguments calls others.
        assert!(line(&["gcc"]).of_its_own(&program).is_none());
        copy("echo");
        assert_eq!(says(line(&[]), cache()), asked);
        std::fs::remove_file(&program).expect("it is ours");
        std::fs::write(&program, "#!/bin/sh\necho 1\n").expect("a file");
        assert!(line(&[]).of_its_own(&program).is_none());
    }
}
