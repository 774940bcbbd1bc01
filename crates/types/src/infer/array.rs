//! Arrays: literals, comprehensions, indices, slices.

use pullback_base::{Diagnostic, Fix, Name, Span};
use pullback_syntax::ast::{Clause, Expr, ExprKind, Literal};

use super::expr::Want;
use super::mismatch::Why;
use super::solver::Solver;
use super::state::Infer;
use super::table::size_of;
use crate::tir::{Builtin, TExpr, TExprKind};
use crate::ty::{Poly, Size, Ty};

/// What needs an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayUse {
    Index,
    Slice,
    /// The source of a comprehension, with the place of its `<-` and the blanks around.
    Source(Span),
    /// The place that `with` replaces.
    Place,
}

impl ArrayUse {
    /// What diagnostics call it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Index => "an index",
            Self::Slice => "a slice",
            Self::Source(_) => "`<-`",
            Self::Place => "`with [i] = …`",
        }
    }
}

impl<'a> Infer<'a> {
    pub(super) fn array(&mut self, items: &'a [Expr], span: Span, want: Want<'_>) -> TExpr {
        let mut typed: Vec<TExpr> = Vec::with_capacity(items.len());
        let mut element = match want {
            Some((Ty::Array(_, element), why)) => Some((element.as_ref().clone(), why.part())),
            _ => None,
        };
        let mut numeric = false;
        for item in items {
            if let (ExprKind::Lit(Literal::Int(value)), true, Some((ty, _))) =
                (&item.kind, numeric, &element)
                && let ty @ (Ty::Int | Ty::Real | Ty::Var(_)) = self.unifier.table.head(ty)
            {
                // An earlier literal has demanded that the elements are numbers.
                typed.push(TExpr { kind: TExprKind::IntLit(*value), ty, span: item.span });
                continue;
            }
            numeric |= matches!(item.kind, ExprKind::Lit(Literal::Int(_)));
            let item = self.sub(item, element.as_ref().map(|(ty, why)| (ty, why)));
            element.get_or_insert_with(|| (item.ty.clone(), Why::Element(item.span)));
            typed.push(item);
        }
        let element = element.map_or_else(|| self.unifier.fresh(), |(ty, _)| ty);
        // Where an element is wrong, so may be their number: a comma may be missing.
        let wrong = typed.iter().any(|item| matches!(item.kind, TExprKind::Error));
        let count = i64::try_from(items.len()).ok().filter(|_| !wrong);
        let ty = Ty::Array(size_of(count.map(Poly::constant)), element.into());
        TExpr { kind: TExprKind::Array(typed), ty, span }
    }

    pub(super) fn comprehension(
        &mut self,
        body: &'a Expr,
        clauses: &'a [Clause],
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let Some((clause, rest)) = clauses.split_first() else {
            let typed = self.sub(body, want);
            return typed;
        };
        let wanted = match want {
            Some((Ty::Array(_, element), why)) => {
                Some((self.unifier.table.head(element), why.part()))
            }
            _ => None,
        };
        let wanted = match &wanted {
            Some((ty, why)) if !matches!(ty, Ty::Var(_)) => Some((ty, why)),
            _ => None,
        };
        match clause {
            Clause::Range { var, bound } => {
                let later = rest.iter().filter_map(|clause| {
                    if let Clause::Range { var, .. } = clause { Some(var) } else { None }
                });
                if let Some(again) = later.into_iter().find(|again| again.node == var.node) {
                    self.unifier.reports.check_distinct([var, again].into_iter(), "index");
                }
                let bound = self.check(bound, &Ty::Int, &Why::Index);
                let size = self.size_of_expr(&bound);
                let (local, inner) = self.scoped(|this| {
                    let local = this.local(&var.node, var.span, Ty::Int);
                    this.scope.name_local(&var.node, local);
                    (local, this.in_doubt(|this| this.comprehension(body, rest, span, wanted)))
                });
                let element = self.unifier.leave_scope(&inner.ty);
                let kind = TExprKind::Build(local, Box::new(bound), Box::new(inner));
                TExpr { kind, ty: Ty::Array(size, element.into()), span }
            }
            Clause::In { pattern, source } => {
                let arrow = pattern.span.end().to(source.span.start());
                let source = self.infer(source);
                let (size, item) =
                    self.solver().element_type(&source.ty, source.span, ArrayUse::Source(arrow));
                let (pattern, inner) = self.scoped(|this| {
                    let pattern = this.bind_pattern(pattern, &item, &Why::Scrutinee(source.span));
                    (pattern, this.in_doubt(|this| this.comprehension(body, rest, span, wanted)))
                });
                let element = self.unifier.leave_scope(&inner.ty);
                let kind = TExprKind::For(pattern, Box::new(source), Box::new(inner));
                TExpr { kind, ty: Ty::Array(size, element.into()), span }
            }
        }
    }

    pub(super) fn index(&mut self, base: &'a Expr, indices: &'a [Expr], span: Span) -> TExpr {
        let mut typed = self.infer(base);
        let mut name = if let ExprKind::Name(name) = &base.kind { Some(name) } else { None };
        for index in indices {
            let (size, element) =
                self.solver().element_type(&typed.ty, typed.span, ArrayUse::Index);
            let index = self.check(index, &Ty::Int, &Why::Index);
            self.check_range(&index, &size, name.take());
            typed = TExpr {
                kind: TExprKind::Index(Box::new(typed), Box::new(index)),
                ty: element,
                span,
            };
        }
        typed
    }

    /// Reports an index that is out of range whatever the program does. A size that is not known yet
    /// is looked at again when its group of definitions is done, except for what may never be evaluated:
    /// a size may be asked for before.
    pub(super) fn check_range(&mut self, index: &TExpr, size: &Size, array: Option<&Name>) {
        let Some(place) = self.poly_of(index).and_then(|poly| poly.as_constant()) else { return };
        // A computed index may be guarded against being negative, a written one is a mistake anywhere.
        if place < 0 && (is_literal(index) || self.doubts == 0) {
            return self.report_negative(place, size, array, index.span);
        }
        if !self.report_range(place, size, index.span) && self.doubts == 0 {
            self.later_ranges.push((place, size.clone(), index.span));
        }
    }

    /// Reports the constant indices of the group whose sizes have become known by now.
    pub(super) fn check_later_ranges(&mut self) {
        for (place, size, span) in std::mem::take(&mut self.later_ranges) {
            // A function is given an empty array so that it is not called for its elements.
            if self.unifier.table.resolve_size(&size)
                != super::table::size_of(Some(Poly::constant(0)))
            {
                self.report_range(place, &size, span);
            }
        }
    }

    /// [`Infer::check_range`] for a place of `with`, which may never be reached.
    pub(super) fn check_place(&mut self, index: &TExpr, size: &Size) {
        let is_negative = matches!(index.kind, TExprKind::App(..)) && is_literal(index);
        if is_negative || self.doubts == 0 {
            self.check_range(index, size, None);
        }
    }

    /// Reports an index before the first one, whatever the size of the array is.
    fn report_negative(&mut self, place: i64, size: &Size, array: Option<&Name>, span: Span) {
        let count = match self.unifier.table.resolve_size(size) {
            Size::Poly(size) => size.as_constant(),
            Size::Any => None,
        };
        let title = format!("the index {place} is out of range");
        let label = match count {
            Some(count) => elements(count),
            None => "indices begin with 0".to_owned(),
        };
        let diagnostic = Diagnostic::error("E0402", span, title, label);
        let name = array.map_or("xs", Name::as_str);
        let from_end = place.unsigned_abs();
        let fix = array.map(|name| Fix::new(span, format!("size {name} - {from_end}")));
        let diagnostic = match count {
            Some(0) => diagnostic.hint("an empty array has no elements"),
            Some(count) => diagnostic
                .hint(format!("indices count from 0: the last element is at {}", count - 1)),
            None if from_end == 1 => diagnostic.fixes(
                format!(
                    "indices count from the start; the last element is `{name}[size {name} - 1]`"
                ),
                fix,
            ),
            None => diagnostic.fixes(
                format!("indices count from the start; counted from the end, write `{name}[size {name} - {from_end}]`"),
                fix,
            ),
        };
        self.unifier.report(diagnostic);
    }

    /// Reports a constant index that is out of range. Whether the size is known.
    fn report_range(&mut self, place: i64, size: &Size, span: Span) -> bool {
        let Size::Poly(size) = self.unifier.table.resolve_size(size) else { return true };
        let Some(count) = size.as_constant() else { return false };
        if (0..count).contains(&place) {
            return true;
        }
        let diagnostic = Diagnostic::error(
            "E0402",
            span,
            format!("the index {place} is out of range"),
            elements(count),
        );
        let diagnostic = match count {
            0 => diagnostic.hint("an empty array has no elements"),
            _ => diagnostic
                .hint(format!("indices count from 0: the last element is at {}", count - 1)),
        };
        self.unifier.report(diagnostic);
        true
    }
}

/// Whether the index is written out, with a sign or without.
fn is_literal(index: &TExpr) -> bool {
    if let TExprKind::App(head, args) = &index.kind
        && let (TExprKind::Builtin(Builtin::Neg), [operand]) = (&head.kind, args.as_slice())
    {
        return is_literal(operand);
    }
    matches!(index.kind, TExprKind::IntLit(_))
}

fn elements(count: i64) -> String {
    if count == 1 {
        "this array has 1 element".to_owned()
    } else {
        format!("this array has {count} elements")
    }
}

impl Solver<'_> {
    /// The size and the element type of an array of this type; errors are reported.
    pub(super) fn element_type(&mut self, array: &Ty, span: Span, used: ArrayUse) -> (Size, Ty) {
        match self.unifier.table.head(array) {
            Ty::Array(size, element) => (size, element.as_ref().clone()),
            Ty::Error => (Size::Any, Ty::Error),
            open @ (Ty::Var(_) | Ty::Tangent(_)) => {
                let (size, element) = (self.unifier.fresh_size(), self.unifier.fresh());
                let shape = Ty::Array(size.clone(), element.clone().into());
                if self.agree(&open, &shape, span, &Why::Plain) {
                    (size, element)
                } else {
                    (Size::Any, Ty::Error)
                }
            }
            other @ (Ty::Real
            | Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Tuple(_)
            | Ty::Record(_)
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Jacobian(..)
            | Ty::Param(_)) => {
                self.report_not_array(&other, span, used);
                (Size::Any, Ty::Error)
            }
        }
    }
}
