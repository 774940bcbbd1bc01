//! Operators: of other languages, `=` for `==`, and chains of comparisons.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;
use crate::ast::BinaryOp;

/// An operator of another language.
pub(crate) fn foreign(text: &str, span: Span) -> Diagnostic {
    let hint = match text {
        ":=" => "definitions use `=`, as in `let x = 1 in …`; nothing is assigned twice",
        "!" => "write `not x`",
        "and" | "&" => "write `&&`",
        "**" => "a power is written `x ^ 2`",
        "::" => "a type annotation is written `(e : T)`",
        "<>" | "/=" | "!==" => "\"not equal\" is written `!=`",
        "===" | "~=" => "\"equal\" is written `==`",
        "=>" => "functions and the arms of a `match` use `->`",
        "<-" => "for \"less than minus one\" write `x < -1`, with a space",
        "$" | "<|" => "put the argument in parentheses: `f (g x)`",
        "<$>" => "write `map f xs`",
        ">>" | "<<" => "write `\\x -> g (f x)`, or `x |> f |> g`",
        ".." => "the indices below `n` are `iota n`, or `[ i | i < n ]`",
        "+=" | "-=" | "*=" => {
            "nothing is assigned twice; a loop's state is `loop x = start for i < n do next`"
        }
        _ => "see the list of operators in the language guide",
    };
    let title = format!("`{text}` is not an operator of the language");
    let made = Diagnostic::error(code::FOREIGN_OPERATOR, span, title, "unknown operator");
    match SPELLINGS.iter().find(|(foreign, _)| *foreign == text) {
        Some((_, ours)) => made.fix(hint, span, *ours),
        None => made.hint(hint),
    }
}

/// Operators of other languages that the language spells otherwise, with nothing else to change.
const SPELLINGS: [(&str, &str); 10] = [
    ("and", "&&"),
    ("&", "&&"),
    ("**", "^"),
    ("<>", "!="),
    ("/=", "!="),
    ("!==", "!="),
    ("===", "=="),
    ("~=", "=="),
    ("=>", "->"),
    ("<-", "< -"),
];

/// `n++`, where `n` ends at `after`.
pub(crate) fn increment(after: Span, span: Span) -> Diagnostic {
    Diagnostic::error(
        code::FOREIGN_OPERATOR,
        span,
        "`++` joins two Strings",
        "no second operand follows",
    )
    .fix("the number after `n` is `n + 1`; nothing is assigned twice", after.to(span), " + 1")
}

/// `=` between values, where `place` is what stands before it if that is an element or a field.
pub(crate) fn single_equals(span: Span, place: Option<&str>) -> Diagnostic {
    let hint = match place {
        Some(place) => format!(
            "nothing is assigned: a changed copy is written `{place} = …`; to compare, write `==`"
        ),
        None => "write `==` to compare; a local definition is `let x = … in …`".to_owned(),
    };
    Diagnostic::error(
        code::SINGLE_EQUALS,
        span,
        "`=` does not compare",
        "a definition's `=` cannot stand here",
    )
    .fix(hint, span, "==")
}

/// `a < b < c`, with the text of `b`.
pub(crate) fn chained(
    first: BinaryOp,
    second: BinaryOp,
    middle: Option<&str>,
    span: Span,
) -> Diagnostic {
    let (first, second) = (first.text(), second.text());
    Diagnostic::error(code::CHAINED, span, "comparisons cannot be chained", "a second comparison")
        .note(format!("`a {first} b` is a Bool, which `{second}` would compare with `c`"))
        .fixes(
            format!("write `a {first} b && b {second} c`"),
            middle.map(|middle| Fix::new(span, format!("&& {middle} {second}"))),
        )
}
