//! Regularity: all rows of an array of arrays have the same sizes.
//!
//! Where inference knows the sizes of the rows, they agree already, or a check was asked for. Where it
//! does not (`[]a`, or a type variable that stands for an array here), the rows are checked against
//! the first one when the array is made. A row is regular itself, so one size for each depth will do.

use pullback_base::Span;
use pullback_lambda::{Expr, Type};

use super::build;
use super::state::Elab;
use crate::ty::{Size, Ty};

impl Elab<'_> {
    /// `array`, after a check that its rows agree in the sizes that `ty`, its type, leaves open.
    pub(super) fn regular(&mut self, array: Expr, ty: &Ty, span: Span) -> Expr {
        let (Some(row_ty), Ty::Array(_, row)) = (array.ty.element(), ty) else { return array };
        let depths = open_depths(row, row_ty);
        if depths.is_empty() {
            return array;
        }
        self.bind(array, "rows", |this, rows| {
            let count = Expr::size_of(rows.clone(), span);
            let state = this.fresh("_", Type::unit());
            let index = this.fresh("i", Type::int());
            let i = this.var(index, span);
            let mut checks = Expr::unit(span);
            for depth in depths.into_iter().rev() {
                let row = |i: Expr| Expr::index(rows.clone(), i, span);
                let first = Expr::dim(row(Expr::int(0, span)), depth, span);
                let what = "the sizes of the rows";
                let check = build::check_size(row(i.clone()), depth, first, what, span);
                checks = this.after(check, checks);
            }
            let all = Expr::loop_for(state, Expr::unit(span), index, count, checks, span);
            this.after(all, rows)
        })
    }

    /// `value`, after a check that it has the sizes of the row it replaces, where the type of one of
    /// them leaves these open.
    pub(super) fn fitting_row(
        &mut self,
        value: Expr,
        [new, place]: [&Ty; 2],
        old: &Expr,
        span: Span,
    ) -> Expr {
        let mut depths = open_depths(new, &value.ty);
        depths.extend(open_depths(place, &value.ty));
        depths.sort_unstable();
        depths.dedup();
        if depths.is_empty() {
            return value;
        }
        self.bind(value, "row", |this, value| {
            depths.into_iter().rev().fold(value.clone(), |body, depth| {
                let old_size = Expr::dim(old.clone(), depth, span);
                let what = "the sizes of the new row and of the old one";
                let check = build::check_size(value.clone(), depth, old_size, what, span);
                this.after(check, body)
            })
        })
    }
}

/// The depths of an array type at which inference does not know the size.
fn open_depths(known: &Ty, ty: &Type) -> Vec<usize> {
    let mut depths = Vec::new();
    let (mut known, mut ty) = (known, ty);
    let mut depth = 0;
    while let Some(element) = ty.element() {
        if let Ty::Array(size, inner) = known {
            if *size == Size::Any {
                depths.push(depth);
            }
            known = inner;
        } else {
            depths.push(depth);
        }
        ty = element;
        depth += 1;
    }
    depths
}
