//! What there is to say about what stands at a place: its type with sizes, its documentation, and of a function the
//! types of its derivatives.
//!
//! Input: a file, the session that looked at it, and an offset. Output: a [`Hover`].

use std::ops::Range;
use std::path::Path;

use pullback_session::Session;
use pullback_tools::built_in;
use pullback_types::{BoundBy, Occurrence};

use crate::file::File;
use crate::meaning::Meaning;
use crate::words::{arrows, constructor, head, header, scheme};

/// What there is to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hover {
    /// About what.
    pub range: Range<usize>,
    /// Lines of code: what it is, with its type.
    pub code: Vec<String>,
    /// Its documentation.
    pub doc: String,
    /// The types of its derivatives, as lines of code.
    pub derivatives: Vec<String>,
}

impl Hover {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("```pullback\n{}\n```\n", self.code.join("\n"));
        if !self.derivatives.is_empty() {
            text.push_str(&format!("\n```pullback\n{}\n```\n", self.derivatives.join("\n")));
        }
        if !self.doc.trim().is_empty() {
            text.push_str(&format!("\n---\n\n{}\n", self.doc.trim()));
        }
        text
    }
}

/// What there is to say at an offset.
pub fn hover(file: &File, session: &Session, path: &Path, offset: usize) -> Option<Hover> {
    let Some(it) = file.occurrence_at(offset) else { return expression(file, offset) };
    let range = it.span.range();
    let ty = || file.analysis.exactly(whole(file, it)).map(|item| item.ty.clone());
    let meaning = file.meaning(it)?;
    let (code, doc) = match &meaning {
        Meaning::Local(number) => {
            let bound = file.local(*number);
            let ty = match bound.by {
                BoundBy::Size => Some("Int".to_owned()),
                BoundBy::Pattern | BoundBy::Field | BoundBy::Definition => ty(),
            };
            (typed(&it.name, ty.as_deref()), String::new())
        }
        Meaning::Definition(item, def) => {
            let text = match scheme(file, def) {
                Some(ty) => format!("def {} : {ty}", def.name.node),
                None => format!("def {}", head(file, def).0),
            };
            (text, item.doc.clone())
        }
        Meaning::Type(item, _) => (file.slice(item.span).to_owned(), item.doc.clone()),
        Meaning::Constructor(item, decl, _) => {
            let module = file.analysis.modules.iter().find(|it| it.file == decl.name.span.file);
            (constructor(file, module, &meaning), item.doc.clone())
        }
        Meaning::Module(module) => {
            let sources = &file.analysis.findings.sources;
            (format!("import {}", sources.name(module.file)), header(sources.text(module.file)))
        }
        Meaning::BuiltIn => {
            let (head, doc) = built_in(&it.name).unwrap_or_default();
            (if head.is_empty() { format!("type {}", it.name) } else { head }, doc)
        }
        Meaning::TypeVariable => (format!("{} : a type variable", it.name), String::new()),
        Meaning::Field => {
            let ty = file.analysis.type_at(offset).map(|found| found.ty);
            (typed(&it.name, ty.as_deref()), String::new())
        }
    };
    let mut code = vec![code];
    // Where it is used a type may be known better than where it is defined.
    if let (Meaning::Definition(..) | Meaning::BuiltIn, Some(ty)) = (&meaning, ty())
        && !code[0].ends_with(&format!(": {ty}"))
    {
        code.push(format!("here : {ty}"));
    }
    let derivatives = match &meaning {
        Meaning::Definition(_, def) => {
            let count = scheme(file, def).map_or(def.params.len(), |ty| arrows(ty).len() - 1);
            derivatives(file, session, path, (it, count))
        }
        Meaning::BuiltIn => {
            let ty = ty().unwrap_or_default();
            let parts = arrows(&ty);
            let is_of_values = parts.iter().all(|part| !part.contains("->"));
            let count = if is_of_values { parts.len() - 1 } else { 0 };
            derivatives(file, session, path, (it, count))
        }
        Meaning::Local(_)
        | Meaning::Type(..)
        | Meaning::Constructor(..)
        | Meaning::Module(_)
        | Meaning::TypeVariable
        | Meaning::Field => vec![],
    };
    Some(Hover { range, code, doc, derivatives })
}

/// The bytes of the expression that a name is: of a qualified one, with its module.
fn whole(file: &File, it: &Occurrence) -> Range<usize> {
    let Range { start, end } = it.span.range();
    let Some(module) = &it.module else { return start..end };
    let before = file.text()[..start].trim_end_matches('.');
    before.len().saturating_sub(module.len())..end
}

fn typed(name: &str, ty: Option<&str>) -> String {
    ty.map_or_else(|| name.to_owned(), |ty| format!("{name} : {ty}"))
}

/// The types of the derivatives of a function of so many parameters that has some: of several, with respect to all.
fn derivatives(
    file: &File,
    session: &Session,
    path: &Path,
    (it, count): (&Occurrence, usize),
) -> Vec<String> {
    let qualifier = it.module.as_ref().map_or_else(String::new, |module| format!("{module}."));
    let name = format!("{qualifier}{}", it.name);
    let names: Vec<String> = (1..=count).map(|number| format!("x{number}")).collect();
    let function = match names.len() {
        0 => return vec![],
        1 => name,
        _ => format!("(\\({}) -> {name} {})", names.join(", "), names.join(" ")),
    };
    let operators = ["grad", "vjp", "jacobian"].into_iter().filter(|name| file.keeps(name));
    let asked: Vec<String> = operators.map(|name| format!("{name} {function}")).collect();
    let types = session.types_of(path, &asked);
    let known = asked.into_iter().zip(types).filter_map(|(text, ty)| Some((text, ty?)));
    known.map(|(text, ty)| format!("{text} : {ty}")).collect()
}

/// The type of the least expression at an offset that is no name.
fn expression(file: &File, offset: usize) -> Option<Hover> {
    let text = file.text();
    if text.get(offset..)?.starts_with(char::is_whitespace) {
        return None;
    }
    let found = file.analysis.type_at(offset)?;
    let range = found.place.range;
    let shown = text.get(range.clone())?;
    let shown = if shown.contains('\n') || shown.len() > 60 { "…" } else { shown };
    Some(Hover { range, code: vec![format!("{shown} : {}", found.ty)], ..Hover::default() })
}
