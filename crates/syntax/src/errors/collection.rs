//! Arrays, comprehensions and records.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::token::TokenKind;

fn comprehension(span: Span, title: &str, label: &str) -> Diagnostic {
    Diagnostic::error(code::BAD_COMPREHENSION, span, title, label)
}

/// `[ a, b | … ]`, `[ | … ]`
pub(crate) fn comprehension_body(span: Span) -> Diagnostic {
    comprehension(
        span,
        "a comprehension has one expression before its `|`",
        "not exactly one stands before this",
    )
    .hint("write `[ e | i < n ]`; several values make a tuple: `[ (a, b) | i < n ]`")
}

/// `[1 .. 10]`, `[0:n]`
pub(crate) fn range(span: Span) -> Diagnostic {
    comprehension(span, "there are no ranges in arrays", "not an array's syntax")
        .hint("the numbers below `n` are `iota n`, or `[ i | i < n ]`")
}

/// `[ e for x in xs ]`, with the place of its `in`.
pub(crate) fn python_comprehension(span: Span, word_in: Option<Span>) -> Diagnostic {
    let fixes = word_in.map(|word| [Fix::new(span, "|"), Fix::new(word, "<-")]);
    comprehension(span, "a comprehension is written with `|`", "not `for`")
        .fixes("write `[ e | i < n ]` or `[ e | x <- xs ]`", fixes.into_iter().flatten())
}

/// `[ e | ]`
pub(crate) fn no_clause(span: Span) -> Diagnostic {
    comprehension(
        span,
        "a comprehension needs a clause after its `|`",
        "nothing says what to run over",
    )
    .hint("write `[ e | i < n ]` or `[ e | x <- xs ]`")
}

/// Something else than a clause; a bound would end at `end`.
pub(crate) fn bad_clause(
    kind: TokenKind,
    found: &str,
    span: Span,
    end: Option<Span>,
) -> Diagnostic {
    if matches!(kind, TokenKind::In | TokenKind::Eq) {
        return comprehension(span, "a clause is written with `<-`", "not this")
            .fix("write `x <- xs` to run over an array", span, "<-")
            .fix("write `i < n` to count", span, "<");
    }
    if kind == TokenKind::Le {
        let fixes = end.map(|end| [Fix::new(span, "<"), Fix::new(end, " + 1")]);
        return comprehension(span, "a counting clause is written with `<`", "not `<=`")
            .fixes("write `i < n + 1`: the bound is excluded", fixes.into_iter().flatten());
    }
    let title = format!("expected `<` or `<-` in a clause, found {found}");
    comprehension(span, &title, "not a clause")
        .note("clauses say what to run over; they do not choose elements")
        .hint("write `i < n` or `x <- xs`; choose elements with `filter`")
}

fn record(span: Span, title: String, label: &str) -> Diagnostic {
    Diagnostic::error(code::BAD_RECORD, span, title, label)
}

/// `{ r with b = 1 }`, with what makes it `(r with b = 1)`.
pub(crate) fn record_update(name: &str, span: Span, fixes: Vec<Fix>) -> Diagnostic {
    record(span, "a changed record is written without braces".to_owned(), "not a field")
        .fixes(format!("write `{name} with field = value`"), fixes)
}

/// `{ x: 1 }`
pub(crate) fn field_separator(found: &str, span: Span, field: &str) -> Diagnostic {
    record(span, "the value of a field follows `=`".to_owned(), "not `=`")
        .note("`:` is for the types of fields")
        .fix(format!("write `{field} = …` instead of `{field}{found} …`"), span, " =")
}

/// `{ x = 1 y = 2 }`, where the value before the field ends at `after`.
pub(crate) fn missing_comma(after: Span, name: Span, equals: Span) -> Diagnostic {
    record(name, "a comma is missing before this field".to_owned(), "a field?")
        .label(equals, "followed by `=`")
        .fix("separate fields with commas: `{ x = 1.0, y = 2.0 }`", after, ",")
        .fix("to compare, write `==`", equals, "==")
}

/// `{ x }`
pub(crate) fn no_field_value(field: &str, span: Span, ends: bool) -> Diagnostic {
    if !ends {
        return record(
            span,
            format!("expected `=` after the field `{field}`"),
            "`=` and a value should follow",
        )
        .hint("a record is written `{ x = 1.0, y = 2.0 }`; to group, use parentheses");
    }
    record(span, format!("the field `{field}` has no value"), "`=` and a value should follow")
        .fix(
            format!("write `{field} = {field}` if the value has the same name; braces make records, parentheses group"),
            span.end(),
            format!(" = {field}"),
        )
}

/// `{ let y = x; y }`, between these two braces.
pub(crate) fn block(keyword: &str, brace: Span, closer: Option<Span>) -> Diagnostic {
    let fixes = closer.map(|closer| [Fix::new(brace, "("), Fix::new(closer, ")")]);
    record(brace, "braces make records, not blocks".to_owned(), &format!("`{keyword}` begins no field"))
        .fixes("leave the braces out: `let y = … in …` is an expression, one `let` may follow another, and parentheses group", fixes.into_iter().flatten())
}

/// `{ "x": 1 }`, with what makes it `{ x = 1 }`.
pub(crate) fn json(text: &str, span: Span, fixes: Vec<Fix>) -> Diagnostic {
    let name = text.trim_matches('"');
    record(span, "this is JSON, not a record".to_owned(), "names of fields have no quotes")
        .note("a record's fields are written with `=`")
        .fixes(
            format!("write `{{ {name} = … }}`; a file with JSON is read with `--input FILE.json`"),
            fixes,
        )
}

/// `{ "x" = 1 }`
pub(crate) fn quoted_field(text: &str, span: Span) -> Diagnostic {
    let name = text.trim_matches('"');
    let made = record(span, "a field's name has no quotes".to_owned(), "a string is no name");
    let hint = format!("write `{name}`");
    if is_name(name) { made.fix(hint, span, name) } else { made.hint(hint) }
}

/// Something else than a field.
pub(crate) fn no_field_name(found: &str, span: Span) -> Diagnostic {
    record(span, format!("expected a field's name, found {found}"), "a field's name should stand here")
        .hint("a record is written `{ x = 1.0, y = 2.0 }`, its type `{ x: Real, y: Real }`; parentheses group")
}

/// Whether a text could name a field.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
