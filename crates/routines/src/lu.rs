//! The LU factorisation with row exchanges, and solutions by it.
//!
//! Input: matrices row by row. Output: factors as the text has them: L below the diagonal, whose own diagonal is 1, and U
//! from it on; `order[i]` is the row that row i came from. A matrix with a pivot that is 0 is declined.
//!
//! The matrix is factored in panels of columns, and each panel is done with the whole rest of the matrix before the
//! next one begins. So a call can stop between two panels.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve as solve;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

use crate::call::{Outcome, auto};
use crate::layout::{transpose, transposed};

/// Up to how many rows a matrix is one panel, and how many columns a panel of a larger one has.
const ONE: usize = 512;
const PANEL: usize = 256;

pub(crate) fn factored(
    a: &[f64],
    n: usize,
    (factors, order, sign): (&mut [f64], &mut [i64], &mut f64),
    stops: &dyn Fn() -> bool,
) -> Outcome {
    let mut work = transposed(a, n, n);
    let mut rows: Vec<usize> = (0..n).collect();
    let mut exchanges = 0;
    let width = if n <= ONE { n } else { PANEL };
    for start in (0..n).step_by(width) {
        if stops() {
            return Outcome::Stopped;
        }
        let end = n.min(start + width);
        exchanges +=
            panel(MatMut::from_column_major_slice_mut(&mut work, n, n), [start, end], &mut rows);
    }
    let diagonal = |i: usize| work[i * n + i];
    if (0..n).any(|i| diagonal(i) == 0.0 || !diagonal(i).is_finite()) {
        return Outcome::Declined;
    }
    transpose(&work, n, n, factors);
    for (to, from) in order.iter_mut().zip(rows) {
        *to = from as i64;
    }
    *sign = if exchanges % 2 == 0 { 1.0 } else { -1.0 };
    Outcome::Done
}

/// Factors the columns from `start` to `end`, below the rows that are done, and takes what that changes to the columns
/// behind. How many exchanges of rows there were.
fn panel(a: MatMut<'_, f64>, [start, end]: [usize; 2], rows: &mut [usize]) -> usize {
    let n = a.nrows();
    let height = n - start;
    let lower = a.submatrix_mut(start, 0, height, n);
    let (mut before, rest) = lower.split_at_col_mut(start);
    let (mut own, mut behind) = rest.split_at_col_mut(end - start);
    let (mut order, mut inverse) = (vec![0usize; height], vec![0usize; height]);
    let params = auto();
    let stack = lu_in_place_scratch::<usize, f64>(height, end - start, Par::Seq, params);
    let mut buffer = MemBuffer::new(stack);
    let (info, _) = lu_in_place(
        own.rb_mut(),
        &mut order,
        &mut inverse,
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    );
    let mut column = vec![0.0; height];
    for part in [before.rb_mut(), behind.rb_mut()] {
        for mut col in part.col_iter_mut() {
            for (to, from) in column.iter_mut().zip(&order) {
                *to = col[*from];
            }
            for (i, x) in column.iter().enumerate() {
                col[i] = *x;
            }
        }
    }
    let old = rows[start..].to_vec();
    for (to, from) in rows[start..].iter_mut().zip(&order) {
        *to = old[*from];
    }
    let (corner, below) = own.rb().split_at_row(end - start);
    let (mut top, bottom) = behind.split_at_row_mut(end - start);
    solve::solve_unit_lower_triangular_in_place(corner, top.rb_mut(), Par::Seq);
    matmul(bottom, Accum::Add, below, top.rb(), -1.0, Par::Seq);
    info.transposition_count
}

/// Solutions of `a x = b`, or of `aᵀ x = b` if `turned`, for every row b.
pub(crate) fn solved(
    turned: bool,
    factors: &[f64],
    n: usize,
    order: &[i64],
    (b, x): (&[f64], &mut [f64]),
    stops: &dyn Fn() -> bool,
) -> Outcome {
    if (0..n).any(|i| factors[i * n + i] == 0.0) || !is_order(order, n) {
        return Outcome::Declined;
    }
    let count = b.len() / n;
    let f = MatRef::from_row_major_slice(factors, n, n);
    if turned {
        x.copy_from_slice(b);
    } else {
        for (to, from) in x.chunks_exact_mut(n).zip(b.chunks_exact(n)) {
            for (to, row) in to.iter_mut().zip(order) {
                *to = from[*row as usize];
            }
        }
    }
    // A right-hand side is a row, so as columns they lie one after the other.
    let mut columns = MatMut::from_column_major_slice_mut(&mut *x, n, count);
    if turned {
        solve::solve_lower_triangular_in_place(f.transpose(), columns.rb_mut(), Par::Seq);
    } else {
        solve::solve_unit_lower_triangular_in_place(f, columns.rb_mut(), Par::Seq);
    }
    if stops() {
        return Outcome::Stopped;
    }
    if turned {
        solve::solve_unit_upper_triangular_in_place(f.transpose(), columns, Par::Seq);
        let mut row = vec![0.0; n];
        for x in x.chunks_exact_mut(n) {
            row.copy_from_slice(x);
            for (value, to) in row.iter().zip(order) {
                x[*to as usize] = *value;
            }
        }
    } else {
        solve::solve_upper_triangular_in_place(f, columns, Par::Seq);
    }
    Outcome::Done
}

/// Whether each row is there once.
fn is_order(order: &[i64], n: usize) -> bool {
    let mut seen = vec![false; n];
    order.iter().all(|row| {
        let place = usize::try_from(*row).ok().and_then(|row| seen.get_mut(row));
        place.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}
