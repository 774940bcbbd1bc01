//! First-order data: what goes into a program and comes out, over any kind of number.

/// A first-order value.
#[derive(Clone, Debug, PartialEq)]
pub enum Data<S> {
    /// A Real.
    Real(S),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(String),
    /// A tuple or record.
    Tuple(Vec<Data<S>>),
    /// A constructor by tag, with its fields.
    Con(usize, Vec<Data<S>>),
    /// An array.
    Array(Vec<Data<S>>),
}

impl<S> Data<S> {
    /// Replaces every Real, in order, by a fallible function of its position and value.
    pub fn try_map<T, E>(&self, f: &mut impl FnMut(&S) -> Result<T, E>) -> Result<Data<T>, E> {
        let mut all = |items: &[Self]| {
            items.iter().map(|item| item.try_map(f)).collect::<Result<Vec<_>, E>>()
        };
        Ok(match self {
            Data::Real(x) => Data::Real(f(x)?),
            Data::Int(n) => Data::Int(*n),
            Data::Bool(b) => Data::Bool(*b),
            Data::Str(text) => Data::Str(text.clone()),
            Data::Tuple(items) => Data::Tuple(all(items)?),
            Data::Con(tag, items) => Data::Con(*tag, all(items)?),
            Data::Array(items) => Data::Array(all(items)?),
        })
    }

    /// Replaces every Real, in order.
    pub fn map<T>(&self, f: &mut impl FnMut(&S) -> T) -> Data<T> {
        let mapped: Result<_, std::convert::Infallible> = self.try_map(&mut |x| Ok(f(x)));
        match mapped {
            Ok(data) => data,
            Err(never) => match never {},
        }
    }

    /// Its Reals, in order.
    pub fn leaves(&self) -> Vec<S>
    where
        S: Clone,
    {
        let mut leaves = Vec::new();
        self.map(&mut |x| leaves.push(x.clone()));
        leaves
    }
}

impl Data<f64> {
    /// Whether both are the same: NaN is the same as NaN, and 0 as -0.
    pub fn same(&self, other: &Self) -> bool {
        self.agrees(other, &mut |a, b| a == b || (a.is_nan() && b.is_nan()))
    }

    /// Whether both have the same shape and discrete parts and their Reals satisfy `near`.
    pub fn agrees(&self, other: &Self, near: &mut impl FnMut(f64, f64) -> bool) -> bool {
        let mut all = |a: &[Self], b: &[Self]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, near))
        };
        match (self, other) {
            (Data::Real(a), Data::Real(b)) => near(*a, *b),
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Str(a), Data::Str(b)) => a == b,
            (Data::Tuple(a), Data::Tuple(b)) | (Data::Array(a), Data::Array(b)) => all(a, b),
            (Data::Con(tag_a, a), Data::Con(tag_b, b)) => tag_a == tag_b && all(a, b),
            _ => false,
        }
    }
}
