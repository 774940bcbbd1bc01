//! What an engine says of a program outside its fragment.

use std::collections::BTreeMap;

use crate::reach::reachable;
use pullback_base::{Diagnostic, Label, Span};
use pullback_lambda::{DefId, Expr, ExprKind, Program, in_library};

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

/// Tells of what is refused in the library, inside the definition `at`, what of the user's program led there
/// from the definition `root`: the innermost term outside of the library around it, or around the calls
/// that lead to its definition.
pub fn with_origin(
    mut refused: Box<Diagnostic>,
    program: &Program,
    root: DefId,
    at: DefId,
) -> Box<Diagnostic> {
    let place = refused.span();
    if !in_library(&program.library, place) {
        return refused;
    }
    let mut callers: BTreeMap<DefId, DefId> = BTreeMap::new();
    for caller in reachable(program, root) {
        for callee in program.defs[caller].body.globals() {
            callers.entry(callee).or_insert(caller);
        }
    }
    let mut span = around(program, at, &|expr| expr.span == place);
    let mut def = at;
    while in_library(&program.library, span)
        && let Some(caller) = callers.remove(&def)
    {
        span = around(
            program,
            caller,
            &|expr| matches!(expr.kind, ExprKind::Global(callee) if callee == def),
        );
        def = caller;
    }
    if !in_library(&program.library, span) {
        refused.labels.insert(0, Label { span, text: "reached from here".to_owned() });
    }
    refused
}

/// The innermost place outside of the library around a term of a definition; the definition's own place if
/// there is none.
fn around(program: &Program, def: DefId, is: &dyn Fn(&Expr) -> bool) -> Span {
    let def = &program.defs[def];
    search(program, &def.body, def.span, is).unwrap_or(def.span)
}

fn search(program: &Program, expr: &Expr, outer: Span, is: &dyn Fn(&Expr) -> bool) -> Option<Span> {
    let outer = if in_library(&program.library, expr.span) { outer } else { expr.span };
    if is(expr) {
        return Some(outer);
    }
    let mut found = None;
    expr.for_each_child(&mut |child| {
        found = found.or_else(|| search(program, child, outer, is));
    });
    found
}
