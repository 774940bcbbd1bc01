//! The loop: messages in, answers out, and mistakes when the editor has been quiet for a moment.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    PublishDiagnosticsParams,
};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use pullback_base::Lines;
use pullback_ide::problems;
use pullback_session::Session;
use serde_json::Value;

use crate::answers::{Refused, answer};
use crate::capabilities::capabilities;
use crate::changes::takes_versions;
use crate::documents::Document;
use crate::run::{Asked, Run};
use crate::state::State;
use crate::{convert, uri};

/// How long an editor is quiet before mistakes are told.
const QUIET: Duration = Duration::from_millis(25);
/// Makes a session that knows no texts.
pub type MakeSession = Arc<dyn Fn() -> Session + Send + Sync>;

/// Serves an editor on standard input and output.
pub fn serve_stdio(make: MakeSession) -> Result<(), ProtocolError> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection, make);
    // The writer ends when nobody can write to it any more.
    drop(connection);
    // An editor that is gone needs no answer.
    drop(threads.join());
    served
}

/// Serves an editor until it says that it is done.
pub fn serve(connection: &Connection, make: MakeSession) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    connection.initialize_finish(id, capabilities())?;
    let sender = connection.sender.clone();
    let mut server = Server {
        state: State::new(make(), root(&params), takes_versions(&params)),
        make,
        imports: BTreeMap::new(),
        unchecked: BTreeSet::new(),
        due: None,
        runs: vec![],
        // Whoever is gone hears nothing.
        send: Arc::new(move |message| drop(sender.send(message))),
    };
    server.run(connection);
    Ok(())
}

/// An answer, unless a bug ends the work on it, which the panic hook has told. The editor goes on without it.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The folder that is open in an editor.
fn root(params: &Value) -> Option<PathBuf> {
    let folder = params.pointer("/workspaceFolders/0/uri").or_else(|| params.get("rootUri"))?;
    Some(uri::path(&folder.as_str()?.into()))
}

type Sender = Arc<dyn Fn(Message) + Send + Sync>;

/// The server at work.
struct Server {
    state: State,
    make: MakeSession,
    /// The names of the files that a document was made of when it was looked at last.
    imports: BTreeMap<PathBuf, BTreeSet<String>>,
    /// The documents whose mistakes have not been told since some text changed.
    unchecked: BTreeSet<PathBuf>,
    /// When to tell them.
    due: Option<Instant>,
    runs: Vec<Run>,
    send: Sender,
}

impl Server {
    fn run(&mut self, connection: &Connection) {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            while let Ok(message) = connection.receiver.try_recv() {
                self.arrive(message, &mut waiting);
            }
            if let Some(message) = waiting.pop_front() {
                if !self.handle(message) {
                    self.runs.iter().for_each(Run::stop);
                    return;
                }
                continue;
            }
            let Some(due) = self.due else {
                let Ok(message) = connection.receiver.recv() else { return };
                self.arrive(message, &mut waiting);
                continue;
            };
            let left = due.saturating_duration_since(Instant::now());
            match connection.receiver.recv_timeout(left) {
                Ok(message) => self.arrive(message, &mut waiting),
                Err(error) if error.is_timeout() => self.tell_problems_of_one(),
                Err(_) => return,
            }
        }
    }
    /// A message arrives. One that cancels another takes effect at once.
    fn arrive(&mut self, message: Message, waiting: &mut VecDeque<Message>) {
        let Message::Notification(note) = &message else {
            waiting.push_back(message);
            return;
        };
        if note.method != "$/cancelRequest" {
            waiting.push_back(message);
            return;
        }
        let id: Option<RequestId> =
            note.params.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        let Some(id) = id else { return };
        let is_it = |message: &Message| matches!(message, Message::Request(it) if it.id == id);
        if let Some(place) = waiting.iter().position(is_it) {
            waiting.remove(place);
            let code = ErrorCode::RequestCanceled as i32;
            self.reply(Response::new_err(id, code, "cancelled".to_owned()));
            return;
        }
        self.runs.iter().filter(|run| run.id == id).for_each(Run::stop);
    }
    fn reply(&self, response: Response) {
        (self.send)(Message::Response(response));
    }
    /// Whether there is more to come.
    fn handle(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) if request.method == "shutdown" => {
                self.reply(Response::new_ok(request.id, Value::Null));
            }
            Message::Request(request) if request.method == "workspace/executeCommand" => {
                self.execute(request);
            }
            Message::Request(Request { id, method, params }) => {
                let answered = guarded(|| answer(&mut self.state, &method, params));
                let response = match answered {
                    Some(Ok(value)) => Response::new_ok(id, value),
                    Some(Err(Refused(code, why))) => Response::new_err(id, code as i32, why),
                    None => {
                        // What was known may be half of something.
                        self.state.forget();
                        let code = ErrorCode::InternalError as i32;
                        Response::new_err(id, code, "a bug in Pullback".to_owned())
                    }
                };
                self.reply(response);
            }
            Message::Notification(note) if note.method == "exit" => return false,
            Message::Notification(note) => self.notified(note),
            Message::Response(_) => {}
        }
        true
    }
    fn notified(&mut self, note: Notification) {
        let Notification { method, params } = note;
        match method.as_str() {
            "textDocument/didOpen" => {
                let params = serde_json::from_value::<DidOpenTextDocumentParams>(params);
                let Ok(params) = params else { return };
                let it = params.text_document;
                let path = uri::path(&it.uri);
                self.state.session.edit(&path, it.text.as_str());
                let document = Document { uri: it.uri, version: it.version, text: it.text };
                self.state.documents.open(path.clone(), document);
                self.changed(&path);
            }
            "textDocument/didChange" => {
                let params = serde_json::from_value::<DidChangeTextDocumentParams>(params);
                let Ok(params) = params else { return };
                let it = params.text_document;
                let path = uri::path(&it.text_document_identifier.uri);
                let text = self.state.documents.change(&path, it.version, params.content_changes);
                if let Some(text) = text {
                    self.state.session.edit(&path, text);
                    self.changed(&path);
                }
            }
            "textDocument/didClose" => {
                let params = serde_json::from_value::<DidCloseTextDocumentParams>(params);
                let Ok(params) = params else { return };
                let path = uri::path(&params.text_document.uri);
                self.state.session.discard(&path);
                self.changed(&path);
                self.unchecked.remove(&path);
                if let Some(document) = self.state.documents.close(&path) {
                    self.publish(&Document { version: 0, ..document }, vec![]);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.state.session.reload();
                self.state.forget();
                self.unchecked =
                    self.state.documents.iter().map(|(path, _)| path.clone()).collect();
                self.due = Some(Instant::now() + QUIET);
            }
            // What the server does not know it does not need.
            _ => {}
        }
    }
    /// A text has changed: its mistakes are told soon, and those of what imports it.
    fn changed(&mut self, path: &Path) {
        self.state.forget();
        let name = path.display().to_string();
        let users = self.imports.iter().filter(|(_, imports)| imports.contains(&name));
        self.unchecked.extend(users.map(|(path, _)| path.clone()));
        self.unchecked.insert(path.to_owned());
        self.due = Some(Instant::now() + QUIET);
    }
    /// Tells the mistakes of one document; the next one waits until no message does.
    fn tell_problems_of_one(&mut self) {
        let Some(path) = self.unchecked.pop_first() else {
            self.due = None;
            return;
        };
        if self.unchecked.is_empty() {
            self.due = None;
        }
        let Some(document) = self.state.documents.get(&path).cloned() else { return };
        let found = match guarded(|| self.state.file(&path)).flatten() {
            Some(file) => {
                let sources = &file.analysis.findings.sources;
                let modules = &file.analysis.modules;
                let names = modules.iter().map(|it| sources.name(it.file).to_owned());
                self.imports.insert(path.clone(), names.collect());
                let lines = Lines::of(file.text());
                let text_of = |name: &str| {
                    let file = sources.files().find(|file| sources.name(*file) == name);
                    file.map_or("", |file| sources.text(file))
                };
                let told = problems(&file).into_iter();
                told.map(|it| convert::diagnostic(&lines, &it, text_of)).collect()
            }
            None => vec![],
        };
        self.publish(&document, found);
    }
    fn publish(&self, document: &Document, diagnostics: Vec<gen_lsp_types::Diagnostic>) {
        let (uri, version) = (document.uri.clone(), Some(document.version));
        let params = PublishDiagnosticsParams { uri, version, diagnostics };
        let note = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
        (self.send)(Message::Notification(note));
    }
    fn refuse(&self, id: RequestId, why: &str) {
        self.reply(Response::new_err(id, ErrorCode::InvalidParams as i32, why.to_owned()));
    }
    /// Begins what a lens asks for.
    fn execute(&mut self, request: Request) {
        self.runs.retain(|run| !run.is_done());
        let id = request.id;
        let Value::String(command) = &request.params["command"] else {
            return self.refuse(id, "a command has a name");
        };
        let arguments = request.params["arguments"].as_array();
        let asked = Asked::of(command, arguments.map_or(&[], Vec::as_slice));
        let Some(asked) = asked else {
            return self.refuse(id, "these are not the arguments of the command");
        };
        let (send, own) = (self.send.clone(), id.clone());
        let tell = move |value: Value| {
            let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
            let kind = if value.get("ok") == Some(&Value::Bool(true)) { 3 } else { 2 };
            let shown = serde_json::json!({ "type": kind, "message": text });
            let note = Notification::new("window/showMessage".to_owned(), shown);
            send(Message::Notification(note));
            send(Message::Response(Response::new_ok(own, value)));
        };
        match Run::start(id.clone(), (self.make)(), &self.state.documents, asked, tell) {
            Ok(run) => self.runs.push(run),
            Err(error) => {
                let code = ErrorCode::InternalError as i32;
                self.reply(Response::new_err(id, code, error.to_string()));
            }
        }
    }
}
