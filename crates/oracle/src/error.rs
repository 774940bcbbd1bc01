//! Why the oracle gives no answer.

use std::fmt;

use pullback_base::Span;

/// Why the oracle gives no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Which kind of reason.
    pub kind: ErrorKind,
    /// What it was about.
    pub what: String,
    /// Where, as far as known.
    pub span: Span,
}

/// Which kind of reason; the run-time errors are those of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The program uses something the oracle does not know.
    Unsupported,
    /// Too many steps or too deep a recursion.
    Limit,
    /// The program or its arguments are malformed.
    Malformed,
    /// An index or slice that is not there.
    Index,
    /// Sizes that disagree.
    Size,
    /// Int overflow.
    Overflow,
    /// Int division by zero.
    DivisionByZero,
    /// A negative size or exponent.
    Negative,
    /// A Real that has no Int.
    NoInt,
    /// `error` or a failed `assert`.
    Message,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), span: Span::NONE }
    }

    pub(crate) fn at(mut self, span: Span) -> Self {
        if self.span.is_none() {
            self.span = span;
        }
        self
    }

    /// Whether the program itself fails, rather than the oracle.
    pub fn is_run_time(&self) -> bool {
        self.kind > ErrorKind::Malformed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.what)
    }
}

impl std::error::Error for Error {}
