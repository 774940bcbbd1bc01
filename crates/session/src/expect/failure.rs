//! A line of expectation that does not hold, and why.

use pullback_base::{Diagnostic, Span};

/// Why no line holds that compares functions.
pub const NO_COMPARISON: &str = "functions cannot be compared";

/// A line of expectation that does not hold.
#[derive(Debug)]
pub struct Failure {
    /// The line.
    pub span: Span,
    /// The engines on which this was found; none if it makes no difference.
    pub engines: Vec<String>,
    /// What was found instead.
    pub reason: Reason,
}

/// Why a line of expectation does not hold.
#[derive(Debug, PartialEq)]
pub enum Reason {
    /// Another value than expected.
    Differs {
        /// The left side's value or the inferred type.
        found: String,
        /// The right side's.
        expected: String,
    },
    /// A run-time error.
    Failed(Box<Diagnostic>),
    /// A value where an error was expected.
    Succeeded(String),
    /// Something else, in words.
    Other(String),
}

impl Failure {
    /// The failure as a diagnostic, to be rendered with its line.
    pub fn diagnostic(&self) -> Diagnostic {
        let on = match self.engines.as_slice() {
            [] => String::new(),
            [only] => format!(" on engine {only}"),
            several => format!(" on engines {}", several.join(", ")),
        };
        let fail = |title: String, label: &str| {
            Diagnostic::error("E0820", self.span, format!("{title}{on}"), label)
        };
        match &self.reason {
            Reason::Differs { found, expected } => {
                fail("this expectation does not hold".to_owned(), "")
                    .note(format!("   found: {found}"))
                    .note(format!("expected: {expected}"))
            }
            Reason::Failed(fault) => {
                let mut diagnostic = (**fault).clone();
                diagnostic.title = format!("{}{on}", diagnostic.title);
                diagnostic.label(self.span, "while testing this")
            }
            Reason::Succeeded(value) => fail("an error was expected here".to_owned(), "")
                .note(format!("found the value {value}")),
            Reason::Other(words) => fail(words.clone(), ""),
        }
    }
}
