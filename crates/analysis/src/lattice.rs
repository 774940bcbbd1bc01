//! The lattice of constant propagation (Kildall, 1973): no value yet, one value, or any.
//!
//! Input: what is known on several ways. Output: what is known where they come together ([`Flat::join`]).
//!
//! ```text
//! Never ∨ Is(3) = Is(3)     Is(3) ∨ Is(3) = Is(3)     Is(3) ∨ Is(4) = Varies
//! ```
//!
//! Law: `join` is the least upper bound, and what is known rises twice at most. So an analysis that begins with `Never`
//! and joins what each statement gives finds the least solution in few rounds.

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flat<T> {
    /// There is no value.
    #[default]
    Never,
    /// It is this one whenever it is there.
    Is(T),
    /// It may be any.
    Varies,
}

impl<T: Copy + PartialEq> Flat<T> {
    /// What is known if both are possible.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, known) | (known, Self::Never) => known,
            (Self::Is(one), Self::Is(other)) if one == other => self,
            (Self::Is(_) | Self::Varies, Self::Is(_) | Self::Varies) => Self::Varies,
        }
    }

    /// Joins what else is possible into what is known; whether that says more.
    pub fn learn(&mut self, other: Self) -> bool {
        let joined = self.join(other);
        let is_new = joined != *self;
        *self = joined;
        is_new
    }

    /// The value, if it is always the same.
    pub fn value(self) -> Option<T> {
        if let Self::Is(value) = self { Some(value) } else { None }
    }
}
