//! Tokens to nested lists, with comments kept where they stand.
//!
//! Input: a text. Output: a [`List`] of all that stands at its top, or what is wrong with its brackets. Nothing recurses
//! here, and what is too deep is refused, so that whatever walks over the lists may recurse.

use pullback_base::{Diagnostic, FileId, Span};

use crate::token::{Token, TokenKind, tokens};

/// How deep brackets may nest.
pub const MAX_NESTING: usize = 500;

/// An atom or a list.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it is.
    pub span: Span,
    /// The comments before it, each with whether it begins its line.
    pub before: Vec<(String, bool)>,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A whole number.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A text.
    Str(String),
    /// A name.
    Word(String),
    /// `( … )`
    Round(List),
    /// `[ … ]`
    Square(List),
}

/// What stands in brackets.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// Its nodes.
    pub items: Vec<Node>,
    /// The comments after the last one.
    pub after: Vec<(String, bool)>,
}

impl Node {
    /// The name, if it is one.
    pub fn word(&self) -> Option<&str> {
        if let NodeKind::Word(word) = &self.kind { Some(word) } else { None }
    }
    /// What stands in round brackets.
    pub fn round(&self) -> Option<&[Node]> {
        if let NodeKind::Round(list) = &self.kind { Some(&list.items) } else { None }
    }
    /// What stands in square brackets.
    pub fn square(&self) -> Option<&[Node]> {
        if let NodeKind::Square(list) = &self.kind { Some(&list.items) } else { None }
    }
}

struct Open {
    bracket: char,
    span: Span,
    before: Vec<(String, bool)>,
    list: List,
}

/// Reads a text.
pub fn read(text: &str, file: FileId) -> (List, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = tokens(text, file);
    let mut open: Vec<Open> = vec![];
    let (mut list, mut comments) = (List::default(), vec![]);
    for Token { kind, span } in tokens {
        let kind = match kind {
            TokenKind::Comment(text, is_alone) => {
                comments.push((text, is_alone));
                continue;
            }
            TokenKind::Open(bracket) => {
                if open.len() == MAX_NESTING {
                    diagnostics.push(too_deep(span));
                    return (List::default(), diagnostics);
                }
                let before = std::mem::take(&mut comments);
                open.push(Open { bracket, span, before, list: std::mem::take(&mut list) });
                continue;
            }
            TokenKind::Close(bracket) => {
                let Some(Open { bracket: opened, span: start, before, list: outer }) = open.pop()
                else {
                    diagnostics.push(stray(bracket, span));
                    continue;
                };
                if (opened == '(') != (bracket == ')') {
                    diagnostics.push(mixed(opened, start, bracket, span));
                }
                let mut inner = std::mem::replace(&mut list, outer);
                inner.after = std::mem::take(&mut comments);
                let kind =
                    if opened == '(' { NodeKind::Round(inner) } else { NodeKind::Square(inner) };
                list.items.push(Node { kind, span: start.to(span), before });
                continue;
            }
            TokenKind::Int(value) => NodeKind::Int(value),
            TokenKind::Float(value) => NodeKind::Float(value),
            TokenKind::Str(value) => NodeKind::Str(value),
            TokenKind::Word(value) => NodeKind::Word(value),
        };
        list.items.push(Node { kind, span, before: std::mem::take(&mut comments) });
    }
    if let Some(Open { bracket, span, .. }) = open.pop() {
        let title = format!("this `{bracket}` is never closed");
        let close = if bracket == '(' { ')' } else { ']' };
        diagnostics.push(
            Diagnostic::error("E0901", span, title, "opened here")
                .hint(format!("close it with `{close}`")),
        );
    }
    list.after = comments;
    (list, diagnostics)
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("E0901", span, "this is nested too deeply", "too deep from here on")
        .note(format!("brackets may be nested {MAX_NESTING} deep"))
        .hint("give parts of it names by `let`, or definitions of their own")
}

fn stray(bracket: char, span: Span) -> Diagnostic {
    Diagnostic::error("E0901", span, format!("this `{bracket}` closes nothing"), "nothing is open")
        .hint("delete it")
}

fn mixed(opened: char, start: Span, bracket: char, span: Span) -> Diagnostic {
    let title = format!("`{opened}` is closed by `{bracket}`");
    Diagnostic::error("E0901", span, title, "closed here").label(start, "opened here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_must_pair_and_may_not_be_too_deep() {
        let count = |text: &str| read(text, FileId(0)).1.len();
        assert_eq!(count("(a [b c] 1)"), 0);
        assert_eq!(count("(a [b c 1)"), 2);
        assert_eq!(count(")"), 1);
        assert_eq!(count("(a"), 1);
        assert_eq!(count(&"(".repeat(100_000)), 1);
        assert_eq!(count(""), 0);
    }
}
