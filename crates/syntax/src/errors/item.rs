//! Top-level items.

use pullback_base::{Diagnostic, Fix, Span, nearest, same_letters};

use super::code;
use crate::token::TokenKind;

/// `let` at the top of a file.
pub(crate) fn let_at_top(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::NO_ITEM,
        span,
        "a top-level definition starts with `def`",
        "not with `let`",
    )
    .note("`let … in …` is an expression, and belongs inside a definition")
    .fix("write `def x = …`", span, "def")
}

/// The keyword of an item for which a word stands: one of another language, or the keyword misspelt. A word of three
/// letters of which one is another, such as `deg`, is a name.
pub(crate) fn meant_keyword(word: &str) -> Option<&'static str> {
    match word {
        "fun" | "fn" | "function" | "val" | "var" | "const" | "define" | "defun" => Some("def"),
        "data" | "enum" | "struct" | "record" => Some("type"),
        "open" | "use" | "include" | "require" => Some("import"),
        _ => {
            let near = nearest(word, ["def", "type", "import"])?;
            let is_name = near == "def" && word.len() == near.len() && !same_letters(word, near);
            (!is_name).then_some(near)
        }
    }
}

/// `f x = …` or `fun f x = …`
pub(crate) fn no_def(word: &str, span: Span, foreign: bool) -> Diagnostic {
    let made = Diagnostic::error(
        code::NO_ITEM,
        span,
        "a top-level definition starts with `def`",
        if foreign { "not with this word" } else { "`def` should stand before this" },
    );
    if foreign {
        made.fix(format!("write `def` instead of `{word}`"), span, "def")
    } else {
        made.fix(format!("write `def {word} …`"), span.start(), "def ")
    }
}

/// Text that is no item.
pub(crate) fn stray_text(
    kind: TokenKind,
    text: &str,
    next: &str,
    found: &str,
    span: Span,
) -> Diagnostic {
    let made = Diagnostic::error(
        code::NO_ITEM,
        span,
        format!("expected a definition, found {found}"),
        "not inside any definition",
    );
    let meant = meant_keyword(text).filter(|_| kind == TokenKind::Lower);
    let hint = match text {
        _ if meant == Some("type") => "types are declared with `type Name = …`",
        _ if meant == Some("import") || matches!(text, "from" | "module") => {
            "other files are read with `import \"path\" as name`"
        }
        _ if kind == TokenKind::Lower && matches!(next, ":" | "::") => {
            "types stand in the definition itself: `def f (x: Real): Real = …`"
        }
        _ if kind == TokenKind::Lower || kind == TokenKind::Upper || kind.is_keyword() => {
            "a file consists of `import`, `type` and `def`; put an expression into a definition: `def main = …`"
        }
        _ => "a file consists of `import`, `type` and `def`",
    };
    let fix = match text {
        "from" | "module" => None,
        _ if meant.is_some_and(|word| word != "def") => meant.map(|word| Fix::new(span, word)),
        _ if kind == TokenKind::Lower && matches!(next, ":" | "::") => None,
        _ if kind == TokenKind::Lower || kind == TokenKind::Upper => {
            Some(Fix::new(span.start(), "def main = "))
        }
        _ => None,
    };
    made.fixes(hint, fix)
}

/// An import without a string.
pub(crate) fn import_path(text: &str, found: &str, span: Span) -> Diagnostic {
    let name: String = text.chars().take(40).collect();
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let keyword = found.starts_with("the keyword");
    let is_path = word && !keyword;
    let fix = (is_path && name == text).then(|| Fix::new(span, format!("\"{name}\"")));
    let shown = if is_path { name } else { "linalg".to_owned() };
    Diagnostic::error(
        code::BAD_IMPORT,
        span,
        format!("expected a file's path in quotes, found {found}"),
        "a string should stand here",
    )
    .fixes(
        format!("write `import \"{shown}\"`, or `import \"{shown}\" as m` to choose the qualifier"),
        fix,
    )
}

/// Something in a sum type that is no field.
pub(crate) fn bad_constructor(found: &str, span: Span, name: &str) -> Diagnostic {
    let title = format!("{found} does not belong to the constructor `{name}`");
    Diagnostic::error(code::BAD_TYPE, span, title, "not a field's type")
        .hint("write the types of the fields one after the other, each in parentheses if it has parts: `Node (Tree a) (a -> b)`")
}

/// A clause `with tangent` in which something is missing.
pub(crate) fn bad_tangent(wanted: &str, found: &str, span: Span) -> Diagnostic {
    let title = format!("expected {wanted}, found {found}");
    Diagnostic::error(code::BAD_TANGENT, span, title, "in the tangent type of a declaration")
        .hint("write `with tangent [3]Real by retract, local`: the type of tangents, in parentheses if it has arguments, and the names of two definitions")
}
