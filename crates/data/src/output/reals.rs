//! Reals as text.
//!
//! Input: a Real and how many digits are wanted. Output: text that reads back as that Real, or as the one it was
//! rounded to.

pub use pullback_prim::real_text;

/// How many significant digits numbers have; none is as many as tell a number from all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digits {
    /// Of a number.
    pub own: Option<usize>,
    /// Of a number in an array.
    pub elements: Option<usize>,
}

impl Digits {
    /// Those of the elements of an array.
    pub fn of_elements(self) -> Self {
        Self { own: self.elements, ..self }
    }
}

/// A Real with this many significant digits at most, of which none are zeros made up before the point.
pub fn rounded_text(real: f64, digits: Option<usize>) -> String {
    let Some(digits) = digits.filter(|_| real.is_finite()) else { return real_text(real) };
    let scientific = format!("{real:.*e}", digits.saturating_sub(1));
    // The largest numbers have no neighbour to be rounded to.
    let rounded = scientific.parse().ok().filter(|rounded: &f64| rounded.is_finite());
    let Some(rounded) = rounded else { return real_text(real) };
    let beyond = rounded != real && rounded.abs() >= 10_f64.powi(digits as i32);
    if beyond { format!("{rounded:e}") } else { real_text(rounded) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_are_not_known_are_not_made_up() {
        let text = |real: f64, digits: usize| rounded_text(real, Some(digits));
        assert_eq!(text(1.0 / 3.0, 3), "0.333");
        assert_eq!(text(2.0, 3), "2.0");
        assert_eq!(text(123_456.0, 3), "1.23e5");
        assert_eq!(text(123_000.0, 3), "123000.0");
        assert_eq!(text(-1.0e-9 / 3.0, 2), "-3.3e-10");
        assert_eq!(text(f64::NAN, 2), "nan");
        assert_eq!(text(f64::MAX, 2), "1.7976931348623157e308");
        assert_eq!(rounded_text(0.1 + 0.2, None), "0.30000000000000004");
    }
}
