//! Names: missing, reserved, or of the wrong case.

use pullback_base::{Diagnostic, Span};

use super::code;

/// A reserved word where a name should be; `what` is "a variable" or the like.
pub(crate) fn reserved(text: &str, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        code::RESERVED,
        span,
        format!("`{text}` is a reserved word"),
        format!("cannot name {what}"),
    )
    .fix(
        format!("choose another name, such as `{text}_` or `{text}'`"),
        span,
        format!("{text}_"),
    )
}

/// An upper-case name where a lower-case one should be.
pub(crate) fn upper_case(text: &str, span: Span, what: &str) -> Diagnostic {
    let lower = with_first(text, |c| c.to_ascii_lowercase());
    Diagnostic::error(
        code::WRONG_CASE,
        span,
        format!("the name of {what} starts with a lower-case letter"),
        "starts with a capital",
    )
    .note("names with a capital are types and constructors")
    .fix(format!("write `{lower}`"), span, &*lower)
}

/// A lower-case name where an upper-case one should be.
pub(crate) fn lower_case(text: &str, span: Span, what: &str) -> Diagnostic {
    let upper = with_first(text.trim_start_matches('_'), |c| c.to_ascii_uppercase());
    Diagnostic::error(
        code::WRONG_CASE,
        span,
        format!("the name of {what} starts with a capital"),
        "starts with a lower-case letter",
    )
    .note("names with a lower-case letter are variables and type variables")
    .fix(format!("write `{upper}`"), span, &*upper)
}

fn with_first(text: &str, change: impl Fn(char) -> char) -> String {
    let mut chars = text.chars();
    chars.next().map(change).into_iter().chain(chars).collect()
}

/// No name at all.
pub(crate) fn missing(found: &str, span: Span, what: &str, after: &str) -> Diagnostic {
    Diagnostic::error(
        code::NO_NAME,
        span,
        format!("expected the name of {what}{after}, found {found}"),
        "a name should stand here",
    )
    .hint("names are made of letters, digits, `_` and `'`, and start with a letter")
}
