//! `let`, `in` and the `=` of definitions.

use pullback_base::{Diagnostic, Span};

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

/// No `=` where one should be.
pub(crate) fn no_equals(of: Equals, found: &str, span: Span) -> Diagnostic {
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
    .hint(hint)
}

/// `def f x [n]`
pub(crate) fn late_size(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_TYPE,
        span,
        "size parameters stand before all others",
        "too late for a size",
    )
    .hint("write `def f [n] (xs: [n]Real)`")
}

/// No `in` after a `let`'s value, which ends at `after`.
pub(crate) fn no_in(
    kind: TokenKind,
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
    if semicolon { made.fix(hint, span, " in") } else { made.hint(hint) }
}
