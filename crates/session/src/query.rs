//! A query: the files seen so far and what was said about them. It is a value; nothing is global.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use pullback_base::memory::Charge;
use pullback_base::{Diagnostic, Exceeded, FileId, Limits, MAX_FILE_BYTES, SourceMap, Span};
use pullback_engine::Registry;

use crate::files::Files;
use crate::limits::{Clock, exceeded_by_input};

/// Told what is counted, how many are done, and of how many.
pub type Progress<'f> = &'f dyn Fn(&str, u64, u64);

/// The state of one question: where files come from, their texts, the diagnostics found.
pub struct Query<'f> {
    /// Where files come from.
    pub files: &'f dyn Files,
    /// The engines that may be chosen by name.
    pub registry: Registry,
    /// All text that diagnostics may point into.
    pub sources: SourceMap,
    /// What was found, in order of finding.
    pub diagnostics: Vec<Diagnostic>,
    /// How answers were found, where the settings ask for it, and what a library lacks.
    pub notes: Vec<String>,
    /// The files of the embedded library.
    pub library: BTreeSet<FileId>,
    /// Whether each pass verifies what it makes: in tests, and always in debug builds.
    pub verify_passes: bool,
    /// The names of passes of the compiler that are left out, of those that may be.
    pub without_passes: Vec<String>,
    /// Who is told how far the work is.
    pub progress: Progress<'f>,
    /// From when the time limit counts.
    pub clock: Clock,
    /// The memory of the input files' texts.
    held: Vec<Charge>,
}

/// Errors have been reported to the query: there is nothing more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

impl<'f> Query<'f> {
    /// A query that has seen nothing and begins its work now.
    pub fn new(files: &'f dyn Files, registry: Registry) -> Self {
        Self::timed(files, registry, Clock::default())
    }
    /// A query that has seen nothing, with the clock of its work.
    pub fn timed(files: &'f dyn Files, registry: Registry, clock: Clock) -> Self {
        Self {
            files,
            registry,
            sources: SourceMap::default(),
            diagnostics: vec![],
            notes: vec![],
            library: BTreeSet::new(),
            verify_passes: cfg!(debug_assertions),
            without_passes: vec![],
            progress: &|_, _, _| {},
            clock,
            held: vec![],
        }
    }
    /// Adds a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
    /// Adds an error and stops.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Stop> {
        self.report(diagnostic);
        Err(Stop)
    }
    /// Whether there are errors (warnings do not count).
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
    /// Stops if there are errors.
    pub fn stop_on_errors(&self) -> Result<(), Stop> {
        if self.has_errors() { Err(Stop) } else { Ok(()) }
    }
    /// Puts the diagnostics in the order of the text: files as they were loaded, then places. What
    /// has no place comes first.
    pub fn sort_diagnostics(&mut self) {
        self.diagnostics.sort_by_key(|diagnostic| {
            let span = diagnostic.span();
            if span.is_none() { None } else { Some((span.file, span.lo)) }
        });
        self.diagnostics.dedup();
    }
    /// Reads the file of a program.
    pub fn read_text(&mut self, path: &Path) -> Result<FileId, Stop> {
        match self.files.read_source(path) {
            Ok(bytes) => self.add_text(path, bytes),
            Err(error) => self.fail(unreadable(path, &error)),
        }
    }
    /// Reads an input file, as far as there is room for it.
    pub fn read_input(&mut self, path: &Path, limits: &Limits) -> Result<Vec<u8>, Stop> {
        let room = limits.room() as u64;
        match self.files.read_at_most(path, room.min(MAX_FILE_BYTES)) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::FileTooLarge && room < MAX_FILE_BYTES => {
                self.fail(exceeded_by_input(limits, Exceeded::Memory, path, Span::NONE))
            }
            Err(error) => self.fail(unreadable(path, &error)),
        }
    }
    /// Notes that this much of an input file is kept to the end.
    pub fn hold(&mut self, bytes: usize) {
        self.held.push(Charge::new(bytes));
    }
    /// Adds bytes that must be text as a file.
    pub fn add_text(&mut self, path: &Path, bytes: Vec<u8>) -> Result<FileId, Stop> {
        let name = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.sources.add(name, text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                // The replacement characters stand where the wrong bytes were, at the same offset.
                let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let file = self.sources.add(name, shown);
                let span = Span::new(file, at, at + char::REPLACEMENT_CHARACTER.len_utf8());
                self.fail(
                    Diagnostic::error(
                        "E0802",
                        span,
                        "this file is not UTF-8 text",
                        "the first wrong byte",
                    )
                    .note("Pullback reads and writes UTF-8 only")
                    .hint("save the file as UTF-8"),
                )
            }
        }
    }
}

/// The diagnostic of a file that was named on the command line.
fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let title = format!("cannot read `{}`: {}", path.display(), reason(error));
    Diagnostic::error("E0801", Span::NONE, title, "").hint("check the path and its permissions")
}

/// The system's reason without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split_once(" (os error").map_or(text.as_str(), |(plain, _)| plain);
    let mut chars = plain.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
