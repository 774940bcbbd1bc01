//! What lenses run: an expression in the scope of a file, the check of a derivative, or the test of a line, on a thread of
//! its own, until it is done or stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use lsp_server::RequestId;
use pullback_base::Progress;
use pullback_ide::{check_call, test_line};
use pullback_session::{STACK_BYTES, Session};
use serde_json::{Value, json};

use crate::documents::Documents;

/// The commands.
pub const COMMANDS: [&str; 4] = [EVALUATE, GRADIENT, CHECK, TEST];
/// The value of an expression: an address and the expression.
pub const EVALUATE: &str = "pullback.evaluate";
/// The same, of a gradient.
pub const GRADIENT: &str = "pullback.gradient";
/// Whether the derivative of a call is right: an address and the call.
pub const CHECK: &str = "pullback.checkGrad";
/// Whether an expectation holds: an address and its line, from 0.
pub const TEST: &str = "pullback.test";

/// What is asked of a run.
pub struct Asked {
    /// The file whose scope it is.
    path: PathBuf,
    what: What,
}

enum What {
    /// The value of an expression.
    Value(String),
    /// Whether the derivative of a call is right.
    Check(String),
    /// Whether the expectation in a line holds; lines count from 0.
    Test(usize),
}

impl Asked {
    /// What a command asks; none if its arguments are none of it.
    pub fn of(command: &str, arguments: &[Value]) -> Option<Self> {
        let [address, of] = arguments else { return None };
        let path = crate::uri::path(&address.as_str()?.to_owned().into());
        let what = match command {
            TEST => What::Test(usize::try_from(of.as_u64()?).ok()?),
            CHECK => What::Check(of.as_str()?.to_owned()),
            EVALUATE | GRADIENT => What::Value(of.as_str()?.to_owned()),
            _ => return None,
        };
        Some(Self { path, what })
    }
}

/// A run under way.
pub struct Run {
    /// The request that it answers.
    pub id: RequestId,
    watch: Arc<Progress>,
    thread: JoinHandle<()>,
}

impl Run {
    /// Begins a run with the texts of open documents; `tell` gets its answer.
    pub fn start(
        id: RequestId,
        mut session: Session,
        documents: &Documents,
        asked: Asked,
        tell: impl FnOnce(Value) + Send + 'static,
    ) -> std::io::Result<Self> {
        for (path, document) in documents.iter() {
            session.edit(path, document.text.as_str());
        }
        let watch = session.watch();
        let work = move || tell(answer(&session, &asked));
        let thread = Builder::new().stack_size(STACK_BYTES).spawn(work)?;
        Ok(Self { id, watch, thread })
    }
    /// Stops it.
    pub fn stop(&self) {
        self.watch.stop();
    }
    /// Whether it is done.
    pub fn is_done(&self) -> bool {
        self.thread.is_finished()
    }
}

/// What came of it: a text, and whether it is what was hoped for.
fn answer(session: &Session, asked: &Asked) -> Value {
    let (ok, text) = match &asked.what {
        What::Test(line) => test_line(session, &asked.path, line.saturating_add(1)),
        What::Check(text) => check_call(session, &asked.path, text),
        What::Value(text) => match session.expression(&asked.path, text) {
            Ok(outcome) => (true, format!("{text} = {}", outcome.text)),
            Err(findings) => (false, findings.to_string()),
        },
    };
    json!({ "ok": ok, "text": text })
}
