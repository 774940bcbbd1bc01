//! The weights with which `perturb` moves the Reals of a value: numbers from 1 up to 2 that vary with the place, so
//! that what is equal does not cancel in differences. Every engine computes them by the same operations.

/// By how much the phase of a whole counts in those of its parts.
pub const SPREAD: f64 = 2.414_213_562_373_095;
/// By how much the phases of neighbouring parts differ.
pub const STRIDE: f64 = 0.618_033_988_749_895;

/// The phase of a part of a value: of a component, an element, a field, or of what a function captured.
pub fn phase(whole: f64, index: usize) -> f64 {
    (whole * SPREAD + (index as f64 + 1.0) * STRIDE) % 1.0
}

/// The weight of a Real.
pub fn weight(phase: f64) -> f64 {
    1.0 + phase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_transposed_places_differ() {
        let mut weights: Vec<f64> = vec![];
        for row in 0..8 {
            for column in 0..8 {
                weights.push(weight(phase(phase(0.0, row), column)));
            }
        }
        assert!(weights.iter().all(|weight| (1.0..2.0).contains(weight)));
        weights.sort_by(f64::total_cmp);
        assert!(weights.windows(2).all(|pair| pair[1] - pair[0] > 1e-4), "{weights:?}");
    }
}
