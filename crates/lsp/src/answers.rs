//! Requests and their answers: what each asks of `pullback_ide`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeLens, Command, CompletionItem, CompletionItemKind,
    CompletionList, DocumentHighlight, DocumentHighlightKind, DocumentSymbol, FoldingRange,
    FoldingRangeKind, Hover, InlayHint, InlayHintKind, Location, ParameterInformation,
    ParameterInformationLabel, PrepareRenamePlaceholder, Range, SemanticToken, SemanticTokens,
    SignatureHelp, SignatureInformation, SymbolKind, TextDocumentIdentifier,
    TextDocumentPositionParams, TextEdit, Uri,
};
use lsp_server::ErrorCode;
use pullback_base::Lines;
use pullback_ide::{self as ide, CandidateKind, File, FoldKind, LensKind, Meaning};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::capabilities::kind_number;
use crate::state::State;
use crate::{changes, convert, run, uri};

/// Why there is no answer.
pub struct Refused(pub ErrorCode, pub String);

type Answer = Result<Value, Refused>;

/// The answer to a request.
pub fn answer(server: &mut State, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => hover(server, &read(params)?),
        "textDocument/definition" => definition(server, &read(params)?),
        "textDocument/references" => references(server, &read(params)?),
        "textDocument/documentHighlight" => highlights(server, &read(params)?),
        "textDocument/prepareRename" => prepare_rename(server, &read(params)?),
        "textDocument/rename" => {
            let name = params["newName"].as_str().unwrap_or_default().to_owned();
            rename(server, &read(params)?, &name)
        }
        "textDocument/completion" => completion(server, &read(params)?),
        "textDocument/signatureHelp" => signature(server, &read(params)?),
        "textDocument/inlayHint" => hints(server, &part(params)?),
        "textDocument/semanticTokens/full" => tokens(server, &document(params)?),
        "textDocument/documentSymbol" => symbols(server, &document(params)?),
        "textDocument/foldingRange" => folds(server, &document(params)?),
        "textDocument/codeAction" => actions(server, &part(params)?),
        "textDocument/codeLens" => lenses(server, &document(params)?),
        "textDocument/formatting" => formatting(server, &document(params)?),
        "textDocument/rangeFormatting" => format_part(server, &part(params)?),
        _ => Err(Refused(ErrorCode::MethodNotFound, format!("there is no `{method}` here"))),
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refused> {
    serde_json::from_value(params)
        .map_err(|error| Refused(ErrorCode::InvalidParams, error.to_string()))
}

fn write(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer)
        .map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
}

/// The document that a request is about.
fn document(params: Value) -> Result<Uri, Refused> {
    let document = params.get("textDocument").cloned().unwrap_or_default();
    Ok(read::<TextDocumentIdentifier>(document)?.uri)
}

/// The document and the range that a request is about. What else it says is large, and nobody needs it.
fn part(mut params: Value) -> Result<(Uri, Range), Refused> {
    let range = params["range"].take();
    Ok((document(params)?, read(range)?))
}

/// A file, and an offset in it.
struct Asked {
    path: PathBuf,
    file: Rc<File>,
    offset: usize,
}

fn asked(server: &mut State, params: &TextDocumentPositionParams) -> Option<Asked> {
    let path = uri::path(&params.text_document.uri);
    let file = server.file(&path)?;
    let offset = convert::offset(&Lines::of(file.text()), params.position);
    Some(Asked { path, file, offset })
}

fn hover(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(Asked { path, file, offset }) = asked(server, params) else { return Ok(Value::Null) };
    let Some(found) = ide::hover(&file, &server.session, &path, offset) else {
        return Ok(Value::Null);
    };
    let range = convert::range(&Lines::of(file.text()), &found.range);
    write(Hover { contents: convert::markdown(found.markdown()).into(), range: Some(range) })
}

/// Places of files whose texts a file knows.
fn locations(file: &File, places: &[pullback_session::Place]) -> Vec<Location> {
    let sources = &file.analysis.findings.sources;
    let mut lines: HashMap<&str, Lines<'_>> = HashMap::new();
    let found = places.iter().filter_map(|place| {
        let lines = lines.entry(place.file.as_str()).or_insert_with(|| {
            let file = sources.files().find(|file| sources.name(*file) == place.file);
            Lines::of(file.map_or("", |file| sources.text(file)))
        });
        convert::location(place, lines)
    });
    found.collect()
}

fn definition(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(Asked { file, offset, .. }) = asked(server, params) else { return Ok(Value::Null) };
    let place = ide::definition(&file, offset);
    write(locations(&file, place.as_slice()).first())
}

/// The files beside one that may name what stands there: none for a local name.
fn others(server: &mut State, asked: &Asked) -> Vec<(PathBuf, Rc<File>)> {
    let it = asked.file.occurrence_at(asked.offset);
    let meaning = it.and_then(|it| asked.file.meaning(it));
    match meaning {
        Some(Meaning::Definition(..) | Meaning::Type(..) | Meaning::Constructor(..)) => {
            server.neighbours(&asked.path)
        }
        Some(
            Meaning::Local(_)
            | Meaning::Module(_)
            | Meaning::BuiltIn
            | Meaning::TypeVariable
            | Meaning::Field,
        )
        | None => vec![],
    }
}

fn references(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(asked) = asked(server, params) else { return Ok(Value::Null) };
    let others = others(server, &asked);
    let files: Vec<&File> = others.iter().map(|(_, file)| &**file).collect();
    let places = ide::references(&asked.file, &files, asked.offset);
    let mut found = vec![];
    for file in std::iter::once(&*asked.file).chain(files) {
        let own = places.iter().filter(|place| place.file == file.name()).cloned();
        found.extend(locations(file, &own.collect::<Vec<_>>()));
    }
    write(found)
}

fn highlights(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(Asked { file, offset, .. }) = asked(server, params) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let found = ide::highlights(&file, offset).into_iter().map(|(bytes, declares)| {
        let kind =
            if declares { DocumentHighlightKind::Write } else { DocumentHighlightKind::Read };
        DocumentHighlight { range: convert::range(&lines, &bytes), kind: Some(kind) }
    });
    write(found.collect::<Vec<_>>())
}

fn refused(why: ide::Refusal) -> Refused {
    Refused(ErrorCode::RequestFailed, why.0)
}

fn prepare_rename(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(Asked { file, offset, .. }) = asked(server, params) else { return Ok(Value::Null) };
    let bytes = ide::renamable(&file, offset).map_err(refused)?;
    let placeholder = file.text()[bytes.clone()].to_owned();
    let range = convert::range(&Lines::of(file.text()), &bytes);
    write(PrepareRenamePlaceholder { range, placeholder })
}

fn rename(server: &mut State, params: &TextDocumentPositionParams, name: &str) -> Answer {
    let Some(asked) = asked(server, params) else { return Ok(Value::Null) };
    let others = others(server, &asked);
    let files: Vec<&File> = others.iter().map(|(_, file)| &**file).collect();
    let edits = ide::rename(&asked.file, &files, asked.offset, name).map_err(refused)?;
    let paths = std::iter::once(&asked.path).chain(others.iter().map(|(path, _)| path));
    let files = std::iter::once(&*asked.file).chain(files);
    let edits = paths.zip(files).zip(edits).map(|((path, file), edits)| {
        let lines = Lines::of(file.text());
        let edits = edits.iter().map(|it| convert::edit(&lines, it)).collect();
        (path.as_path(), edits)
    });
    write(changes::of_files(server, edits))
}

fn completion(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let path = uri::path(&params.text_document.uri);
    let Some(document) = server.documents.get(&path) else { return Ok(Value::Null) };
    let lines = Lines::of(&document.text);
    let offset = convert::offset(&lines, params.position);
    let found = ide::complete(&server.session, &path, &document.text, offset);
    let range = convert::range(&lines, &found.range);
    let items = found.candidates.into_iter().enumerate().map(|(place, it)| CompletionItem {
        kind: Some(completion_kind(it.kind)),
        detail: (!it.detail.is_empty()).then_some(it.detail),
        documentation: convert::documentation(&it.doc),
        sort_text: Some(format!("{place:05}")),
        text_edit: Some(TextEdit { range, new_text: it.text.clone() }.into()),
        label: it.text,
        ..CompletionItem::default()
    });
    let items = items.collect();
    write(CompletionList { is_incomplete: false, item_defaults: None, apply_kind: None, items })
}

fn completion_kind(kind: CandidateKind) -> CompletionItemKind {
    match kind {
        CandidateKind::Local => CompletionItemKind::Variable,
        CandidateKind::Size => CompletionItemKind::TypeParameter,
        CandidateKind::Function => CompletionItemKind::Function,
        CandidateKind::Constant => CompletionItemKind::Constant,
        CandidateKind::Constructor => CompletionItemKind::EnumMember,
        CandidateKind::Type => CompletionItemKind::Class,
        CandidateKind::Field => CompletionItemKind::Field,
        CandidateKind::Module => CompletionItemKind::Module,
        CandidateKind::Keyword => CompletionItemKind::Keyword,
    }
}

fn signature(server: &mut State, params: &TextDocumentPositionParams) -> Answer {
    let Some(Asked { file, offset, .. }) = asked(server, params) else { return Ok(Value::Null) };
    let Some(found) = ide::signature(&file, offset) else { return Ok(Value::Null) };
    let lines = Lines::of(&found.label);
    let column = |offset: usize| lines.position(offset).column;
    let parameters = found.parameters.iter().map(|bytes| {
        let label = ParameterInformationLabel::Tuple((column(bytes.start), column(bytes.end)));
        ParameterInformation { label, documentation: None }
    });
    let parameters = Some(parameters.collect());
    let active = found.active.and_then(|place| u32::try_from(place).ok()).map(Into::into);
    let documentation = convert::documentation(&found.doc);
    let information = SignatureInformation {
        label: found.label.clone(),
        documentation,
        parameters,
        active_parameter: None,
    };
    write(SignatureHelp {
        signatures: vec![information],
        active_signature: Some(0),
        active_parameter: active,
    })
}

fn hints(server: &mut State, (uri, part): &(Uri, Range)) -> Answer {
    let Some(file) = server.file(&uri::path(uri)) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let from = convert::offset(&lines, part.start);
    let to = convert::offset(&lines, part.end);
    let found = ide::hints(&file, from..to).into_iter().map(|hint| {
        let position = convert::position(&lines, hint.offset);
        let edit = ide::Edit::insert(hint.offset, hint.text.as_str());
        let text_edits = hint.can_be_written.then(|| vec![convert::edit(&lines, &edit)]);
        InlayHint {
            position,
            label: hint.text.into(),
            kind: Some(InlayHintKind::Type),
            text_edits,
            tooltip: None,
            padding_left: None,
            padding_right: None,
            data: None,
        }
    });
    write(found.collect::<Vec<_>>())
}

fn tokens(server: &mut State, uri: &Uri) -> Answer {
    let Some(file) = server.file(&uri::path(uri)) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let (mut line, mut column) = (0, 0);
    let mut data = vec![];
    for token in ide::tokens(&file) {
        let start = lines.position(token.range.start);
        let end = lines.position(token.range.end);
        if end.line != start.line {
            continue;
        }
        let delta_line = start.line - line;
        let delta_start = if delta_line == 0 { start.column - column } else { start.column };
        (line, column) = (start.line, start.column);
        let is_constant = token.kind == ide::TokenKind::Constant;
        let flags = [token.declares, token.of_library, token.documents, is_constant];
        let modifiers = flags.iter().enumerate().map(|(bit, is)| u32::from(*is) << bit).sum();
        data.push(SemanticToken {
            delta_line,
            delta_start,
            length: end.column - start.column,
            token_type: kind_number(token.kind),
            token_modifiers_bitset: modifiers,
        });
    }
    write(SemanticTokens { result_id: None, data })
}

fn symbols(server: &mut State, uri: &Uri) -> Answer {
    let Some(file) = server.file(&uri::path(uri)) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let found = ide::outline(&file);
    write(found.iter().map(|it| symbol(&lines, it)).collect::<Vec<_>>())
}

/// A symbol with those inside, of which there is one level.
fn symbol(lines: &Lines<'_>, it: &ide::Symbol) -> DocumentSymbol {
    let kind = match it.kind {
        ide::SymbolKind::Function => SymbolKind::Function,
        ide::SymbolKind::Constant => SymbolKind::Constant,
        ide::SymbolKind::Type => SymbolKind::Class,
        ide::SymbolKind::Constructor => SymbolKind::EnumMember,
        ide::SymbolKind::Module => SymbolKind::Module,
    };
    let children = it.children.iter().map(|child| symbol(lines, child)).collect::<Vec<_>>();
    let range = convert::range(lines, &it.range);
    let selection = convert::range(lines, &it.selection);
    let detail = (!it.detail.is_empty()).then(|| it.detail.clone());
    let children = (!children.is_empty()).then_some(children);
    DocumentSymbol::new(it.name.clone(), detail, kind, None, None, range, selection, children)
}

fn folds(server: &mut State, uri: &Uri) -> Answer {
    let Some(file) = server.file(&uri::path(uri)) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let found = ide::folds(&file).into_iter().map(|fold| {
        let kind = match fold.kind {
            FoldKind::Item => None,
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Imports => Some(FoldingRangeKind::Imports),
        };
        FoldingRange {
            start_line: lines.position(fold.range.start).line,
            end_line: lines.position(fold.range.end).line,
            start_character: None,
            end_character: None,
            kind,
            collapsed_text: None,
        }
    });
    write(found.collect::<Vec<_>>())
}

fn actions(server: &mut State, (uri, part): &(Uri, Range)) -> Answer {
    let path = uri::path(uri);
    let Some(file) = server.file(&path) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let from = convert::offset(&lines, part.start);
    let to = convert::offset(&lines, part.end);
    let found = ide::actions(&file, from..to.max(from)).into_iter().map(|action| {
        let edits = action.edits.iter().map(|it| convert::edit(&lines, it)).collect();
        let edit = Some(changes::of_files(server, [(path.as_path(), edits)]));
        let kind = if action.mends.is_some() {
            CodeActionKind::QuickFix
        } else {
            CodeActionKind::Refactor
        };
        let mended = action.mends.map(|it| vec![convert::diagnostic(&lines, &it, |_| "")]);
        let (title, kind) = (action.title, Some(kind));
        CodeAction { title, kind, diagnostics: mended, edit, ..CodeAction::default() }
    });
    write(found.collect::<Vec<_>>())
}

fn lenses(server: &mut State, uri: &Uri) -> Answer {
    let path = uri::path(uri);
    let Some(file) = server.file(&path) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let found = ide::lenses(&file, &server.session, &path).into_iter().map(|lens| {
        let range = convert::range(&lines, &lens.range);
        let (title, command, of) = match lens.kind {
            LensKind::Test => ("test", run::TEST, json!(range.start.line)),
            LensKind::Evaluate(text) => ("evaluate", run::EVALUATE, json!(text)),
            LensKind::Gradient(text) => ("gradient", run::GRADIENT, json!(text)),
            LensKind::Check(text) => ("check gradient", run::CHECK, json!(text)),
        };
        let arguments = vec![json!(uri.0), of];
        let command = Command {
            title: title.to_owned(),
            tooltip: None,
            command: command.to_owned(),
            arguments: Some(arguments),
        };
        CodeLens { range, command: Some(command), data: None }
    });
    write(found.collect::<Vec<_>>())
}

fn formatting(server: &mut State, uri: &Uri) -> Answer {
    let path = uri::path(uri);
    let Some(file) = server.file(&path) else { return Ok(Value::Null) };
    // What is wrong is told as diagnostics.
    let Ok(edit) = ide::format(&server.session, &path, file.text()) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    write(edit.iter().map(|it| convert::edit(&lines, it)).collect::<Vec<_>>())
}

fn format_part(server: &mut State, (uri, part): &(Uri, Range)) -> Answer {
    let Some(file) = server.file(&uri::path(uri)) else { return Ok(Value::Null) };
    let lines = Lines::of(file.text());
    let from = convert::offset(&lines, part.start);
    let to = convert::offset(&lines, part.end);
    let edit = ide::format_part(&file, from..to.max(from));
    write(edit.iter().map(|it| convert::edit(&lines, it)).collect::<Vec<_>>())
}
