//! `let`, `in` and the `=` of definitions.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::token::TokenKind;

/// Whose `=` is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equals {
    /// `let x = e in b`
    Let,
    /// `def f x = e`
    Def,
    /// `def f x -> t = e`, with the arrow of other languages.
    Result,
    /// `type T = …`
    Type,
    /// `loop x = e …`
    Loop,
    /// `a with [i] = v`
    Update,
}

/// No `=` where one should be; `is_meant` says that what stands there is what other languages write for it.
pub(crate) fn no_equals(of: Equals, found: &str, span: Span, is_meant: bool) -> Diagnostic {
    let (whose, hint) = match of {
        Equals::Let => ("`let`", "write `let x = value in …`"),
        Equals::Def => (
            "definition",
            "write `def f x y = value`, or `def f (x: Real): Real = value` with types",
        ),
        Equals::Result => (
            "definition",
            "the type of the result stands after `:`, as in `def f (x: Real): Real = value`",
        ),
        Equals::Type => ("type", "write `type Name = …`"),
        Equals::Loop => ("`loop`", "write `loop x = start for i < n do next`"),
        Equals::Update => ("`with`", "write `a with [i] = value` or `r with field = value`"),
    };
    Diagnostic::error(
        code::NO_EQUALS,
        span,
        format!("expected the `=` of this {whose}, found {found}"),
        "`=` should stand here",
    )
    .fixes(hint, is_meant.then(|| Fix::new(span, if of == Equals::Result { ":" } else { "=" })))
}

/// `def f x [n]`; the size, written as `size`, belongs to the place `to`.
pub(crate) fn late_size(span: Span, size: (&str, Span), to: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_TYPE,
        span,
        "size parameters stand before all others",
        "too late for a size",
    )
    .fixes(
        "write `def f [n] (xs: [n]Real)`",
        [Fix::new(to, format!(" {}", size.0)), Fix::new(size.1, "")],
    )
}

/// No `in` after a `let`'s value, which ends at `after`; `has_body` says that what follows is what the `let` is for.
pub(crate) fn no_in(
    kind: TokenKind,
    has_body: bool,
    found: &str,
    after: Span,
    span: Span,
    keyword: Span,
) -> Diagnostic {
    let semicolon = kind == TokenKind::Semi;
    let hint = if semicolon {
        "write `in` instead of `;`"
    } else if kind == TokenKind::Colon {
        "the type stands before the `=`: `let x: T = value in …`; or put `(value : T)` in parentheses"
    } else {
        "write `in` after the value, then the expression that uses the name: `let x = 1 in x + 1`"
    };
    let made = Diagnostic::error(
        code::NO_IN,
        if semicolon { span } else { after },
        format!("expected `in`, found {found}"),
        "`in` should stand here",
    )
    .label(keyword, "for this `let`");
    if semicolon {
        made.fix(hint, span, " in")
    } else {
        made.fixes(hint, has_body.then(|| Fix::new(after, " in")))
    }
}
