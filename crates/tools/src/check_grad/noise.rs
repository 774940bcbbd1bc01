//! How much rounding changes a derivative, where its terms cancel: seen from multiples of a direction, for which a
//! linear map gives the same multiples, but for rounding, which falls differently each time.
//!
//! Input: several results for such directions. Output: the spread of what they give for one direction, and a multiple
//! of it that bounds what rounding may have done to any of them.

use super::neighbour::{Neighbour, remainder};

/// How many directions are tried.
pub const REPEATS: usize = 12;
/// How many times the spread a result may be off.
const MARGIN: f64 = 64.0;
/// By how many units in the last place directions differ.
const UNITS: f64 = 8.0;

/// A factor between 1 and 2, by `share` between -1 and 1.
pub fn multiple(share: f64) -> f64 {
    1.5 + 0.5 * share
}

/// A step so short that curvature does not show, by `share` between -1 and 1.
pub fn short_step(share: f64) -> f64 {
    (-36.0 + 8.0 * share).exp2()
}

/// A number that differs from `x` in its last digits, by `share` between -1 and 1 of the most.
pub fn jittered(x: f64, share: f64) -> f64 {
    x + x * (UNITS * share * f64::EPSILON)
}

/// By how much rounding may have changed the results of both modes.
pub struct Noise {
    /// In the product `⟨u, J v⟩`.
    pub products: f64,
    /// In each Real of `J v`.
    pub y_dot: Vec<f64>,
    /// In the value next to the point: a jump is the same for all short steps, what rounding leaves is not.
    pub value: f64,
    near: Vec<Vec<f64>>,
    first: Vec<f64>,
    others: Vec<f64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
}

impl Noise {
    /// No allowance.
    pub fn none() -> Self {
        Self::of(&[])
    }

    /// Nothing yet, beside the first result.
    pub fn of(y_dot: &[f64]) -> Self {
        let (first, y_dot) = (y_dot.to_vec(), vec![0.0; y_dot.len()]);
        let (others, forward, backward) = (Vec::new(), Vec::new(), Vec::new());
        let (products, value, near) = (0.0, 0.0, Vec::new());
        Self { products, y_dot, value, near, first, others, forward, backward }
    }

    /// Another result of forward mode, for the direction times `by`.
    pub fn add(&mut self, y_dot: &[f64], by: f64) {
        widen(&mut self.y_dot, &self.first, y_dot, by);
    }

    /// Another result of the complex step.
    pub fn add_other(&mut self, found: &[f64], by: f64) {
        if self.others.is_empty() {
            self.others = found.iter().map(|x| x / by).collect();
        }
        widen(&mut self.y_dot, &self.others, found, by);
    }

    /// Another value next to the point.
    pub fn add_value(&mut self, y: &[f64], there: Neighbour) {
        if there.value.len() != y.len() {
            return;
        }
        self.near.push(remainder(y, &self.first, &there));
        let each = (0..y.len()).map(|at| spread(self.near.iter().map(|near| near[at])));
        self.value = MARGIN * each.fold(0.0, f64::max);
    }

    /// The products of another direction and other weights, which together are `by` times as large.
    pub fn add_products(
        &mut self,
        y_bar: &[f64],
        y_dot: &[f64],
        x_bar: &[f64],
        x_dot: &[f64],
        by: f64,
    ) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / by;
        self.forward.push(dot(y_bar, y_dot));
        self.backward.push(dot(x_bar, x_dot));
        self.products = MARGIN * (spread(self.forward.clone()) + spread(self.backward.clone()));
    }
}

/// Takes the difference of two results into the allowance of each Real.
fn widen(noise: &mut [f64], first: &[f64], next: &[f64], by: f64) {
    for (noise, (a, b)) in noise.iter_mut().zip(first.iter().zip(next)) {
        let apart = MARGIN * (a - b / by).abs();
        if apart.is_finite() {
            *noise = noise.max(apart);
        }
    }
}

/// How far apart numbers are; 0 if they are not finite.
fn spread(items: impl IntoIterator<Item = f64>) -> f64 {
    let (least, most) = items
        .into_iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| (least.min(x), most.max(x)));
    if (most - least).is_finite() { most - least } else { 0.0 }
}
