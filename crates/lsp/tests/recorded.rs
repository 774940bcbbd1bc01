//! A session that Neovim had with the server (`editors/record.py`), played again: what the editor sent is sent, and what the
//! server says is what it said. `BLESS=1` writes down what it says now.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pullback_engine::BUILT_IN;
use pullback_lsp::{Connection, Message, serve};
use pullback_session::{Memory, STACK_BYTES, Session, Settings};
use serde_json::{Value, json};

/// What the server said and nobody has waited for yet.
struct Heard<'c> {
    connection: &'c Connection,
    early: Vec<Value>,
}

impl Heard<'_> {
    /// The message that answers the same as this one, or tells of the same.
    fn like(&mut self, known: &Value) -> Value {
        let key = key_of(known);
        loop {
            if let Some(place) = self.early.iter().position(|it| key_of(it) == key) {
                return self.early.remove(place);
            }
            let message = self.connection.receiver.recv_timeout(Duration::from_secs(60));
            let message = message.unwrap_or_else(|_| panic!("nothing like {known}"));
            self.early.push(serde_json::to_value(&message).expect("a message"));
        }
    }
}

/// What tells messages apart: the request that is answered, or the method and the version of the text.
fn key_of(message: &Value) -> Value {
    match message.get("id") {
        Some(id) => id.clone(),
        None => json!([message["method"], message["params"]["version"]]),
    }
}

fn without_protocol(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(fields) = message.as_object_mut() {
        fields.remove("jsonrpc");
    }
    message
}

#[test]
fn neovim_is_answered_as_when_it_was_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim.session");
    let text = std::fs::read_to_string(&path).expect("a session");
    let (server, connection) = Connection::memory();
    let make = || Session::with(Settings::default(), BUILT_IN, Box::new(Memory::default()));
    let work = move || serve(&server, Arc::new(make)).expect("the protocol is kept");
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let mut heard = Heard { connection: &connection, early: vec![] };
    let (mut now, mut wrong) = (String::new(), vec![]);
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).expect("a message");
        let known = without_protocol(&entry["message"]);
        let said = if entry["from"] == "editor" {
            let message: Message = serde_json::from_value(known.clone()).expect("a message");
            connection.sender.send(message).expect("the server listens");
            known
        } else {
            let said = heard.like(&known);
            if said != known {
                wrong.push(format!("now:  {said}\nthen: {known}"));
            }
            said
        };
        let entry = json!({ "from": entry["from"], "message": said });
        now.push_str(&format!("{entry}\n"));
    }
    // An editor that is gone ends the server too.
    drop(connection);
    thread.expect("a thread").join().expect("the server ends");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, now).expect("written");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
