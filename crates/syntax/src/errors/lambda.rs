//! Functions without names.

use pullback_base::{Diagnostic, Span};

use super::code;
use crate::token::TokenKind;

const HINT: &str = "a function is written `\\x y -> e`";

/// `\ -> e`
pub(crate) fn no_parameter(found: &str, span: Span) -> Diagnostic {
    let title = format!("expected a parameter after `\\`, found {found}");
    Diagnostic::error(code::BAD_LAMBDA, span, title, "a parameter should follow").hint(HINT)
}

/// `\x. e`, `\x => e`
pub(crate) fn no_arrow(kind: TokenKind, found: &str, span: Span) -> Diagnostic {
    let title = format!("expected `->` after the parameters, found {found}");
    let made = Diagnostic::error(code::BAD_LAMBDA, span, title, "`->` should stand here");
    if kind == TokenKind::Colon {
        return made.hint("put a parameter with a type in parentheses: `\\(x: Real) -> e`");
    }
    if kind == TokenKind::Comma {
        let hint =
            "separate parameters with spaces, as in `\\x y -> e`; `\\(x, y) -> e` takes a pair";
        return made.hint(hint);
    }
    made.hint(HINT)
}

/// `(x -> e)`, `(x => e)`
pub(crate) fn no_backslash(span: Span) -> Diagnostic {
    let title = "a function without a name starts with `\\`";
    Diagnostic::error(code::BAD_LAMBDA, span, title, "a `\\` before the parameters is missing")
        .hint(HINT)
}

/// `fun x -> e`
pub(crate) fn foreign(word: &str, span: Span) -> Diagnostic {
    let title = format!("a function without a name starts with `\\`, not with `{word}`");
    Diagnostic::error(code::BAD_LAMBDA, span, title, "write `\\`").hint(HINT)
}
