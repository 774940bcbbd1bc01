//! How many parts constructs have, which the parser keeps to [`MAX_PARTS`](crate::ast::MAX_PARTS).
//!
//! Input: a node. Output: the number of its parts and what messages call them, for constructs whose
//! parts are no data.

use crate::ast::{Access, Def, ExprKind, MAX_PARTS, PatternKind, TypeExpr, TypeExprKind};

/// A number of parts and what they are called.
pub(crate) type Width = (usize, &'static str);

/// The width of an expression.
pub(crate) fn of_expr(kind: &ExprKind) -> Width {
    match kind {
        ExprKind::Tuple(parts) => (parts.len(), "components"),
        ExprKind::Record(fields) => (fields.len(), "fields"),
        ExprKind::Comprehension { clauses, .. } => (clauses.len(), "clauses"),
        ExprKind::App { args, .. } => (args.len(), "arguments"),
        ExprKind::Lambda { params, .. } => (params.len(), "parameters"),
        ExprKind::Index { indices, .. } => (indices.len(), "indices"),
        ExprKind::Slice { parts, .. } => (parts.len(), "indices"),
        ExprKind::With { place, .. } => {
            let longest = place.iter().map(|access| match access {
                Access::Index(indices, _) => indices.len(),
                Access::Field(_) => 0,
            });
            (longest.max().unwrap_or(0).max(place.len()), "indices")
        }
        ExprKind::LetFun { defs, .. } => (defs.len(), "functions"),
        ExprKind::Ascribe { ty, .. } => of_type(ty),
        ExprKind::Name(_)
        | ExprKind::Lit(_)
        | ExprKind::Operator(_)
        | ExprKind::Array(_)
        | ExprKind::Binary { .. }
        | ExprKind::Negate(_)
        | ExprKind::Field { .. }
        | ExprKind::TupleField { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Let { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Paren(_)
        | ExprKind::Error => (0, ""),
    }
}

/// The width of a pattern.
pub(crate) fn of_pattern(kind: &PatternKind) -> Width {
    match kind {
        PatternKind::Tuple(parts) => (parts.len(), "components"),
        PatternKind::Record(fields) => (fields.len(), "fields"),
        PatternKind::Con { args, .. } => (args.len(), "fields"),
        PatternKind::Ascribe { ty, .. } => of_type(ty),
        PatternKind::Wildcard
        | PatternKind::Var(_)
        | PatternKind::Lit { .. }
        | PatternKind::As { .. }
        | PatternKind::Paren(_)
        | PatternKind::Error => (0, ""),
    }
}

/// The width of the parameters of a definition.
pub(crate) fn of_def(def: &Def) -> Width {
    if def.sizes.len() > MAX_PARTS {
        return (def.sizes.len(), "size parameters");
    }
    (def.params.len(), "parameters")
}

/// The width of the widest part of a type.
pub(crate) fn of_type(ty: &TypeExpr) -> Width {
    let widest = |parts: &mut dyn Iterator<Item = &TypeExpr>, own: Width| {
        parts.map(of_type).fold(own, |most, next| if next.0 > most.0 { next } else { most })
    };
    match &ty.kind {
        TypeExprKind::Var(_) | TypeExprKind::Error => (0, ""),
        TypeExprKind::Named { sizes, args, .. } => {
            widest(&mut args.iter(), (sizes.len().max(args.len()), "arguments"))
        }
        TypeExprKind::Array { element, .. } => of_type(element),
        TypeExprKind::Tuple(parts) => widest(&mut parts.iter(), (parts.len(), "components")),
        TypeExprKind::Record(fields) => {
            widest(&mut fields.iter().map(|(_, field)| field), (fields.len(), "fields"))
        }
        TypeExprKind::Fun(from, to) => widest(&mut [&**from, &**to].into_iter(), (0, "")),
    }
}
