//! What went wrong, as data that outlives everything else.
//!
//! Input: diagnostics and the texts that they point into. Output: a [`Failure`], whose problems hold places, words and
//! the text as people see it.

use std::fmt;

use pullback_base::{Diagnostic, SourceMap, Style, render};
use pullback_session::{Findings, Place};

/// Why there is no answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The problems, in the order of the text. The first error comes first.
    pub problems: Vec<Problem>,
}

/// A diagnostic.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its code, such as `E0301`.
    pub code: &'static str,
    /// Whether it is an error; otherwise it is a warning.
    pub is_error: bool,
    /// What is wrong, in one line.
    pub message: String,
    /// Places with what is to be seen there, the most important first.
    pub labels: Vec<(Place, String)>,
    /// Why.
    pub notes: Vec<String>,
    /// What to do about it.
    pub hints: Vec<String>,
    /// All of that as text, with the lines of the program.
    pub rendered: String,
}

impl Problem {
    /// A diagnostic with its texts.
    pub fn new(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let place = |label: &pullback_base::Label| {
            Some((Place::of(sources, label.span)?, label.text.clone()))
        };
        Self {
            code: diagnostic.code,
            is_error: diagnostic.is_error(),
            message: diagnostic.title.clone(),
            labels: diagnostic.labels.iter().filter_map(place).collect(),
            notes: diagnostic.notes.clone(),
            hints: diagnostic.hints.iter().map(|hint| hint.text.clone()).collect(),
            rendered: render(sources, diagnostic, Style::Plain),
        }
    }
}

impl Failure {
    /// One diagnostic.
    pub fn of(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        Self { problems: vec![Problem::new(sources, diagnostic)] }
    }
    /// The code of the first error.
    pub fn code(&self) -> &'static str {
        self.problems.first().map_or("", |problem| problem.code)
    }
}

impl From<Findings> for Failure {
    fn from(findings: Findings) -> Self {
        let Findings { diagnostics, sources } = findings;
        let (errors, warnings): (Vec<_>, Vec<_>) =
            diagnostics.iter().partition(|diagnostic| diagnostic.is_error());
        let all = errors.into_iter().chain(warnings);
        Self { problems: all.map(|diagnostic| Problem::new(&sources, diagnostic)).collect() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problems.iter().enumerate().try_for_each(|(at, problem)| {
            let line = if at > 0 { "\n\n" } else { "" };
            write!(f, "{line}{}", problem.rendered.trim_end())
        })
    }
}

impl std::error::Error for Failure {}
