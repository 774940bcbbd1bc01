//! `a @ b`: matrix times vector, matrix times matrix and row times matrix.
//!
//! Cost: one product and one addition for each term. The columns of a matrix beside a matrix are gathered
//! once, so that each entry is a product of two rows; beside a row, each is read once where it stands.

use pullback_base::Span;
use pullback_lambda::{Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;

impl Elab<'_> {
    /// `a @ b`
    pub(super) fn matmul(&mut self, [a, b]: [Expr; 2], span: Span) -> Expr {
        let is_matrix =
            |ty: &Type| ty.element().is_some_and(|row| matches!(row.kind(), TypeKind::Array(_)));
        if !is_matrix(&a.ty) {
            return self.row_times_matrix(a, b, span);
        }
        let matrix = is_matrix(&b.ty);
        self.bind_operands(vec![a, b], |this, operands| {
            let [a, b] = [operands[0].clone(), operands[1].clone()];
            let inner = Expr::size_of(b.clone(), span);
            let check = build::check_size(
                a.clone(),
                1,
                inner,
                "the size of a row on the left of `@` and the number of rows on the right",
                span,
            );
            let product = if matrix {
                let columns = this.columns(b, span);
                this.bind(columns, "columns", |this, columns| {
                    this.rows(a, span, |this, row| {
                        let count = Expr::size_of(columns.clone(), span);
                        this.build_array(count, span, |this, j| {
                            let column = Expr::index(columns, j, span);
                            this.bind(column, "column", |this, column| {
                                this.inner(row, column, span)
                            })
                        })
                    })
                })
            } else {
                this.rows(a, span, |this, row| this.inner(row, b, span))
            };
            this.after(check, product)
        })
    }

    /// `[ sum [ a[k] * b[k, j] | k < size a ] | j < columns of b ]`
    fn row_times_matrix(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        self.bind_operands(vec![a, b], |this, operands| {
            let [a, b] = [operands[0].clone(), operands[1].clone()];
            let rows = Expr::size_of(b.clone(), span);
            let check = build::check_size(
                a.clone(),
                0,
                rows,
                "the size of the row on the left of `@` and the number of rows on the right",
                span,
            );
            let count = Expr::dim(b.clone(), 1, span);
            let product = this.build_array(count, span, |this, j| {
                let count = Expr::size_of(a.clone(), span);
                this.products(&a.ty.clone(), count, span, |k| {
                    let entry = Expr::index(Expr::index(b, k.clone(), span), j, span);
                    [Expr::index(a, k, span), entry]
                })
            });
            this.after(check, product)
        })
    }

    /// `[ body row | row <- a ]`
    fn rows(&mut self, a: Expr, span: Span, body: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        let count = Expr::size_of(a.clone(), span);
        self.build_array(count, span, |this, i| {
            let row = Expr::index(a, i, span);
            this.bind(row, "row", body)
        })
    }

    /// `[ [ b[k, j] | k < size b ] | j < columns of b ]`
    fn columns(&mut self, b: Expr, span: Span) -> Expr {
        let count = Expr::dim(b.clone(), 1, span);
        self.build_array(count, span, |this, j| {
            let size = Expr::size_of(b.clone(), span);
            this.build_array(size, span, |_, k| Expr::index(Expr::index(b, k, span), j, span))
        })
    }

    /// The inner product of two vectors of the same size.
    fn inner(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        let count = Expr::size_of(a.clone(), span);
        self.products(&a.ty.clone(), count, span, |k| {
            [Expr::index(a, k.clone(), span), Expr::index(b, k, span)]
        })
    }

    /// The sum of so many products, in the numbers of a vector of this type.
    fn products(
        &mut self,
        vector: &Type,
        count: Expr,
        span: Span,
        factors: impl FnOnce(Expr) -> [Expr; 2],
    ) -> Expr {
        if *vector == Type::array(Type::int()) {
            return self.accumulate(count, Expr::int(0, span), span, |_, total, k| {
                Expr::prim(Prim::IntAdd, [total, Expr::prim(Prim::IntMul, factors(k), span)], span)
            });
        }
        let terms = self.build_array(count, span, |_, k| Expr::prim(Prim::Mul, factors(k), span));
        Expr::prim(Prim::Sum, [terms], span)
    }
}
