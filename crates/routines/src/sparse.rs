//! Systems whose matrix is sparse, by sparse Cholesky and LU factorisations.
//!
//! Input: a square matrix by compressed rows, in which elements at one place are added up, and right-hand sides as rows.
//! Output: solutions as rows, and whether the matrix is regular. What is not regular has the solutions 0, as in the text.
//!
//! Compressed rows of a matrix are compressed columns of its transpose, so faer factors that.

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::cholesky::{SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Side};

use crate::call::Outcome;

/// A matrix as it is given: where rows begin, the column of each element, and the elements.
type Rows<'a> = (&'a [i64], &'a [i64], &'a [f64]);

/// How much an LU factorisation is taken to need for each element: how it fills up is known only when it is done.
const FILL: usize = 40;

/// What a call needs.
pub(crate) struct Needs {
    pub(crate) numbers: usize,
    pub(crate) operations: usize,
}

/// A matrix in which each place of a row stands once, and columns ascend.
struct Sorted {
    starts: Vec<usize>,
    places: Vec<usize>,
    values: Vec<f64>,
}

impl Sorted {
    /// None if the arrays are no square matrix.
    fn of((starts, places, values): Rows<'_>) -> Option<Self> {
        let n = starts.len().checked_sub(1)?;
        let mut sorted = Self { starts: vec![0], places: vec![], values: vec![] };
        if n == 0 || starts[0] != 0 || places.len() != values.len() {
            return None;
        }
        let mut row: Vec<(usize, f64)> = vec![];
        for ends in starts.windows(2) {
            let (from, to) = (usize::try_from(ends[0]).ok()?, usize::try_from(ends[1]).ok()?);
            row.clear();
            for (place, value) in places.get(from..to)?.iter().zip(&values[from..to]) {
                row.push((usize::try_from(*place).ok().filter(|place| *place < n)?, *value));
            }
            row.sort_by_key(|(place, _)| *place);
            for (place, value) in &row {
                let start = sorted.starts[sorted.starts.len() - 1];
                if sorted.places.len() > start && sorted.places.last() == Some(place) {
                    sorted.values[sorted.places.len() - 1] += value;
                } else {
                    sorted.places.push(*place);
                    sorted.values.push(*value);
                }
            }
            sorted.starts.push(sorted.places.len());
        }
        Some(sorted)
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, usize> {
        let n = self.starts.len() - 1;
        SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.places)
    }

    fn matrix(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(self.pattern(), &self.values)
    }
}

/// What a call needs; none if the sizes do not fit each other.
pub(crate) fn needs(definite: bool, matrix: Rows<'_>, [m, k]: [usize; 2]) -> Option<Needs> {
    let sorted = Sorted::of(matrix)?;
    let n = sorted.starts.len() - 1;
    if k != n || m == 0 {
        return None;
    }
    let count = sorted.places.len();
    let factor = if definite {
        let ordering = SymmetricOrdering::Amd;
        factorize_symbolic_cholesky(sorted.pattern(), Side::Upper, ordering, Default::default())
            .ok()?
            .len_val()
    } else {
        count.checked_mul(FILL)?
    };
    let numbers = factor.checked_mul(2)?.checked_add(4 * (count + n))?;
    let by_column = factor / n + 1;
    Some(Needs { numbers, operations: factor.saturating_mul(by_column + 2 * m) })
}

/// Solves for every row of `b`: `a x = b`, or `aᵀ x = b` if `turned`, which changes nothing of a definite matrix.
pub(crate) fn solved(
    [definite, turned]: [bool; 2],
    matrix: Rows<'_>,
    b: &[f64],
    (x, regular): (&mut [f64], &mut bool),
) -> Outcome {
    let Some(sorted) = Sorted::of(matrix) else { return Outcome::Declined };
    let n = sorted.starts.len() - 1;
    *regular = sorted.values.iter().all(|value| value.is_finite());
    let factors = if *regular { Factors::of(&sorted, definite) } else { None };
    let Some(factors) = factors else {
        *regular = false;
        x.fill(0.0);
        return Outcome::Done;
    };
    x.copy_from_slice(b);
    factors.solve(turned, MatMut::from_column_major_slice_mut(&mut *x, n, b.len() / n));
    let is_finite = |items: &[f64]| items.iter().all(|item| item.is_finite());
    if !is_finite(x) {
        // A pivot that is 0 shows in the solution for finite numbers.
        let mut ones = vec![1.0; n];
        factors.solve(turned, MatMut::from_column_major_slice_mut(&mut ones, n, 1));
        if !is_finite(&ones) || is_finite(b) {
            *regular = false;
            x.fill(0.0);
        }
    }
    Outcome::Done
}

enum Factors {
    Definite(Llt<usize, f64>),
    General(Box<Lu<usize, f64>>),
}

impl Factors {
    /// None if the matrix is not positive definite, or has no place for a pivot.
    fn of(sorted: &Sorted, definite: bool) -> Option<Self> {
        if definite {
            let symbolic = SymbolicLlt::try_new(sorted.pattern(), Side::Upper).ok()?;
            Llt::try_new_with_symbolic(symbolic, sorted.matrix(), Side::Upper)
                .ok()
                .map(Self::Definite)
        } else {
            let symbolic = SymbolicLu::try_new(sorted.pattern()).ok()?;
            let factors = Lu::try_new_with_symbolic(symbolic, sorted.matrix()).ok()?;
            Some(Self::General(Box::new(factors)))
        }
    }

    fn solve(&self, turned: bool, x: MatMut<'_, f64>) {
        match self {
            Self::Definite(factors) => factors.solve_in_place_with_conj(Conj::No, x),
            // The factored matrix is the transpose already.
            Self::General(factors) if turned => factors.solve_in_place_with_conj(Conj::No, x),
            Self::General(factors) => factors.solve_transpose_in_place_with_conj(Conj::No, x),
        }
    }
}
