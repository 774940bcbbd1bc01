//! What a call is given: the expressions of its command line and its input file.
//!
//! Input: texts and a path. Output: [`Arguments`]: parsed expressions, each in a file of its own such
//! as `<argument 1>`, and the input file with its names. Values of the file are decoded when the
//! types of the parameters are known.

use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, FileId, Span};
use pullback_eval::Value;
use pullback_eval::memory::Charge;
use pullback_lambda::{Program, Type};
use pullback_syntax::ast::Expr;
use pullback_syntax::parse_expr;

use crate::input::{
    Entry, JsonError, Kind, Misfit, NpzArray, Stopped, Tape, decode, from_numbers, read_npz,
};
use crate::limits::Limits;
use crate::request::Call;
use crate::session::{Session, Stop, bug};

/// Arguments and input file of a call.
pub struct Arguments {
    /// The expressions that have not been given to a parameter yet.
    pub exprs: Vec<Expr>,
    input: Option<Input>,
}

struct Input {
    path: PathBuf,
    file: FileId,
    content: Content,
    /// The names in the file and where they stand.
    names: Vec<(String, Span)>,
    limits: Limits,
}

enum Content {
    /// The text is in the session's sources.
    Json(Vec<Entry>, #[expect(dead_code, reason = "it is in the account while it lives")] Charge),
    /// Those that have not been decoded.
    Npz(Vec<NpzArray>),
}

impl Arguments {
    /// Parses the arguments and reads the input file of a call.
    pub fn read(session: &mut Session<'_>, call: &Call, limits: Limits) -> Result<Self, Stop> {
        let exprs = expressions(session, "argument", &call.args)?;
        let input = match &call.input {
            Some(path) => Some(read_input(session, path, limits)?),
            None => None,
        };
        Ok(Self { exprs, input })
    }
    /// Whether there is an input file.
    pub fn has_input(&self) -> bool {
        self.input.is_some()
    }
    /// The input file's path.
    pub fn input_file(&self) -> Option<&PathBuf> {
        self.input.as_ref().map(|input| &input.path)
    }
    /// The names in the input file.
    pub fn input_names(&self) -> Vec<(String, Span)> {
        self.input.as_ref().map_or_else(Vec::new, |input| input.names.clone())
    }
    /// Where a name stands in the input file.
    pub fn span_of(&self, name: &str) -> Span {
        let names = self.input.iter().flat_map(|input| &input.names);
        names.clone().find(|(known, _)| known == name).map_or(Span::NONE, |(_, span)| *span)
    }
    /// The value of a name in the input file, as a value of this type. Each is decoded once.
    pub fn decode(
        &mut self,
        session: &mut Session<'_>,
        program: &Program,
        name: &str,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let Some(input) = &mut self.input else { bug("a named value comes from the input file") };
        let stopped = match &mut input.content {
            Content::Json(entries, _) => {
                let tape = Tape::of_entries(session.sources.text(input.file), entries);
                let found = tape.fields(0).find(|(key, _)| tape.string(*key) == name);
                let Some((_, entry)) = found else {
                    bug("the input file has the names it was read with")
                };
                match decode(program, &tape, entry, ty, &input.limits) {
                    Ok(value) => return Ok(value),
                    Err(Stopped::Wrong(misfit)) => {
                        let diagnostic = unfit(program, &tape, input.file, &misfit, ty);
                        return session.fail(diagnostic);
                    }
                    Err(Stopped::Exceeded(exceeded)) => exceeded,
                }
            }
            Content::Npz(arrays) => {
                let Some(at) = arrays.iter().position(|array| array.name == name) else {
                    bug("each array of the input file is taken once")
                };
                match from_numbers(arrays.swap_remove(at), ty, &input.limits) {
                    Ok(value) => return Ok(value),
                    Err(Stopped::Wrong(reason)) => {
                        let title =
                            format!("the array `{name}` does not fit its parameter: {reason}");
                        let note =
                            format!("the parameter has the type `{}`", program.show_type(ty));
                        let start = Span::new(input.file, 0, 0);
                        return session
                            .fail(Diagnostic::error("E0804", start, title, "").note(note));
                    }
                    Err(Stopped::Exceeded(exceeded)) => exceeded,
                }
            }
        };
        let start = Span::new(input.file, 0, 0);
        session.fail(input.limits.diagnostic(stopped, &input.path, start))
    }
}

/// Parses texts that are one expression each, as files `<argument 1>`, `<argument 2>`, …
pub fn expressions(
    session: &mut Session<'_>,
    what: &str,
    texts: &[String],
) -> Result<Vec<Expr>, Stop> {
    let mut exprs = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let name = if texts.len() == 1 && what != "argument" {
            format!("<{what}>")
        } else {
            format!("<{what} {}>", index + 1)
        };
        let file = session.sources.add(name, text.clone());
        let (expr, problems) = parse_expr(text, file);
        session.diagnostics.extend(problems);
        exprs.push(expr);
    }
    session.stop_on_errors()?;
    Ok(exprs)
}

fn read_input(session: &mut Session<'_>, path: &Path, limits: Limits) -> Result<Input, Stop> {
    let ending = path
        .extension()
        .map_or_else(String::new, |ending| ending.to_string_lossy().to_ascii_lowercase());
    if !matches!(ending.as_str(), "npz" | "json" | "") {
        let title = format!("`{}` has the ending `.{ending}`", path.display());
        return session.fail(
            Diagnostic::error("E0818", Span::NONE, title, "")
                .note("an input file is JSON or a NumPy archive, and its ending says which")
                .hint("name it `.json` or `.npz`"),
        );
    }
    let bytes = session.read_input(path, &limits)?;
    let (file, content) = if ending == "npz" {
        let _packed = Charge::new(bytes.len());
        let file = session.sources.add(path.display().to_string(), "");
        let arrays =
            read_npz(&bytes, &limits).map_err(|stopped| stopped.map(|why| unreadable(file, why)));
        let names = |arrays: &Vec<NpzArray>| {
            arrays.iter().map(|array| (array.name.clone(), Span::new(file, 0, 0))).collect()
        };
        (file, arrays.map(|arrays| (names(&arrays), Content::Npz(arrays))))
    } else {
        session.hold(bytes.len());
        let file = session.add_text(path, bytes)?;
        (file, scan(session.sources.text(file), file, &limits))
    };
    match content {
        Ok((names, content)) => Ok(Input { path: path.to_owned(), file, content, names, limits }),
        Err(Stopped::Wrong(diagnostic)) => session.fail(*diagnostic),
        Err(Stopped::Exceeded(exceeded)) => {
            session.fail(limits.diagnostic(exceeded, path, Span::new(file, 0, 0)))
        }
    }
}

fn unreadable(file: FileId, reason: String) -> Box<Diagnostic> {
    let start = Span::new(file, 0, 0);
    Box::new(
        Diagnostic::error("E0807", start, "cannot read this NumPy archive", "")
            .note(reason)
            .hint("write it with `numpy.savez`, one array of numbers for each parameter"),
    )
}

fn not_json(text: &str, file: FileId, error: JsonError) -> Box<Diagnostic> {
    let end = (error.at + 1).min(text.len()).max(error.at);
    let span = Span::new(file, error.at, end);
    let diagnostic = Diagnostic::error("E0803", span, "this file is not JSON", error.title);
    Box::new(match error.hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    })
}

/// The top-level names of an input file, each at most once, and what else it holds.
type Scanned = (Vec<(String, Span)>, Content);

fn scan(text: &str, file: FileId, limits: &Limits) -> Result<Scanned, Stopped<Box<Diagnostic>>> {
    let tape = Tape::parse(text, limits)
        .map_err(|stopped| stopped.map(|error| not_json(text, file, error)))?;
    let span_of = |entry: u32| {
        let entry = tape.entry(entry);
        Span::new(file, entry.lo as usize, entry.hi as usize)
    };
    let kind = tape.entry(0).kind;
    if kind != Kind::Object {
        let title =
            format!("expected an object with a value for each parameter, found {}", kind.noun());
        let label = "the whole file is one object";
        let span = Span { hi: span_of(0).lo + 1, ..span_of(0) };
        return Err(Stopped::Wrong(Box::new(
            Diagnostic::error("E0804", span, title, label)
                .hint("write {\"name of the parameter\": value, …}"),
        )));
    }
    let mut names: Vec<(String, Span)> = Vec::new();
    for (key, _) in tape.fields(0) {
        let name = tape.string(key).into_owned();
        if let Some((_, first)) = names.iter().find(|(known, _)| *known == name) {
            let title = format!("the parameter `{name}` is given twice");
            return Err(Stopped::Wrong(Box::new(
                Diagnostic::error("E0806", span_of(key), title, "the second time")
                    .label(*first, "the first time"),
            )));
        }
        names.push((name, span_of(key)));
    }
    let (entries, held) = tape.into_entries();
    Ok((names, Content::Json(entries, held)))
}

fn unfit(
    program: &Program,
    tape: &Tape<'_>,
    file: FileId,
    misfit: &Misfit,
    ty: &Type,
) -> Diagnostic {
    let entry = tape.entry(misfit.entry);
    // A long value is shown by its first bytes.
    let hi = entry.hi.min(entry.lo + 60);
    let span = Span::new(file, entry.lo as usize, hi as usize);
    let title = format!("the input at `{}` does not fit its parameter", tape.path(misfit.entry));
    let diagnostic = Diagnostic::error("E0804", span, title, misfit.title.clone())
        .note(format!("the parameter has the type `{}`", program.show_type(ty)));
    match &misfit.hint {
        Some(hint) => diagnostic.hint(hint.clone()),
        None => diagnostic,
    }
}
