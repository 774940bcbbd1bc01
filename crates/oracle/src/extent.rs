//! Binary64 that remembers how large and how small the numbers on its way were: what was added up from
//! huge terms has whatever rounding the order of operations leaves.

use crate::scalar::{Binary, Scalar, Unary};
use crate::{Data, Error};

/// A number with the largest size, or reciprocal of a size, of all that went into it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    value: f64,
    extent: f64,
    /// Whether one of them was below the smallest normal number, but not 0.
    has_vanished: bool,
}

impl Extent {
    fn made(value: f64, before: f64, has_vanished: bool) -> Self {
        let own = if value == 0.0 { 1.0 } else { value.abs().max(value.abs().recip()) };
        // NaN counts as boundless.
        let extent = if own >= before { own } else { before };
        let extent = if own.is_nan() { f64::INFINITY } else { extent };
        Self { value, extent, has_vanished: has_vanished || value.is_subnormal() }
    }

    /// The largest extent among the Reals of data.
    pub fn of(data: &Data<Self>) -> f64 {
        data.leaves().iter().fold(1.0, |largest: f64, leaf| largest.max(leaf.extent))
    }
}

impl Extent {
    /// Whether a number below the smallest normal one went into any of the Reals of data.
    pub fn has_vanished(data: &Data<Self>) -> bool {
        data.leaves().iter().any(|leaf| leaf.has_vanished)
    }
}

impl Scalar for Extent {
    fn from_f64(x: f64) -> Self {
        Self::made(x, 1.0, false)
    }

    fn real_part(&self) -> f64 {
        self.value
    }

    fn held(&self) -> Self {
        *self
    }

    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        Ok(Self::made(f64::unary(op, &x.value)?, x.extent, x.has_vanished))
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        let (extent, has_vanished) = (x.extent.max(y.extent), x.has_vanished || y.has_vanished);
        Ok(Self::made(f64::binary(op, &x.value, &y.value)?, extent, has_vanished))
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        Ok(Self::made(f64::pow_int(&x.value, n)?, x.extent, x.has_vanished))
    }

    fn polygamma(n: i64, x: &Self) -> Result<Self, Error> {
        Ok(Self::made(f64::polygamma(n, &x.value)?, x.extent, x.has_vanished))
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
        assert_eq!((quotient.value, quotient.has_vanished), (0.25, true));
        let log = Extent::unary(Unary::Log, &Extent::from_f64(0.0)).expect("a logarithm");
        let both = Extent::binary(Binary::Add, &log, &quotient).expect("a sum");
        assert_eq!((both.value, both.has_vanished), (f64::NEG_INFINITY, true));
        let kept = Extent::binary(Binary::Div, &y, &x).expect("a quotient");
        assert!(!kept.has_vanished);
        for boundless in [f64::INFINITY, f64::NAN] {
            assert!(Extent::from_f64(boundless).extent.is_infinite());
        }
    }
}
