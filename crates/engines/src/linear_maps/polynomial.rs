//! Polynomials over atoms: the numbers of a normal form.

use std::collections::BTreeMap;

/// A power product: atoms, each with how often it is a factor.
type Monomial = BTreeMap<usize, u32>;

/// A sum of monomials with coefficients other than 0. Those that programs write down are small enough to be exact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polynomial(BTreeMap<Monomial, f64>);

impl Polynomial {
    /// A number.
    pub fn constant(k: f64) -> Self {
        Self::default().with(Monomial::new(), k)
    }

    /// An atom.
    pub fn atom(atom: usize) -> Self {
        Self::default().with(BTreeMap::from([(atom, 1)]), 1.0)
    }

    fn with(mut self, monomial: Monomial, k: f64) -> Self {
        let total = self.0.get(&monomial).copied().unwrap_or(0.0) + k;
        if total == 0.0 {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, total);
        }
        self
    }

    /// `self + other`
    pub fn plus(&self, other: &Self) -> Self {
        let terms = other.0.iter();
        terms.fold(self.clone(), |total, (monomial, k)| total.with(monomial.clone(), *k))
    }

    /// `self * other`, unless a power is too high for its number.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut total = Self::default();
        for (a, k) in &self.0 {
            for (b, l) in &other.0 {
                let mut monomial = a.clone();
                for (atom, power) in b {
                    let known = monomial.entry(*atom).or_insert(0);
                    *known = known.checked_add(*power)?;
                }
                total = total.with(monomial, k * l);
            }
        }
        Some(total)
    }

    /// How many monomials it has.
    pub fn terms(&self) -> usize {
        self.0.len()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// As text, with these names for atoms.
    pub fn text(&self, name: &dyn Fn(usize) -> String) -> String {
        let term = |(monomial, k): (&Monomial, &f64)| {
            let power = |(atom, power): (&usize, &u32)| match power {
                1 => name(*atom),
                power => format!("{} ^ {power}", name(*atom)),
            };
            let mut factors: Vec<String> = monomial.iter().map(power).collect();
            if *k != 1.0 || factors.is_empty() {
                factors.insert(0, k.to_string());
            }
            factors.join(" * ")
        };
        self.0.iter().map(term).collect::<Vec<_>>().join(" + ")
    }
}
