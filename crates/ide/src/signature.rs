//! The function of the call at a place, with its parameters and the one being written.

use std::ops::Range;

use pullback_syntax::ast::{Expr, ExprKind};
use pullback_types::builtins;
use pullback_types::tir::Builtin;

use crate::file::File;
use crate::meaning::Meaning;
use crate::words::{arrows, head, scheme};

/// A function with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The function with its type, in words.
    pub label: String,
    /// The parameters, as ranges of bytes of the label.
    pub parameters: Vec<Range<usize>>,
    /// Which one is being written; none behind the last.
    pub active: Option<usize>,
    /// Its documentation.
    pub doc: String,
}

/// The function of the innermost call around an offset.
pub fn signature(file: &File, offset: usize) -> Option<Signature> {
    let text = file.text();
    let written = text.get(..offset)?.trim_end().len();
    // A call goes on behind its last argument, on its line.
    let reaches = |expr: &Expr| {
        let end = expr.span.range().end;
        end >= written && (end >= offset || !text[written..offset].contains('\n'))
    };
    let call = |fun: &'_ Expr, whole: &Expr| fun.span.range().end < offset && reaches(whole);
    let applied = file.innermost(|expr| {
        let ExprKind::App { fun, args } = &expr.kind else { return None };
        call(fun, expr).then_some((fun.as_ref(), args.as_slice()))
    });
    // A function without arguments yet is a name.
    let alone = || {
        file.innermost(|expr| {
            let is_name = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field { .. });
            let is_before = expr.span.range().end == written && written < offset && reaches(expr);
            (is_name && is_before).then_some((expr, &[][..]))
        })
    };
    let (fun, args) = applied.or_else(alone)?;
    let done = args.iter().take_while(|arg| arg.span.range().end < offset).count();
    let mut found = of(file, fun)?;
    found.active = (done < found.parameters.len()).then_some(done);
    Some(found)
}

/// The signature of what is called.
fn of(file: &File, fun: &Expr) -> Option<Signature> {
    let end = fun.span.range().end;
    let it = file.occurrence_at(end).filter(|it| it.span.range().end == end);
    let meaning = it.and_then(|it| file.meaning(it));
    if let Some(Meaning::Definition(item, def)) = meaning {
        let is_written = def.params.iter().all(|param| param.ty.is_some()) && def.result.is_some();
        if is_written && !def.params.is_empty() {
            let (label, parameters) = head(file, def);
            return Some(Signature { label, parameters, active: None, doc: item.doc.clone() });
        }
        let ty = scheme(file, def)?;
        return by_type(&def.name.node, ty, &item.doc);
    }
    if let (Some(Meaning::BuiltIn), Some(it)) = (&meaning, it) {
        let (head, doc) = pullback_tools::built_in(&it.name)?;
        // Its text says how many operands it has.
        let here = file.analysis.exactly(fun.span.range());
        if let (Some(Builtin::Einsum), Some(here)) = (builtins::lookup(&it.name), here) {
            return by_type(&it.name, &here.ty, &doc);
        }
        let (_, ty) = head.split_once(" : ")?;
        return by_type(&it.name, ty, &doc);
    }
    let ty = &file.analysis.exactly(fun.span.range())?.ty;
    by_type(file.slice(fun.span), ty, "")
}

/// A function by its type; none if it is no function.
fn by_type(name: &str, ty: &str, doc: &str) -> Option<Signature> {
    let parts = arrows(ty);
    let (_, parameters) = parts.split_last().filter(|(_, parameters)| !parameters.is_empty())?;
    let label = format!("{name} : {ty}");
    let mut from = label.len() - ty.len();
    let ranges = parameters.iter().filter_map(|part| {
        let start = from + label[from..].find(part)?;
        from = start + part.len();
        Some(start..from)
    });
    let parameters = ranges.collect();
    Some(Signature { parameters, active: None, doc: doc.trim().to_owned(), label })
}
