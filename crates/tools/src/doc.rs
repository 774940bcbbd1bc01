//! `pullback doc`: the reference of the library, of the built-in operations, and of a user's file, made from
//! their comments.
//!
//! Input: what is asked about. Output: text for a terminal, or a page for each module as Markdown or HTML. A
//! definition of the library belongs to the reference if it has a documentation comment; of a user's file
//! every definition does.

mod builtin;
mod colours;
mod markup;
mod read;
mod search;
mod text;

use std::path::Path;

use pullback_base::{Diagnostic, Span};

use pullback_base::did_you_mean;
use pullback_session::stdlib;
use pullback_session::{Query, Stop};

pub use builtin::built_in;
pub use markup::Markup;
use read::{Entry, Module};
use search::search;

/// The answer to `pullback doc SUBJECT NAME`: a subject is a module, a definition or a file, a name a definition
/// of the module or the file.
pub fn doc(
    query: &mut Query<'_>,
    subject: Option<&str>,
    name: Option<&str>,
) -> Result<String, Stop> {
    let Some(subject) = subject else { return Ok(text::overview(&library())) };
    if is_file(subject) {
        let module = read::file(query, Path::new(subject))?;
        return match name {
            None => Ok(text::module(&module)),
            Some(name) => member(query, &module, name),
        };
    }
    let modules = library();
    let (subject, name) = match (subject.split_once('.'), name) {
        (Some((module, name)), None) => (module, Some(name)),
        _ => (subject, name),
    };
    let module = modules.iter().find(|module| module.name == subject);
    match (module, name) {
        (Some(module), None) => Ok(text::module(module)),
        (Some(module), Some(name)) => member(query, module, name),
        (None, None) => anywhere(query, &modules, subject),
        (None, Some(name)) => {
            let words = format!("{subject} {name}");
            if !words.contains('.')
                && let places = search(&modules, &words)
                && !places.is_empty()
            {
                return Ok(near(&words, &places));
            }
            let title = format!("the library has no module `{subject}`");
            let names = modules.iter().map(|module| module.name.as_str());
            let hint = did_you_mean("module", subject, names);
            query.fail(Diagnostic::error("E0809", Span::NONE, title, "").hint(hint))
        }
    }
}

/// The pages of the reference, each with the name of its file: one for each module of the library, or that of
/// a file.
pub fn reference(
    query: &mut Query<'_>,
    subject: Option<&str>,
    markup: Markup,
) -> Result<Vec<(String, String)>, Stop> {
    let Some(subject) = subject else { return Ok(markup.pages(&library())) };
    let module = if is_file(subject) {
        read::file(query, Path::new(subject))?
    } else if let Some(module) = library().into_iter().find(|module| module.name == subject) {
        module
    } else {
        let title = format!("the library has no module `{subject}`");
        let modules = library();
        let names = modules.iter().map(|module| module.name.as_str());
        let hint = did_you_mean("module", subject, names);
        return query.fail(Diagnostic::error("E0809", Span::NONE, title, "").hint(hint));
    };
    Ok(vec![(markup.file_name(&module.name), markup.page(&module))])
}

fn is_file(subject: &str) -> bool {
    subject == "-" || subject.contains('/') || subject.ends_with(".pull")
}

/// The built-in operations, the prelude, then the other modules by name.
fn library() -> Vec<Module> {
    let mut modules = vec![builtin::module(), read::embedded("prelude", stdlib::prelude())];
    for name in stdlib::module_names() {
        modules.extend(stdlib::module(name).map(|text| read::embedded(name, text)));
    }
    modules
}

/// A definition of a module.
fn member(query: &mut Query<'_>, module: &Module, name: &str) -> Result<String, Stop> {
    if let Some(entry) = module.entry(name) {
        return Ok(text::entry(module, entry));
    }
    let title = format!("`{}` has no documented definition `{name}`", module.name);
    let names = module.entries.iter().map(|entry| entry.name.as_str());
    let hint = did_you_mean("definition", name, names);
    query.fail(Diagnostic::error("E0809", Span::NONE, title, "").hint(hint))
}

/// A definition of any module. One that is in scope without an import is what the name means; the others
/// with that name are told beside it.
fn anywhere(query: &mut Query<'_>, modules: &[Module], name: &str) -> Result<String, Stop> {
    let places: Vec<(&Module, &Entry)> = modules
        .iter()
        .filter_map(|module| module.entry(name).map(|entry| (module, entry)))
        .collect();
    match places.as_slice() {
        [] => {}
        [(module, entry)] => return Ok(text::entry(module, entry)),
        [(module, entry), others @ ..] if module.in_scope => {
            return Ok(text::entry(module, entry) + "\nAlso:\n\n" + &text::choice(others));
        }
        several => return Ok(text::choice(several)),
    }
    let places = search(modules, name);
    if !places.is_empty() {
        return Ok(near(name, &places));
    }
    let title = format!("neither a module of the library nor a definition is called `{name}`");
    let mut known: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    known.extend(modules.iter().flat_map(|module| &module.entries).map(|it| it.name.as_str()));
    let diagnostic = Diagnostic::error("E0809", Span::NONE, title, "");
    if let Some(near) = pullback_base::nearest(name, known) {
        return query.fail(diagnostic.hint(format!("did you mean `{near}`?")));
    }
    query.fail(diagnostic.hint("`pullback doc` lists the modules; a file's name ends in `.pull`"))
}

/// What there is where nothing has this name: the definition that fits, or a list of those.
fn near(asked: &str, places: &[(&Module, &Entry)]) -> String {
    match places {
        [(module, entry)] => {
            format!(
                "Nothing is called `{asked}`; this is near it.\n\n{}",
                text::entry(module, entry)
            )
        }
        several => {
            format!("Nothing is called `{asked}`; these are near it.\n\n{}", text::choice(several))
        }
    }
}
