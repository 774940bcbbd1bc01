//! What could be written at a place: names in scope, members of a module, fields of a record, constructors, types.
//!
//! Input: a session, a text and an offset. Output: [`Completions`]. The word at the offset is replaced by a name that
//! nothing has, and the text is looked at so, since a text with nothing where a name should be has no tree. What that
//! name's role is there says what is wanted.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pullback_base::Span;
use pullback_session::{Session, stdlib};
use pullback_syntax::ast::{Comment, CommentKind, TypeBody, TypeExprKind};
use pullback_tools::built_in;
use pullback_types::{BoundBy, Occurrence, Role, builtins};

use crate::declared::BUILT_IN_TYPES;
use crate::file::File;
use crate::meaning::{Meaning, members};
use crate::words::{constructor, is_function, scheme};

/// What could be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes that it would take the place of.
    pub range: Range<usize>,
    /// What there is, the nearest first.
    pub candidates: Vec<Candidate>,
}

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: CandidateKind,
    /// Its type, or where it comes from.
    pub detail: String,
    /// Its documentation.
    pub doc: String,
}

/// What something is that could be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A local name.
    Local,
    /// A size.
    Size,
    /// A function.
    Function,
    /// A definition that is no function.
    Constant,
    /// A constructor.
    Constructor,
    /// A type.
    Type,
    /// A field or a component.
    Field,
    /// A module.
    Module,
    /// A reserved word.
    Keyword,
}

/// The name that stands for what is being written.
const LOWER: &str = "zz_completed";
const UPPER: &str = "Zz_completed";

/// Words that begin or join expressions.
const WORDS: [&str; 15] = [
    "let", "rec", "in", "if", "then", "else", "match", "with", "loop", "for", "while", "do",
    "true", "false", "and",
];

/// What could be written at an offset of a text of a file.
pub fn complete(session: &Session, path: &Path, text: &str, offset: usize) -> Completions {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'');
    let before = text[..offset].trim_end_matches(is_part);
    let after = &text[offset..];
    let rest = after.len() - after.trim_start_matches(is_part).len();
    let word = &text[before.len()..offset];
    let range = before.len()..offset;
    if let Some(path_start) = import_path(before, word) {
        let candidates = stdlib::module_names().map(|name| {
            let text = stdlib::module(name).map(crate::words::header).unwrap_or_default();
            candidate(name, CandidateKind::Module, "library", &text)
        });
        return Completions { range: path_start..offset, candidates: candidates.collect() };
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) || in_comment(before) {
        return Completions { range, candidates: vec![] };
    }
    let upper = word.starts_with(|first: char| first.is_ascii_uppercase());
    let placeholder = if upper { UPPER } else { LOWER };
    let behind = &after[rest..];
    // A field that `r with` changes is one only with its value.
    if changed(before).is_some() && !behind.trim_start().starts_with('=') {
        let valued = format!("{before}{placeholder} = 0{behind}");
        let file = File::new(Arc::new(session.look(path, &valued)));
        let is_field =
            |it: &Occurrence| it.span.range().start == before.len() && it.role == Role::Field;
        if let Some(file) = file.filter(|file| file.occurrences().iter().any(is_field)) {
            return Completions { candidates: candidates(&file, before.len(), placeholder), range };
        }
    }
    let asked = format!("{before}{placeholder}{behind}");
    let Some(file) = File::new(Arc::new(session.look(path, &asked))) else {
        return Completions { range, candidates: vec![] };
    };
    Completions { candidates: candidates(&file, before.len(), placeholder), range }
}

fn candidate(text: &str, kind: CandidateKind, detail: &str, doc: &str) -> Candidate {
    let (text, detail, doc) = (text.to_owned(), detail.to_owned(), doc.trim().to_owned());
    Candidate { text, kind, detail, doc }
}

/// Where the path of an import begins that is being written.
fn import_path(before: &str, word: &str) -> Option<usize> {
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = before[line..].trim_start().strip_prefix("import")?.trim_start();
    let quoted = rest.strip_prefix('"')?;
    (!quoted.contains('"') && !word.contains('"')).then(|| before.len() - quoted.len())
}

/// Whether the line so far has a comment that is no expectation.
fn in_comment(before: &str) -> bool {
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let tree = pullback_syntax::parse(&before[line..], Span::NONE.file).module;
    let is_plain = |comment: &Comment| comment.kind != CommentKind::Expectation;
    tree.comments.iter().any(is_plain)
}

/// What is wanted where the placeholder stands.
fn candidates(file: &File, at: usize, placeholder: &str) -> Vec<Candidate> {
    if begins_field(&file.text()[..at]) {
        return once(fields(file).chain(expression(file, at)).collect());
    }
    let here = file.occurrences().iter().find(|it| it.span.range().start == at);
    let Some(it) = here.filter(|it| it.name == placeholder) else {
        return if after_dot(file, at) { parts(file, at) } else { expression(file, at) };
    };
    if let Some(module) = &it.module {
        return of_module(file, module, it.role);
    }
    match it.role {
        Role::Field if after_dot(file, at) => parts(file, at),
        Role::Field => {
            // `parts` counts the dot that is not here.
            let known = changed(&file.text()[..at]).map_or(vec![], |end| parts(file, end + 1));
            if known.is_empty() { once(fields(file).collect()) } else { known }
        }
        Role::Module => vec![],
        Role::Type | Role::TypeVariable if it.declares => vec![],
        Role::Type | Role::TypeVariable => types(file),
        Role::Local(_) if it.declares => constructors(file),
        Role::Value | Role::Constructor if it.declares => vec![],
        Role::Local(_) | Role::Value | Role::Constructor => expression(file, at),
    }
}

fn after_dot(file: &File, at: usize) -> bool {
    file.text()[..at].ends_with('.')
}

/// The fields or components of the value before a dot.
fn parts(file: &File, at: usize) -> Vec<Candidate> {
    let base = file.analysis.items().iter().filter(|it| it.span.range().end + 1 == at);
    let known = base.max_by_key(|it| (!it.parts.is_empty(), it.span.range().len()));
    let parts = known.into_iter().flat_map(|it| &it.parts);
    parts.map(|(name, ty)| candidate(name, CandidateKind::Field, ty, "")).collect()
}

/// Where the record ends of which `r with` changes a field, if that is the end of this text.
fn changed(before: &str) -> Option<usize> {
    let rest = before.trim_end().strip_suffix("with")?;
    let record = rest.trim_end();
    (record.len() < rest.len()).then_some(record.len())
}

/// Whether the innermost bracket is a brace, and a field of a record may begin behind this text.
fn begins_field(before: &str) -> bool {
    if !before.trim_end().ends_with(['{', ',']) {
        return false;
    }
    let mut closed = 0;
    let innermost = before.chars().rev().find(|letter| match letter {
        '}' | ')' | ']' => {
            closed += 1;
            false
        }
        '{' | '(' | '[' => {
            closed -= 1;
            closed < 0
        }
        _ => false,
    });
    innermost == Some('{')
}

/// The fields of the records that have a name here.
fn fields(file: &File) -> impl Iterator<Item = Candidate> {
    let types = file.visible().flat_map(members).filter_map(|(_, meaning)| match meaning {
        Meaning::Type(_, decl) => Some(decl),
        Meaning::Local(_)
        | Meaning::Definition(..)
        | Meaning::Constructor(..)
        | Meaning::Module(_)
        | Meaning::BuiltIn
        | Meaning::TypeVariable
        | Meaning::Field => None,
    });
    let records = types.filter_map(|decl| match &decl.body {
        TypeBody::Alias(body) => {
            if let TypeExprKind::Record(fields) = &body.kind {
                Some((decl, fields))
            } else {
                None
            }
        }
        TypeBody::Sum(_) => None,
    });
    records.flat_map(move |(decl, fields)| {
        let detail = |ty: Span| format!("{} in {}", file.slice(ty), decl.name.node);
        let shown = fields.iter().map(move |(name, ty)| {
            candidate(&name.node, CandidateKind::Field, &detail(ty.span), "")
        });
        shown.collect::<Vec<_>>()
    })
}

/// What an imported module has for others.
fn of_module(file: &File, qualifier: &str, role: Role) -> Vec<Candidate> {
    let Some(module) = file.imported(qualifier) else { return vec![] };
    let of_library = file.analysis.library.contains(&module.file);
    let all = members(module).filter(|(_, meaning)| match meaning {
        Meaning::Type(..) => role == Role::Type,
        Meaning::Definition(item, _) => role != Role::Type && (!of_library || !item.doc.is_empty()),
        Meaning::Constructor(..) => role != Role::Type,
        Meaning::Local(_)
        | Meaning::Module(_)
        | Meaning::BuiltIn
        | Meaning::TypeVariable
        | Meaning::Field => false,
    });
    all.filter_map(|(_, meaning)| member(file, &meaning)).collect()
}

/// A declaration as something that could be written.
fn member(file: &File, meaning: &Meaning<'_>) -> Option<Candidate> {
    Some(match meaning {
        Meaning::Definition(item, def) => {
            let ty = scheme(file, def).unwrap_or_default();
            let is_function = is_function(ty) || !def.params.is_empty();
            let kind = if is_function { CandidateKind::Function } else { CandidateKind::Constant };
            candidate(&def.name.node, kind, ty, &item.doc)
        }
        Meaning::Constructor(item, decl, name) => {
            let module = file.analysis.modules.iter().find(|it| it.file == decl.name.span.file);
            let words = constructor(file, module, meaning);
            let ty = words.split_once(" : ").map_or("", |(_, ty)| ty);
            candidate(&name.node, CandidateKind::Constructor, ty, &item.doc)
        }
        Meaning::Type(item, decl) => {
            candidate(&decl.name.node, CandidateKind::Type, "type", &item.doc)
        }
        Meaning::Local(_)
        | Meaning::Module(_)
        | Meaning::BuiltIn
        | Meaning::TypeVariable
        | Meaning::Field => return None,
    })
}

/// What an expression may begin with.
fn expression(file: &File, at: usize) -> Vec<Candidate> {
    let locals = file.locals_at(at).into_iter().map(|(_, bound)| {
        let ty = file.analysis.exactly(bound.span.range()).map(|item| item.ty.as_str());
        let kind = match bound.by {
            BoundBy::Size => CandidateKind::Size,
            BoundBy::Definition => CandidateKind::Function,
            BoundBy::Pattern | BoundBy::Field => CandidateKind::Local,
        };
        let ty = if kind == CandidateKind::Size { Some("size") } else { ty };
        candidate(&bound.name, kind, ty.unwrap_or_default(), "")
    });
    let mut found: Vec<Candidate> = locals.collect();
    let values =
        file.visible().flat_map(members).filter(|(_, it)| !matches!(it, Meaning::Type(..)));
    found.extend(values.filter_map(|(_, meaning)| member(file, &meaning)));
    found.extend(modules(file));
    found.extend(builtins::names().map(|name| {
        let (head, doc) = built_in(name).unwrap_or_default();
        let ty = head.split_once(" : ").map_or("", |(_, ty)| ty);
        candidate(name, CandidateKind::Function, ty, &doc)
    }));
    found.extend(WORDS.map(|word| candidate(word, CandidateKind::Keyword, "", "")));
    once(found)
}

fn modules(file: &File) -> impl Iterator<Item = Candidate> {
    let read = file.main().imports.iter().filter(|(_, module)| module.is_some());
    read.map(|(name, _)| candidate(name, CandidateKind::Module, "module", ""))
}

/// What a pattern may begin with, beside new names.
fn constructors(file: &File) -> Vec<Candidate> {
    let all = file.visible().flat_map(members);
    let found = all.filter(|(_, it)| matches!(it, Meaning::Constructor(..)));
    let mut found: Vec<_> = found.filter_map(|(_, it)| member(file, &it)).collect();
    found.extend(modules(file));
    once(found)
}

/// What a type may begin with.
fn types(file: &File) -> Vec<Candidate> {
    let built_in = BUILT_IN_TYPES.into_iter();
    let mut found: Vec<_> =
        built_in.map(|name| candidate(name, CandidateKind::Type, "built in", "")).collect();
    let all = file.visible().flat_map(members);
    let declared = all.filter(|(_, it)| matches!(it, Meaning::Type(..)));
    found.extend(declared.filter_map(|(_, it)| member(file, &it)));
    found.extend(modules(file));
    once(found)
}

/// Each text once, as what it means where it is nearest. The placeholder is nobody's text.
fn once(found: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen = std::collections::BTreeSet::new();
    let mut kept = found;
    kept.retain(|it| it.text != LOWER && it.text != UPPER && seen.insert(it.text.clone()));
    kept
}
