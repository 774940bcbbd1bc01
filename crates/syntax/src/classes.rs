//! What each piece of a text is, for whoever colours it: no tree is needed.
//!
//! Input: any text. Output: its tokens and comments in order, each with its class.

use std::ops::Range;

use pullback_base::Span;

use crate::ast::CommentKind;
use crate::lexer::lex;
use crate::token::TokenKind;

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A reserved word.
    Keyword,
    /// A name that begins with a lower-case letter or `_`.
    Lower,
    /// A name that begins with an upper-case letter.
    Upper,
    /// A number.
    Number,
    /// A truth value.
    Truth,
    /// A string.
    Text,
    /// An operator or an arrow.
    Operator,
    /// Brackets, commas, dots and colons.
    Punctuation,
    /// A comment of this kind.
    Comment(CommentKind),
    /// What is not part of the language.
    Unknown,
}

/// The pieces of a text, in order; white space is between them.
pub fn classes(text: &str) -> Vec<(Range<usize>, Class)> {
    let lexed = lex(text, 0..text.len(), Span::NONE.file);
    let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::Eof);
    let mut pieces: Vec<_> = tokens.map(|token| (token.range(), class(token.kind))).collect();
    let comments = lexed.comments.iter();
    pieces.extend(comments.map(|it| (it.span.range(), Class::Comment(it.kind))));
    pieces.sort_by_key(|(range, _)| range.start);
    pieces
}

fn class(kind: TokenKind) -> Class {
    use TokenKind::{
        Bad, Bang, Colon, Comma, Dot, Foreign, Int, Lower, Real, Semi, Str, Underscore, Upper,
    };
    if matches!(kind, TokenKind::True | TokenKind::False) {
        Class::Truth
    } else if kind.is_keyword() {
        Class::Keyword
    } else if matches!(kind, Lower | Underscore) {
        Class::Lower
    } else if kind == Upper {
        Class::Upper
    } else if matches!(kind, Int | Real) {
        Class::Number
    } else if kind == Str {
        Class::Text
    } else if matches!(kind, Bad | Foreign | Semi | Bang) {
        Class::Unknown
    } else if kind.closer().is_some() || kind.is_closer() || matches!(kind, Comma | Dot | Colon) {
        Class::Punctuation
    } else {
        Class::Operator
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, classes};

    #[test]
    fn each_piece_has_its_class() {
        let text = "def f = 2.0 -- two";
        let pieces: Vec<_> = classes(text).into_iter().map(|(at, it)| (&text[at], it)).collect();
        let comment = Class::Comment(crate::ast::CommentKind::Plain);
        let expected = [
            ("def", Class::Keyword),
            ("f", Class::Lower),
            ("=", Class::Operator),
            ("2.0", Class::Number),
            ("-- two", comment),
        ];
        assert_eq!(pieces, expected);
    }
}
