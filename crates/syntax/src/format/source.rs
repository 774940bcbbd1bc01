//! The source being printed: a cursor over its tokens that hands out each with its comments.
//!
//! Input: the tokens and comments of a text. Output: documents for tokens, in source order.
//! Invariant: every comment belongs to one token (the one it follows on its line, or else the one
//! after it) and is printed with that token, or if that is left out, with the one before or after it.
//! So none is lost or reordered.

use pullback_base::FileId;

use crate::ast::Comment;
use crate::doc::{Doc, concat, text};
use crate::lexer;
use crate::token::{Token, TokenKind};

/// A cursor over tokens and comments.
pub(crate) struct Source<'t> {
    source: &'t str,
    tokens: Vec<Token>,
    next: usize,
    comments: Vec<Comment>,
    next_comment: usize,
}

impl<'t> Source<'t> {
    pub fn new(source: &'t str, comments: Vec<Comment>) -> Self {
        let tokens = lexer::lex(source, 0..source.len(), FileId(0)).tokens;
        Self { source, tokens, next: 0, comments, next_comment: 0 }
    }
    /// The next token.
    pub fn here(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }
    pub fn at(&self, kind: TokenKind) -> bool {
        self.here().kind == kind
    }
    /// Whether everything has been printed.
    pub fn is_done(&self) -> bool {
        self.at(TokenKind::Eof) && self.next_comment == self.comments.len()
    }
    /// The end of what has been printed.
    pub fn end(&self) -> usize {
        let token = self.next.checked_sub(1).map_or(0, |last| self.tokens[last].hi);
        let comment =
            self.next_comment.checked_sub(1).map_or(0, |last| self.comments[last].span.hi);
        token.max(comment) as usize
    }
    /// The next comment, if it stands on a line of its own before the next token.
    pub fn next_leading(&mut self) -> Option<Comment> {
        let comment = self.comments.get(self.next_comment)?;
        if comment.span.lo > self.here().lo {
            return None;
        }
        self.next_comment += 1;
        Some(comment.clone())
    }
    /// Whether a comment stands on a line of its own before the next token.
    pub fn has_leading(&self) -> bool {
        let comment = self.comments.get(self.next_comment);
        comment.is_some_and(|comment| comment.span.lo < self.here().lo)
    }
    /// Whether a comment has been printed behind the token before.
    pub fn has_trailed(&self) -> bool {
        let before = self.next.checked_sub(1).map_or(0, |before| self.tokens[before].lo);
        let last = self.next_comment.checked_sub(1).map(|last| &self.comments[last]);
        last.is_some_and(|comment| comment.span.lo > before)
    }
    /// Whether a comment stands before or behind the next token.
    pub fn has_comment_around(&self) -> bool {
        let after = self.tokens[(self.next + 1).min(self.tokens.len() - 1)].lo;
        let comment = self.comments.get(self.next_comment);
        comment.is_some_and(|comment| comment.span.lo < after)
    }
    /// A comment as it is printed.
    pub fn comment_text(&self, comment: &Comment) -> String {
        self.source[comment.span.range()].trim_end().to_owned()
    }

    /// The comments before the next token, each on a line of its own.
    pub fn leading(&mut self) -> Doc {
        let mut parts = Vec::new();
        while let Some(comment) = self.next_leading() {
            parts.extend([Doc::FreshLine, text(self.comment_text(&comment)), Doc::HardLine]);
        }
        concat(parts)
    }
    /// The comment that ends the line of the token just passed.
    fn trailing(&mut self) -> Doc {
        let end = self.tokens[self.next - 1].hi as usize;
        let here = self.comments.get(self.next_comment).filter(|comment| {
            let lo = comment.span.lo as usize;
            comment.span.lo < self.here().lo && !self.source[end..lo].contains('\n')
        });
        let Some(comment) = here.cloned() else {
            return concat([]);
        };
        self.next_comment += 1;
        Doc::Trailing(self.comment_text(&comment))
    }

    /// The next token, as it is written.
    pub fn token(&mut self) -> Doc {
        let before = self.leading();
        let token = self.here();
        if token.kind == TokenKind::Eof {
            return before;
        }
        self.next += 1;
        let shown = text(&self.source[token.range()]);
        concat([before, shown, self.trailing()])
    }
    /// The next token, which is of this kind.
    pub fn take(&mut self, kind: TokenKind) -> Doc {
        debug_assert_eq!(self.here().kind, kind, "the tree and the tokens agree");
        self.token()
    }
    /// Leaves out the next token. The comments around it stay with the token after it, where they are
    /// found when the text is formatted again; only one that ends the line of the token before it can
    /// stay there.
    pub fn drop_token(&mut self) -> Doc {
        let moves = self.has_trailed() || self.has_leading();
        self.next += 1;
        if moves { concat([]) } else { self.trailing() }
    }
    /// Leaves out an opening bracket. The comments around it stay with the token after it.
    pub fn drop_opener(&mut self) {
        self.next += 1;
    }
    /// Leaves out the next token if it is of this kind.
    pub fn drop_if(&mut self, kind: TokenKind) -> Doc {
        if self.at(kind) { self.drop_token() } else { concat([]) }
    }
}
