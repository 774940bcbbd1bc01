//! Values of a function next to a point, and what its derivative leaves of the difference.

/// The value next to the point.
pub struct Neighbour {
    /// How far along the direction.
    pub step: f64,
    /// The value there.
    pub value: Vec<f64>,
}

/// What the derivative leaves of the difference to the value next to the point.
pub fn remainder(y: &[f64], y_dot: &[f64], near: &Neighbour) -> Vec<f64> {
    (0..y.len()).map(|at| near.value[at] - y[at] - near.step * y_dot[at]).collect()
}
