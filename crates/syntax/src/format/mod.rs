//! The formatter: a module printed in the one house style, with all its comments.
//!
//! Input: a text. Output: the same program in lines of at most 100 columns where possible, or the
//! text's syntax errors. Laws: `parse ∘ format` gives the same tree as `parse`, up to doubled
//! parentheses; `format ∘ format = format`; every comment keeps its kind, its order and the token
//! it stands before (on lines of its own) or after (at the end of a line).

mod binding;
mod bracket;
mod expr;
mod pattern;
mod source;
#[cfg(test)]
mod tests;
mod ty;

use pullback_base::{Diagnostic, FileId};

use crate::ast::{CommentKind, Item, ItemKind, TypeBody, TypeDecl};
use crate::doc::{self, Doc, concat, group, nest, text};
use crate::format::source::Source;
use crate::token::TokenKind;

/// The widest line.
const WIDTH: usize = 100;

/// Formats a file. A text with syntax errors is refused.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    format_file(text, FileId(0))
}

/// Formats a file whose diagnostics are to show places in `file`.
pub fn format_file(text: &str, file: FileId) -> Result<String, Vec<Diagnostic>> {
    format_width(text, file, WIDTH)
}

/// Formats a file in lines of at most `width` columns.
fn format_width(text: &str, file: FileId, width: usize) -> Result<String, Vec<Diagnostic>> {
    let parsed = crate::parse(text, file);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parsed.diagnostics);
    }
    let mut source = Source::new(text, parsed.module.comments);
    let mut pieces = Vec::new();
    for item in &parsed.module.items {
        own_comments(&mut source, &mut pieces);
        let lo = source.here().lo as usize;
        let shown = doc::print(&source.item(item), width);
        let is_long = shown.trim_end().contains('\n');
        let kind = PieceKind::Item { is_long };
        pieces.push(Piece { kind, shown, lo, hi: source.end() });
    }
    own_comments(&mut source, &mut pieces);
    debug_assert!(source.is_done(), "every token and comment is printed");
    Ok(join(text, &pieces))
}

/// An item, or a comment between items.
struct Piece {
    kind: PieceKind,
    shown: String,
    lo: usize,
    hi: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Item { is_long: bool },
    Comment(CommentKind),
}

/// The comments on lines of their own before the next item.
fn own_comments(source: &mut Source<'_>, pieces: &mut Vec<Piece>) {
    while let Some(comment) = source.next_leading() {
        let shown = source.comment_text(&comment) + "\n";
        let (lo, hi) = (comment.span.lo as usize, comment.span.hi as usize);
        pieces.push(Piece { kind: PieceKind::Comment(comment.kind), shown, lo, hi });
    }
}

/// Puts the pieces one below the other, with at most one blank line where there was one or more,
/// and with one around every item of several lines.
fn join(text: &str, pieces: &[Piece]) -> String {
    let mut blank_before: Vec<bool> = pieces
        .windows(2)
        .map(|pair| text[pair[0].hi.min(pair[1].lo)..pair[1].lo].matches('\n').count() > 1)
        .collect();
    blank_before.insert(0, false);
    let mut last: Option<usize> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let PieceKind::Item { is_long } = piece.kind else {
            continue;
        };
        if let Some(before) = last {
            let was_long = pieces[before].kind == PieceKind::Item { is_long: true };
            let parted = blank_before[before + 1..=index].iter().any(|blank| *blank);
            if (is_long || was_long) && !parted {
                // Expectations directly below an item belong to it.
                let expectation = PieceKind::Comment(CommentKind::Expectation);
                let own =
                    pieces[before + 1..index].iter().take_while(|piece| piece.kind == expectation);
                blank_before[before + 1 + own.count()] = true;
            }
        }
        last = Some(index);
    }
    let mut out = String::new();
    for (piece, blank) in pieces.iter().zip(blank_before) {
        if blank {
            out.push('\n');
        }
        out.push_str(&piece.shown);
    }
    out
}

impl Source<'_> {
    fn item(&mut self, item: &Item) -> Doc {
        match &item.kind {
            ItemKind::Import(import) => {
                let mut parts = vec![self.take(TokenKind::Import), text(" "), self.token()];
                if import.alias.is_some() {
                    parts.extend([text(" "), self.take(TokenKind::As), text(" "), self.token()]);
                }
                concat(parts)
            }
            ItemKind::Type(decl) => self.type_declaration(decl),
            ItemKind::Def(def) => {
                let keyword = self.take(TokenKind::Def);
                concat([keyword, text(" "), self.function(def, None)])
            }
            ItemKind::Error => doc::NIL,
        }
    }

    fn type_declaration(&mut self, decl: &TypeDecl) -> Doc {
        let mut head = vec![self.take(TokenKind::Type), text(" "), self.token()];
        head.push(self.sizes(decl.sizes.len()));
        for _ in &decl.params {
            head.extend([text(" "), self.token()]);
        }
        head.extend([text(" "), self.take(TokenKind::Eq)]);
        let body = match &decl.body {
            TypeBody::Alias(ty) => self.whole_type(ty),
            TypeBody::Sum(constructors) => {
                let mut parts = Vec::new();
                for (index, constructor) in constructors.iter().enumerate() {
                    if index > 0 {
                        parts.extend([Doc::Line, self.take(TokenKind::Bar), text(" ")]);
                    } else if constructors.len() == 1
                        || self.at(TokenKind::Bar) && self.has_comment_around()
                    {
                        // Without its bar it would be read as another name for a type; and comments
                        // keep their place.
                        parts.extend([self.take(TokenKind::Bar), text(" ")]);
                    } else {
                        parts.push(self.drop_if(TokenKind::Bar));
                        let bar = Doc::IfBroken(Box::new(text("| ")), Box::new(doc::NIL));
                        parts.push(bar);
                    }
                    parts.push(self.token());
                    for field in &constructor.fields {
                        parts.extend([text(" "), self.type_atom(field)]);
                    }
                }
                concat(parts)
            }
        };
        let mut parts = vec![Doc::Line, body];
        if let Some(tangent) = &decl.tangent {
            parts.extend([Doc::Line, self.take(TokenKind::With), text(" "), self.token()]);
            parts.extend([text(" "), self.type_atom(&tangent.ty), text(" "), self.token()]);
            parts.extend([text(" "), self.token(), self.take(TokenKind::Comma)]);
            parts.extend([text(" "), self.token()]);
        }
        concat([concat(head), group(nest(2, concat(parts)))])
    }
}
