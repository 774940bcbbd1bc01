//! Programs of Knossos (`.ks`): what a command does with one, it does with the module of Pullback that it means.
//!
//! Input: the text of a program. Output: that module as a file of its own, whose places lead back to the program; and
//! what differs: names of definitions, what `main` prints, and how values are shown.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use pullback_base::{Diagnostic, FileId, Span, did_you_mean};
use pullback_eval::Value;
use pullback_knossos::{Translation, legible, translate};

use crate::query::{Query, Stop};
use crate::settings::Call;

/// How a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In Pullback's notation.
    Pullback,
    /// As Knossos prints it.
    Knossos,
    /// It is a text that has been printed.
    Printed,
}

impl Form {
    /// A value as text; `text` is how Pullback shows it on one line.
    pub fn text(self, value: &Value, text: &str) -> String {
        match (self, value.as_str()) {
            (Self::Printed, Some(printed)) => {
                printed.strip_suffix('\n').unwrap_or(printed).to_owned()
            }
            (Self::Knossos, _) | (Self::Printed, None) => legible::shown(text),
            (Self::Pullback, _) => text.to_owned(),
        }
    }
}

/// Whether a file is a program of Knossos.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ks")
}

/// The module that a program means, as a file; an empty one if the program is wrong, which is reported.
pub(crate) fn translated(
    query: &mut Query<'_>,
    path: &Path,
    file: FileId,
) -> (FileId, Option<Arc<Translation>>) {
    let (translation, diagnostics) = translate(query.sources.text(file), file);
    query.diagnostics.extend(diagnostics);
    let name = format!("{} as Pullback", path.display());
    let Some(translation) = translation else { return (query.sources.add(name, ""), None) };
    let made = query.sources.add_made(name, &translation.text, translation.marks.clone());
    (made, Some(Arc::new(translation)))
}

/// A program in the usual layout.
pub(crate) fn format(query: &mut Query<'_>, file: FileId) -> Result<String, Stop> {
    pullback_knossos::format(query.sources.text(file), file).map_err(|diagnostics| {
        query.diagnostics.extend(diagnostics);
        Stop
    })
}

/// The module that a program means, in the usual layout.
pub fn as_pullback(query: &mut Query<'_>, path: &Path) -> Result<String, Stop> {
    if !is_program(path) {
        let title = format!("`{}` is no program of Knossos", path.display());
        return query.fail(Diagnostic::error("E0818", Span::NONE, title, "").note(
            "`--to pull` writes programs of Knossos, in files that end in `.ks`, as Pullback",
        ));
    }
    let file = query.read_text(path)?;
    let (made, translation) = translated(query, path, file);
    if translation.is_none() {
        return Err(Stop);
    }
    let text = query.sources.text(made).to_owned();
    let parse = pullback_syntax::parse(&text, made);
    query.diagnostics.extend(parse.diagnostics);
    query.stop_on_errors()?;
    pullback_syntax::format_file(&text, made).map_err(|_| Stop)
}

/// What the module calls a function of the program.
pub(crate) fn named<'n>(
    query: &mut Query<'_>,
    translation: &'n Translation,
    name: &'n str,
) -> Result<&'n str, Stop> {
    let functions = &translation.names;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(function) = functions.iter().find(|function| function.typed == words(name)) {
        return Ok(&function.name);
    }
    let named: Vec<_> = functions.iter().filter(|function| function.written == name).collect();
    match &named[..] {
        [only] => Ok(&only.name),
        // The module's own names may be used too.
        [] if functions.iter().any(|function| function.name == name) => Ok(name),
        [] if translation.output.as_deref() == Some(name) => Ok(name),
        [] => {
            let known: Vec<&str> = functions.iter().map(|function| &*function.written).collect();
            let title = format!("there is no definition `{name}`");
            let diagnostic = Diagnostic::error("E0809", Span::NONE, title, "");
            query.fail(diagnostic.hint(did_you_mean("definition", name, known)))
        }
        several => {
            let typed: Vec<String> =
                several.iter().map(|function| format!("`{}`", function.typed)).collect();
            let title = format!("there are several definitions `{name}`");
            let diagnostic = Diagnostic::error("E0809", Span::NONE, title, "");
            query.fail(diagnostic.hint(format!("say which: {}", typed.join(", "))))
        }
    }
}

/// A call as a command runs it, and how its value is shown: of `main` that prints, what it prints.
pub(crate) fn main_call<'c>(
    translation: Option<&Translation>,
    call: &'c Call,
) -> (Cow<'c, Call>, Form) {
    let Some(translation) = translation else {
        return (Cow::Borrowed(call), Form::Pullback);
    };
    match &translation.output {
        Some(output) if call.entry == "main" && call.expression.is_none() => {
            (Cow::Owned(Call { entry: output.clone(), ..call.clone() }), Form::Printed)
        }
        _ => (Cow::Borrowed(call), Form::Knossos),
    }
}

/// The text of a line that `print` told as the program ran; none if it is another line.
pub fn printed(line: &str) -> Option<String> {
    let text = line.strip_prefix("print: ")?;
    text.starts_with('"').then(|| legible::string(text).0)
}
