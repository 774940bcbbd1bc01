//! What is left over in a file: names that nothing uses, and type variables that look like types.
//!
//! Input: the tree of a file without errors, and the expressions beside it. Output: warnings. A definition at the
//! top level is never left over, since commands and other files may use it.

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::{Expr, Import, ItemKind, Module};
use rustc_hash::FxHashSet;

use super::uses::{Bound, BoundBy, Uses, uses};

/// Types of other languages, in lower case, and what to write instead.
const TYPES: &[(&[&str], &str)] = &[
    (&["float", "double", "real", "number", "num", "float64", "float32", "f64", "f32"], "Real"),
    (&["int", "integer", "long", "int64", "int32", "i64", "i32", "nat", "uint"], "Int"),
    (&["bool", "boolean"], "Bool"),
    (&["string", "str", "text"], "String"),
    (&["unit", "void"], "()"),
    (&["array", "list", "vector", "vec", "tensor"], "[]Real"),
    (&["matrix", "mat"], "[][]Real"),
    (&["option", "maybe"], "Option a"),
];

/// Warns of names that nothing uses; `beside` are the expressions of the file's expectations.
pub fn leftovers(module: &Module, beside: &[&Expr]) -> Vec<Diagnostic> {
    let mut uses = uses(module, &[]);
    let own = uses.bound.len();
    beside.iter().for_each(|expr| uses.expr(expr));
    let mut warnings: Vec<Diagnostic> = uses.bound[..own].iter().filter_map(unused).collect();
    for item in &module.items {
        if let ItemKind::Import(import) = &item.kind {
            warnings.extend(unused_import(import, item.span, &uses));
        }
    }
    warnings
}

/// Warns of type variables that look like types, each once.
pub fn type_like_variables(module: &Module) -> Vec<Diagnostic> {
    let mut told = FxHashSet::default();
    let mut warnings = Vec::new();
    for var in uses(module, &[]).type_vars() {
        let name = var.name.as_str();
        let Some((_, ty)) = TYPES.iter().find(|(names, _)| names.contains(&name)) else { continue };
        if !told.insert(var.name.clone()) {
            continue;
        }
        let title = format!("`{name}` is a type variable, not a type");
        warnings.push(
            Diagnostic::warning("W0203", var.span, title, "stands for every type")
                .note("names of types begin with an upper-case letter")
                .fix(
                    format!("write `{ty}`, or give the variable another name, such as `a`"),
                    var.span,
                    *ty,
                ),
        );
    }
    warnings
}

fn unused(bound: &Bound) -> Option<Diagnostic> {
    if bound.is_used || bound.name.starts_with('_') {
        return None;
    }
    let name = &bound.name;
    let (what, hint) = match bound.by {
        // A size may be there to say that two others are equal, or that there is one.
        BoundBy::Size => return None,
        BoundBy::Pattern => ("name", format!("leave it out, or write `_` or `_{name}`")),
        BoundBy::Field => ("field", format!("leave it out, or write `{name} = _`")),
        BoundBy::Definition => ("local function", format!("leave it out, or write `_{name}`")),
    };
    let title = format!("the {what} `{name}` is not used");
    let warning = Diagnostic::warning("W0201", bound.span, title, "nothing reads it");
    Some(match bound.by {
        BoundBy::Pattern | BoundBy::Definition => warning.fix(hint, bound.span, format!("_{name}")),
        BoundBy::Field => warning.fix(hint, bound.span.end(), " = _"),
        BoundBy::Size => warning.hint(hint),
    })
}

fn unused_import(import: &Import, item: Span, uses: &Uses) -> Option<Diagnostic> {
    let path = &import.path.node;
    let name = match &import.alias {
        Some(alias) => alias.node.as_str(),
        None => path.rsplit('/').next().unwrap_or(path),
    };
    if uses.free.contains(name) {
        return None;
    }
    let title = format!("the import of \"{path}\" is not used");
    let label = format!("nothing begins with `{name}.`");
    let hint = format!("leave the import out; its names would be used as `{name}.…`");
    Some(Diagnostic::warning("W0202", import.path.span, title, label).fix(hint, item, ""))
}
