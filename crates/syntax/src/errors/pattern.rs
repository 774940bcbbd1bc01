//! Patterns.

use pullback_base::{Diagnostic, Span};

use super::code;

/// No pattern where one should be.
pub(crate) fn missing(found: &str, span: Span, after: &str) -> Diagnostic {
    Diagnostic::error(
        code::BAD_PATTERN,
        span,
        format!("expected a pattern{after}, found {found}"),
        "a pattern should stand here",
    )
    .hint("patterns are names, `_`, literals, `(p, q)`, `{ x = p }` and constructors such as `Some p`")
}

/// `[a, b]` as a pattern.
pub(crate) fn array(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_PATTERN,
        span,
        "arrays cannot be taken apart by a pattern",
        "an array's bracket",
    )
    .hint("give the array a name and index it: `a[0]`")
}

/// `let a, b = e`
pub(crate) fn bare_tuple(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_PATTERN,
        span,
        "the pattern of a tuple needs parentheses",
        "several names",
    )
    .hint("write `let (a, b) = … in …`")
}

/// `(a: Real, b: Real)`
pub(crate) fn typed_component(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_PATTERN,
        span,
        "a component's type needs parentheses of its own",
        "not readable here",
    )
    .hint("write `f (x: Real) (y: Real)` for two parameters, `((x, y): (Real, Real))` for a pair")
}
