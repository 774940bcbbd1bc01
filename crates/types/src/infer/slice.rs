//! Slices: `a[lo:hi]`, `m[:, j]`, `a[lo:hi:step]`.
//!
//! A slice of several dimensions is one of the outermost whose elements are sliced further; what is written
//! in its brackets is named first, so that it is evaluated once.

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::{Expr, SlicePart};

use super::array::ArrayUse;
use super::mismatch::Why;
use super::state::Infer;
use super::table::size_of;
use crate::tir::{LocalId, TExpr, TExprKind, TPat, TPatKind, TRange};
use crate::ty::{Poly, Size, Ty};

/// A part of a slice, checked: what is evaluated and what it says about sizes.
enum Part {
    At(TExpr),
    Range(Box<(TRange, Length)>),
}

/// What is known of the length of a range before the array is.
struct Length {
    lo: Option<Option<Poly>>,
    hi: Option<Option<Poly>>,
    /// The step, if it is known; 1 where none is written.
    step: Option<i64>,
}

/// Names for what is evaluated before a slice.
type Names = Vec<(LocalId, TExpr)>;

impl<'a> Infer<'a> {
    pub(super) fn slice(&mut self, base: &'a Expr, parts: &'a [SlicePart], span: Span) -> TExpr {
        let base = self.infer(base);
        let mut names = Names::new();
        let is_nested = parts.len() > 1;
        let base = if is_nested { self.name(base, &mut names) } else { base };
        let mut checked = Vec::with_capacity(parts.len());
        for part in parts {
            checked.push(self.slice_part(part, is_nested, &mut names));
        }
        let sliced = self.slice_parts(base, checked.into_iter(), span);
        names.into_iter().rev().fold(sliced, |body, (local, value)| {
            let pattern =
                TPat { kind: TPatKind::Var(local), ty: value.ty.clone(), span: value.span };
            let ty = body.ty.clone();
            TExpr { kind: TExprKind::Let(pattern, Box::new(value), Box::new(body)), ty, span }
        })
    }

    /// A mention of the value under a name, unless it is one or a literal already.
    fn name(&mut self, value: TExpr, names: &mut Names) -> TExpr {
        if matches!(value.kind, TExprKind::Local(..) | TExprKind::IntLit(_) | TExprKind::Error) {
            return value;
        }
        let local = self.local(&"part".into(), Span::NONE, value.ty.clone());
        let mention =
            TExpr { kind: TExprKind::Local(local, vec![]), ty: value.ty.clone(), span: value.span };
        names.push((local, value));
        mention
    }

    fn slice_part(&mut self, part: &'a SlicePart, is_nested: bool, names: &mut Names) -> Part {
        let mut bound = |this: &mut Self, written: &'a Expr| {
            let typed = this.check(written, &Ty::Int, &Why::Index);
            let poly = this.poly_of(&typed);
            let typed = if is_nested { this.name(typed, names) } else { typed };
            (typed, poly)
        };
        match part {
            SlicePart::At(index) => Part::At(bound(self, index).0),
            SlicePart::Range { lo, hi, step } => {
                let lo = lo.as_ref().map(|lo| bound(self, lo));
                let hi = hi.as_ref().map(|hi| bound(self, hi));
                let step = step.as_ref().map(|step| bound(self, step));
                let constant = |poly: &Option<Poly>| poly.as_ref().and_then(Poly::as_constant);
                let length = Length {
                    lo: lo.as_ref().map(|(_, poly)| poly.clone()),
                    hi: hi.as_ref().map(|(_, poly)| poly.clone()),
                    step: step.as_ref().map_or(Some(1), |(_, poly)| constant(poly)),
                };
                let range = TRange {
                    lo: lo.map(|(typed, _)| typed),
                    hi: hi.map(|(typed, _)| typed),
                    step: step.map(|(typed, _)| typed),
                };
                Part::Range(Box::new((range, length)))
            }
        }
    }

    fn slice_parts(
        &mut self,
        base: TExpr,
        mut parts: std::vec::IntoIter<Part>,
        span: Span,
    ) -> TExpr {
        let Some(part) = parts.next() else { return base };
        let used = if matches!(part, Part::At(_)) { ArrayUse::Index } else { ArrayUse::Slice };
        let (size, element) = self.solver().element_type(&base.ty, base.span, used);
        match part {
            Part::At(index) => {
                self.check_range(&index, &size, None);
                let kind = TExprKind::Index(Box::new(base), Box::new(index));
                self.slice_parts(TExpr { kind, ty: element, span }, parts, span)
            }
            Part::Range(range) => {
                let (range, length) = *range;
                let length = self.slice_length(&range, length, &size, span);
                let ty = Ty::Array(length.clone(), element.clone().into());
                let sliced = if range.iter().next().is_none() {
                    TExpr { ty, ..base }
                } else {
                    let kind = TExprKind::Slice(Box::new(base), Box::new(range));
                    TExpr { kind, ty, span }
                };
                if parts.as_slice().is_empty() {
                    return sliced;
                }
                let (pattern, inner) = self.scoped(|this| {
                    let local = this.local(&"row".into(), Span::NONE, element.clone());
                    let pattern = TPat { kind: TPatKind::Var(local), ty: element.clone(), span };
                    let row = TExpr { kind: TExprKind::Local(local, vec![]), ty: element, span };
                    (pattern, this.slice_parts(row, parts, span))
                });
                let inner_ty = self.unifier.leave_scope(&inner.ty);
                let kind = TExprKind::For(pattern, Box::new(sliced), Box::new(inner));
                TExpr { kind, ty: Ty::Array(length, inner_ty.into()), span }
            }
        }
    }

    /// How many elements a range of an array of this size has. A range that is outside whatever the
    /// program does is reported.
    fn slice_length(&mut self, range: &TRange, length: Length, size: &Size, span: Span) -> Size {
        let size = match self.unifier.table.resolve_size(size) {
            Size::Poly(poly) => Some(poly.as_ref().clone()),
            Size::Any => None,
        };
        let Some(step) = length.step else { return Size::Any };
        if step == 0 {
            self.report_step(range, span);
            return Size::Any;
        }
        // From the first element of the range to before its end, in the order of the array.
        let one = Poly::constant(1);
        let (from, to) = if step > 0 {
            (length.lo.unwrap_or(Some(Poly::constant(0))), length.hi.unwrap_or(size.clone()))
        } else {
            let after = |bound: Option<Poly>| bound.and_then(|bound| bound.add(&one));
            let from = length.hi.map_or(Some(Poly::constant(0)), after);
            (from, length.lo.map_or(size.clone(), after))
        };
        let constant = |poly: &Option<Poly>| poly.as_ref().and_then(Poly::as_constant);
        self.report_outside(constant(&from), constant(&to), constant(&size), span);
        let count = to.and_then(|to| to.sub(&from?));
        if step.abs() == 1 {
            return size_of(count);
        }
        let stride = step.unsigned_abs();
        let whole = constant(&count).and_then(|count| u64::try_from(count).ok());
        let picked = whole.and_then(|whole| i64::try_from(whole.div_ceil(stride)).ok());
        size_of(picked.map(Poly::constant))
    }

    fn report_step(&mut self, range: &TRange, span: Span) {
        let span = range.step.as_ref().map_or(span, |step| step.span);
        let diagnostic = Diagnostic::error("E0402", span, "the step of a slice is 0", "no step")
            .hint("write `a[lo:hi]` for every element, `a[::2]` for every second, `a[::-1]` for all from the last to the first");
        self.unifier.report(diagnostic);
    }

    fn report_outside(
        &mut self,
        from: Option<i64>,
        to: Option<i64>,
        size: Option<i64>,
        span: Span,
    ) {
        let before = from.is_some_and(|from| from < 0) || to.is_some_and(|to| to < 0);
        let beyond = matches!((to, size), (Some(to), Some(size)) if to > size);
        let turned = matches!((from, to), (Some(from), Some(to)) if from > to);
        if !(before || beyond || turned) {
            return;
        }
        let label = match size {
            Some(1) => "this array has 1 element".to_owned(),
            Some(size) => format!("this array has {size} elements"),
            None if before => "indices begin with 0".to_owned(),
            None => "this range has no first element".to_owned(),
        };
        let hint = if before && size.is_none() {
            "indices count from the start; the last three elements are `xs[size xs - 3:]`, all but the last `xs[:size xs - 1]`"
        } else {
            "both ends lie between 0 and the size, the first at most the second; `[lo:]` goes to the end"
        };
        let diagnostic =
            Diagnostic::error("E0402", span, "this slice is outside of its array", label)
                .note("a slice `[lo:hi]` goes from the index `lo` to before the index `hi`")
                .hint(hint);
        self.unifier.report(diagnostic);
    }
}
