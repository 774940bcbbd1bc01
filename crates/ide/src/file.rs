//! A file as queries see it: what a session knows of it, and the names in it in the order of the text.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use pullback_base::{FileId, Name, Span};
use pullback_session::load::Loaded;
use pullback_session::{Analysis, Expectation, ExpectationKind, Place, expectations};
use pullback_types::{Bound, Occurrence, Role, Uses, uses};

use crate::declared::declaring;
use crate::walk;

/// A file.
pub struct File {
    /// What a session knows of it.
    pub analysis: Arc<Analysis>,
    /// Its expectations.
    pub expectations: Vec<Expectation>,
    bound: Vec<Bound>,
    /// In the order of the text.
    occurrences: Vec<Occurrence>,
    /// The items that declare a name, by their places, of each module.
    declaring: HashMap<FileId, HashMap<Name, Vec<usize>>>,
}

impl File {
    /// The file that a session has looked at; none if it cannot be read.
    pub fn new(analysis: Arc<Analysis>) -> Option<Self> {
        let main = analysis.main()?;
        let (lines, _) = expectations(&analysis.findings.sources, &main.module);
        let beside: Vec<_> = lines.iter().flat_map(|line| line.kind.expressions()).collect();
        let Uses { bound, mut occurrences, .. } = uses(&main.module, &beside);
        let text = analysis.findings.sources.text(main.file);
        occurrences.extend(lines.iter().filter_map(|line| claimed(text, line)));
        occurrences.sort_by_key(|it| (it.span.lo, it.span.hi));
        let declaring = analysis.modules.iter().map(|module| (module.file, declaring(module)));
        let declaring = declaring.collect();
        Some(Self { analysis, expectations: lines, bound, occurrences, declaring })
    }
    /// The items of a module that declare a name, by their places.
    pub fn declaring(&self, module: &Loaded, name: &str) -> &[usize] {
        let known = self.declaring.get(&module.file).and_then(|names| names.get(name));
        known.map_or(&[], Vec::as_slice)
    }
    /// Its module.
    pub fn main(&self) -> &Loaded {
        let Some(main) = self.analysis.main() else {
            pullback_base::bug("ide", "a file of which something is known has a module")
        };
        main
    }
    /// Its text.
    pub fn text(&self) -> &str {
        self.analysis.findings.sources.text(self.main().file)
    }
    /// What it is called.
    pub fn name(&self) -> &str {
        self.analysis.findings.sources.name(self.main().file)
    }
    /// The text of a span of any file of the program.
    pub fn slice(&self, span: Span) -> &str {
        self.analysis.findings.sources.slice(span)
    }
    /// Whether a span lies in this file.
    pub fn has(&self, span: Span) -> bool {
        !span.is_none() && span.file == self.main().file
    }
    /// The place of a span.
    pub fn place(&self, span: Span) -> Option<Place> {
        self.analysis.place(span)
    }
    /// The names in it, in the order of the text.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }
    /// The name at an offset. A cursor behind the last letter of a name is still at the name.
    pub fn occurrence_at(&self, offset: usize) -> Option<&Occurrence> {
        let touches = |it: &&Occurrence| {
            let Range { start, end } = it.span.range();
            start <= offset && offset <= end
        };
        let inside = |it: &&Occurrence| it.span.range().contains(&offset);
        let touching = || self.occurrences.iter().filter(touches);
        touching().find(inside).or_else(|| touching().next())
    }
    /// The local name with this number.
    pub fn local(&self, number: usize) -> &Bound {
        &self.bound[number]
    }
    /// The local names in scope at an offset, the innermost first, each name once.
    pub fn locals_at(&self, offset: usize) -> Vec<(usize, &Bound)> {
        let text = self.text();
        let before = text[..offset.min(text.len())].trim_end().len();
        let visible = |scope: Span| {
            let Range { start, end } = scope.range();
            self.has(scope) && start <= offset && before <= end
        };
        let mut found: Vec<(usize, &Bound)> = vec![];
        let visible = self.bound.iter().enumerate().filter(|(_, it)| visible(it.scope));
        let mut visible: Vec<_> = visible.collect();
        visible.sort_by_key(|(number, it)| (it.scope.range().len(), std::cmp::Reverse(*number)));
        for (number, bound) in visible {
            if bound.name != "_" && !found.iter().any(|(_, known)| known.name == bound.name) {
                found.push((number, bound));
            }
        }
        found
    }
    /// The innermost expression for which a question has an answer, those of expectations among them.
    pub fn innermost<'f, T>(
        &'f self,
        answer: impl Fn(&'f pullback_syntax::ast::Expr) -> Option<T>,
    ) -> Option<T> {
        let lines = self.expectations.iter().flat_map(|line| line.kind.expressions());
        let all = walk::all(walk::bodies(&self.main().module).chain(lines));
        let answers = all.into_iter().filter_map(|expr| Some((expr.span, answer(expr)?)));
        answers.min_by_key(|(span, _)| span.range().len()).map(|(_, answer)| answer)
    }
}

/// The name in a claim about a type.
fn claimed(text: &str, line: &Expectation) -> Option<Occurrence> {
    let ExpectationKind::Type(name, _) = &line.kind else { return None };
    let at = text[line.span.range()].find(&format!(" {name} "))? + 1;
    let start = line.span.range().start + at;
    let span = Span::new(line.span.file, start, start + name.len());
    let name = Name::new(name);
    Some(Occurrence { name, span, role: Role::Value, module: None, declares: false })
}
