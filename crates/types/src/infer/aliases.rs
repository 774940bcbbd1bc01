//! Abbreviations of types while they are written out: which are at work, which are wrong, and how much
//! the sizes that they are given have grown.

use pullback_base::Span;

/// What is known of abbreviations, by their index among the declared ones.
#[derive(Debug)]
pub(super) struct Aliases {
    /// Those being written out, outermost first.
    expanding: Vec<usize>,
    /// Whether each is known to be cyclic or wrong.
    bad: Vec<bool>,
    copies: SizeCopies,
}

/// The sizes that abbreviations in a written type are given, which take the place of their size names.
#[derive(Debug)]
pub(super) struct SizeCopies {
    /// The written type.
    within: Span,
    /// How many parts of sizes have been copied.
    parts: usize,
}

impl Aliases {
    pub fn new(count: usize) -> Self {
        let copies = SizeCopies { within: Span::NONE, parts: 0 };
        Self { expanding: Vec::new(), bad: vec![false; count], copies }
    }

    /// Begins to write one out.
    pub fn enter(&mut self, alias: usize) {
        self.expanding.push(alias);
    }

    pub fn leave(&mut self) {
        self.expanding.pop();
    }

    /// How many are being written out inside each other.
    pub fn depth(&self) -> usize {
        self.expanding.len()
    }

    /// Those being written out from `alias` on, if it is one of them: they stand for themselves.
    pub fn cycle(&self, alias: usize) -> Option<Vec<usize>> {
        let from = self.expanding.iter().position(|other| *other == alias)?;
        Some(self.expanding[from..].to_vec())
    }

    pub fn is_bad(&self, alias: usize) -> bool {
        self.bad[alias]
    }

    pub fn spoil(&mut self, alias: usize) {
        self.bad[alias] = true;
    }

    /// What abbreviates something wrong is wrong too.
    pub fn spoil_expanding(&mut self) {
        for alias in &self.expanding {
            self.bad[*alias] = true;
        }
    }

    /// Begins a written type; gives what was counted for the one around it.
    pub fn enter_type(&mut self, within: Span) -> SizeCopies {
        std::mem::replace(&mut self.copies, SizeCopies { within, parts: 0 })
    }

    pub fn leave_type(&mut self, outer: SizeCopies) {
        self.copies = outer;
    }

    /// The written type at work.
    pub fn written_type(&self) -> Span {
        self.copies.within
    }

    /// Counts a copy of a size with so many parts, and gives how many have been copied altogether.
    pub fn count_copy(&mut self, parts: usize) -> usize {
        self.copies.parts += parts;
        self.copies.parts
    }
}
