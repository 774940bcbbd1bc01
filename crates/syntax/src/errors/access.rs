//! Fields, indices, slices and the places of `with`.

use pullback_base::{Diagnostic, Fix, Span};

use super::code;

/// A component's number beyond all reason.
pub(crate) fn field_number(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_FIELD,
        span,
        "this is no component of a tuple",
        "not a component's number",
    )
    .hint("components are numbered from 0, as in `p.0` and `p.1`")
}

/// A dot with nothing useful after it.
pub(crate) fn no_field(found: &str, dot: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_FIELD,
        dot,
        format!("expected a field after `.`, found {found}"),
        "a field's name or number should follow",
    )
    .hint("write `r.name` for a record, `p.0` for a tuple, `\\x -> e` for a function")
}

/// `a.[i]`
pub(crate) fn dot_bracket(dot: Span, bracket: Span) -> Diagnostic {
    let span = dot.to(bracket);
    Diagnostic::error(code::BAD_INDEX, span, "indexing needs no point", "leave the `.` out").fix(
        "write `a[i]`",
        dot,
        "",
    )
}

/// `a[]`
pub(crate) fn empty_index(span: Span) -> Diagnostic {
    Diagnostic::error(code::BAD_INDEX, span, "an index is missing", "nothing between the brackets")
        .hint("write `a[i]`; to give a function an empty array, put a space before `[]`")
}

/// `a[0..n]`
pub(crate) fn dotted_slice(span: Span) -> Diagnostic {
    Diagnostic::error(code::BAD_INDEX, span, "a slice is written with `:`", "not `..`").fix(
        "write `a[lo:hi]`; `hi` is excluded",
        span,
        ":",
    )
}

/// `a with = v`
pub(crate) fn no_place(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_INDEX,
        span,
        "`with` does not say which place to change",
        "a place should follow",
    )
    .hint("write `a with [i] = v` for an array, `r with field = v` for a record")
}

/// A colon too many.
pub(crate) fn bad_slice(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_INDEX,
        span,
        "a slice has two bounds and a step, and nothing else",
        "not part of a slice",
    )
    .hint("write `a[lo:hi]` or `a[lo:hi:step]`")
}

/// `a with [lo:hi] = v`
pub(crate) fn slice_update(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_INDEX,
        span,
        "`with` changes one place, not a slice",
        "a slice cannot stand here",
    )
    .hint("join the parts: `concat a[0:lo] (concat v a[hi:])`")
}

/// `a with [i] [j] = v`; `before` is the token before the second bracket.
pub(crate) fn loose_index(before: Span, follows_index: bool, span: Span) -> Diagnostic {
    let fix = if follows_index {
        Fix::new(before.to(span), ", ")
    } else {
        Fix::new(before.end().to(span.start()), "")
    };
    Diagnostic::error(
        code::BAD_INDEX,
        span,
        "an index touches what stands before it",
        "there is a space before this",
    )
    .fixes("write `a with [i, j] = value`", [fix])
}
