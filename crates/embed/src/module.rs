//! A text that was loaded: its definitions as data, and functions of it.
//!
//! Input: a file, or a text. Output: a [`Module`]. It holds the texts of the file and of all that it imports as they were
//! then: what becomes of the files later changes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pullback_engine::BUILT_IN;
use pullback_session::arguments::expressions;
use pullback_session::entry::Entry;
use pullback_session::load::{Modules, load};
use pullback_session::pipeline::typed;
use pullback_session::{
    Disk, Files, Findings, Memory, Overlay, Place, Query, Stop, on_large_stack,
};
use pullback_syntax::ast::{ItemKind, TypeBody, TypeExprKind};
use pullback_tools::Around;
use pullback_types::tir::{SumDecl, Typed};
use pullback_types::{show_scheme, show_type};

use crate::asked::{Asked, Source};
use crate::failure::Failure;
use crate::form::Names;
use crate::function::Function;
use crate::noticed::{ArgumentFile, Look, bounds, clarke, noticed};

/// A text that was loaded.
#[derive(Debug)]
pub struct Module {
    pub(crate) source: Arc<Source>,
    definitions: Vec<Definition>,
    warnings: Failure,
    functions: Mutex<BTreeMap<Asked, Arc<Function>>>,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its type, in words.
    pub ty: String,
    /// Its documentation.
    pub doc: String,
    /// Where its name is written.
    pub place: Option<Place>,
    /// What it takes.
    pub params: Vec<Parameter>,
    /// The type of what it gives, in words.
    pub result: String,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name; none if it is a pattern.
    pub name: Option<String>,
    /// Its type, in words.
    pub ty: String,
}

impl Module {
    /// Loads a file and all it imports.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        Self::of(path, &Disk)
    }
    /// Loads a text that is in no file, by the name that messages call it.
    pub fn compile(name: &str, text: &str) -> Result<Self, Failure> {
        let mut files = Overlay::over(Box::new(Disk));
        files.put(Path::new(name), text);
        Self::of(Path::new(name), &files)
    }
    /// Loads texts again that another module had: the file, and all that it imports.
    pub fn of_texts(path: &str, texts: &[(String, String)]) -> Result<Self, Failure> {
        let files = memory(texts);
        Self::of(Path::new(path), &files)
    }

    fn of(path: &Path, files: &(dyn Files + Sync)) -> Result<Self, Failure> {
        let (found, findings) = on_large_stack(|| {
            let mut query = Query::new(files, BUILT_IN);
            let found = looked(&mut query, path);
            (found, Findings { diagnostics: query.diagnostics, sources: query.sources })
        });
        match found {
            Ok(Looked { definitions, texts, names, sums }) if !findings.has_errors() => {
                let files = memory(&texts);
                let source = Source { path: path.to_owned(), files, texts, names, sums };
                let (source, functions) = (Arc::new(source), Mutex::default());
                Ok(Self { source, definitions, warnings: findings.into(), functions })
            }
            Ok(_) | Err(Stop) => Err(findings.into()),
        }
    }

    /// Its path, as it was given.
    pub fn path(&self) -> &Path {
        &self.source.path
    }
    /// The file and those that it imports, with their texts.
    pub fn texts(&self) -> &[(String, String)] {
        &self.source.texts
    }
    /// What it defines, in the order of the text.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }
    /// The record types that have names, with their fields.
    pub fn records(&self) -> impl Iterator<Item = &(String, Vec<String>)> {
        self.source.names.values()
    }
    /// The sum types, the file's own last, with their constructors and how many fields these have.
    pub fn sums(&self) -> &[(String, Vec<(String, usize)>)] {
        &self.source.sums
    }
    /// Warnings.
    pub fn warnings(&self) -> &Failure {
        &self.warnings
    }
    /// The type of an expression in the scope of the text, in words.
    pub fn type_of(&self, text: &str) -> Result<String, Failure> {
        let source = &self.source;
        let (ty, findings) = on_large_stack(|| {
            let mut query = Query::new(&source.files, BUILT_IN);
            let ty = type_of(&mut query, source, text);
            (ty, Findings { diagnostics: query.diagnostics, sources: query.sources })
        });
        ty.map_err(|Stop| findings.into())
    }
    /// What a run of a definition meets, as warnings; or why it ends early. With names of parameters it is a run for the
    /// gradient with respect to them, all if none is named.
    pub fn noticed(
        &self,
        definition: &str,
        wrt: Option<&[String]>,
        arguments: &[ArgumentFile],
        look: Look,
    ) -> Result<Failure, Failure> {
        noticed(&self.source, definition, wrt, arguments, look)
    }
    /// The derivatives of all smooth pieces of a definition that meet at a point, and their hull, as JSON: what the command
    /// `clarke` prints.
    pub fn clarke(
        &self,
        definition: &str,
        wrt: &[String],
        arguments: &[ArgumentFile],
    ) -> Result<String, Failure> {
        clarke(&self.source, definition, wrt, arguments)
    }
    /// What a definition and its derivatives are on a box, as JSON: what the command `bounds` prints.
    pub fn bounds(
        &self,
        definition: &str,
        wrt: &[String],
        arguments: &[ArgumentFile],
        around: &Around,
    ) -> Result<String, Failure> {
        bounds(&self.source, definition, wrt, arguments, around)
    }
    /// A function, which is made when it is asked for first, and compiled to native code when it is called first.
    pub fn function(&self, asked: &Asked) -> Result<Arc<Function>, Failure> {
        let known = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = known().get(asked) {
            return Ok(function.clone());
        }
        let function = Arc::new(Function::new(&self.source, asked)?);
        Ok(known().entry(asked.clone()).or_insert(function).clone())
    }
}

fn type_of(query: &mut Query<'_>, source: &Source, text: &str) -> Result<String, Stop> {
    let modules = load(query, &source.path)?;
    let exprs = expressions(query, "expression", &[text.to_owned()])?;
    let mut inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let Some(expr) = exprs.first() else { return Err(Stop) };
    let id = inferred.asked(query, expr)?;
    Ok(show_scheme(inferred.typed(), id))
}

fn memory(texts: &[(String, String)]) -> Memory {
    texts.iter().fold(Memory::default(), |files, (path, text)| files.with(path, text.as_bytes()))
}

/// What there is to know of a text.
struct Looked {
    definitions: Vec<Definition>,
    texts: Vec<(String, String)>,
    names: Names,
    sums: Vec<(String, Vec<(String, usize)>)>,
}

fn looked(query: &mut Query<'_>, path: &Path) -> Result<Looked, Stop> {
    let modules = load(query, path)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let typed = inferred.typed();
    let mut definitions: Vec<_> = inferred
        .globals()
        .map(|(name, id)| {
            let global = &typed.globals[id];
            let entry = Entry::new(typed, Some(&modules.main().module), global);
            let params = params(typed, &entry, &global.ty);
            let definition = Definition {
                name: name.to_string(),
                ty: show_scheme(typed, id),
                doc: global.doc.clone(),
                place: Place::of(&query.sources, global.span),
                params,
                result: entry.result_text.clone(),
            };
            (global.span.lo, definition)
        })
        .collect();
    definitions.sort_by_key(|(at, _)| *at);
    let texts = query.sources.files().filter(|file| !query.library.contains(file));
    let texts = texts
        .map(|file| (query.sources.name(file).to_owned(), query.sources.text(file).to_owned()));
    let texts = texts.collect();
    let definitions = definitions.into_iter().map(|(_, definition)| definition).collect();
    let (names, sums) = (record_names(&modules), sums(typed));
    Ok(Looked { definitions, texts, names, sums })
}

fn params(typed: &Typed, entry: &Entry, ty: &pullback_types::ty::Ty) -> Vec<Parameter> {
    let mut rest = ty;
    let mut params = vec![];
    for param in entry.params.iter().take(entry.declared) {
        let pullback_types::ty::Ty::Fun(from, to) = rest else { break };
        let name = param.named.then(|| param.name.clone());
        params.push(Parameter { name, ty: show_type(typed, from) });
        rest = to;
    }
    params
}

/// The sum types of the text and of all that it imports, the library's first.
fn sums(typed: &Typed) -> Vec<(String, Vec<(String, usize)>)> {
    let sum = |sum: &SumDecl| {
        let constructors = sum.constructors.iter();
        let constructors = constructors.map(|con| (con.name.to_string(), con.fields.len()));
        (sum.name.to_string(), constructors.collect())
    };
    typed.types.iter().map(sum).collect()
}

/// What record types are called: by the aliases of the file itself first.
fn record_names(modules: &Modules) -> Names {
    let mut names = Names::new();
    let own = modules.list.iter().rev().filter(|module| !module.prelude);
    for module in own {
        for item in &module.module.items {
            let ItemKind::Type(declared) = &item.kind else { continue };
            let TypeBody::Alias(alias) = &declared.body else { continue };
            let TypeExprKind::Record(fields) = &alias.kind else { continue };
            let fields: Vec<String> =
                fields.iter().map(|(name, _)| name.node.to_string()).collect();
            let mut key = fields.clone();
            key.sort();
            names.entry(key).or_insert_with(|| (declared.name.node.to_string(), fields));
        }
    }
    names
}
