//! `if`, `match` and `loop`.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::token::TokenKind;

/// `if c {`, `if c:`
pub(crate) fn no_then(kind: TokenKind, found: &str, span: Span, keyword: Span) -> Diagnostic {
    let fix = (kind == TokenKind::Colon).then(|| Fix::new(span, " then"));
    Diagnostic::error(
        code::BAD_IF,
        span,
        format!("expected `then`, found {found}"),
        "`then` should stand here",
    )
    .label(keyword, "for this `if`")
    .fixes("write `if c then a else b`", fix)
}

/// An `if` without `else`.
pub(crate) fn no_else(found: &str, span: Span, keyword: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_IF,
        span,
        format!("expected `else`, found {found}"),
        "`else` should stand here",
    )
    .label(keyword, "for this `if`")
    .note("an `if` is a value, so it needs one for both cases")
    .hint("add `else` and the value for when the condition does not hold")
}

/// `elif`
pub(crate) fn elif(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(code::ELIF, span, format!("`{text}` is written `else if`"), "two words").fix(
        "write `if a then x else if b then y else z`",
        span,
        "else if",
    )
}

/// `match e {`, with what would stand in the place of another word.
pub(crate) fn no_with(found: &str, span: Span, keyword: Span, fix: Option<Fix>) -> Diagnostic {
    Diagnostic::error(
        code::BAD_MATCH,
        span,
        format!("expected `with`, found {found}"),
        "`with` should stand here",
    )
    .label(keyword, "for this `match`")
    .fixes("write `match e with | pattern -> value | …`", fix)
}

/// A match without arms.
pub(crate) fn no_arms(keyword: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_MATCH,
        keyword,
        "this `match` has no arms",
        "nothing follows its `with`",
    )
    .hint("write `match e with | pattern -> value | …`")
}

/// A pattern without `->`, with what writes the body of the arms that follow, or parentheses around the `match`.
pub(crate) fn no_arm_arrow(
    kind: TokenKind,
    text: &str,
    found: &str,
    span: Span,
    fixes: Vec<Fix>,
) -> Diagnostic {
    let made = |label: &str| {
        let title = format!("expected `->` after the pattern, found {found}");
        Diagnostic::error(code::BAD_MATCH, span, title, label)
    };
    if kind == TokenKind::Bar {
        return made("a second pattern for one value?")
            .fixes("write one arm for each pattern: `| A -> e | B -> e`", fixes);
    }
    if kind == TokenKind::If || text == "when" {
        return made("a condition?").hint(
            "arms have no conditions; use `if` in the value: `| x -> if x > 0 then … else …`",
        );
    }
    if kind == TokenKind::Lt {
        return made("a comprehension's clause?")
            .fixes("put the whole `match` in parentheses: `[ (match …) | i < n ]`", fixes);
    }
    made("`->` should stand here").fixes("write `| pattern -> value`", fixes)
}

/// `for i in n`, with what makes it `for i < n`.
pub(crate) fn bad_range(found: &str, span: Span, var: &str, fixes: Vec<Fix>) -> Diagnostic {
    Diagnostic::error(
        code::BAD_LOOP,
        span,
        format!("expected `<` after the counter, found {found}"),
        "`<` should stand here",
    )
    .note("a loop counts from 0 up to its bound, which is excluded")
    .fixes(format!("write `for {var} < n do`"), fixes)
}

/// A loop without `for` or `while`.
pub(crate) fn no_loop_form(found: &str, span: Span, keyword: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_LOOP,
        span,
        format!("expected `for` or `while`, found {found}"),
        "`for` or `while` should stand here",
    )
    .label(keyword, "for this `loop`")
    .hint("write `loop x = start for i < n do next` or `loop x = start while c do next`")
}

/// A loop without `do`.
pub(crate) fn no_do(kind: TokenKind, found: &str, span: Span, keyword: Span) -> Diagnostic {
    let fix = (kind == TokenKind::Colon).then(|| Fix::new(span, " do"));
    Diagnostic::error(
        code::BAD_LOOP,
        span,
        format!("expected `do`, found {found}"),
        "`do` should stand here",
    )
    .label(keyword, "for this `loop`")
    .fixes("write `loop x = start for i < n do next`", fix)
}
