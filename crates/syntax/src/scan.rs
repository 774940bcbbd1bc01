//! What the scanner does inside a token: how far comments, strings and numbers go.
//!
//! Input: a scanner at the start of such a token. Output: the scanner at its end, and in its extras what
//! is wrong inside. The kinds of token are not known here: they name these functions.

use logos::{Lexer, Logos};

/// Something the callbacks noticed inside a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// A string without its closing quote.
    OpenString { lo: usize, hi: usize },
    /// A comment of another language.
    ForeignComment { lo: usize },
    /// A number that runs into something else or lacks digits.
    BadNumber { lo: usize, hi: usize },
}

/// Tokens of a text whose scanner collects what it noticed.
pub(crate) trait Scanned<'t>: Logos<'t, Source = str, Extras = Vec<Found>> {}

impl<'t, T: Logos<'t, Source = str, Extras = Vec<Found>>> Scanned<'t> for T {}

/// To the end of the line.
pub(crate) fn comment<'t, T: Scanned<'t>>(lexer: &mut Lexer<'t, T>) {
    let rest = lexer.remainder();
    let line = rest.find('\n').unwrap_or(rest.len());
    lexer.bump(rest[..line].trim_end().len());
}

pub(crate) fn line_comment<'t, T: Scanned<'t>>(lexer: &mut Lexer<'t, T>) {
    comment(lexer);
    let lo = lexer.span().start;
    lexer.extras.push(Found::ForeignComment { lo });
}

pub(crate) fn block_comment<'t, T: Scanned<'t>>(lexer: &mut Lexer<'t, T>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |at| at + 2));
    let lo = lexer.span().start;
    lexer.extras.push(Found::ForeignComment { lo });
}

/// To the closing quote, which must stand on the same line.
pub(crate) fn string<'t, T: Scanned<'t>>(lexer: &mut Lexer<'t, T>) {
    let rest = lexer.remainder().as_bytes();
    let mut at = 0;
    while at < rest.len() && rest[at] != b'\n' && rest[at] != b'"' {
        let escapes =
            rest[at] == b'\\' && rest.get(at + 1).is_some_and(|byte| b"\"\\".contains(byte));
        at += if escapes { 2 } else { 1 };
    }
    let closed = rest.get(at) == Some(&b'"');
    lexer.bump(if closed { at + 1 } else { at });
    if !closed {
        let span = lexer.span();
        lexer.extras.push(Found::OpenString { lo: span.start, hi: span.end });
    }
}

/// The rest of a number. After a field's dot only digits belong to it, so `p.0.1` is two projections.
pub(crate) fn number<'t, T: Scanned<'t>>(lexer: &mut Lexer<'t, T>) {
    let start = lexer.span().start;
    let before = &lexer.source().as_bytes()[..start];
    let is_field = before.ends_with(b".") && !before.ends_with(b"*.");
    let rest = lexer.remainder().as_bytes();
    let digits = |mut at: usize| {
        while at < rest.len() && (rest[at].is_ascii_digit() || rest[at] == b'_') {
            at += 1;
        }
        at
    };
    let is_digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = digits(0);
    let mut bad = false;
    if !is_field && rest.get(at) == Some(&b'.') && rest.get(at + 1) != Some(&b'.') {
        bad = !is_digit(at + 1);
        at = digits(at + 1);
    }
    if !is_field && rest.get(at).is_some_and(|byte| b"eE".contains(byte)) {
        let sign = usize::from(rest.get(at + 1).is_some_and(|byte| b"+-".contains(byte)));
        if is_digit(at + 1 + sign) {
            at = digits(at + 1 + sign);
        }
    }
    while rest.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_'".contains(byte)) {
        bad = true;
        at += 1;
    }
    bad |= at > 0 && rest[at - 1] == b'_';
    lexer.bump(at);
    if bad {
        lexer.extras.push(Found::BadNumber { lo: start, hi: start + 1 + at });
    }
}
