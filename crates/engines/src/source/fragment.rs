//! What an engine says of a program outside its fragment.

use pullback_base::{Diagnostic, Span};

/// The diagnostic for a construct that an engine does not cover; it names an engine that does.
pub fn outside_fragment(engine: &str, construct: &str, span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "E0717",
            span,
            format!("the engine `{engine}` does not cover {construct}"),
            "outside the fragment of this engine",
        )
        .note("each engine covers the part of the language that its paper describes, or more")
        .hint("use `--engine trace`, which covers the whole language"),
    )
}
