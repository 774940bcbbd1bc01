//! A session: what a prompt, an editor, a notebook and another language stand on.
//!
//! Input: files, texts that take the place of files, questions. Output: data that any thread may keep. A session is a
//! value: two of them know nothing of each other, and one may go from thread to thread. Each question is a [`Query`]
//! of its own, which a thread with a large stack works on, so programs and values never leave that thread.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullback_base::{FileId, Progress, Span};
use pullback_engine::{BUILT_IN, Registry};
use pullback_types::show_scheme;

use crate::arguments::expressions;
use crate::bug::bug;
use crate::check::{check_and, fmt};
use crate::derive::{Answer, grad, jvp, run, vjp};
use crate::files::{Disk, Files, Overlay, read_bounded};
use crate::findings::{Findings, Place};
use crate::index::{Index, Item};
use crate::load::{Loaded, load};
use crate::pipeline::typed;
use crate::query::{Query, Stop};
use crate::settings::{Call, Settings};
use crate::worker::on_large_stack;

/// A session.
pub struct Session {
    settings: Settings,
    registry: Registry,
    files: Overlay,
    watch: Arc<Progress>,
    /// What is known of files, by identity, until some text changes.
    known: BTreeMap<PathBuf, Arc<Analysis>>,
}

/// What is known of a file without running it.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// What is wrong with it, its imports and its expectations.
    pub findings: Findings,
    /// What it defines, in the order of the text.
    pub definitions: Vec<Definition>,
    /// The modules that it is made of, those before which they import, the file itself last.
    pub modules: Vec<Loaded>,
    /// The files that come with Pullback.
    pub library: BTreeSet<FileId>,
    /// The types of definitions, by where their names are written.
    schemes: BTreeMap<(FileId, u32), String>,
    index: Index,
}

/// A definition of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its type, in words.
    pub ty: String,
    /// Where its name is written.
    pub place: Option<Place>,
    /// Its documentation.
    pub doc: String,
}

/// The type of what stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeAt {
    /// The type, in words.
    pub ty: String,
    /// What has it.
    pub place: Place,
}

/// What is asked of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The value.
    Value,
    /// Value and gradient, with respect to the parameters named, or all.
    Gradient(Vec<String>),
    /// Value and cotangents of these parameters, or all, for a cotangent of the result, an expression.
    Pullback(Vec<String>, String),
    /// Value and tangent of the result, for a tangent of these parameters, or all, an expression.
    Pushforward(Vec<String>, String),
}

/// What a call gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer in Pullback notation.
    pub text: String,
    /// The answer as JSON: the value alone, or an object with value and derivative.
    pub json: String,
    /// How the answer was found, where the settings ask for that.
    pub notes: Vec<String>,
    /// Warnings.
    pub findings: Findings,
}

impl Session {
    /// A session over the files of the disk, with the compiler and the engines of the evaluator.
    pub fn new(settings: Settings) -> Self {
        Self::with(settings, BUILT_IN, Box::new(Disk))
    }
    /// A session over other files, or with more engines.
    pub fn with(
        settings: Settings,
        registry: Registry,
        files: Box<dyn Files + Send + Sync>,
    ) -> Self {
        let watch = settings.progress.as_ref().map_or_else(Arc::default, Arc::clone);
        let settings = Settings { progress: Some(watch.clone()), ..settings };
        Self { settings, registry, files: Overlay::over(files), watch, known: BTreeMap::new() }
    }
    /// How calls are evaluated that say nothing else.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// How far the run under way is, and what stops it. Another thread may hold it: it stops what evaluates, and whatever
    /// is evaluated after that, until it is told to resume. The C compiler and the type checker are not stopped.
    pub fn watch(&self) -> Arc<Progress> {
        self.watch.clone()
    }

    /// A question for tools, about the files as the session has them. Whoever asks it stands on a thread with a large stack.
    pub fn query(&self) -> Query<'_> {
        Query::new(&self.files, self.registry)
    }

    /// From now on a file has this text, whatever is on the disk.
    pub fn edit(&mut self, path: &Path, text: impl Into<String>) {
        self.files.put(path, text.into());
        self.reload();
    }
    /// From now on a file is as it is on the disk.
    pub fn discard(&mut self, path: &Path) {
        self.files.take_away(path);
        self.reload();
    }
    /// Forgets what is known of all files: some have changed on the disk.
    pub fn reload(&mut self) {
        self.known.clear();
    }

    /// Loads a file and all it imports, and finds out what there is to know without running it. What is known is kept
    /// until a text changes.
    pub fn load(&mut self, path: &Path) -> Arc<Analysis> {
        let key = self.files.identity(path);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (analysis, findings) = self.ask(|query| Ok(analyse(query, path)));
        let analysis = analysis.unwrap_or_else(|Stop| bug("a file can always be looked at"));
        let analysis = Arc::new(Analysis { findings, ..analysis });
        self.known.insert(key, analysis.clone());
        analysis
    }
    /// What there would be to know of a file if this were its text. Nothing is kept.
    pub fn look(&self, path: &Path, text: &str) -> Analysis {
        let files = Instead { files: &self.files, path: self.files.identity(path), text };
        let (analysis, findings) = ask_of(&files, self.registry, |query| Ok(analyse(query, path)));
        let analysis = analysis.unwrap_or_else(|Stop| bug("a file can always be looked at"));
        Analysis { findings, ..analysis }
    }
    /// What is wrong with a file, its imports and its expectations.
    pub fn check(&mut self, path: &Path) -> Findings {
        self.load(path).findings.clone()
    }
    /// What a file defines.
    pub fn definitions(&mut self, path: &Path) -> Vec<Definition> {
        self.load(path).definitions.clone()
    }
    /// The type of what stands at an offset of a file, in bytes.
    pub fn type_at(&mut self, path: &Path, offset: usize) -> Option<TypeAt> {
        self.load(path).type_at(offset)
    }
    /// Where the name at an offset of a file is defined.
    pub fn definition_at(&mut self, path: &Path, offset: usize) -> Option<Place> {
        self.load(path).definition_at(offset)
    }
    /// The text of a file, formatted.
    pub fn format(&self, path: &Path) -> Result<String, Findings> {
        let (text, findings) = self.ask(|query| Ok(fmt(query, path)?.1));
        text.map_err(|Stop| findings)
    }
    /// The type of an expression in the scope of a file.
    pub fn type_of(&self, path: &Path, text: &str) -> Result<String, Findings> {
        let (ty, findings) = self.ask(|query| {
            let modules = load(query, path)?;
            let mut inferred = typed(query, &modules);
            query.stop_on_errors()?;
            let exprs = expressions(query, "expression", &[text.to_owned()])?;
            let Some(expr) = exprs.first() else { return Err(Stop) };
            let id = inferred.asked(query, expr)?;
            Ok(show_scheme(inferred.typed(), id))
        });
        ty.map_err(|Stop| findings)
    }

    /// The types of expressions in the scope of a file, whatever is wrong elsewhere in it; none of those that are wrong.
    pub fn types_of(&self, path: &Path, texts: &[String]) -> Vec<Option<String>> {
        let (types, _) = self.ask(|query| {
            let modules = load(query, path)?;
            let mut exprs = Vec::new();
            for text in texts {
                query.diagnostics.clear();
                let expr = expressions(query, "expression", std::slice::from_ref(text));
                exprs.push(expr.ok().and_then(|mut exprs| exprs.pop()));
            }
            let mut inferred = typed(query, &modules);
            let types = exprs.iter().map(|expr| {
                query.diagnostics.clear();
                let id = inferred.asked(query, expr.as_ref()?).ok()?;
                Some(show_scheme(inferred.typed(), id))
            });
            Ok(types.collect::<Vec<_>>())
        });
        types.unwrap_or_else(|Stop| vec![None; texts.len()])
    }

    /// A call of a definition without arguments, with the settings of the session.
    pub fn call_of(&self, path: &Path, entry: &str) -> Call {
        let settings = self.settings.clone();
        Call { file: path.to_owned(), entry: entry.to_owned(), settings, ..Call::default() }
    }
    /// The value of an expression in the scope of a file.
    pub fn expression(&self, path: &Path, text: &str) -> Result<Outcome, Findings> {
        let expression = Some(text.to_owned());
        self.call(&Call { expression, ..self.call_of(path, "") }, &Question::Value)
    }
    /// What a call gives, within the limits of its settings. Its progress is that of the session unless it has another.
    pub fn call(&self, call: &Call, question: &Question) -> Result<Outcome, Findings> {
        let mut call = call.clone();
        call.settings.progress.get_or_insert_with(|| self.watch.clone());
        let (outcome, findings) = self.ask(|query| {
            let answer = answered(query, &call, question)?;
            Ok((answer.text(None), answer.json(), std::mem::take(&mut query.notes)))
        });
        match outcome {
            Ok((text, json, notes)) => Ok(Outcome { text, json, notes, findings }),
            Err(Stop) => Err(findings),
        }
    }

    /// Works on a query, and gives what it found with the answer.
    fn ask<T: Send>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, Stop> + Send,
    ) -> (Result<T, Stop>, Findings) {
        ask_of(&self.files, self.registry, work)
    }
}

/// The files of a session with one text in the place of another.
struct Instead<'s> {
    files: &'s Overlay,
    path: PathBuf,
    text: &'s str,
}

impl Files for Instead<'_> {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        if self.files.identity(path) == self.path {
            return read_bounded(self.text.as_bytes(), most);
        }
        self.files.read_at_most(path, most)
    }
    fn identity(&self, path: &Path) -> PathBuf {
        self.files.identity(path)
    }
}

/// Works on a query of some files, and gives what it found with the answer.
fn ask_of<T: Send>(
    files: &(impl Files + Sync),
    registry: Registry,
    work: impl FnOnce(&mut Query<'_>) -> Result<T, Stop> + Send,
) -> (Result<T, Stop>, Findings) {
    on_large_stack(move || {
        let mut query = Query::new(files, registry);
        let answer = work(&mut query);
        let Query { diagnostics, sources, .. } = query;
        (answer, Findings { diagnostics, sources })
    })
}

impl Analysis {
    /// The type of what stands at an offset of the file, in bytes.
    pub fn type_at(&self, offset: usize) -> Option<TypeAt> {
        let Item { span, ty, .. } = self.index.at(offset)?;
        Some(TypeAt { ty: ty.clone(), place: self.place(*span)? })
    }
    /// Where the name at an offset of the file is defined.
    pub fn definition_at(&self, offset: usize) -> Option<Place> {
        self.place(self.index.at(offset)?.definition)
    }
    /// The expression, pattern or name that covers exactly these bytes of the file.
    pub fn exactly(&self, range: std::ops::Range<usize>) -> Option<&Item> {
        self.index.exactly(range)
    }
    /// All expressions, patterns and names of the file, with their types.
    pub fn items(&self) -> &[Item] {
        self.index.items()
    }
    /// The type of the definition whose name is written there, in words.
    pub fn scheme(&self, name: Span) -> Option<&str> {
        self.schemes.get(&(name.file, name.lo)).map(String::as_str)
    }
    /// The file itself, which is the last of the modules; none if it cannot be read.
    pub fn main(&self) -> Option<&Loaded> {
        self.modules.last()
    }
    /// The place of a span.
    pub fn place(&self, span: Span) -> Option<Place> {
        Place::of(&self.findings.sources, span)
    }
    /// The places of many spans, without those that come from no text.
    pub fn places(&self, spans: impl IntoIterator<Item = Span>) -> Vec<Place> {
        Place::all(&self.findings.sources, spans)
    }
}

/// What there is to know of a file, but for the findings, which stay with the query.
fn analyse(query: &mut Query<'_>, path: &Path) -> Analysis {
    let mut found = None;
    let modules = check_and(query, path, |modules, inferred| {
        let typed = inferred.typed();
        let globals = inferred.globals().map(|(name, id)| {
            let global = &typed.globals[id];
            (global.span, name.to_string(), show_scheme(typed, id), global.doc.clone())
        });
        let mut globals: Vec<_> = globals.collect();
        globals.sort_by_key(|(span, ..)| span.lo);
        let all = typed.globals.iter_enumerated();
        let schemes = all
            .filter(|(_, global)| !global.span.is_none())
            .map(|(id, global)| ((global.span.file, global.span.lo), show_scheme(typed, id)));
        found = Some((globals, schemes.collect(), Index::of(typed, modules.main().file)));
    });
    // What cannot be read defines nothing, which is among the findings.
    let (Some((globals, schemes, index)), Some(modules)) = (found, modules) else {
        return Analysis::default();
    };
    let written = globals.iter().map(|(span, ..)| *span).filter(|span| !span.is_none());
    let mut places = Place::all(&query.sources, written).into_iter();
    let definitions = globals.into_iter().map(|(span, name, ty, doc)| {
        let place = if span.is_none() { None } else { places.next() };
        Definition { name, ty, place, doc }
    });
    let definitions = definitions.collect();
    let (findings, modules) = (Findings::default(), modules.list);
    let library = query.library.clone();
    Analysis { findings, definitions, modules, library, schemes, index }
}

/// The answer to a question.
fn answered(query: &mut Query<'_>, call: &Call, question: &Question) -> Result<Answer, Stop> {
    match question {
        Question::Value => run(query, call),
        Question::Gradient(wrt) => grad(query, call, wrt),
        Question::Pullback(wrt, cotangent) => vjp(query, call, wrt, cotangent),
        Question::Pushforward(wrt, tangent) => jvp(query, call, wrt, tangent),
    }
}
