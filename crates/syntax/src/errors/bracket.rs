//! Brackets without partners.

use pullback_base::{Diagnostic, FileId, Fix, Span};

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

/// Opening brackets, the outermost first, that nothing closes before `end`; the last token before that ends at `after`.
pub(crate) fn unclosed(open: &[Token], file: FileId, after: Span, end: Span) -> Diagnostic {
    let closers = open.iter().rev().map(|token| token.kind.closer().map_or("", spelling));
    let closers: String = closers.collect();
    let (kind, span) = open.first().map_or((TokenKind::Bad, after), |first| {
        (first.kind, Span::new(file, first.lo as usize, first.hi as usize))
    });
    let open = spelling(kind);
    let close = kind.closer().map_or("", spelling);
    Diagnostic::error(code::UNCLOSED, span, format!("this `{open}` is never closed"), "opened here")
        .label(end, format!("no `{close}` before this"))
        .fix(format!("add the missing `{close}`"), after, closers)
}

/// A closing bracket that nothing opened, the first of `closers`, which follow each other.
pub(crate) fn stray(kind: TokenKind, span: Span, closers: Vec<Span>) -> Diagnostic {
    let close = spelling(kind);
    Diagnostic::error(
        code::STRAY_CLOSER,
        span,
        format!("this `{close}` closes nothing"),
        "no bracket is open here",
    )
    .fixes(
        format!("delete the `{close}`, or add its opening bracket"),
        closers.into_iter().map(|closer| Fix::new(closer, "")),
    )
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
