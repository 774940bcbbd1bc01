//! Triangular systems, and the Cholesky factorisation with its pullback.
//!
//! Input: matrices row by row, of which one half is read. Output: solutions as rows; the lower factor, with zeros above; the
//! cotangent of the lower half of a symmetric matrix, with zeros above.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve as solve;
use faer::{Accum, MatMut, MatRef, Par};

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

/// How many columns of the factor the pullback takes back at a time.
pub(crate) const PULLED: usize = 64;

/// The cotangent of the lower half of a matrix, for that of its factor: the steps of the factorisation taken back, block by
/// block from the last (Murray 2016, *Differentiation of the Cholesky decomposition*, the blocked algorithm of section 3). Of
/// `l` and `l_bar` the lower halves are read.
///
/// ```text
/// l = [ ·        ]    rows and columns above and left of the block
///     [ r  d     ]    the block
///     [ b  c   · ]    below it
/// ```
pub(crate) fn cholesky_pullback(
    l: &[f64],
    l_bar: &[f64],
    n: usize,
    bar: &mut [f64],
    stops: &dyn Fn() -> bool,
) -> Outcome {
    for (i, (to, from)) in bar.chunks_exact_mut(n).zip(l_bar.chunks_exact(n)).enumerate() {
        to[..=i].copy_from_slice(&from[..=i]);
        to[i + 1..].fill(0.0);
    }
    let mut both = vec![0.0; PULLED * PULLED];
    for start in (0..n).step_by(PULLED).rev() {
        if stops() {
            return Outcome::Stopped;
        }
        let end = n.min(start + PULLED);
        let width = end - start;
        let factor = MatRef::from_row_major_slice(l, n, n);
        let (r, d) = (factor.get(start..end, ..start), factor.get(start..end, start..end));
        let (b, c) = (factor.get(end.., ..start), factor.get(end.., start..end));
        {
            let (above, below) = MatMut::from_row_major_slice_mut(bar, n, n).split_at_row_mut(end);
            let (b_bar, beside) = below.split_at_col_mut(start);
            let (mut c_bar, _) = beside.split_at_col_mut(width);
            // c = (…) d⁻ᵀ, so that its cotangent is divided by d from the right.
            solve::solve_upper_triangular_in_place(
                d.transpose(),
                c_bar.as_mut().transpose_mut(),
                Par::Seq,
            );
            let c_bar = c_bar.as_ref();
            matmul(b_bar, Accum::Add, c_bar, r, -1.0, Par::Seq);
            let (_, block) = above.split_at_row_mut(start);
            let (r_bar, beside) = block.split_at_col_mut(start);
            let (d_bar, _) = beside.split_at_col_mut(width);
            matmul(d_bar, Accum::Add, c_bar.transpose(), c, -1.0, Par::Seq);
            matmul(r_bar, Accum::Add, c_bar.transpose(), b, -1.0, Par::Seq);
        }
        block_pullback(l, n, start..end, bar);
        let both = &mut both[..width * width];
        for i in 0..width {
            let row = &mut bar[(start + i) * n + start..][..width];
            row[i + 1..].fill(0.0);
            for (j, x) in row.iter().enumerate().take(i + 1) {
                both[i * width + j] = *x;
                both[j * width + i] = if i == j { 2.0 * x } else { *x };
            }
        }
        let block = MatMut::from_row_major_slice_mut(bar, n, n).split_at_row_mut(start).1;
        let (r_bar, _) = block.get_mut(..width, ..).split_at_col_mut(start);
        let both = MatRef::from_row_major_slice(both, width, width);
        matmul(r_bar, Accum::Add, both, r, -1.0, Par::Seq);
    }
    Outcome::Done
}

/// The same of a block on the diagonal, whose cotangent is in `bar`, column by column from the last (the unblocked algorithm).
/// What stands left of the block is left alone.
fn block_pullback(l: &[f64], n: usize, block: std::ops::Range<usize>, bar: &mut [f64]) {
    let place = |i: usize| i * n + block.start;
    for j in block.clone().rev() {
        let column = j - block.start;
        let row = &l[place(j)..][..=column];
        let (upto, below) = bar.split_at_mut((j + 1) * n);
        let own = &mut upto[place(j)..][..=column];
        let pivot = row[column];
        let mut corner = own[column];
        for i in j + 1..block.end {
            let others = &mut below[place(i - j - 1)..][..=column];
            let other = &l[place(i)..][..=column];
            corner -= others[column] * other[column] / pivot;
            let c_bar = others[column] / pivot;
            others[column] = c_bar;
            for k in 0..column {
                own[k] -= c_bar * other[k];
                others[k] -= c_bar * row[k];
            }
        }
        corner /= pivot;
        for k in 0..column {
            own[k] -= corner * row[k];
        }
        own[column] = 0.5 * corner;
    }
}
