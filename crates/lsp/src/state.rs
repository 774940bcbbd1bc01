//! What the server knows: the session, the open documents, and files that were looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use pullback_ide::File;
use pullback_session::Session;

use crate::documents::Documents;

/// How many files of a folder are looked at for names.
const MOST_FILES: usize = 300;

/// What the server knows.
pub struct State {
    /// The session, which has the texts of the open documents.
    pub session: Session,
    /// The open documents.
    pub documents: Documents,
    /// Whether the editor takes changes of versions.
    pub takes_versions: bool,
    /// The folder that is open.
    root: Option<PathBuf>,
    /// What is known of files, until some text changes.
    files: BTreeMap<PathBuf, Option<Rc<File>>>,
}

impl State {
    /// Nothing is open but a folder.
    pub fn new(session: Session, root: Option<PathBuf>, takes_versions: bool) -> Self {
        let documents = Documents::default();
        Self { session, documents, takes_versions, root, files: BTreeMap::new() }
    }
    /// Some text has changed.
    pub fn forget(&mut self) {
        self.files.clear();
    }
    /// What is known of a file.
    pub fn file(&mut self, path: &Path) -> Option<Rc<File>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let file = File::new(self.session.load(path)).map(Rc::new);
        self.files.insert(path.to_owned(), file.clone());
        file
    }
    /// The files that may name what this one does: open ones, those of the folder, and those it is made of.
    pub fn neighbours(&mut self, path: &Path) -> Vec<(PathBuf, Rc<File>)> {
        let mut paths: BTreeSet<PathBuf> =
            self.documents.iter().map(|(path, _)| path.clone()).collect();
        if let Some(root) = &self.root {
            programs(root, &mut paths);
        }
        if let Some(file) = self.file(path) {
            let sources = &file.analysis.findings.sources;
            let modules = file.analysis.modules.iter().map(|it| it.file);
            let own = modules.filter(|file_id| !file.analysis.library.contains(file_id));
            paths.extend(
                own.map(|id| pullback_session::lexically_normal(Path::new(sources.name(id)))),
            );
        }
        paths.remove(path);
        let found = paths.into_iter().filter_map(|path| Some((path.clone(), self.file(&path)?)));
        found.collect()
    }
}

/// The programs in a folder, as far as there are not too many.
fn programs(root: &Path, found: &mut BTreeSet<PathBuf>) {
    let mut folders = vec![root.to_owned()];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > 100 * MOST_FILES || found.len() >= MOST_FILES {
                return;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let is_hidden = name.to_string_lossy().starts_with('.') || name == "target";
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_hidden {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|it| it == "pull") {
                found.insert(path);
            }
        }
    }
}
