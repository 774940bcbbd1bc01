//! An editor and the server in one process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pullback_engine::BUILT_IN;
use pullback_lsp::{Connection, Message, Notification, Request, RequestId, Response, serve};
use pullback_session::{Memory, STACK_BYTES, Session, Settings};
use serde_json::{Value, json};

const URI: &str = "file:///main.pull";
const TEXT: &str = "import \"helper\"\nimport \"linalg\" as la\n\n-- | Adds.\n--@ add [1.0] = 2.0\ndef add [n] (xs: [n]Real): Real = helper.more (sum xs)\n\ndef size_of (xs: [3]Real) = la.norm2 xs\n";

struct Editor {
    connection: Connection,
    count: i32,
    notes: Vec<Notification>,
}

impl Editor {
    fn start() -> (Self, std::thread::JoinHandle<()>) {
        Self::start_with(json!({}))
    }
    fn start_with(capabilities: Value) -> (Self, std::thread::JoinHandle<()>) {
        let (server, connection) = Connection::memory();
        let make = || {
            let helper = "def more (x: Real): Real = x + 1.0\n";
            let files = Memory::default().with("/helper.pull", helper);
            Session::with(Settings::default(), BUILT_IN, Box::new(files))
        };
        let work = move || serve(&server, Arc::new(make)).expect("the protocol is kept");
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
        let mut editor = Self { connection, count: 0, notes: vec![] };
        let about = json!({ "capabilities": capabilities, "processId": null, "rootUri": null });
        editor.ask("initialize", about);
        editor.tell("initialized", json!({}));
        (editor, thread.expect("a thread"))
    }
    fn tell(&self, method: &str, params: Value) {
        let note = Notification { method: method.to_owned(), params };
        self.connection.sender.send(note.into()).expect("the server listens");
    }
    fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.count += 1;
        let id = RequestId::from(self.count);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).expect("the server listens");
        id
    }
    fn receive(&self) -> Message {
        let message = self.connection.receiver.recv_timeout(Duration::from_secs(60));
        message.expect("the server answers")
    }
    fn answer(&mut self, id: &RequestId) -> Response {
        loop {
            match self.receive() {
                Message::Response(response) if response.id == *id => return response,
                Message::Notification(note) => self.notes.push(note),
                other @ (Message::Request(_) | Message::Response(_)) => {
                    panic!("not asked for: {other:?}")
                }
            }
        }
    }
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id).response_result.expect("an answer")
    }
    fn open(&self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "pullback", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }
    fn change(&self, version: i32, text: &str) {
        let document = json!({ "uri": URI, "version": version });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }
    /// The codes of the mistakes of a version, and of all versions that were told before.
    fn mistakes(&mut self, version: i64) -> (Vec<String>, usize) {
        let told = |note: &Notification| note.params["version"] == version;
        while !self.notes.iter().any(told) {
            match self.receive() {
                Message::Notification(note) => self.notes.push(note),
                other @ (Message::Request(_) | Message::Response(_)) => {
                    panic!("not asked for: {other:?}")
                }
            }
        }
        let count = self.notes.len();
        let note = self.notes.drain(..).find(told).expect("it is there");
        let found = note.params["diagnostics"].as_array().expect("a list").clone();
        (found.iter().map(|it| it["code"].as_str().expect("a code").to_owned()).collect(), count)
    }
    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        self.ask(&format!("textDocument/{method}"), params)
    }
    fn whole(&mut self, method: &str) -> Value {
        self.ask(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": URI } }))
    }
    fn stop(mut self, thread: std::thread::JoinHandle<()>) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        thread.join().expect("the server ends");
    }
}

#[test]
fn an_editor_is_answered() {
    let (mut editor, thread) = Editor::start();
    editor.open(TEXT);
    assert_eq!(editor.mistakes(1).0, ["E0205"]);
    let hover = editor.at("hover", 5, 4);
    let shown = hover["contents"]["value"].as_str().expect("text");
    assert!(shown.contains("def add : [n]Real -> Real") && shown.contains("grad add"), "{shown}");
    assert!(shown.contains("Adds."), "{shown}");
    let place = editor.at("definition", 5, 43);
    assert_eq!(place["uri"], "file:///helper.pull");
    let candidates = editor.at("completion", 7, 31);
    let labels: Vec<_> =
        candidates["items"].as_array().expect("a list").iter().map(|it| &it["label"]).collect();
    assert!(labels.iter().any(|label| *label == "trace"), "{labels:?}");
    let lenses = editor.whole("codeLens");
    // The test, the value and the gradient of the line; the same of the definition, and the check of its gradient.
    assert_eq!(lenses.as_array().expect("a list").len(), 6, "{lenses}");
    editor.change(2, &TEXT.replace("la.norm2 xs", "la.dot xs xs"));
    assert!(editor.mistakes(2).0.is_empty());
    let ran = editor.ask("workspace/executeCommand", lenses[0]["command"].clone());
    assert_eq!(ran["ok"], true, "{ran}");
    for method in ["documentSymbol", "foldingRange", "semanticTokens/full"] {
        assert!(!editor.whole(method).is_null(), "{method}");
    }
    let everything =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = editor.ask(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": URI }, "range": everything }),
    );
    assert!(hints.is_array());
    assert!(editor.at("signatureHelp", 5, 47)["signatures"][0]["label"].is_string());
    editor.stop(thread);
}

#[test]
fn of_several_edits_the_last_one_counts() {
    let (mut editor, thread) = Editor::start();
    editor.open("def f = 1.0\n");
    assert!(editor.mistakes(1).0.is_empty());
    for version in 2..20 {
        editor.change(version, &format!("def f = {}", "(".repeat(version as usize)));
    }
    editor.change(20, "def f = true + 1.0\n");
    let (codes, told) = editor.mistakes(20);
    assert_eq!(codes, ["E0301"]);
    assert!(told < 10, "mistakes are told when the editor is quiet: {told}");
    editor.stop(thread);
}

#[test]
fn a_request_that_is_cancelled_and_a_run_that_is_stopped_end() {
    let (mut editor, thread) = Editor::start();
    editor.open("def f (x: Real): Real = loop a = x while a > 0.0 do a + 1e-9\n");
    let id = editor.send(
        "workspace/executeCommand",
        json!({ "command": "pullback.evaluate", "arguments": [URI, "f 1.0"] }),
    );
    std::thread::sleep(Duration::from_millis(300));
    // Others are served meanwhile.
    assert!(!editor.at("hover", 0, 4).is_null());
    let started = Instant::now();
    editor.tell("$/cancelRequest", json!({ "id": 2 }));
    let answer = editor.answer(&id).response_result.expect("an answer");
    assert_eq!(answer["ok"], false, "{answer}");
    assert!(started.elapsed() < Duration::from_secs(30));
    editor.stop(thread);
}

#[test]
fn the_largest_file_of_the_library_is_checked_at_once() {
    let (mut editor, thread) = Editor::start();
    let text = pullback_session::stdlib::module("linalg").expect("a module");
    editor.open(text);
    editor.mistakes(1);
    let mut shortest = Duration::MAX;
    for version in 2..5 {
        let started = Instant::now();
        editor.change(version, &format!("{text}\ndef more = {version}.0\n"));
        assert!(editor.mistakes(i64::from(version)).0.is_empty());
        shortest = shortest.min(started.elapsed());
    }
    // The editor is quiet for 50 ms of it; a loaded machine takes its time.
    eprintln!("from an edit to its diagnostics: {shortest:?}");
    assert!(shortest < Duration::from_secs(2), "{shortest:?}");
    editor.stop(thread);
}

#[test]
fn changes_are_of_versions_where_the_editor_takes_those() {
    let edit = json!({ "documentChanges": true });
    let able = json!({ "workspace": { "workspaceEdit": edit } });
    let (mut editor, thread) = Editor::start_with(able);
    editor.open("def f (x: Real): Real = helper.more x\n");
    assert_eq!(editor.mistakes(1).0, ["E0204"]);
    editor.change(2, "import \"helper\"\ndef f (x: Real): Real = helper.more x\n");
    assert!(editor.mistakes(2).0.is_empty());
    let position = json!({ "line": 1, "character": 31 });
    let renamed = editor.ask(
        "textDocument/rename",
        json!({ "textDocument": { "uri": URI }, "position": position, "newName": "larger" }),
    );
    assert!(renamed.get("changes").is_none(), "{renamed}");
    let changed = renamed["documentChanges"].as_array().expect("a list");
    let documents: Vec<_> = changed.iter().map(|it| it["textDocument"].clone()).collect();
    // The helper is not open, and so has no version.
    let of_helper = json!({ "uri": "file:///helper.pull", "version": null });
    assert_eq!(documents, [json!({ "uri": URI, "version": 2 }), of_helper]);
    let first = json!({ "line": 1, "character": 31 });
    assert_eq!(changed[0]["edits"][0]["range"]["start"], first);
    assert_eq!(changed[0]["edits"][0]["newText"], "larger");

    editor.change(3, "def f (x: Real): Real = sine x\n");
    assert_eq!(editor.mistakes(3).0, ["E0201"]);
    let word =
        json!({ "start": { "line": 0, "character": 24 }, "end": { "line": 0, "character": 28 } });
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": word, "context": { "diagnostics": [] } }),
    );
    let changed = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(changed["textDocument"]["version"], 3, "{actions}");
    editor.stop(thread);
}
