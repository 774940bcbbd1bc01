//! Binary64 that remembers how large and how small the numbers on its way were: what was added up from
//! huge terms has whatever rounding the order of operations leaves.

use crate::scalar::{Binary, Scalar, Unary};
use crate::{Data, Error};

/// A number with the largest size, or reciprocal of a size, of all that went into it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    value: f64,
    extent: f64,
}

impl Extent {
    fn made(value: f64, before: f64) -> Self {
        let own = if value == 0.0 {
            1.0
        } else if value.is_nan() {
            // NaN counts as boundless.
            f64::INFINITY
        } else {
            value.abs().max(value.abs().recip().min(f64::MAX))
        };
        Self { value, extent: own.max(before) }
    }

    /// The largest extent among the Reals of data.
    pub fn of(data: &Data<Self>) -> f64 {
        data.leaves().iter().fold(1.0, |largest: f64, leaf| largest.max(leaf.extent))
    }
}

impl Scalar for Extent {
    fn from_f64(x: f64) -> Self {
        Self::made(x, 1.0)
    }

    fn real_part(&self) -> f64 {
        self.value
    }

    fn held(&self) -> Self {
        *self
    }

    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        Ok(Self::made(f64::unary(op, &x.value)?, x.extent))
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        Ok(Self::made(f64::binary(op, &x.value, &y.value)?, x.extent.max(y.extent)))
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        Ok(Self::made(f64::pow_int(&x.value, n)?, x.extent))
    }

    fn polygamma(n: i64, x: &Self) -> Result<Self, Error> {
        Ok(Self::made(f64::polygamma(n, &x.value)?, x.extent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_vanished_on_the_way_is_remembered() {
        let [x, y] = [0.25, f64::MIN_POSITIVE].map(Extent::from_f64);
        let product = Extent::binary(Binary::Mul, &x, &y).expect("a product");
        let quotient = Extent::binary(Binary::Div, &product, &y).expect("a quotient");
        assert_eq!(quotient.value, 0.25);
        assert!(quotient.extent.is_finite() && quotient.extent > f64::MIN_POSITIVE.recip());
        let kept = Extent::binary(Binary::Div, &y, &x).expect("a quotient");
        assert!(kept.extent <= f64::MIN_POSITIVE.recip());
        for boundless in [f64::INFINITY, f64::NAN] {
            assert!(Extent::from_f64(boundless).extent.is_infinite());
        }
    }
}
