//! The documents that an editor has open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gen_lsp_types::{TextDocumentContentChangeEvent, Uri};
use pullback_base::Lines;

use crate::convert;

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// What the editor calls it.
    pub uri: Uri,
    /// Which of its texts this is.
    pub version: i32,
    /// Its text.
    pub text: String,
}

/// The open documents, by their paths.
#[derive(Clone, Debug, Default)]
pub struct Documents(BTreeMap<PathBuf, Document>);

impl Documents {
    /// A document is opened.
    pub fn open(&mut self, path: PathBuf, document: Document) {
        self.0.insert(path, document);
    }
    /// A document is closed.
    pub fn close(&mut self, path: &Path) -> Option<Document> {
        self.0.remove(path)
    }
    /// A document changes; gives its text.
    pub fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<&str> {
        let document = self.0.get_mut(path)?;
        document.version = version;
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let lines = Lines::of(&document.text);
                    let start = convert::offset(&lines, part.range.start);
                    let end = convert::offset(&lines, part.range.end).max(start);
                    document.text.replace_range(start..end, &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(all) => {
                    document.text = all.text;
                }
            }
        }
        Some(&document.text)
    }
    /// An open document.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.0.get(path)
    }
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.0.iter()
    }
}
