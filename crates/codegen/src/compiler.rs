//! Driver of the system's C compiler: how it is asked, and what counts as its success.
//!
//! Input: the C of a program, in one translation unit or several, what its numbers may differ in, how hard the compiler is
//! to try, and until when. Output: a shared object, open to be read, or a [`Failure`]; and the key under which the object
//! may be kept.
//!
//! Invariants. The compiler is run with arguments, never through a shell, in a folder of its own that is gone
//! afterwards, and it ends with this process ([`crate::guard`]). Nothing is taken for granted of what it makes and
//! prints: an object is checked before it is loaded, and what is printed is shown without what terminals take for
//! commands.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pullback_base::Instant;

use crate::cache::{Cache, Key};
use crate::discovery::{Compiler, Line, known};
use crate::emit::Fp;
use crate::folder::{Folder, open_file};
use crate::guard::run;
use crate::level::{FLAGS, Level, rounding};
use crate::object::check;

/// Why there is no native code.
#[derive(Clone, Debug)]
pub enum Failure {
    /// There is no C compiler.
    NoCompiler,
    /// The program has something that native code lacks.
    Unsupported(String),
    /// The compiler or the loader refused, or there is no room for what is compiled.
    Refused(String),
    /// The time was over before the compiler had ended.
    Late,
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

/// The key of the object that a text becomes, in so many translation units: all that decides what it is.
pub(crate) fn key(text: &str, units: usize, fp: Fp, level: Level) -> Option<Key> {
    let Compiler { line, identity } = known()?;
    let mut parts = vec![identity.clone(), processor(), text.as_bytes().to_vec()];
    parts.push(units.to_le_bytes().to_vec());
    let flags = line.flags(level);
    parts.extend(
        FLAGS.iter().chain(&flags).chain(rounding(fp, level)).map(|flag| flag.as_bytes().to_vec()),
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
    /// The beginnings of the lines that name the kind; others say how fast the processor is just now.
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

/// What the compiler made of a program.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The shared object, open to be read, and where it is.
    pub file: File,
    pub path: PathBuf,
    pub units: Units,
}

/// How many translation units of a program were compiled, and how many had been before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Those that the compiler made.
    pub made: usize,
    /// Those that were kept.
    pub found: usize,
}

/// Compiles the translation units of a program to a shared object, in the time until then: several of them side by side,
/// without those that are kept.
pub(crate) fn compile(
    units: &[&str],
    fp: Fp,
    level: Level,
    (folder, cache): (&Folder, Option<&Cache>),
    until: Option<Instant>,
) -> Result<Compiled, Failure> {
    let Some(Compiler { line, .. }) = known() else { return Err(Failure::NoCompiler) };
    let asked = Asked { line, fp, level, folder, until };
    let object = folder.file("code.so");
    let (printed, units) = match units {
        [text] => {
            let source = asked.source(0, text)?;
            let printed = asked.run(&["-shared".as_ref()], &source, &object)?;
            (printed, Units { made: 1, found: 0 })
        }
        texts => {
            let (objects, units) = asked.objects(texts, cache, false)?;
            match asked.link(&objects, &object) {
                Err(Failure::Refused(_)) if units.found > 0 => {
                    // What was kept is whole, but the linker does not take it.
                    let (objects, units) = asked.objects(texts, cache, true)?;
                    (asked.link(&objects, &object)?, units)
                }
                linked => (linked?, units),
            }
        }
    };
    asked.whole(object, &printed, units)
}

/// What is asked of the compiler, whatever it reads.
#[derive(Clone, Copy)]
struct Asked<'a> {
    line: &'a Line,
    fp: Fp,
    level: Level,
    folder: &'a Folder,
    until: Option<Instant>,
}

impl Asked<'_> {
    /// The file of a text.
    fn source(self, at: usize, text: &str) -> Result<PathBuf, Failure> {
        let source = self.folder.file(&format!("code{at}.c"));
        written(&source, text.as_bytes())?;
        Ok(source)
    }

    /// The objects of these texts: those that are kept, unless all are to be made anew, and others that are compiled and kept
    /// from then on; and how many there are of both.
    fn objects(
        self,
        texts: &[&str],
        cache: Option<&Cache>,
        anew: bool,
    ) -> Result<(Vec<PathBuf>, Units), Failure> {
        let (mut objects, mut missing, mut sources) = (vec![], vec![], vec![]);
        for (at, text) in texts.iter().enumerate() {
            let object = self.folder.file(&format!("code{at}.o"));
            let key = key(text, 1, self.fp, self.level).map(Key::of_unit);
            let kept = cache.zip(key.as_ref()).filter(|_| !anew);
            if let Some(bytes) = kept.and_then(|(cache, key)| cache.read(key)) {
                written(&object, &bytes)?;
            } else {
                sources.push((self, self.source(at, text)?, object.clone()));
                missing.push((key, object.clone()));
            }
            objects.push(object);
        }
        side_by_side(&sources)?;
        if let Some(cache) = cache {
            let made = missing
                .iter()
                .filter_map(|(key, object)| Some((key.as_ref()?, std::fs::read(object).ok()?)));
            cache.store_all(made);
        }
        let units = Units { made: missing.len(), found: texts.len() - missing.len() };
        Ok((objects, units))
    }

    /// The shared object that was made, where it is a whole one.
    fn whole(self, path: PathBuf, printed: &[u8], units: Units) -> Result<Compiled, Failure> {
        let file = open_file(&path).map_err(|error| {
            let what = format!("made no shared object ({error}), though it ended well");
            self.refused(&what, printed)
        })?;
        match check(&file) {
            Ok(()) => Ok(Compiled { file, path, units }),
            Err(what) => Err(self.refused(&format!("made no shared object, but {what}"), printed)),
        }
    }

    /// Links objects to one. What was printed.
    fn link(self, objects: &[PathBuf], to: &Path) -> Result<Vec<u8>, Failure> {
        let mut args: Vec<&OsStr> = vec!["-shared".as_ref()];
        args.extend(objects[1..].iter().map(|part| part.as_os_str()));
        self.run(&args, &objects[0], to)
    }

    /// Runs the compiler with these arguments too. What it printed.
    fn run(self, args: &[&OsStr], from: &Path, to: &Path) -> Result<Vec<u8>, Failure> {
        let mut command = self.line.command();
        command.args(FLAGS).args(self.line.flags(self.level)).args(rounding(self.fp, self.level));
        command.args(args).arg("-o").arg(to).arg(from).arg("-lm");
        // What it leaves when it is killed goes with the folder.
        command.env("TMPDIR", self.folder.path());
        let shown = self.line.name.to_string_lossy();
        let ended = run(command, true, Some(self.folder.path()), self.until)
            .map_err(|error| Failure::Refused(format!("`{shown}` cannot run: {error}")))?;
        let Some(ended) = ended else { return Err(Failure::Late) };
        if !ended.status.success() {
            return Err(self.refused(&ended.how(), &ended.printed));
        }
        Ok(ended.printed)
    }

    /// The failure of a compiler that did this and printed that.
    fn refused(self, what: &str, printed: &[u8]) -> Failure {
        let shown = self.line.name.to_string_lossy();
        let told = shown_of(printed);
        let told =
            if told.is_empty() { " and printed nothing".to_owned() } else { format!(":\n{told}") };
        Failure::Refused(format!("`{shown}` {what}{told}"))
    }
}

/// Compiles each of these to an object, as many at once as there are processors.
fn side_by_side(sources: &[(Asked<'_>, PathBuf, PathBuf)]) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Failure> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((asked, source, object)) = sources.get(at) else { return Ok(()) };
            asked.run(&["-c".as_ref()], source, object)?;
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        // A program ends with the thread that began it, and this one waits for all.
        let others: Vec<_> =
            (1..processors.min(sources.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().fold(own, |so_far, other| {
            let other = other.join().unwrap_or_else(|payload| resume_unwind(payload));
            so_far.and(other)
        })
    })
}

/// Writes a file.
fn written(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| {
        Failure::Refused(format!("`{}` cannot be written: {error}", path.display()))
    })
}

/// What a compiler printed, without what terminals take for commands, and no more than people read.
fn shown_of(printed: &[u8]) -> String {
    /// The most lines, and characters of each.
    const LINES: usize = 20;
    const CHARS: usize = 200;
    let text = String::from_utf8_lossy(printed);
    let lines = text.lines().map(plain).filter(|line| !line.trim().is_empty());
    let cut = lines.take(LINES).map(|line| match line.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    });
    cut.collect::<Vec<_>>().join("\n")
}

/// A line without control characters and the sequences that begin with one.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                // Colours and the like: up to a letter.
                Some('[') => {
                    let _ = chars.by_ref().find(|char| ('@'..='~').contains(char));
                }
                // Titles and links: up to a bell, or to an escape and one more.
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    if chars.by_ref().find(|char| ['\u{7}', '\u{1b}'].contains(char))
                        == Some('\u{1b}')
                    {
                        chars.next();
                    }
                }
                Some('(' | ')' | '#' | '%') => {
                    chars.next();
                }
                Some(_) | None => {}
            },
            '\t' => plain.push(' '),
            // Marks that turn the direction of text hide as much as control characters do.
            char if char.is_control()
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {}
            char => plain.push(char),
        }
    }
    plain
}

/// Compiles the texts of a library, each at a level of its own, side by side to one shared object, and puts it at a path.
pub fn shared_object(texts: &[(Level, &str)], fp: Fp, to: &Path) -> Result<(), Failure> {
    let folder = Folder::new().map_err(no_folder)?;
    let Compiled { path, .. } = match texts {
        [(level, text)] => compile(&[text], fp, *level, (&folder, None), None)?,
        texts => levels(texts, fp, &folder)?,
    };
    let copied = std::fs::copy(path, to).map(drop);
    copied
        .map_err(|error| Failure::Refused(format!("`{}` cannot be written: {error}", to.display())))
}

/// Compiles several texts to one shared object, each at its level.
fn levels(texts: &[(Level, &str)], fp: Fp, folder: &Folder) -> Result<Compiled, Failure> {
    let Some(Compiler { line, .. }) = known() else { return Err(Failure::NoCompiler) };
    let (mut todo, mut objects) = (vec![], vec![]);
    for (at, (level, text)) in texts.iter().enumerate() {
        let asked = Asked { line, fp, level: *level, folder, until: None };
        let object = folder.file(&format!("code{at}.o"));
        todo.push((asked, asked.source(at, text)?, object.clone()));
        objects.push(object);
    }
    side_by_side(&todo)?;
    let linking = Asked { line, fp, level: Level::Portable, folder, until: None };
    let object = folder.file("code.so");
    let printed = linking.link(&objects, &object)?;
    let units = Units { made: texts.len(), found: 0 };
    linking.whole(object, &printed, units)
}

/// The failure if there is no folder to compile in.
pub(crate) fn no_folder(error: std::io::Error) -> Failure {
    let place = std::env::temp_dir();
    Failure::Refused(format!("there can be no folder in `{}`: {error}", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_cannot_be_linked_is_made_again() {
        let place = Folder::new().expect("a folder");
        let cache = Cache::at(&place.file("base")).expect("a cache");
        let texts = ["int one(void) { return 1; }\n", "int one(void);\nint two = 2;\n"];
        let check = |made: usize| {
            let folder = Folder::new().expect("a folder");
            let both = (&folder, Some(&cache));
            let compiled = compile(&texts, Fp::Strict, Level::Fast, both, None);
            let found = texts.len() - made;
            assert_eq!(compiled.expect("an object").units, Units { made, found });
        };
        check(2);
        check(0);
        let key = key(texts[0], 1, Fp::Strict, Level::Fast).expect("a compiler").of_unit();
        cache.remove(&key);
        check(1);
        cache.store(&key, b"no object");
        check(2);
        check(0);
    }

    #[test]
    fn what_a_compiler_prints_has_no_commands_for_terminals() {
        let cases: [(&[u8], &str); 7] = [
            (b"code.c:1: error: no", "code.c:1: error: no"),
            (b"\x1b[31;1merror\x1b[0m: \x1b]8;;http://a\x07link\x1b]8;;\x1b\\!", "error: link!"),
            (b"a\x00b\x08c\x7fd\xc2\x9be\tf\r\n\r\ng", "abcde f\ng"),
            (b"\x1b", ""),
            (b"\x1b[", ""),
            (b"\x1b]2;title", ""),
            (b"\xff\xfe", "\u{fffd}\u{fffd}"),
        ];
        for (printed, shown) in cases {
            assert_eq!(shown_of(printed), shown);
        }
        let long = shown_of(&b"x".repeat(100_000));
        assert_eq!(long.chars().count(), 201);
        assert_eq!(shown_of(&b"line\n".repeat(100_000)).lines().count(), 20);
    }
}
