//! What the server can do, as it tells an editor.

use pullback_ide::TokenKind;
use serde_json::{Value, json};

use crate::run::COMMANDS;

/// What words are called in the legend of semantic tokens.
const KINDS: [(TokenKind, &str); 13] = [
    (TokenKind::Keyword, "keyword"),
    (TokenKind::Variable, "variable"),
    (TokenKind::Constant, "variable"),
    (TokenKind::Function, "function"),
    (TokenKind::Type, "type"),
    (TokenKind::TypeParameter, "typeParameter"),
    (TokenKind::Constructor, "enumMember"),
    (TokenKind::Field, "property"),
    (TokenKind::Module, "namespace"),
    (TokenKind::Number, "number"),
    (TokenKind::Text, "string"),
    (TokenKind::Operator, "operator"),
    (TokenKind::Comment, "comment"),
];

/// What is told of words beside their kind.
const MODIFIERS: [&str; 4] = ["declaration", "defaultLibrary", "documentation", "readonly"];

/// The number of a kind in the legend.
pub fn kind_number(kind: TokenKind) -> u32 {
    let place = KINDS.iter().position(|(known, _)| *known == kind).unwrap_or_default();
    u32::try_from(place).unwrap_or_default()
}

/// What the server can do. The protocol's types for this are large, and so this is as it is sent; a test reads it as
/// those types.
pub fn capabilities() -> Value {
    let kinds: Vec<&str> = KINDS.iter().map(|(_, name)| *name).collect();
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": 2,
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": [".", "\""] },
            "signatureHelpProvider": { "triggerCharacters": [" ", "("] },
            "inlayHintProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": kinds, "tokenModifiers": MODIFIERS },
                "full": true,
            },
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor"] },
            "codeLensProvider": {},
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "executeCommandProvider": { "commands": COMMANDS },
        },
        "serverInfo": { "name": "pullback", "version": env!("CARGO_PKG_VERSION") },
    })
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::{InitializeResult, TextDocumentSync, TextDocumentSyncKind};

    use super::capabilities;

    #[test]
    fn the_protocol_knows_what_is_told() {
        let told = capabilities();
        let read: InitializeResult = serde_json::from_value(told.clone()).expect("it is known");
        let sync = Some(TextDocumentSync::Kind(TextDocumentSyncKind::Incremental));
        assert_eq!(read.capabilities.text_document_sync, sync);
        assert_eq!(serde_json::to_value(read).expect("it is written"), told);
    }
}
