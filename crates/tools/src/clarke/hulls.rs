//! Two questions about finitely many vectors, by linear programming: whether some direction is on the positive side of all,
//! and whether a point is a convex combination of them.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, Variable};

/// How far from 0 counts as 0, of vectors whose largest number is 1.
const LITTLE: f64 = 1e-9;

/// Whether there is a direction `h` with `⟨row, h⟩ > 0` for all rows: whether an open cone is not empty.
pub(super) fn have_direction(rows: &[Vec<f64>]) -> bool {
    let Some(count) = rows.first().map(Vec::len) else { return true };
    // The most that all products can be at once, for directions in a box.
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let least = problem.add_var(1.0, (0.0, 1.0));
    let h: Vec<Variable> = (0..count).map(|_| problem.add_var(0.0, (-1.0, 1.0))).collect();
    for row in rows {
        let size = row.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let mut terms: Vec<(Variable, f64)> =
            h.iter().copied().zip(row.iter().map(|x| x / size)).collect();
        terms.push((least, -1.0));
        problem.add_constraint(&terms, ComparisonOp::Ge, 0.0);
    }
    solved(&problem).is_some_and(|found| found[least] > LITTLE)
}

/// Whether a point is a convex combination of vectors of finite numbers.
pub(super) fn is_within(point: &[f64], vectors: &[Vec<f64>]) -> bool {
    let all = vectors.iter().flatten().chain(point);
    let size = all.fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
    // The least distance, as the sum of how far each number is off, that a combination can have.
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let weights: Vec<Variable> = vectors.iter().map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
    let sum: Vec<(Variable, f64)> = weights.iter().map(|weight| (*weight, 1.0)).collect();
    problem.add_constraint(&sum, ComparisonOp::Eq, 1.0);
    for (at, x) in point.iter().enumerate() {
        let [over, under] = [(); 2].map(|()| problem.add_var(1.0, (0.0, f64::INFINITY)));
        let numbers = vectors.iter().map(|vector| vector[at] / size);
        let mut terms: Vec<(Variable, f64)> = weights.iter().copied().zip(numbers).collect();
        terms.extend([(over, 1.0), (under, -1.0)]);
        problem.add_constraint(&terms, ComparisonOp::Eq, x / size);
    }
    solved(&problem).is_some_and(|found| found.objective() < LITTLE)
}

fn solved(problem: &Problem) -> Option<Solution> {
    problem.solve().ok()?.into_solution().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_cones() {
        assert!(have_direction(&[]));
        assert!(have_direction(&[vec![1e-9, 0.0], vec![0.0, -1e9]]));
        assert!(!have_direction(&[vec![1.0], vec![-1e-7]]));
        // Three half-planes around the origin.
        assert!(!have_direction(&[vec![1.0, 0.0], vec![-1.0, 1.0], vec![-1.0, -1.0]]));
        assert!(have_direction(&[vec![1.0, 0.0], vec![-1.0, 2.0], vec![1.0, -1.0]]));
    }

    #[test]
    fn convex_combinations() {
        let corners = [vec![0.0, 0.0], vec![2.0, 0.0], vec![0.0, 2.0]];
        assert!(is_within(&[0.5, 0.5], &corners));
        assert!(is_within(&[1.0, 1.0], &corners));
        assert!(!is_within(&[1.1, 1.1], &corners));
        assert!(is_within(&[3.0], &[vec![3.0]]));
        assert!(!is_within(&[3.0], &[]));
    }
}
