//! What inference has to say: the diagnostics, and what keeps one mistake from being told twice.

use pullback_base::{Diagnostic, Fix, Hint, Name, Span};
use rustc_hash::FxHashSet;

use crate::ty::Ty;

/// How many misspelt names are compared with all known ones, which takes a while in a large program.
const SUGGESTIONS: u32 = 50;

/// Says that a mistake has been reported, here or where what is looked at became erroneous.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

impl Reported {
    /// The type of an erroneous part: it agrees with everything, so that no mistake is reported twice.
    pub fn ty(self) -> Ty {
        Ty::Error
    }
}

/// The diagnostics so far.
#[derive(Debug)]
pub(super) struct Reports {
    diagnostics: Vec<Diagnostic>,
    /// Whether a type was too large: from then on nothing is inferred and nothing is reported.
    stopped: bool,
    /// The definition or type whose declaration is looked at: `def f`, `type T`.
    owner: String,
    /// Where its name is written.
    owner_name: Span,
    /// The unknown names that this group of definitions has been told about.
    unknown: FxHashSet<Name>,
    /// How many more misspelt names are compared with those that are known.
    suggestions: u32,
    /// Whether a literal at a type that is no number has been reported in this group.
    literal: bool,
    /// Whether this group has a constraint without end.
    endless: bool,
}

impl Reports {
    /// Reports that follow on those of resolution.
    pub fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            diagnostics,
            stopped: false,
            owner: String::new(),
            owner_name: Span::NONE,
            unknown: FxHashSet::default(),
            suggestions: SUGGESTIONS,
            literal: false,
            endless: false,
        }
    }

    /// Nothing is reported after a type was too large: everything around it is unknown.
    pub fn add(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports that a type is too large, after which inference stops.
    pub fn stop(&mut self, diagnostic: Diagnostic) -> Reported {
        self.add(diagnostic);
        self.stopped = true;
        Reported
    }

    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// The last hint of the diagnostic at a place, among those behind the first so many.
    fn hint_at(&mut self, told: usize, at: Span) -> Option<&mut Hint> {
        let mut latest = self.diagnostics.get_mut(told..)?.iter_mut();
        latest.find(|diagnostic| diagnostic.span() == at)?.hints.last_mut()
    }

    /// Adds changes to what was reported of a place since there were so many diagnostics, unless it has some.
    pub fn mend(&mut self, told: usize, at: Span, fixes: Vec<Fix>) {
        if let Some(hint) = self.hint_at(told, at).filter(|hint| hint.fixes.is_empty()) {
            hint.fixes = fixes;
        }
    }

    /// Lets the last change of what was reported of a place since then take the text behind it away too.
    pub fn widen_last(&mut self, told: usize, at: Span, behind: Span) {
        let last = self.hint_at(told, at).and_then(|hint| hint.fixes.last_mut());
        if let Some(last) = last.filter(|last| last.span.end() == behind.start()) {
            last.span = last.span.to(behind);
        }
    }

    /// How many diagnostics there are.
    pub fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// Takes back all but the first `length` diagnostics.
    pub fn truncate(&mut self, length: usize) {
        self.diagnostics.truncate(length);
    }

    /// Begins a group of definitions, which is told about its mistakes anew.
    pub fn enter_group(&mut self) {
        self.unknown.clear();
        self.literal = false;
        self.endless = false;
    }

    /// Notes whose declaration is looked at, and where its name is written; an empty text for none.
    pub fn enter_owner(&mut self, owner: String, name: Span) {
        self.owner = owner;
        self.owner_name = name;
    }

    /// The definition or type whose declaration is looked at: `def f`, `type T`.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Where the name of that declaration is written.
    pub fn owner_name(&self) -> Span {
        self.owner_name
    }

    /// Whether this group has not been told about the unknown name yet; from now on it has.
    pub fn is_first_unknown(&mut self, name: impl Into<Name>) -> bool {
        self.unknown.insert(name.into())
    }

    /// Whether one more misspelt name is compared with those that are known.
    pub fn may_suggest(&mut self) -> bool {
        let may = self.suggestions > 0;
        self.suggestions = self.suggestions.saturating_sub(1);
        may
    }

    /// Whether this group has not been told about a literal yet; from now on it has.
    pub fn is_first_literal(&mut self) -> bool {
        !std::mem::replace(&mut self.literal, true)
    }

    /// Whether this group has been told about a literal at a type that is no number.
    pub fn has_literal(&self) -> bool {
        self.literal
    }

    /// Whether this group had no constraint without end yet; from now on it has.
    pub fn is_first_endless(&mut self) -> bool {
        !std::mem::replace(&mut self.endless, true)
    }

    /// The diagnostics since they were taken last, in source order. Two errors that begin at one place have
    /// one cause, and the tighter one names it.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        diagnostics.sort_by_key(|diagnostic| {
            let span = diagnostic.span();
            (span.file, span.lo, span.hi, diagnostic.code)
        });
        diagnostics.dedup_by(|b, a| {
            let (first, second) = (a.span(), b.span());
            a.is_error() && b.is_error() && (first.file, first.lo) == (second.file, second.lo)
        });
        diagnostics
    }
}
