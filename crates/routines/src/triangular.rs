//! Triangular systems and the Cholesky factorisation.
//!
//! Input: matrices row by row, of which one half is read. Output: solutions as rows; the lower factor, with zeros above.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve as solve;
use faer::{MatMut, MatRef, Par};

use crate::call::{Outcome, auto};

/// How many right-hand sides are done before it is asked whether to stop.
const TOGETHER: usize = 256;

/// Solutions of `t x = b` for every row b.
pub(crate) fn solved(
    lower: bool,
    t: &[f64],
    n: usize,
    (b, x): (&[f64], &mut [f64]),
    stops: &dyn Fn() -> bool,
) -> Outcome {
    if (0..n).any(|i| t[i * n + i] == 0.0) {
        return Outcome::Declined;
    }
    x.copy_from_slice(b);
    let t = MatRef::from_row_major_slice(t, n, n);
    for x in x.chunks_mut(TOGETHER * n) {
        if stops() {
            return Outcome::Stopped;
        }
        let count = x.len() / n;
        let columns = MatMut::from_column_major_slice_mut(x, n, count);
        if lower {
            solve::solve_lower_triangular_in_place(t, columns, Par::Seq);
        } else {
            solve::solve_upper_triangular_in_place(t, columns, Par::Seq);
        }
    }
    Outcome::Done
}

/// The lower factor of a symmetric matrix; one that is not positive definite is declined.
pub(crate) fn cholesky(a: &[f64], n: usize, l: &mut [f64]) -> Outcome {
    l.copy_from_slice(a);
    let params = auto();
    let mut buffer = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
    let done = cholesky_in_place(
        MatMut::from_row_major_slice_mut(&mut *l, n, n),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    );
    if done.is_err() {
        return Outcome::Declined;
    }
    for (i, row) in l.chunks_exact_mut(n).enumerate() {
        row[i + 1..].fill(0.0);
    }
    Outcome::Done
}
