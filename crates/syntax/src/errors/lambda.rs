//! Functions without names.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::token::TokenKind;

const HINT: &str = "a function is written `\\x y -> e`";

/// `\ -> e`
pub(crate) fn no_parameter(found: &str, span: Span) -> Diagnostic {
    let title = format!("expected a parameter after `\\`, found {found}");
    Diagnostic::error(code::BAD_LAMBDA, span, title, "a parameter should follow").hint(HINT)
}

/// `\x. e`, `\x => e`, with what writes the parameters and the arrow as they should be.
pub(crate) fn no_arrow(kind: TokenKind, found: &str, span: Span, fixes: Vec<Fix>) -> Diagnostic {
    let title = format!("expected `->` after the parameters, found {found}");
    let made = Diagnostic::error(code::BAD_LAMBDA, span, title, "`->` should stand here");
    if kind == TokenKind::Colon {
        let hint = "put a parameter with a type in parentheses: `\\(x: Real) -> e`";
        return made.fixes(hint, fixes);
    }
    if kind == TokenKind::Comma {
        let hint =
            "separate parameters with spaces, as in `\\x y -> e`; `\\(x, y) -> e` takes a pair";
        return made.fixes(hint, fixes);
    }
    made.fixes(HINT, fixes)
}

/// `(x -> e)`, `(x => e)`, where `opener` is the bracket.
pub(crate) fn no_backslash(span: Span, opener: Span) -> Diagnostic {
    let title = "a function without a name starts with `\\`";
    Diagnostic::error(code::BAD_LAMBDA, span, title, "a `\\` before the parameters is missing")
        .fixes(HINT, [Fix::new(opener.end(), "\\"), Fix::new(span, "->")])
}

/// `fun x -> e`, where the parameters start at `params`.
pub(crate) fn foreign(word: &str, span: Span, params: Span) -> Diagnostic {
    let title = format!("a function without a name starts with `\\`, not with `{word}`");
    let fix = Fix::new(span.to(params.start()), "\\");
    Diagnostic::error(code::BAD_LAMBDA, span, title, "write `\\`").fixes(HINT, [fix])
}
