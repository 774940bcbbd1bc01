//! Brackets without partners.

use pullback_base::{Diagnostic, FileId, Span};

use super::code;
use crate::token::{Token, TokenKind};

fn spelling(kind: TokenKind) -> &'static str {
    SPELLINGS.iter().find(|(known, _)| *known == kind).map_or("", |(_, spelling)| spelling)
}

const SPELLINGS: [(TokenKind, &str); 6] = [
    (TokenKind::LParen, "("),
    (TokenKind::RParen, ")"),
    (TokenKind::LBracket, "["),
    (TokenKind::RBracket, "]"),
    (TokenKind::LBrace, "{"),
    (TokenKind::RBrace, "}"),
];

/// An opening bracket that nothing closes before `end`.
pub(crate) fn unclosed(kind: TokenKind, span: Span, end: Span) -> Diagnostic {
    let open = spelling(kind);
    let close = kind.closer().map_or("", spelling);
    Diagnostic::error(code::UNCLOSED, span, format!("this `{open}` is never closed"), "opened here")
        .label(end, format!("no `{close}` before this"))
        .hint(format!("add the missing `{close}`"))
}

/// A closing bracket that nothing opened.
pub(crate) fn stray(kind: TokenKind, span: Span) -> Diagnostic {
    let close = spelling(kind);
    Diagnostic::error(
        code::STRAY_CLOSER,
        span,
        format!("this `{close}` closes nothing"),
        "no bracket is open here",
    )
    .fix(format!("delete the `{close}`, or add its opening bracket"), span, "")
}

/// A bracket closed by one of another kind.
pub(crate) fn mismatched(open: Token, close: Token, file: FileId) -> Diagnostic {
    let span = |token: Token| Span::new(file, token.lo as usize, token.hi as usize);
    let wanted = open.kind.closer().map_or("", spelling);
    let (opened, closed) = (spelling(open.kind), spelling(close.kind));
    Diagnostic::error(
        code::STRAY_CLOSER,
        span(close),
        format!("`{opened}` is closed by `{closed}`"),
        format!("`{wanted}` expected"),
    )
    .label(span(open), "opened here")
    .fix(format!("write `{wanted}` instead of `{closed}`"), span(close), wanted)
}
