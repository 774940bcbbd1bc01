//! Source files and positions in them. Offsets are bytes; lines and columns count from 1.

use crate::{IdVec, id_type};

/// The largest file that is read, in bytes. Positions in files are 32 bits wide.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

id_type!(
    /// A file of a [`SourceMap`].
    pub FileId, "file"
);

/// A half-open byte range of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of things that come from no text.
    pub const NONE: Self = Self { file: FileId(u32::MAX), lo: 0, hi: 0 };

    /// The bytes `lo..hi` of `file`.
    pub fn new(file: FileId, lo: usize, hi: usize) -> Self {
        Self { file, lo: clamp(lo), hi: clamp(hi) }
    }
    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Self::NONE.file
    }
    /// The smallest span that covers both; [`Span::NONE`] is neutral.
    pub fn to(self, other: Self) -> Self {
        if self.is_none() {
            return other;
        }
        if other.is_none() || other.file != self.file {
            return self;
        }
        Self { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
    /// The empty span at the start of this one.
    pub fn start(self) -> Self {
        Self { hi: self.lo, ..self }
    }
    /// The empty span at the end of this one.
    pub fn end(self) -> Self {
        Self { lo: self.hi, ..self }
    }
    /// The byte range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.lo as usize..self.hi as usize
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_none() { write!(f, "-") } else { write!(f, "{}..{}", self.lo, self.hi) }
    }
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A thing and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The thing.
    pub node: T,
    /// Where it stands.
    pub span: Span,
}

/// A position for people: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCol {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    text: String,
    /// Which bytes were made of which place of another file, inner places after those around them.
    marks: Vec<(std::ops::Range<usize>, Span)>,
}

/// All source text of a session.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IdVec<FileId, File>,
}

impl SourceMap {
    /// Adds a file; `name` is what diagnostics call it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(File { name: name.into(), text: text.into(), marks: vec![] })
    }
    /// Adds a file that was made of others: `marks` says which of its bytes come from where.
    pub fn add_made(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        marks: Vec<(std::ops::Range<usize>, Span)>,
    ) -> FileId {
        self.files.push(File { name: name.into(), text: text.into(), marks })
    }
    /// Where a person wrote what stands at a span: the span itself, or the place that its text was made of.
    pub fn origin(&self, span: Span) -> Span {
        let range = span.range();
        let marks = self.files.get(span.file).map_or(&[][..], |file| &file.marks);
        let is_around =
            |made: &std::ops::Range<usize>| made.start <= range.start && range.end <= made.end;
        let inner = marks.iter().rev().find(|(made, _)| is_around(made));
        inner.map_or(span, |(_, origin)| *origin)
    }
    /// What diagnostics call the file.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file).map_or("<none>", |file| &file.name)
    }
    /// The file's text.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file).map_or("", |file| &file.text)
    }
    /// The text a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.range()).unwrap_or("")
    }
    /// All files, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        self.files.ids()
    }
    /// Line and column of a span's start.
    pub fn line_col(&self, span: Span) -> LineCol {
        let text = self.text(span.file);
        let mut lo = (span.lo as usize).min(text.len());
        while !text.is_char_boundary(lo) {
            lo -= 1;
        }
        let before = &text[..lo];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        LineCol {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let mut map = SourceMap::default();
        let file = map.add("a.pull", "αβ\nγx");
        assert_eq!(map.line_col(Span::new(file, 4, 4)), LineCol { line: 1, column: 3 });
        assert_eq!(map.line_col(Span::new(file, 7, 8)), LineCol { line: 2, column: 2 });
        assert_eq!(map.line_col(Span::new(file, 99, 99)), LineCol { line: 2, column: 3 });
    }

    #[test]
    fn what_was_made_of_a_place_leads_back_there() {
        let mut map = SourceMap::default();
        let written = map.add("a.ks", "(f (g x))");
        let place = |lo, hi| Span::new(written, lo, hi);
        let marks = vec![(0..9, place(0, 9)), (2..9, place(3, 8))];
        let made = map.add_made("a.ks as Pullback", "f (g x) + 1", marks);
        assert_eq!(map.origin(Span::new(made, 3, 4)), place(3, 8));
        assert_eq!(map.origin(Span::new(made, 0, 1)), place(0, 9));
        assert_eq!(map.origin(Span::new(made, 10, 11)), Span::new(made, 10, 11));
        assert_eq!(map.origin(place(1, 2)), place(1, 2));
    }

    #[test]
    fn joining_ignores_the_empty_span() {
        let span = Span::new(FileId(0), 3, 5);
        assert_eq!(Span::NONE.to(span), span);
        assert_eq!(span.to(Span::new(FileId(0), 1, 2)), Span::new(FileId(0), 1, 5));
    }
}
