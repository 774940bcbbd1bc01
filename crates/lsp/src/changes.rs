//! Changes of files, as an editor takes them: of versions of documents where it says that it can, else by address alone.

use std::collections::HashMap;
use std::path::Path;

use gen_lsp_types::{
    DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::Value;

use crate::state::State;
use crate::uri;

/// Whether an editor takes changes of versions, as it says when it begins.
pub fn takes_versions(params: &Value) -> bool {
    let told = params.pointer("/capabilities/workspace/workspaceEdit/documentChanges");
    told == Some(&Value::Bool(true))
}

/// Changes of files that belong together.
pub fn of_files<'p>(
    server: &State,
    files: impl IntoIterator<Item = (&'p Path, Vec<TextEdit>)>,
) -> WorkspaceEdit {
    let files = files.into_iter().filter(|(_, edits)| !edits.is_empty());
    if server.takes_versions {
        let changes = files.map(|(path, edits)| versioned(server, path, edits));
        let document_changes = Some(changes.collect());
        return WorkspaceEdit { document_changes, ..WorkspaceEdit::default() };
    }
    let changes: HashMap<Uri, Vec<TextEdit>> =
        files.map(|(path, edits)| (address(server, path), edits)).collect();
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// Changes of a version of a file; one that is not open has none.
fn versioned(server: &State, path: &Path, edits: Vec<TextEdit>) -> DocumentChange {
    let text_document = OptionalVersionedTextDocumentIdentifier {
        version: server.documents.get(path).map(|document| document.version),
        text_document_identifier: TextDocumentIdentifier { uri: address(server, path) },
    };
    let edits = edits.into_iter().map(Edit::TextEdit).collect();
    TextDocumentEdit { text_document, edits }.into()
}

/// What the editor calls a file.
fn address(server: &State, path: &Path) -> Uri {
    server.documents.get(path).map_or_else(|| uri::of_path(path), |document| document.uri.clone())
}
