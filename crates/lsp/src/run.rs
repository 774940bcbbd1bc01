//! What lenses run: an expression in the scope of a file, on a thread of its own, until it is done or stopped.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use lsp_server::RequestId;
use pullback_base::Progress;
use pullback_session::{STACK_BYTES, Session};
use serde_json::{Value, json};

use crate::documents::Documents;

/// The commands.
pub const COMMANDS: [&str; 3] = [EVALUATE, GRADIENT, TEST];
/// The value of an expression: an address and the expression.
pub const EVALUATE: &str = "pullback.evaluate";
/// The same, of a gradient.
pub const GRADIENT: &str = "pullback.gradient";
/// Whether two sides agree: an address, the sides, and by how much they may differ, or null.
pub const TEST: &str = "pullback.test";

/// What is asked of a run.
pub struct Asked {
    /// The file whose scope it is.
    pub path: std::path::PathBuf,
    /// The expression, or the left side.
    pub left: String,
    /// The right side of a test.
    pub right: Option<String>,
    /// By how much they may differ.
    pub tolerance: Option<f64>,
}

impl Asked {
    /// What a command asks; none if its arguments are none of it.
    pub fn of(command: &str, arguments: &[Value]) -> Option<Self> {
        let text = |at: usize| arguments.get(at).and_then(Value::as_str).map(str::to_owned);
        let path = crate::uri::path(&text(0)?.into());
        let is_test = command == TEST;
        let right = if is_test { Some(text(2)?) } else { None };
        let tolerance = arguments.get(3).and_then(Value::as_f64).filter(|_| is_test);
        Some(Self { path, left: text(1)?, right, tolerance })
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
    let told = |ok: bool, text: String| json!({ "ok": ok, "text": text });
    let left = match session.expression(&asked.path, &asked.left) {
        Ok(outcome) => outcome.text,
        Err(findings) => return told(false, findings.to_string()),
    };
    let Some(right) = &asked.right else { return told(true, format!("{} = {left}", asked.left)) };
    let right = match session.expression(&asked.path, right) {
        Ok(outcome) => outcome.text,
        Err(findings) => return told(false, findings.to_string()),
    };
    if agree(&left, &right, asked.tolerance.unwrap_or(0.0)) {
        return told(true, format!("holds: {} = {left}", asked.left));
    }
    told(false, format!("does not hold: {} = {left}, but {right} is expected", asked.left))
}

/// Whether two values in words are the same but for numbers that differ by little, absolute and relative.
fn agree(left: &str, right: &str, tolerance: f64) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_apart = |letter: char| " ()[]{},=".contains(letter);
    let parts = |text: &'_ str| text.split(is_apart).map(str::to_owned).collect::<Vec<String>>();
    let (left, right) = (parts(left), parts(right));
    left.len() == right.len()
        && left.iter().zip(&right).all(|(a, b)| {
            a == b
                || matches!((number(a), number(b)), (Some(a), Some(b))
                    if (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0))
        })
}

#[cfg(test)]
mod tests {
    use super::agree;

    #[test]
    fn numbers_may_differ_by_little() {
        assert!(agree("[1.0, 2.0]", "[1.0, 2.0000001]", 1e-6));
        assert!(!agree("[1.0, 2.0]", "[1.0, 2.1]", 1e-6));
        assert!(!agree("[1.0]", "[1.0, 2.1]", 1e-6));
        assert!(agree("{ x = nan }", "{ x = nan }", 0.0));
        assert!(agree("(1.0, true)", "(1.0, true)", 0.0));
        assert!(!agree("true", "false", 0.0));
    }
}
