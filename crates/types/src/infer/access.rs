//! Records, fields, components, and `with`.

use pullback_base::{Diagnostic, Name, Span, Spanned};
use pullback_syntax::ast::{Access, Expr, Ident};

use super::array::ArrayUse;
use super::expr::Want;
use super::mismatch::Why;
use super::reports::{Reported, Reports};
use super::solver::Solver;
use super::state::Infer;
use crate::tir::{Constraint, TAccess, TExpr, TExprKind};
use crate::ty::Ty;

impl Reports {
    /// Reports `.access` on something of which nothing says that it is `what`, a record or a tuple.
    pub(super) fn report_unknown_base(&mut self, what: &str, access: &str, span: Span) {
        let diagnostic = Diagnostic::error(
            "E0318",
            span,
            format!("it is not known which {what} `.{access}` belongs to"),
            "",
        )
        .note("nothing else in the program says what type this value has")
        .hint("give the value's type, as in `(r: Model)`");
        self.add(diagnostic);
    }
}

impl<'a> Infer<'a> {
    pub(super) fn record(
        &mut self,
        fields: &'a [(Ident, Expr)],
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        self.unifier.reports.check_fields(fields.iter().map(|(name, _)| name));
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
            for (name, value) in fields {
                if !known.iter().any(|(w, _)| *w == name.node) {
                    self.solver().report_no_field(known, &name.node, name.span);
                }
                let value = self.infer(value);
                self.typed.salvaged.push(value);
            }
            return TExpr::error(span);
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
            return self.solver().name_value(head);
        }
        let base = self.infer(base);
        let Ok(ty) = self.solver().field_type(&base.ty, base.span, field) else {
            self.typed.salvaged.push(base);
            return TExpr::error(span);
        };
        TExpr { kind: TExprKind::Field(Box::new(base), field.node.clone()), ty, span }
    }

    pub(super) fn tuple_field(
        &mut self,
        base: &'a Expr,
        index: &Spanned<u32>,
        span: Span,
    ) -> TExpr {
        let base = self.infer(base);
        let component = index.node as usize;
        let head = self.unifier.table.head(&base.ty);
        let ty = if let Ty::Var(_) | Ty::Tangent(_) = &head {
            let ty = self.unifier.fresh();
            self.solver()
                .require_at(index.span, Constraint::Component(head, component, ty.clone()));
            ty
        } else if let Ok(ty) =
            self.solver().known_component(&head, component, base.span, index.span)
        {
            ty
        } else {
            self.typed.salvaged.push(base);
            return TExpr::error(span);
        };
        TExpr { kind: TExprKind::TupleField(Box::new(base), component), ty, span }
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
                    at = self
                        .solver()
                        .field_type(&at, base.span, field)
                        .unwrap_or_else(Reported::ty);
                    steps.push(TAccess::Field(field.node.clone()));
                }
                Access::Index(indices, index_span) => {
                    for index in indices {
                        let index = self.check(index, &Ty::Int, &Why::Index);
                        let (size, element) =
                            self.solver().element_type(&at, *index_span, ArrayUse::Place);
                        self.check_place(&index, &size);
                        at = element;
                        steps.push(TAccess::Index(index));
                    }
                }
            }
        }
        let value = self.check(value, &at, &Why::Place);
        let ty = base.ty.clone();
        TExpr { kind: TExprKind::With(Box::new(base), steps, Box::new(value)), ty, span }
    }
}

impl Solver<'_> {
    /// The type of a field of a record of this type.
    pub(super) fn field_type(
        &mut self,
        record: &Ty,
        span: Span,
        field: &Ident,
    ) -> Result<Ty, Reported> {
        let head = self.unifier.table.head(record);
        if let Ty::Var(_) | Ty::Tangent(_) = &head {
            let ty = self.unifier.fresh();
            self.require_at(field.span, Constraint::Field(head, field.node.clone(), ty.clone()));
            return Ok(ty);
        }
        self.known_field(&head, &field.node, span, field.span)
    }

    /// The type of a field of a type that is known.
    pub(super) fn known_field(
        &mut self,
        head: &Ty,
        name: &Name,
        span: Span,
        field_span: Span,
    ) -> Result<Ty, Reported> {
        if let Ty::Error = head {
            return Err(Reported);
        }
        let Ty::Record(fields) = head else {
            return Err(self.report_not_record(head, name, span, field_span));
        };
        match fields.iter().find(|(field, _)| field == name) {
            Some((_, ty)) => Ok(ty.clone()),
            None => Err(self.report_no_field(fields, name, field_span)),
        }
    }

    /// The type of a component of a type that is known.
    pub(super) fn known_component(
        &mut self,
        head: &Ty,
        index: usize,
        span: Span,
        index_span: Span,
    ) -> Result<Ty, Reported> {
        if let Ty::Error = head {
            return Err(Reported);
        }
        let Ty::Tuple(items) = head else {
            return Err(self.report_no_component(head, index, span));
        };
        match items.get(index) {
            Some(ty) => Ok(ty.clone()),
            None => Err(self.report_no_component(head, index, index_span)),
        }
    }
}
