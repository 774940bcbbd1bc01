//! Matrices by rows become matrices by columns, and back.

/// The columns of a matrix, one after the other.
pub(crate) fn transposed(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    let mut out = vec![0.0; a.len()];
    transpose(a, rows, columns, &mut out);
    out
}

/// The same into memory that is there. Small squares are turned one after the other, since what lies far apart is then
/// still in the cache when its neighbours are needed.
pub(crate) fn transpose<T: Copy>(a: &[T], rows: usize, columns: usize, out: &mut [T]) {
    const SIDE: usize = 16;
    for i in (0..rows).step_by(SIDE) {
        for j in (0..columns).step_by(SIDE) {
            for i in i..rows.min(i + SIDE) {
                for j in j..columns.min(j + SIDE) {
                    out[j * rows + i] = a[i * columns + j];
                }
            }
        }
    }
}
