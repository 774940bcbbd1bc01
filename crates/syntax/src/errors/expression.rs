//! Expressions that are missing, misplaced or wrongly joined.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::token::TokenKind;

/// No expression where one should be.
pub(crate) fn missing(
    kind: TokenKind,
    found: &str,
    span: Span,
    after: &str,
    before: Span,
) -> Diagnostic {
    if kind == TokenKind::Eof {
        let title = format!("the text ends where an expression should follow{after}");
        return Diagnostic::error(
            code::UNEXPECTED_END,
            before,
            title,
            "an expression should follow this",
        )
        .hint("write the missing expression");
    }
    let made = |label: &str| {
        let title = format!("expected an expression{after}, found {found}");
        Diagnostic::error(code::NO_EXPRESSION, span, title, label)
    };
    if kind.starts_item() {
        return made("the next definition starts here")
            .hint("finish the definition before it; inside a definition, use `let … in …`");
    }
    if kind == TokenKind::Semi {
        return semicolon(span, "leave it out; a `let` ends with `in`", Some(""));
    }
    if matches!(kind, TokenKind::ColonEq | TokenKind::Foreign) {
        return super::operator::foreign(found.trim_matches('`'), span);
    }
    if kind.is_closer() {
        return made("an expression is missing before this")
            .hint("write the missing expression, or delete what stands before");
    }
    if matches!(kind, TokenKind::For | TokenKind::While | TokenKind::Do) {
        return made("no expression starts so").hint(
            "a loop is written `loop x = start for i < n do …` or `loop x = start while c do …`",
        );
    }
    if kind == TokenKind::Underscore {
        return made("`_` has no value")
            .note("`_` stands for something nobody needs, in patterns only")
            .hint("give it a name where it is bound, and use the name");
    }
    if kind == TokenKind::Plus {
        return made("`+` stands between two values").fix(
            "leave the `+` out; a positive number has no sign",
            span,
            "",
        );
    }
    let made = made("an expression should stand here");
    if kind == TokenKind::Comma {
        return made.hint("write the missing element").fix("delete the comma", span, "");
    }
    if kind.binary().is_some() {
        return made.hint("write the missing operand").fix("delete the operator", span, "");
    }
    if matches!(kind, TokenKind::Bar | TokenKind::Arrow | TokenKind::Eq) {
        return made.hint("write the missing expression before it");
    }
    made.hint("write an expression: a number, a name, a call such as `f x`, or `(…)`")
}

/// `f x where x = 1`
pub(crate) fn where_clause(span: Span) -> Diagnostic {
    Diagnostic::error(code::LEFTOVER, span, "there is no `where`", "local definitions come first")
        .hint("write `let x = … in` before the expression that uses `x`")
}

/// `x = 1` on a line of its own, which ends at `end`.
pub(crate) fn missing_let(name: Span, equals: Span, end: Span) -> Diagnostic {
    Diagnostic::error(
        code::NO_IN,
        name,
        "this looks like a definition without its `let`",
        "a name being defined?",
    )
    .label(equals, "followed by `=`")
    .fixes(
        "write `let x = … in …`: each `let` defines one name and ends with `in`",
        [Fix::new(name.start(), "let "), Fix::new(end, " in")],
    )
}

/// A lambda or `if` as an argument without parentheses. How far it reaches is not known yet.
pub(crate) fn bare_argument(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BARE_ARGUMENT,
        span,
        "this argument needs parentheses",
        format!("an argument cannot start with {found}"),
    )
    .note("functions, `if`, `match`, `let` and `loop` reach as far to the right as they can")
    .hint("put it in parentheses, as in `map (\\x -> x + 1) xs`")
}

/// A semicolon, with what should stand in its place where the words leave no choice.
pub(crate) fn semicolon(span: Span, hint: &str, instead: Option<&str>) -> Diagnostic {
    Diagnostic::error(
        code::SEMICOLON,
        span,
        "there are no semicolons in the language",
        "not needed",
    )
    .fixes(hint, instead.map(|text| Fix::new(span, text)))
}

/// `(+ 1)`
pub(crate) fn section(op: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        code::NO_EXPRESSION,
        span,
        format!("expected an expression before `{op}`"),
        "its left operand is missing",
    )
    .fix(
        format!("write `(\\x -> x {op} …)` for a function of one operand, `({op})` for the operator itself"),
        span.start(),
        "\\x -> x ",
    )
}
