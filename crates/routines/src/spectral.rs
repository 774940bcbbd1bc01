//! Eigenvalues of symmetric matrices, singular values, and the QR factorisation.
//!
//! Input: matrices row by row. Output: eigenvalues ascending, singular values descending, and orthonormal vectors as
//! columns; of the QR factorisation factors whose `r` has no negative number on its diagonal.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor as qr_factor;
use faer::linalg::svd::{ComputeSvdVectors, svd as faer_svd, svd_scratch};
use faer::{Conj, Mat, MatMut, MatRef, Par};

use crate::call::{Outcome, auto};
use crate::layout::{transpose, transposed};

/// Eigenvalues and eigenvectors of the symmetric matrix whose lower half is read.
pub(crate) fn eigen(a: &[f64], n: usize, values: &mut [f64], vectors: &mut [f64]) -> Outcome {
    let columns = transposed(a, n, n);
    let mut found = vec![0.0; n * n];
    let params = auto();
    let stack = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
    let mut buffer = MemBuffer::new(stack);
    let done = self_adjoint_evd(
        MatRef::from_column_major_slice(&columns, n, n),
        DiagMut::from_slice_mut(values),
        Some(MatMut::from_column_major_slice_mut(&mut found, n, n)),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    );
    if done.is_err() {
        return Outcome::Declined;
    }
    transpose(&found, n, n, vectors);
    Outcome::Done
}

/// The singular value decomposition of a matrix with at least as many rows as columns.
pub(crate) fn svd(
    a: &[f64],
    [n, m]: [usize; 2],
    (u, s, v): (&mut [f64], &mut [f64], &mut [f64]),
) -> Outcome {
    // By a power of two, so that no digit is lost and the squares of large numbers are finite.
    let largest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let is_usual = (1e-100..=1e100).contains(&largest);
    let scale = if is_usual { 1.0 } else { power_of_two_near(largest) };
    let mut columns = transposed(a, n, m);
    if scale == 0.0 || !scale.is_finite() {
        return Outcome::Declined;
    }
    columns.iter_mut().for_each(|x| *x /= scale);
    let (mut left, mut right) = (vec![0.0; n * m], vec![0.0; m * m]);
    let params = auto();
    let thin = ComputeSvdVectors::Thin;
    let mut buffer = MemBuffer::new(svd_scratch::<f64>(n, m, thin, thin, Par::Seq, params));
    let done = faer_svd(
        MatRef::from_column_major_slice(&columns, n, m),
        DiagMut::from_slice_mut(s),
        Some(MatMut::from_column_major_slice_mut(&mut left, n, m)),
        Some(MatMut::from_column_major_slice_mut(&mut right, m, m)),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    );
    if done.is_err() {
        return Outcome::Declined;
    }
    s.iter_mut().for_each(|x| *x *= scale);
    transpose(&left, m, n, u);
    transpose(&right, m, m, v);
    Outcome::Done
}

/// A power of two near a positive number.
fn power_of_two_near(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

/// The QR factorisation of a matrix with at least as many rows as columns.
pub(crate) fn qr(a: &[f64], [n, m]: [usize; 2], q: &mut [f64], r: &mut [f64]) -> Outcome {
    let mut columns = transposed(a, n, m);
    let block = qr_factor::recommended_block_size::<f64>(n, m);
    let mut coefficients = Mat::<f64>::zeros(block, m);
    let params = auto();
    let mut buffer =
        MemBuffer::new(qr_factor::qr_in_place_scratch::<f64>(n, m, block, Par::Seq, params));
    qr_factor::qr_in_place(
        MatMut::from_column_major_slice_mut(&mut columns, n, m),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    );
    let mut unit = vec![0.0; n * m];
    (0..m).for_each(|j| unit[j * n + j] = 1.0);
    let stack = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
        n, block, m,
    );
    let mut buffer = MemBuffer::new(stack);
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        MatRef::from_column_major_slice(&columns, n, m),
        coefficients.as_ref(),
        Conj::No,
        MatMut::from_column_major_slice_mut(&mut unit, n, m),
        Par::Seq,
        MemStack::new(&mut buffer),
    );
    transpose(&unit, m, n, q);
    let signs: Vec<f64> =
        (0..m).map(|j| if columns[j * n + j] < 0.0 { -1.0 } else { 1.0 }).collect();
    for row in q.chunks_exact_mut(m) {
        row.iter_mut().zip(&signs).for_each(|(x, sign)| *x *= sign);
    }
    for (i, row) in r.chunks_exact_mut(m).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = if i <= j { columns[j * n + i] * signs[i] } else { 0.0 };
        }
    }
    Outcome::Done
}
