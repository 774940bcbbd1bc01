//! Every diagnostic of this crate, one file per family.
//!
//! Input: what was found and where. Output: a [`Diagnostic`] with its code, a label on the tightest
//! place, why it is wrong and what to write instead.

pub(crate) mod access;
pub(crate) mod binding;
pub(crate) mod bracket;
pub(crate) mod code;
pub(crate) mod collection;
pub(crate) mod control;
pub(crate) mod expression;
pub(crate) mod item;
pub(crate) mod lambda;
pub(crate) mod lexical;
pub(crate) mod name;
pub(crate) mod operator;
pub(crate) mod pattern;
pub(crate) mod ty;

use pullback_base::{Diagnostic, Fix, Span};

use crate::ast::{MAX_DEPTH, MAX_PARTS};
use crate::token::TokenKind;

/// After this many diagnostics a file's further ones are dropped.
pub(crate) const MAX_DIAGNOSTICS: usize = 100;

/// What messages call a token.
pub(crate) fn describe(kind: TokenKind, text: &str) -> String {
    if kind == TokenKind::Eof {
        return "the end of the text".to_owned();
    }
    let short: String = text.chars().take(40).collect();
    if kind == TokenKind::Str {
        return "a string".to_owned();
    }
    let what = if matches!(kind, TokenKind::Lower | TokenKind::Upper) {
        "the name "
    } else if matches!(kind, TokenKind::Int | TokenKind::Real) {
        "the number "
    } else if kind.is_keyword() {
        "the keyword "
    } else {
        ""
    };
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{what}`{short}{dots}`")
}

/// Nesting beyond the limit.
pub(crate) fn nested_too_deeply(span: Span) -> Diagnostic {
    Diagnostic::error(code::TOO_DEEP, span, "this is nested too deeply", "too deep from here on")
        .note(format!("expressions, patterns and types may be nested {MAX_DEPTH} levels deep; a chain of operators counts one level per operator"))
        .hint("give inner parts names of their own with `def`, or build long sums with `sum [ … ]`")
}

/// More parts than a construct may have.
pub(crate) fn too_many(span: Span, count: usize, what: &str) -> Diagnostic {
    let title = format!("this has {count} {what}");
    Diagnostic::error(code::TOO_MANY, span, title, "too many")
        .note(format!("a construct may have {MAX_PARTS} {what}"))
        .hint("collect values of the same kind in an array")
}

/// Something that fits nowhere inside a bracket.
pub(crate) fn unexpected_inside(
    found: &str,
    span: Span,
    in_what: &str,
    opener: Span,
) -> Diagnostic {
    Diagnostic::error(
        code::UNEXPECTED_INSIDE,
        span,
        format!("{found} does not belong here"),
        format!("unexpected inside {in_what}"),
    )
    .label(opener, "opened here")
    .hint("a comma or an operator may be missing before it, or a closing bracket")
}

/// Something that fits nowhere inside a bracket, by its kind.
pub(crate) fn unexpected_in_bracket(
    kind: TokenKind,
    text: &str,
    span: Span,
    in_what: &str,
    opener: Span,
) -> Diagnostic {
    if matches!(kind, TokenKind::Arrow | TokenKind::FatArrow) {
        return lambda::no_backslash(span, opener);
    }
    if matches!(kind, TokenKind::ColonEq | TokenKind::Bang | TokenKind::Foreign) {
        return operator::foreign(text, span);
    }
    unexpected_inside(&describe(kind, text), span, in_what, opener)
}

/// Text after something that is complete.
pub(crate) fn leftover(kind: TokenKind, text: &str, span: Span) -> Diagnostic {
    if kind == TokenKind::Eq {
        return operator::single_equals(span, None);
    }
    if kind == TokenKind::Semi {
        let hint = "use `let … in …` to compute one thing after another";
        return expression::semicolon(span, hint, None);
    }
    if matches!(
        kind,
        TokenKind::ColonEq | TokenKind::FatArrow | TokenKind::Bang | TokenKind::Foreign
    ) {
        return operator::foreign(text, span);
    }
    let hint = LEFTOVER_HINTS.iter().find(|(known, _)| *known == kind).map(|(_, hint)| *hint);
    let title = format!("{} does not belong here", describe(kind, text));
    let fix = (kind == TokenKind::Bar).then(|| Fix::new(span, "||"));
    Diagnostic::error(code::LEFTOVER, span, title, "the expression before is complete")
        .fixes(hint.unwrap_or("is an operator or a bracket missing before it?"), fix)
}

const LEFTOVER_HINTS: [(TokenKind, &str); 12] = [
    (TokenKind::In, "an `in` belongs to a `let` before it: `let x = 1 in x + 1`"),
    (TokenKind::Then, "a `then` belongs to an `if` before it: `if c then a else b`"),
    (TokenKind::Else, "an `else` belongs to an `if` before it: `if c then a else b`"),
    (TokenKind::Do, "a `do` belongs to a loop: `loop x = 0 for i < n do x + i`"),
    (TokenKind::Bar, "a `|` separates the arms of a `match`; \"or\" is written `||`"),
    (TokenKind::Comma, "a tuple needs parentheses: `(a, b)`"),
    (TokenKind::Colon, "a type annotation needs parentheses: `(e : T)`"),
    (
        TokenKind::Arrow,
        "a function is written `\\x -> e`, a choice `match e with | p -> a | q -> b`",
    ),
    (TokenKind::For, "a loop is written `loop x = start for i < n do …`"),
    (TokenKind::While, "a loop is written `loop x = start while c do …`"),
    (
        TokenKind::Let,
        "a `let` is an expression: is `in`, an operator or a bracket missing before it?",
    ),
    (TokenKind::With, "`with` follows a `match` or the value to change: `a with [i] = v`"),
];
