//! A file and all it imports, as modules in dependency order.
//!
//! Input: the path of a file. Output: [`Modules`], the prelude first, then every module after those
//! it imports, the file itself last. An import means a file beside the importing one, else an
//! embedded module of that name. A missing file and a circle of imports are diagnostics at the
//! import; the rest of the program is still looked at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullback_base::{Diagnostic, FileId, Name, Span, nearest};
use pullback_knossos::Translation;
use pullback_syntax::ast::{Import, ItemKind, Module};

use crate::knossos;
use crate::query::{Query, Stop, reason};
use crate::stdlib;

/// The modules of a program.
#[derive(Debug)]
pub struct Modules {
    /// Dependencies first; the last is the file that was asked for.
    pub list: Vec<Loaded>,
}

/// A parsed module.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The stem of its file.
    pub name: Name,
    /// Its text.
    pub file: FileId,
    /// Its tree.
    pub module: Module,
    /// Its imports: what it calls them, and where they are in the list; none if the import failed.
    pub imports: Vec<(Name, Option<usize>)>,
    /// Whether it is the prelude.
    pub prelude: bool,
    /// What it was made of, if that is a program of Knossos.
    pub knossos: Option<Arc<Translation>>,
}

impl Modules {
    /// The file that was asked for.
    pub fn main(&self) -> &Loaded {
        self.list.last().expect("loading starts with the prelude and ends with the main file")
    }
}

/// Loads a file and what it imports. Mistakes inside are reported and do not stop the loading.
pub fn load(query: &mut Query<'_>, path: &Path) -> Result<Modules, Stop> {
    let file = query.read_text(path)?;
    let mut loader = Loader { query, known: HashMap::new(), list: vec![], open: vec![] };
    let key = loader.query.files.identity(path);
    if !key.ends_with(stdlib::PRELUDE) {
        // The source of the embedded prelude takes its place when it is the file asked for.
        loader.embedded("prelude", stdlib::prelude());
    }
    loader.module(path, key, file);
    Ok(Modules { list: loader.list })
}

struct Loader<'s, 'f> {
    query: &'s mut Query<'f>,
    /// What has become of each file that was met, by its identity.
    known: HashMap<PathBuf, Progress>,
    list: Vec<Loaded>,
    /// The names of the files in the chain of imports that leads here.
    open: Vec<String>,
}

/// How far a file has been loaded.
#[derive(Clone, Copy)]
enum Progress {
    /// Its imports are being loaded; this is its place in the chain.
    Open(usize),
    /// It is in the list at this place.
    Done(usize),
}

impl Loader<'_, '_> {
    fn module(&mut self, path: &Path, key: PathBuf, file: FileId) -> usize {
        let (file, knossos) = if knossos::is_program(path) {
            knossos::translated(self.query, path, file)
        } else {
            (file, None)
        };
        let parse = pullback_syntax::parse(self.query.sources.text(file), file);
        self.query.diagnostics.extend(parse.diagnostics);
        let prelude = key.ends_with(stdlib::PRELUDE);
        self.known.insert(key.clone(), Progress::Open(self.open.len()));
        self.open.push(path.display().to_string());
        let mut imports = Vec::new();
        for item in &parse.module.items {
            if let ItemKind::Import(import) = &item.kind {
                let target = self.import(path, import);
                imports.push((qualifier(import), target));
            }
        }
        self.open.pop();
        let name = Name::new(stem(path));
        self.list.push(Loaded { name, file, module: parse.module, imports, prelude, knossos });
        self.known.insert(key, Progress::Done(self.list.len() - 1));
        self.list.len() - 1
    }
    /// Where the imported module is; none if that failed, which has been reported.
    fn import(&mut self, importer: &Path, import: &Import) -> Option<usize> {
        let written = &import.path.node;
        if written.is_empty() {
            // A string that does not end has been reported.
            if import.path.span.range().len() > 1 {
                self.query.report(nameless(import.path.span));
            }
            return None;
        }
        let path = importer.parent().unwrap_or(Path::new("")).join(format!("{written}.pull"));
        let key = self.query.files.identity(&path);
        match self.known.get(&key) {
            Some(Progress::Done(index)) => return Some(*index),
            Some(Progress::Open(start)) => {
                let diagnostic = self.circle(*start, import.path.span);
                self.query.report(diagnostic);
                return None;
            }
            None => {}
        }
        match self.query.files.read_source(&path) {
            Ok(bytes) => {
                let file = self.query.add_text(&path, bytes).ok()?;
                Some(self.module(&path, key, file))
            }
            Err(error) => {
                if let Some(text) = stdlib::module(written) {
                    return Some(self.embedded(written, text));
                }
                let diagnostic = missing(written, &path, &error, import.path.span);
                self.query.report(diagnostic);
                None
            }
        }
    }
    /// A module of the standard library. Its identity is no path of a file.
    fn embedded(&mut self, name: &str, text: &str) -> usize {
        let path = PathBuf::from(format!("lib/{name}.pull"));
        let key = Path::new("<embedded>").join(&path);
        if let Some(Progress::Done(index)) = self.known.get(&key) {
            return *index;
        }
        let file = self.query.sources.add(path.display().to_string(), text);
        self.query.library.insert(file);
        self.module(&path, key, file)
    }
    fn circle(&self, start: usize, span: Span) -> Diagnostic {
        let chain = &self.open[start..];
        let mut names: Vec<String> = chain.iter().map(|name| format!("`{name}`")).collect();
        let title = match names.as_slice() {
            [only] => format!("{only} imports itself"),
            _ => "these files import each other in a circle".to_owned(),
        };
        names.push(names[0].clone());
        Diagnostic::error("E0221", span, title, "this import closes the circle")
            .note(format!("the circle is {}", names.join(" → ")))
            .hint("move what both need into a file of its own and import that")
    }
}

fn nameless(span: Span) -> Diagnostic {
    Diagnostic::error("E0220", span, "this import names no file", "an empty path")
        .note("an import is relative to the file it stands in, without the ending `.pull`")
        .hint("write the name of a file or of a module of the library, as in `import \"linalg\" as la`")
}

fn missing(written: &str, path: &Path, error: &std::io::Error, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "E0220",
        span,
        format!("cannot read the imported file: {}", reason(error)),
        format!("looked for `{}`", crate::files::lexically_normal(path).display()),
    )
    .note("an import is relative to the file it stands in, without the ending `.pull`");
    if let Some(near) = nearest(written, stdlib::module_names()) {
        let words = format!("did you mean the library's \"{near}\"?");
        return diagnostic.fix(words, span, format!("\"{near}\""));
    }
    let names: Vec<String> = stdlib::module_names().map(|name| format!("\"{name}\"")).collect();
    if names.is_empty() {
        diagnostic.hint("check the path in the import")
    } else {
        diagnostic.hint(format!("the library's modules are {}", names.join(", ")))
    }
}

/// What the importing module calls the imported one.
fn qualifier(import: &Import) -> Name {
    match &import.alias {
        Some(alias) => alias.node.clone(),
        None => Name::new(stem(Path::new(&import.path.node))),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "main".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
