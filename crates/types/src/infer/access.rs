//! Records, fields, components, and `with`.

use pullback_base::{Name, Span, Spanned};
use pullback_syntax::ast::{Access, Expr, Ident};

use super::expr::Want;
use super::mismatch::Why;
use super::state::Infer;
use crate::tir::{Constraint, TAccess, TExpr, TExprKind};
use crate::ty::Ty;

impl<'a> Infer<'a> {
    pub(super) fn record(
        &mut self,
        fields: &'a [(Ident, Expr)],
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        self.check_fields(fields.iter().map(|(name, _)| name));
        let wanted = match want {
            Some((Ty::Record(wanted), why))
                if fields.iter().all(|(name, _)| wanted.iter().any(|(w, _)| *w == name.node)) =>
            {
                Some((wanted.clone(), why))
            }
            _ => None,
        };
        if let Some((Ty::Record(known), _)) = want
            && wanted.is_none()
        {
            let record = Ty::Record(known.clone());
            for (name, value) in fields {
                if !known.iter().any(|(w, _)| *w == name.node) {
                    self.report_no_field(&record, &name.node, name.span);
                }
                self.infer(value);
            }
            return Self::error_expr(span);
        }
        let mut typed: Vec<(Name, TExpr)> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let known = wanted.as_ref().and_then(|(wanted, why)| {
                wanted.iter().find(|(w, _)| *w == name.node).map(|(_, ty)| (ty, *why))
            });
            let value = match known {
                Some((ty, why)) => self.check(value, ty, &why.part()),
                None => self.infer(value),
            };
            if !typed.iter().any(|(known, _)| *known == name.node) {
                typed.push((name.node.clone(), value));
            }
        }
        let ty = self
            .records
            .record(typed.iter().map(|(name, value)| (name.clone(), value.ty.clone())).collect());
        TExpr { kind: TExprKind::Record(typed), ty, span }
    }

    pub(super) fn field(
        &mut self,
        base: &'a Expr,
        field: &'a Ident,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        if let Some(head) = self.qualified_head(base, field, want.map(|(ty, _)| ty)) {
            return self.name_value(head);
        }
        let base = self.infer(base);
        let Some(ty) = self.field_type(&base.ty, base.span, field) else {
            return Self::error_expr(span);
        };
        TExpr { kind: TExprKind::Field(Box::new(base), field.node.clone()), ty, span }
    }

    /// The type of a field of a record of this type; `None` if it has been reported.
    pub(super) fn field_type(&mut self, record: &Ty, span: Span, field: &Ident) -> Option<Ty> {
        let head = self.table.head(record);
        if let Ty::Var(_) | Ty::Tangent(_) = &head {
            let ty = self.fresh();
            self.require_at(field.span, Constraint::Field(head, field.node.clone(), ty.clone()));
            return Some(ty);
        }
        self.known_field(&head, &field.node, span, field.span)
    }

    /// The type of a field of a type that is known; `None` if it has been reported.
    pub(super) fn known_field(
        &mut self,
        head: &Ty,
        name: &Name,
        span: Span,
        field_span: Span,
    ) -> Option<Ty> {
        let Ty::Record(fields) = head else {
            if !matches!(head, Ty::Error) {
                self.report_not_record(head, name, span);
            }
            return None;
        };
        let found = fields.iter().find(|(field, _)| field == name).map(|(_, ty)| ty.clone());
        if found.is_none() {
            self.report_no_field(head, name, field_span);
        }
        found
    }

    pub(super) fn tuple_field(
        &mut self,
        base: &'a Expr,
        index: &Spanned<u32>,
        span: Span,
    ) -> TExpr {
        let base = self.infer(base);
        let component = index.node as usize;
        let head = self.table.head(&base.ty);
        let ty = if let Ty::Var(_) | Ty::Tangent(_) = &head {
            let ty = self.fresh();
            self.require_at(index.span, Constraint::Component(head, component, ty.clone()));
            ty
        } else if let Some(ty) = self.known_component(&head, component, base.span, index.span) {
            ty
        } else {
            return Self::error_expr(span);
        };
        TExpr { kind: TExprKind::TupleField(Box::new(base), component), ty, span }
    }

    /// The type of a component of a type that is known; `None` if it has been reported.
    pub(super) fn known_component(
        &mut self,
        head: &Ty,
        index: usize,
        span: Span,
        index_span: Span,
    ) -> Option<Ty> {
        let found = if let Ty::Tuple(items) = head { items.get(index).cloned() } else { None };
        if found.is_none() && !matches!(head, Ty::Error) {
            let place = if matches!(head, Ty::Tuple(_)) { index_span } else { span };
            self.report_no_component(head, index, place);
        }
        found
    }

    pub(super) fn with(
        &mut self,
        base: &'a Expr,
        place: &'a [Access],
        value: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let base = self.sub(base, want);
        let mut at = base.ty.clone();
        let mut steps = Vec::new();
        for access in place {
            match access {
                Access::Field(field) => {
                    at = self.field_type(&at, base.span, field).unwrap_or(Ty::Error);
                    steps.push(TAccess::Field(field.node.clone()));
                }
                Access::Index(indices, index_span) => {
                    for index in indices {
                        let index = self.check(index, &Ty::Int, &Why::Index);
                        at = self.element_type(&at, *index_span, "`with [i] = …`").1;
                        steps.push(TAccess::Index(index));
                    }
                }
            }
        }
        let value = self.check(value, &at, &Why::Place);
        let ty = base.ty.clone();
        TExpr { kind: TExprKind::With(Box::new(base), steps, Box::new(value)), ty, span }
    }

    pub(super) fn report_unknown_record(&mut self, access: &str, span: Span) {
        let what =
            if access.starts_with('.') && access[1..].starts_with(|c: char| c.is_ascii_digit()) {
                "tuple"
            } else {
                "record"
            };
        let diagnostic = pullback_base::Diagnostic::error(
            "E0318",
            span,
            format!("it is not known which {what} `{access}` belongs to"),
            "",
        )
        .note("nothing else in the program says what type this value has")
        .hint("give the value's type, as in `(r: Model)`");
        self.report(diagnostic);
    }
}
