//! Types.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::ast::Ident;
use crate::token::TokenKind;

fn made(span: Span, title: String, label: &str) -> Diagnostic {
    Diagnostic::error(code::BAD_TYPE, span, title, label)
}

/// No type where one should be.
pub(crate) fn missing(found: &str, span: Span, after: &str) -> Diagnostic {
    made(span, format!("expected a type{after}, found {found}"), "a type should stand here")
        .hint("types look like `Real`, `[n]Real`, `(Int, Bool)`, `{ x: Real }`, `a -> b`")
}

/// `Real * Real`, `Option<Real>`, with what writes it as a type.
pub(crate) fn foreign(kind: TokenKind, text: &str, span: Span, fixes: Vec<Fix>) -> Diagnostic {
    let hint = if kind == TokenKind::Lt {
        "type arguments follow with spaces: `Option Real`"
    } else {
        "the type of a pair is `(a, b)`"
    };
    made(span, format!("`{text}` does not belong to a type"), "not a type's syntax")
        .fixes(hint, fixes)
}

/// `a => b`
pub(crate) fn fat_arrow(span: Span) -> Diagnostic {
    made(span, "a function's type is written with `->`".to_owned(), "not `=>`").fix(
        "write `a -> b`",
        span,
        "->",
    )
}

/// `{ x = Real }`, `{ x Real }`
pub(crate) fn field_separator(
    found: &str,
    is_equals: bool,
    span: Span,
    field: &Ident,
) -> Diagnostic {
    let (field, after) = (&field.node, field.span.end());
    let title = format!("expected `:` after the field `{field}`, found {found}");
    let made = made(span, title, "`:` should stand here");
    let hint = format!("write `{field}: T`; `=` is for the values of fields");
    made.fixes(hint, [Fix::new(if is_equals { span } else { after }, ":")])
}

/// `[n, m]a`
pub(crate) fn comma_in_size(span: Span) -> Diagnostic {
    made(span, "each size of an array type has brackets of its own".to_owned(), "a second size?")
        .fix("write `[n][m]Real`", span, "][")
}

/// `[n]` without an element type.
pub(crate) fn no_element(found: &str, span: Span, brackets: Span) -> Diagnostic {
    made(
        span,
        format!("expected the array's element type, found {found}"),
        "the element type should stand here",
    )
    .label(brackets, "of this array")
    .hint("the element type follows the size: `[n]Real`")
}
