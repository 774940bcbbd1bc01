//! An input file of a call: what it has values for, and these values once their types are known.
//!
//! Input: a path, and the parameter whose value the whole file is, if it is one. Output: an [`InputFile`]
//! with the names that it offers values for. A JSON file has an object with a value for each parameter, an
//! archive has arrays, a table has columns.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use pullback_base::{Diagnostic, FileId, Limits, Span};
use pullback_data::input::{
    CsvError, Entry, JsonError, Kind, Misfit, NamedArray, Stopped, Table, Tape, Unfit, by_position,
    columns, decode, from_arrays, matrix, parts, read_npy, read_npz,
};
use pullback_eval::Value;
use pullback_eval::memory::Charge;
use pullback_lambda::{Program, Type, TypeKind};

use crate::bug::bug;
use crate::limits::exceeded_by_input;
use crate::query::{Query, Stop};
use crate::settings::Input;

/// A file that has been read.
#[derive(Clone)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// The parameter whose value it is, if it is one.
    pub parameter: Option<String>,
    file: FileId,
    content: Content,
    /// The names that it has values for, and where they stand.
    offers: Vec<(String, Span)>,
    limits: Limits,
}

#[derive(Clone)]
enum Content {
    /// The text is in the query's sources.
    Json(Vec<Entry>, #[expect(dead_code, reason = "it is in the account while it lives")] Charge),
    /// Arrays that have not been used.
    Arrays(Vec<NamedArray>),
    /// The columns of a file that is one value; its type says how they are read.
    Table(Rc<Table>),
}

/// Why a file gives no value.
type Unread<T> = Result<T, Stopped<Box<Diagnostic>>>;

impl InputFile {
    /// Reads a file.
    pub fn read(query: &mut Query<'_>, input: &Input, limits: Limits) -> Result<Self, Stop> {
        let Input { parameter, path, is_headless } = input;
        let ending = path
            .extension()
            .map_or_else(String::new, |ending| ending.to_string_lossy().to_ascii_lowercase());
        check_kind(query, input, &ending)?;
        let bytes = query.read_input(path, &limits)?;
        let packed = matches!(ending.as_str(), "npz" | "npy");
        let (file, content) = if packed {
            let _packed = Charge::new(bytes.len());
            let file = query.sources.add(path.display().to_string(), "");
            let arrays = if ending == "npz" {
                read_npz(&bytes, &limits)
            } else {
                read_npy("", &bytes, &limits).map(|array| vec![array])
            };
            let arrays = arrays.map_err(|stopped| stopped.map(|why| unreadable(file, why)));
            (file, arrays.map(Content::Arrays))
        } else {
            query.hold(bytes.len());
            let file = query.add_text(path, bytes)?;
            let text = query.sources.text(file);
            let content = if matches!(ending.as_str(), "csv" | "tsv") {
                table(text, file, parameter.is_some(), *is_headless, &limits)
            } else {
                json(text, file, &limits)
            };
            (file, content)
        };
        let offers = content.and_then(|content| {
            let text = query.sources.text(file);
            Ok((offers(&content, parameter.as_deref(), text, file)?, content))
        });
        match offers {
            Ok((offers, content)) => Ok(Self {
                path: path.clone(),
                parameter: parameter.clone(),
                file,
                content,
                offers,
                limits,
            }),
            Err(stopped) => told(query, stopped, &limits, path, file),
        }
    }
    /// The names that it has values for, and where they stand.
    pub fn offers(&self) -> &[(String, Span)] {
        &self.offers
    }
    /// What nobody has taken: names that stand for no parameter, and arrays that are no part of one.
    pub fn unused(&self, is_parameter: impl Fn(&str) -> bool) -> Vec<(String, Span)> {
        let start = Span::new(self.file, 0, 0);
        match &self.content {
            Content::Json(..) if self.parameter.is_some() => vec![],
            Content::Json(..) => {
                let offers = self.offers.iter();
                offers.filter(|(name, _)| !is_parameter(name)).cloned().collect()
            }
            Content::Arrays(arrays) => {
                arrays.iter().map(|array| (array.name.clone(), start)).collect()
            }
            Content::Table(_) => vec![],
        }
    }
    /// The value that it has for a name, as a value of this type. Each is decoded once.
    pub fn decode(
        &mut self,
        query: &mut Query<'_>,
        program: &Program,
        name: &str,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let name = if self.parameter.is_some() { "" } else { name };
        let text = query.sources.text(self.file);
        let (file, limits) = (self.file, &self.limits);
        if let Content::Table(table) = &self.content {
            match arrays_of(table, ty, program, file) {
                Ok(arrays) => self.content = Content::Arrays(arrays),
                Err(diagnostic) => return query.fail(diagnostic),
            }
        }
        let value = match &mut self.content {
            Content::Json(entries, _) => {
                let tape = Tape::of_entries(text, entries);
                let entry = if name.is_empty() { Some(0) } else { field(&tape, name) };
                let Some(entry) = entry else { bug("the input file has the names it offers") };
                decode(program, &tape, entry, ty, limits).map_err(|stopped| {
                    stopped.map(|misfit| unfit(program, &tape, file, &misfit, ty))
                })
            }
            Content::Arrays(arrays) => {
                if name.is_empty() {
                    unname(arrays, ty);
                }
                from_arrays(program, arrays, name, ty, limits).map_err(|stopped| {
                    stopped.map(|unfit| unfit_array(program, text, file, unfit, ty))
                })
            }
            Content::Table(_) => bug("the type of a table's value says how it is read"),
        };
        value.or_else(|stopped| told(query, stopped, &self.limits, &self.path, file))
    }
}

/// Reports why there is no value.
fn told<T>(
    query: &mut Query<'_>,
    stopped: Stopped<Box<Diagnostic>>,
    limits: &Limits,
    path: &Path,
    file: FileId,
) -> Result<T, Stop> {
    match stopped {
        Stopped::Wrong(diagnostic) => query.fail(*diagnostic),
        Stopped::Exceeded(exceeded) => {
            query.fail(exceeded_by_input(limits, exceeded, path, Span::new(file, 0, 0)))
        }
    }
}

fn check_kind(query: &mut Query<'_>, input: &Input, ending: &str) -> Result<(), Stop> {
    let path = input.path.display();
    if !matches!(ending, "npz" | "npy" | "json" | "csv" | "tsv" | "") {
        let title = format!("`{path}` has the ending `.{ending}`");
        return query.fail(
            Diagnostic::error("E0818", Span::NONE, title, "")
                .note("an input file is JSON, a table, a NumPy array or a NumPy archive, and its ending says which")
                .hint("name it `.json`, `.csv`, `.npy` or `.npz`"),
        );
    }
    if ending == "npy" && input.parameter.is_none() {
        let title = format!("`{path}` is one array, without the name of a parameter");
        return query.fail(
            Diagnostic::error("E0818", Span::NONE, title, "")
                .hint(format!("say which parameter it is for: `--input NAME={path}`")),
        );
    }
    Ok(())
}

/// The names that a file has values for.
fn offers(
    content: &Content,
    parameter: Option<&str>,
    text: &str,
    file: FileId,
) -> Unread<Vec<(String, Span)>> {
    let start = Span::new(file, 0, 0);
    if let Some(parameter) = parameter {
        return Ok(vec![(parameter.to_owned(), start)]);
    }
    match content {
        Content::Json(entries, _) => json_names(&Tape::of_entries(text, entries), file),
        Content::Arrays(arrays) => {
            let mut names: Vec<(String, Span)> = vec![];
            for array in arrays {
                // Arrays with dotted names are parts of one value.
                let name = first_name(&array.name);
                if names.iter().all(|(known, _)| known != name) {
                    names.push((name.to_owned(), start));
                }
            }
            Ok(names)
        }
        Content::Table(_) => bug("a table without a parameter is taken as its columns"),
    }
}

fn json(text: &str, file: FileId, limits: &Limits) -> Unread<Content> {
    let tape = Tape::parse(text, limits)
        .map_err(|stopped| stopped.map(|error| not_json(text, file, error)))?;
    let (entries, held) = tape.into_entries();
    Ok(Content::Json(entries, held))
}

/// The names of a file's object, each at most once.
fn json_names(tape: &Tape<'_>, file: FileId) -> Unread<Vec<(String, Span)>> {
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
                .hint("write {\"name of the parameter\": value, …}, or name the parameter that the file is for: `--input NAME=FILE`"),
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
    Ok(names)
}

fn field(tape: &Tape<'_>, name: &str) -> Option<u32> {
    tape.fields(0).find(|(key, _)| tape.string(*key) == name).map(|(_, entry)| entry)
}

fn table(
    text: &str,
    file: FileId,
    is_value: bool,
    is_headless: bool,
    limits: &Limits,
) -> Unread<Content> {
    let table = Table::parse(text, is_headless, limits);
    let table = table.map_err(|stopped| stopped.map(|error| not_csv(text, file, error)))?;
    let table = Rc::new(table);
    if !is_value && !table.has_names() {
        let error = CsvError {
            at: 0,
            title: "this line names no columns, so that it is not known which parameters they are for".to_owned(),
            hint: Some("put a line with the names of the columns in front, or name the parameter whose value the whole file is: `--input NAME=FILE`".to_owned()),
        };
        return Err(Stopped::Wrong(not_csv(text, file, error)));
    }
    Ok(if is_value { Content::Table(table) } else { Content::Arrays(columns(&table)) })
}

/// The columns of a table that is one value: fields of records by name, components of tuples by position,
/// and otherwise a matrix.
fn arrays_of(
    table: &Rc<Table>,
    ty: &Type,
    program: &Program,
    file: FileId,
) -> Result<Vec<NamedArray>, Diagnostic> {
    let (mut element, mut dimensions) = (ty, 0);
    while let TypeKind::Array(inner) = element.kind() {
        (element, dimensions) = (inner, dimensions + 1);
    }
    if matches!(element.kind(), TypeKind::Record(_)) {
        if !table.has_names() {
            let title = "this file names no columns, which a record has names for";
            return Err(Diagnostic::error("E0804", Span::new(file, 0, 0), title, "")
                .note(format!("the parameter has the type `{}`", program.show_type(ty)))
                .hint("put a line with the names of the fields in front, or take the rows as tuples, by position"));
        }
        return Ok(columns(table));
    }
    if table.has_names()
        && let Some(column) = table.names().iter().position(String::is_empty)
    {
        let title = format!("the column {} of this file has no name", column + 1);
        return Err(Diagnostic::error("E0804", Span::new(file, 0, 0), title, "")
            .note(format!("every column is a part of the parameter's value, a `{}`", program.show_type(ty)))
            .hint("leave the column out (pandas writes its index so: `index=False`), or give it a name"));
    }
    let Some(parts) = parts(element) else { return Ok(vec![matrix(table, dimensions)]) };
    if parts.len() != table.names().len() {
        let (columns, wanted) = (table.names().len(), parts.len());
        let title = format!("this file has {columns} columns, where a tuple of {wanted} is wanted");
        return Err(Diagnostic::error("E0804", Span::new(file, 0, 0), title, "")
            .note(format!("the parameter has the type `{}`", program.show_type(ty))));
    }
    Ok(by_position(table))
}

/// The only array of an archive that is one value needs no name, unless its name is that of a field.
fn unname(arrays: &mut [NamedArray], ty: &Type) {
    let mut element = ty;
    while let TypeKind::Array(inner) = element.kind() {
        element = inner;
    }
    let [only] = arrays else { return };
    let field = first_name(&only.name);
    if parts(element).is_none_or(|parts| parts.iter().all(|(part, _)| part != field)) {
        only.name.clear();
    }
}

/// The name of the value that an array is a part of.
fn first_name(name: &str) -> &str {
    name.split_once('.').map_or(name, |(first, _)| first)
}

fn unreadable(file: FileId, reason: String) -> Box<Diagnostic> {
    let start = Span::new(file, 0, 0);
    Box::new(
        Diagnostic::error("E0807", start, "cannot read this NumPy file", "")
            .note(reason)
            .hint("write it with `numpy.save` or `numpy.savez`, arrays of numbers only"),
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

fn not_csv(text: &str, file: FileId, error: CsvError) -> Box<Diagnostic> {
    let line = text[error.at..].lines().next().unwrap_or("");
    let span = Span::new(file, error.at, error.at + shown(line).len());
    let diagnostic = Diagnostic::error("E0825", span, "this file is no table", error.title);
    Box::new(match error.hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    })
}

/// The start of a long text.
fn shown(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

fn unfit(
    program: &Program,
    tape: &Tape<'_>,
    file: FileId,
    misfit: &Misfit,
    ty: &Type,
) -> Box<Diagnostic> {
    let entry = tape.entry(misfit.entry);
    // A long value is shown by its first bytes.
    let hi = entry.hi.min(entry.lo + 60);
    let span = Span::new(file, entry.lo as usize, hi as usize);
    let title = format!("the input at `{}` does not fit its parameter", tape.path(misfit.entry));
    let diagnostic = Diagnostic::error("E0804", span, title, misfit.title.clone())
        .note(format!("the parameter has the type `{}`", program.show_type(ty)));
    Box::new(match &misfit.hint {
        Some(hint) => diagnostic.hint(hint.clone()),
        None => diagnostic,
    })
}

fn unfit_array(
    program: &Program,
    text: &str,
    file: FileId,
    unfit: Unfit,
    ty: &Type,
) -> Box<Diagnostic> {
    let range = unfit.place.map_or(0..0, |place| {
        let cell = place.range(text);
        cell.start..cell.start + shown(&text[cell]).len()
    });
    let span = Span::new(file, range.start, range.end);
    let diagnostic = Diagnostic::error("E0804", span, unfit.title, unfit.label)
        .note(format!("the parameter has the type `{}`", program.show_type(ty)));
    Box::new(match unfit.hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    })
}
