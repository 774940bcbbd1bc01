//! Layout of text in the manner of Wadler's *A prettier printer*: a group is put on one line if it
//! fits, else each of its own line breaks is taken.

/// A text with alternatives of layout.
pub(crate) enum Doc {
    /// Text without line breaks.
    Text(String),
    /// A space, or a line break if the group around it does not fit.
    Line,
    /// Nothing, or a line break if the group around it does not fit.
    Break,
    /// A line break; no group around it fits on a line.
    Hard,
    /// Further indentation, in columns.
    Nest(usize, Box<Doc>),
    /// One line if it fits.
    Group(Box<Doc>),
    /// One after the other.
    Concat(Vec<Doc>),
}

impl Doc {
    pub(crate) fn text(text: impl Into<String>) -> Doc {
        Doc::Text(text.into())
    }
    pub(crate) fn group(items: Vec<Doc>) -> Doc {
        Doc::Group(Box::new(Doc::Concat(items)))
    }
    pub(crate) fn nest(items: Vec<Doc>) -> Doc {
        Doc::Nest(2, Box::new(Doc::Concat(items)))
    }

    /// Lays the text out at this line width.
    pub(crate) fn render(&self, width: usize) -> String {
        let mut out = String::new();
        let mut column = 0;
        let mut todo = vec![(0, false, self)];
        while let Some((indent, flat, doc)) = todo.pop() {
            match doc {
                Doc::Text(text) => {
                    out.push_str(text);
                    column += text.chars().count();
                }
                Doc::Line if flat => {
                    out.push(' ');
                    column += 1;
                }
                Doc::Break if flat => {}
                Doc::Line | Doc::Break | Doc::Hard => {
                    out.push('\n');
                    out.extend(std::iter::repeat_n(' ', indent));
                    column = indent;
                }
                Doc::Nest(by, inner) => todo.push((indent + by, flat, inner)),
                Doc::Group(inner) => {
                    let flat = flat || inner.fits(width.saturating_sub(column), &todo);
                    todo.push((indent, flat, inner));
                }
                Doc::Concat(items) => {
                    todo.extend(items.iter().rev().map(|item| (indent, flat, item)))
                }
            }
        }
        out
    }

    /// Whether this and what follows it, up to the next possible line break, fit into the room.
    fn fits(&self, mut room: usize, rest: &[(usize, bool, &Doc)]) -> bool {
        let mut todo = vec![(true, self)];
        let mut rest = rest.iter().rev();
        loop {
            let (flat, doc) = match todo.pop() {
                Some(next) => next,
                None => match rest.next() {
                    Some((_, flat, doc)) => (*flat, *doc),
                    None => return true,
                },
            };
            let used = match doc {
                Doc::Text(text) => text.chars().count(),
                Doc::Line if flat => 1,
                Doc::Break if flat => 0,
                Doc::Hard => return !flat,
                Doc::Line | Doc::Break => return true,
                Doc::Nest(_, inner) | Doc::Group(inner) => {
                    todo.push((flat, inner));
                    0
                }
                Doc::Concat(items) => {
                    todo.extend(items.iter().rev().map(|item| (flat, item)));
                    0
                }
            };
            if used > room {
                return false;
            }
            room -= used;
        }
    }
}
