//! Text to tokens.
//!
//! Input: any text. Output: [`Lexed`]: tokens (the last one is `Eof`), comments beside them, and
//! diagnostics for what is wrong inside a token. Law: linear time; nothing is skipped in silence.

use logos::Logos;
use pullback_base::{Diagnostic, FileId, Span};

use crate::ast::{Comment, CommentKind, Literal};
use crate::errors::{MAX_DIAGNOSTICS, lexical};
use crate::scan::Found;
use crate::token::{Token, TokenKind};

/// What the lexer makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens; the last one is `Eof`.
    pub tokens: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// What is wrong inside tokens.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lexes the part `range` of `text`; all offsets are offsets into `text`.
pub(crate) fn lex(text: &str, range: std::ops::Range<usize>, file: FileId) -> Lexed {
    let base = range.start + if text[range.clone()].starts_with('\u{feff}') { 3 } else { 0 };
    let part = &text[base..range.end];
    let mut out = Lexed::default();
    let mut lexer = TokenKind::lexer(part);
    while let Some(result) = lexer.next() {
        let (lo, hi) = (base + lexer.span().start, base + lexer.span().end);
        let kind = result.unwrap_or(TokenKind::Bad);
        if kind == TokenKind::Comment {
            out.push_comment(text, Span::new(file, lo, hi));
        } else if kind == TokenKind::Bad {
            out.push_bad(lo, hi);
        } else if kind == TokenKind::Int {
            out.push(number_kind(&text[lo..hi]), lo, hi);
        } else if kind != TokenKind::ForeignComment {
            out.push(kind, lo, hi);
        }
    }
    let mut open_string_end = None;
    for found in lexer.extras.iter().take(4 * MAX_DIAGNOSTICS) {
        if let Found::OpenString { lo, hi } = *found {
            // The rest of a string of two lines is no second mistake.
            let follows =
                open_string_end.is_some_and(|end| part[end..lo].matches('\n').count() == 1);
            open_string_end = Some(hi);
            if follows {
                continue;
            }
        }
        out.diagnostics.push(lexical::found(text, file, base, *found));
    }
    let end = range.end;
    out.push(TokenKind::Eof, end, end);
    out.check_tokens(text, file);
    out
}

impl Lexed {
    fn push(&mut self, kind: TokenKind, lo: usize, hi: usize) {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        self.tokens.push(Token { kind, lo: clamp(lo), hi: clamp(hi) });
    }
    /// Neighbouring bad characters are one mistake.
    fn push_bad(&mut self, lo: usize, hi: usize) {
        if let Some(last) = self.tokens.last_mut()
            && last.kind == TokenKind::Bad
            && last.hi as usize == lo
        {
            last.hi = u32::try_from(hi).unwrap_or(u32::MAX);
        } else {
            self.push(TokenKind::Bad, lo, hi);
        }
    }
    fn push_comment(&mut self, text: &str, span: Span) {
        let body = &text[span.range()];
        let kind = if body.starts_with("--@") {
            CommentKind::Expectation
        } else if body[2..].trim_start().starts_with('|') || self.continues_doc(text, span) {
            CommentKind::Doc
        } else {
            CommentKind::Plain
        };
        self.comments.push(Comment { span, kind });
    }
    /// Whether a comment stands on the line directly below a documentation comment.
    fn continues_doc(&self, text: &str, span: Span) -> bool {
        self.comments.last().is_some_and(|last| {
            let between = &text[last.span.hi as usize..span.lo as usize];
            last.kind == CommentKind::Doc
                && between.trim().is_empty()
                && between.matches('\n').count() == 1
        })
    }
    /// What can be wrong with a token by itself.
    fn check_tokens(&mut self, text: &str, file: FileId) {
        for token in &self.tokens {
            if self.diagnostics.len() > 4 * MAX_DIAGNOSTICS {
                return;
            }
            let part = &text[token.range()];
            let span = Span::new(file, token.lo as usize, token.hi as usize);
            if token.kind == TokenKind::Bad {
                let rest = &text[token.hi as usize..];
                let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
                self.diagnostics.push(lexical::bad_characters(part, rest, span));
            } else if token.kind == TokenKind::Str {
                for (at, len) in unescape(part).1 {
                    let lo = token.lo as usize + at;
                    let span = Span::new(file, lo, lo + len);
                    self.diagnostics.push(lexical::bad_escape(&text[lo..lo + len], span));
                }
            } else if matches!(token.kind, TokenKind::Int | TokenKind::Real) {
                self.diagnostics.extend(lexical::too_large(part, token.kind, span));
            }
        }
    }
}

fn number_kind(text: &str) -> TokenKind {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    if !hex && text.contains(['.', 'e', 'E']) { TokenKind::Real } else { TokenKind::Int }
}

/// The value of a number; 0 where the lexer has reported it.
pub(crate) fn number_value(text: &str, kind: TokenKind) -> Literal {
    let digits = text.replace('_', "");
    if kind == TokenKind::Real {
        Literal::Real(digits.parse().unwrap_or(0.0))
    } else {
        Literal::Int(digits.parse().ok().filter(|value| *value <= 1 << 63).unwrap_or(0))
    }
}

/// The value of a string token, and the places (offset, length) of escapes that mean nothing.
pub(crate) fn unescape(token: &str) -> (String, Vec<(usize, usize)>) {
    let body = token.strip_prefix('"').unwrap_or(token);
    let mut out = String::new();
    let mut bad = Vec::new();
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '"' {
            break;
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some((_, escape)) = chars.next() else {
            break;
        };
        let simple = match escape {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '0' => Some('\0'),
            '"' => Some('"'),
            '\\' => Some('\\'),
            _ => None,
        };
        let mut len = 1 + escape.len_utf8();
        let value = simple.or_else(|| {
            let hex = body[at..].strip_prefix("\\u{")?;
            let end = hex.char_indices().take(8).find(|(_, c)| *c == '}')?.0;
            len = 4 + end;
            char::from_u32(u32::from_str_radix(&hex[..end], 16).ok()?)
        });
        while chars.peek().is_some_and(|(next, _)| *next < at + len) {
            chars.next();
        }
        if let Some(value) = value {
            out.push(value);
        } else {
            bad.push((1 + at, len));
        }
    }
    (out, bad)
}
