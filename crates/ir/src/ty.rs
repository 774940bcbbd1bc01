//! Types of the IR: scalars, dense arrays of them, boxed data, and accumulators.
//!
//! A [`Type`] is what is held ([`Elem`]), how many dimensions there are, and whether it is an accumulator: `f64`,
//! `[][]f64`, `Tree.0`, `acc []f64`. Invariants. There are no arrays of arrays but as further dimensions. A lone unit
//! is no value: only arrays hold units, for their sizes.

use pullback_base::id_type;

id_type!(
    /// A boxed sum type of a program.
    pub DataId, "d"
);

/// What an array holds, or what a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Elem {
    /// binary64
    Real,
    /// 64-bit signed
    Int,
    /// truth value
    Bool,
    /// a text of the program's table, or one that came as an argument
    Str,
    /// Nothing: only arrays hold it, and they have sizes alone.
    Unit,
    /// A boxed data value.
    Data(DataId),
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// What it holds.
    pub elem: Elem,
    /// How many dimensions; 0 for scalars and data.
    pub rank: u8,
    /// Whether it is an accumulator of such values.
    pub is_acc: bool,
}

impl Type {
    /// A Real.
    pub const REAL: Self = Self::scalar(Elem::Real);
    /// An Int.
    pub const INT: Self = Self::scalar(Elem::Int);
    /// A Bool.
    pub const BOOL: Self = Self::scalar(Elem::Bool);
    /// A String.
    pub const STR: Self = Self::scalar(Elem::Str);

    /// A scalar or data value.
    pub const fn scalar(elem: Elem) -> Self {
        Self { elem, rank: 0, is_acc: false }
    }
    /// A data value.
    pub const fn data(data: DataId) -> Self {
        Self::scalar(Elem::Data(data))
    }
    /// An array of these, with one dimension more.
    pub const fn array(self) -> Self {
        self.with_rank(self.rank + 1)
    }
    /// With so many dimensions.
    pub const fn with_rank(self, rank: u8) -> Self {
        Self { elem: self.elem, rank, is_acc: self.is_acc }
    }
    /// An accumulator of these.
    pub const fn acc(self) -> Self {
        Self { elem: self.elem, rank: self.rank, is_acc: true }
    }
    /// What an accumulator accumulates.
    pub const fn value(self) -> Self {
        Self { elem: self.elem, rank: self.rank, is_acc: false }
    }
    /// Whether it is an array.
    pub const fn is_array(self) -> bool {
        self.rank > 0
    }
}
