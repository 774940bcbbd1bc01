//! Diagnostics as data: found anywhere, rendered only at the edge by [`crate::render`].

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program or its input is wrong.
    Error,
    /// Something to know; the result stands.
    Warning,
}

/// A note attached to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// A change of a text: what a span covers becomes this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced.
    pub span: Span,
    /// What takes its place.
    pub text: String,
}

impl Fix {
    /// What a span covers becomes this text.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
    /// Text before and behind a span.
    pub fn around(span: Span, before: impl Into<String>, behind: impl Into<String>) -> [Self; 2] {
        [Self::new(span.start(), before), Self::new(span.end(), behind)]
    }
}

/// What to do about a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// In words.
    pub text: String,
    /// As changes, which all belong together; none where the words leave a choice.
    pub fixes: Vec<Fix>,
}

/// One mistake, told in the user's words: what, where, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A code of [`crate::CODES`], such as `E0301`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line: what is wrong.
    pub title: String,
    /// Places, the tightest and most important first.
    pub labels: Vec<Label>,
    /// Sentences that say why.
    pub notes: Vec<String>,
    /// What to do about it.
    pub hints: Vec<Hint>,
}

impl Diagnostic {
    /// An error of this code at `span`; `label` says what is to be seen there (may be empty).
    pub fn error(
        code: &'static str,
        span: Span,
        title: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Error, code, span, title.into(), label.into())
    }
    /// A warning of this code at `span`.
    pub fn warning(
        code: &'static str,
        span: Span,
        title: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Warning, code, span, title.into(), label.into())
    }
    fn new(
        severity: Severity,
        code: &'static str,
        span: Span,
        title: String,
        text: String,
    ) -> Self {
        let labels = if span.is_none() { vec![] } else { vec![Label { span, text }] };
        Self { code, severity, title, labels, notes: vec![], hints: vec![] }
    }
    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        if !span.is_none() {
            self.labels.push(Label { span, text: text.into() });
        }
        self
    }
    /// Adds a sentence that says why.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hints.push(Hint { text: text.into(), fixes: vec![] });
        self
    }
    /// Adds what to do about it, with the change that does it.
    #[must_use]
    pub fn fix(self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.fixes(text, [Fix::new(span, replacement)])
    }
    /// Adds what to do about it, with the changes that do it together. Without any, or where one has no place, the
    /// words stand alone.
    #[must_use]
    pub fn fixes(mut self, text: impl Into<String>, fixes: impl IntoIterator<Item = Fix>) -> Self {
        let mut fixes: Vec<Fix> = fixes.into_iter().collect();
        if fixes.iter().any(|fix| fix.span.is_none()) {
            fixes.clear();
        }
        self.hints.push(Hint { text: text.into(), fixes });
        self
    }
    /// The main place; [`Span::NONE`] if there is none.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::NONE, |label| label.span)
    }
    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
