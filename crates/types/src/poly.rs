//! Arithmetic on size polynomials. Every result is in normal form: monomials sorted, none with
//! coefficient zero. `None` means that a coefficient overflows or that the polynomial grows past
//! [`MAX_TERMS`]; such a size is simply not known statically.

use crate::ty::{Atom, Poly};

/// The most monomials a size may have.
const MAX_TERMS: usize = 64;
/// The highest degree a monomial may have.
const MAX_DEGREE: usize = 16;

impl Poly {
    /// A number.
    pub fn constant(value: i64) -> Self {
        Self { terms: if value == 0 { vec![] } else { vec![(vec![], value)] } }
    }
    /// A single atom.
    pub fn atom(atom: Atom) -> Self {
        Self { terms: vec![(vec![atom], 1)] }
    }
    /// The number it is, if it mentions no atom.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }
    /// The atom it is, if it is just one.
    pub fn as_atom(&self) -> Option<&Atom> {
        match self.terms.as_slice() {
            [(monomial, 1)] if monomial.len() == 1 => monomial.first(),
            _ => None,
        }
    }
    /// Every atom mentioned, with repetitions.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.iter().flat_map(|(monomial, _)| monomial)
    }
    /// `self + other`
    pub fn add(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        terms.extend(other.terms.iter().cloned());
        Self::normal(terms)
    }
    /// `self - other`
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.scale(-1)?)
    }
    /// `factor * self`
    pub fn scale(&self, factor: i64) -> Option<Self> {
        let scaled = self
            .terms
            .iter()
            .map(|(monomial, value)| Some((monomial.clone(), value.checked_mul(factor)?)));
        Self::normal(scaled.collect::<Option<_>>()?)
    }
    /// `self * other`
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::new();
        for (left, left_value) in &self.terms {
            for (right, right_value) in &other.terms {
                let mut monomial = left.clone();
                monomial.extend(right.iter().cloned());
                monomial.sort();
                if monomial.len() > MAX_DEGREE {
                    return None;
                }
                terms.push((monomial, left_value.checked_mul(*right_value)?));
            }
        }
        Self::normal(terms)
    }
    /// Replaces every atom by what `f` gives for it; `None` from `f` makes the whole unknown.
    pub fn substitute(&self, f: &mut impl FnMut(&Atom) -> Option<Self>) -> Option<Self> {
        let mut sum = Self::default();
        for (monomial, value) in &self.terms {
            let mut product = Self::constant(*value);
            for atom in monomial {
                product = product.mul(&f(atom)?)?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }
    /// Solves `self = 0` for a unification variable that stands alone in a monomial with coefficient
    /// 1 or -1 and nowhere else.
    pub fn solve(&self, is_var: impl Fn(&Atom) -> bool) -> Option<(Atom, Self)> {
        for (index, (monomial, value)) in self.terms.iter().enumerate() {
            let [atom] = monomial.as_slice() else { continue };
            if !is_var(atom) || value.abs() != 1 || self.atoms().filter(|a| *a == atom).count() != 1
            {
                continue;
            }
            let mut rest = self.terms.clone();
            rest.remove(index);
            let solution = Self { terms: rest }.scale(-value)?;
            return Some((atom.clone(), solution));
        }
        None
    }

    fn normal(mut terms: Vec<(Vec<Atom>, i64)>) -> Option<Self> {
        terms.sort();
        let mut merged: Vec<(Vec<Atom>, i64)> = Vec::with_capacity(terms.len());
        for (monomial, value) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == monomial => *sum = sum.checked_add(value)?,
                _ => merged.push((monomial, value)),
            }
        }
        merged.retain(|(_, value)| *value != 0);
        (merged.len() <= MAX_TERMS).then_some(Self { terms: merged })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Poly {
        Poly::atom(Atom::Param(0))
    }
    fn m() -> Poly {
        Poly::atom(Atom::Param(1))
    }

    #[test]
    fn order_of_writing_does_not_matter() {
        let one = Poly::constant(1);
        assert_eq!(n().add(&one), one.add(&n()));
        assert_eq!(n().mul(&m()), m().mul(&n()));
        let left = n().add(&m()).and_then(|sum| sum.mul(&n().sub(&m())?));
        let right = n().mul(&n()).and_then(|square| square.sub(&m().mul(&m())?));
        assert_eq!(left, right);
        assert_eq!(n().sub(&n()), Some(Poly::constant(0)));
    }

    #[test]
    fn overflow_is_unknown() {
        assert_eq!(Poly::constant(i64::MAX).add(&Poly::constant(1)), None);
    }

    #[test]
    fn solves_for_a_lone_variable() {
        let difference = n().sub(&m()).and_then(|d| d.sub(&Poly::constant(1))).expect("small");
        let solved = difference.solve(|atom| *atom == Atom::Param(1));
        assert_eq!(solved, n().sub(&Poly::constant(1)).map(|rest| (Atom::Param(1), rest)));
    }
}
