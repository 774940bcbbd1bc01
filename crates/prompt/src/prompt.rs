//! A prompt: its text, what is known of it, and what changes it.

use std::path::PathBuf;
use std::sync::Arc;

use pullback_base::{Diagnostic, Progress};
use pullback_session::{Analysis, Call, Findings, Query, Question, Session, Stop};

use crate::program::Program;
use crate::reading::declared;
use crate::said::{Said, Tell};

/// The longest value that becomes `it` as it is written.
const LONGEST: usize = 10_000;

/// A prompt.
pub struct Prompt {
    session: Session,
    program: Program,
    /// What it prints on.
    pub page: Page,
}

/// What is printed on.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// How many columns it has.
    pub width: usize,
    /// Whether drawings have colours.
    pub colours: bool,
}

/// What comes after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another line.
    More,
    /// Nothing.
    Quit,
}

impl Prompt {
    /// A prompt in which nothing is defined.
    pub fn new(session: Session, page: Page) -> Self {
        let mut prompt = Self { session, program: Program::default(), page };
        prompt.become_program(Program::default());
        prompt
    }
    /// What stops a run.
    pub fn watch(&self) -> Arc<Progress> {
        self.session.watch()
    }
    /// What its text is called.
    pub fn path(&self) -> PathBuf {
        self.program.path()
    }
    /// Its text.
    pub fn text(&self) -> String {
        self.program.text()
    }
    /// What knows its text.
    pub fn session(&self) -> &Session {
        &self.session
    }
    /// What is known of its text.
    pub fn known(&mut self) -> Arc<Analysis> {
        let path = self.path();
        self.session.load(&path)
    }

    fn become_program(&mut self, program: Program) {
        let old = self.path();
        self.program = program;
        if old != self.path() {
            self.session.discard(&old);
        }
        self.session.edit(&self.program.path(), self.program.text());
    }
    /// Loads a file in the place of all that is there, unless something is wrong with it.
    pub fn load(&mut self, file: PathBuf, tell: Tell<'_>) {
        // The text that stands over the file is taken away while the file is read.
        self.session.discard(&file);
        let mut query = self.session.query();
        let text = query.read_text(&file).map(|id| query.sources.text(id).to_owned());
        let Query { diagnostics, sources, .. } = query;
        let found = match &text {
            Ok(text) => self.session.look(&file, text).findings,
            Err(Stop) => Findings { diagnostics, sources },
        };
        let is_wrong = found.has_errors();
        tell(Said::Findings(found));
        match text {
            Ok(text) if !is_wrong => self.become_program(Program::of_file(file.clone(), text)),
            _ => {
                self.become_program(self.program.clone());
                return;
            }
        }
        let count = self.known().definitions.len();
        let noun = if count == 1 { "definition" } else { "definitions" };
        let told = format!("{}: {count} {noun}, which `:defs` lists", file.display());
        tell(Said::Defined(told));
    }
    /// Loads the file anew, unless something is wrong with it.
    pub fn reload(&mut self, tell: Tell<'_>) {
        match self.program.file.clone() {
            Some(file) => self.load(file, tell),
            None => tell(Said::Note("no file is loaded; `:load FILE` loads one".to_owned())),
        }
    }
    /// Adds definitions, types and imports, if nothing is wrong with them.
    pub fn define(&mut self, text: &str, tell: Tell<'_>) {
        let (program, start) = self.program.with(text);
        let found = self.session.look(&program.path(), &program.text());
        let Findings { diagnostics, sources } = found.findings.clone();
        let is_new = |it: &Diagnostic| it.span().range().start >= start || it.span().is_none();
        let told = diagnostics.into_iter().filter(|it| it.is_error() || is_new(it));
        // An import is used by later lines.
        let told = told.filter(|it| it.code != "W0202").collect();
        tell(Said::Findings(Findings { diagnostics: told, sources }));
        if found.findings.has_errors() {
            return;
        }
        for (name, is_type) in declared(text) {
            let ty = found.definitions.iter().find(|it| it.name == name).map(|it| &it.ty);
            let words = match ty {
                Some(ty) if !is_type => format!("{name} : {ty}"),
                _ => format!("type {name}"),
            };
            tell(Said::Defined(words));
        }
        self.become_program(program);
    }
    /// The value of an expression, which is called `it` from then on.
    pub fn evaluate(&mut self, text: &str, tell: Tell<'_>) {
        match self.session.expression(&self.path(), text) {
            Ok(outcome) => {
                let value = outcome.text.clone();
                tell(Said::Findings(outcome.findings));
                outcome.notes.into_iter().for_each(|note| tell(Said::Note(note)));
                tell(Said::Answer(outcome.text));
                self.name_it(&value, text);
            }
            Err(findings) => tell(Said::Findings(findings)),
        }
    }
    /// Calls a value `it`: as it is written, or else as the expression that gave it.
    fn name_it(&mut self, value: &str, expression: &str) {
        let uses_it =
            expression.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| it == "it");
        let value = (value.len() <= LONGEST).then_some(value);
        for body in [value, (!uses_it).then_some(expression)].into_iter().flatten() {
            let (program, _) = self.program.with(&format!("def it =\n  ({body})"));
            if !self.session.look(&program.path(), &program.text()).findings.has_errors() {
                self.become_program(program);
                return;
            }
        }
    }
    /// What a tool answers to a question about the text.
    pub fn ask(
        &self,
        tell: Tell<'_>,
        tool: impl FnOnce(&mut Query<'_>, &Call) -> Result<String, Stop>,
        entry: &str,
    ) {
        let call = self.session.call_of(&self.path(), entry);
        let mut query = self.session.query();
        let answer = tool(&mut query, &call);
        let Query { diagnostics, sources, .. } = query;
        tell(Said::Findings(Findings { diagnostics, sources }));
        if let Ok(text) = answer {
            tell(Said::Answer(text));
        }
    }
    /// The value and the gradient of a call.
    pub fn gradient(&self, entry: &str, args: Vec<String>, tell: Tell<'_>) {
        let call = Call { args, ..self.session.call_of(&self.path(), entry) };
        match self.session.call(&call, &Question::Gradient(vec![])) {
            Ok(outcome) => {
                tell(Said::Findings(outcome.findings));
                tell(Said::Answer(outcome.text));
            }
            Err(findings) => tell(Said::Findings(findings)),
        }
    }
}
