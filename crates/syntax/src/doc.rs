//! A small document algebra after Wadler and Lindig: what to print, and where lines may break.
//!
//! Input: a [`Doc`]. Output: text of a given width. Laws: a group is printed on one line if it fits
//! and holds nothing that must break; comments at the end of a line end it. Time is linear in the
//! document times the width; nothing recurses.

/// A document.
#[derive(Clone, Debug)]
pub(crate) enum Doc {
    /// Text without line breaks.
    Text(String),
    /// One document after another.
    Concat(Vec<Doc>),
    /// A space, or a line break where the group around it is broken.
    Line,
    /// Nothing, or a line break where the group around it is broken.
    SoftLine,
    /// A line break.
    HardLine,
    /// A line break, unless nothing stands on the line yet.
    FreshLine,
    /// A comment that ends its line: whatever follows starts a new one.
    Trailing(String),
    /// Indents the lines begun inside by that many columns more.
    Nest(usize, Box<Doc>),
    /// Tries to stand on one line.
    Group(Shape, Box<Doc>),
    /// One of two documents, for a broken and for an unbroken group around it.
    IfBroken(Box<Doc>, Box<Doc>),
}

/// Nothing.
pub(crate) const NIL: Doc = Doc::Concat(Vec::new());

/// Text.
pub(crate) fn text(text: impl Into<String>) -> Doc {
    Doc::Text(text.into())
}
/// One after another.
pub(crate) fn concat(parts: impl IntoIterator<Item = Doc>) -> Doc {
    Doc::Concat(parts.into_iter().collect())
}
/// Indented by `columns` more.
pub(crate) fn nest(columns: usize, doc: Doc) -> Doc {
    Doc::Nest(columns, Box::new(doc))
}
/// On one line if possible.
pub(crate) fn group(doc: Doc) -> Doc {
    Doc::Group(shape(&doc), Box::new(doc))
}

/// What a group needs to know of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Prints nothing.
    empty: bool,
    /// Cannot stand on one line.
    broken: bool,
    /// Ends with a comment, so that nothing can follow on its last line.
    ended: bool,
}

/// The shape of a document. (Groups know theirs, so each part is looked at once.)
fn shape(doc: &Doc) -> Shape {
    let nothing = Shape { empty: true, broken: false, ended: false };
    match doc {
        Doc::Text(text) => Shape { empty: text.is_empty(), ..nothing },
        Doc::Line | Doc::SoftLine => Shape { empty: false, ..nothing },
        Doc::HardLine | Doc::FreshLine => Shape { empty: false, broken: true, ended: false },
        Doc::Trailing(_) => Shape { empty: false, broken: false, ended: true },
        Doc::Concat(parts) => parts.iter().map(shape).fold(nothing, |all, part| {
            if part.empty {
                return all;
            }
            let broken = all.broken || part.broken || all.ended;
            Shape { empty: false, broken, ended: part.ended }
        }),
        Doc::Nest(_, inner) => shape(inner),
        Doc::Group(known, _) => *known,
        Doc::IfBroken(_, flat) => shape(flat),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Flat,
    Broken,
}

type Command<'d> = (usize, Mode, &'d Doc);

/// How far every line but the first is indented at least: a name at the very left could be read as the
/// start of a definition.
const HANG: usize = 2;

/// Prints a document in lines of at most `width` columns where it can.
pub(crate) fn print(doc: &Doc, width: usize) -> String {
    let mut printer = Printer { out: String::new(), column: 0, blank: true, ended: false };
    let mut stack: Vec<Command<'_>> = vec![(0, Mode::Broken, doc)];
    while let Some((indent, mode, doc)) = stack.pop() {
        match doc {
            Doc::Text(text) => printer.text(text, indent),
            Doc::Concat(parts) => {
                stack.extend(parts.iter().rev().map(|part| (indent, mode, part)));
            }
            Doc::Line if mode == Mode::Flat => printer.space(),
            Doc::SoftLine if mode == Mode::Flat => {}
            Doc::Line | Doc::SoftLine | Doc::HardLine => printer.newline(indent),
            Doc::FreshLine => {
                if !printer.blank {
                    printer.newline(indent);
                }
            }
            Doc::Trailing(comment) => {
                printer.space();
                printer.text(comment, indent);
                printer.ended = true;
            }
            Doc::Nest(columns, inner) => stack.push((indent + columns, mode, inner)),
            Doc::Group(shape, inner) => {
                let room = width.saturating_sub(printer.column);
                let flat = !shape.broken && (mode == Mode::Flat || fits(room, inner, &stack));
                stack.push((indent, if flat { Mode::Flat } else { Mode::Broken }, inner));
            }
            Doc::IfBroken(broken, flat) => {
                stack.push((indent, mode, if mode == Mode::Broken { broken } else { flat }));
            }
        }
    }
    printer.finish()
}

/// Whether `doc` on one line, and what follows up to the next line break, takes at most `room`.
fn fits(room: usize, doc: &Doc, rest: &[Command<'_>]) -> bool {
    let mut left = room;
    let mut stack: Vec<(Mode, &Doc)> = vec![(Mode::Flat, doc)];
    let mut rest = rest.iter().rev();
    loop {
        let Some((mode, doc)) = stack.pop() else {
            let Some((_, mode, next)) = rest.next() else {
                return true;
            };
            stack.push((*mode, next));
            continue;
        };
        let needed = match doc {
            Doc::Text(text) => columns(text),
            Doc::Line if mode == Mode::Flat => 1,
            Doc::SoftLine if mode == Mode::Flat => 0,
            Doc::Line | Doc::SoftLine | Doc::HardLine | Doc::FreshLine | Doc::Trailing(_) => {
                return true;
            }
            Doc::Concat(parts) => {
                stack.extend(parts.iter().rev().map(|part| (mode, part)));
                0
            }
            Doc::Nest(_, inner) => {
                stack.push((mode, inner));
                0
            }
            Doc::Group(shape, inner) => {
                // What follows may break at its first chance.
                stack.push((if shape.broken { Mode::Broken } else { mode }, inner));
                0
            }
            Doc::IfBroken(broken, flat) => {
                stack.push((mode, if mode == Mode::Broken { broken } else { flat }));
                0
            }
        };
        if needed > left {
            return false;
        }
        left -= needed;
    }
}

fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

struct Printer {
    out: String,
    column: usize,
    /// Nothing but indentation stands on the line.
    blank: bool,
    /// A comment ends the line.
    ended: bool,
}

impl Printer {
    fn text(&mut self, text: &str, indent: usize) {
        if text.is_empty() {
            return;
        }
        if text == " " {
            // No line starts with it.
            return self.space();
        }
        if self.ended {
            self.newline(indent);
        }
        if self.blank {
            self.out.extend(std::iter::repeat_n(' ', self.column));
            self.blank = false;
        }
        self.out.push_str(text);
        self.column += columns(text);
    }
    fn space(&mut self) {
        if !self.blank && !self.ended && !self.out.ends_with(' ') {
            self.out.push(' ');
            self.column += 1;
        }
    }
    /// Begins a line; indentation is written with its first text, so no line ends in blanks.
    fn newline(&mut self, indent: usize) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
        self.out.push('\n');
        self.column = indent.max(HANG);
        self.blank = true;
        self.ended = false;
    }
    fn finish(mut self) -> String {
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
