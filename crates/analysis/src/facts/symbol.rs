//! Sizes by name: a size of an array is a number, the size of a dimension, or an Int.
//!
//! Invariant: a size that is not exact is that of what has rows.

use pullback_ir::VarId;

/// A number that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A number.
    Number(i64),
    /// The size of a dimension of an array.
    Dim(VarId, u8),
    /// An Int.
    Int(VarId),
}

/// A size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// The size, if there are any rows there.
    pub symbol: Symbol,
    /// Whether the symbol is the size also without rows.
    pub is_exact: bool,
    /// Whether the size is 0 without rows.
    pub or_zero: bool,
}

impl Size {
    /// A size that is known, rows or not.
    pub fn exact(symbol: Symbol) -> Self {
        Self { symbol, is_exact: true, or_zero: false }
    }
    /// Whether what is known decides it.
    pub fn is_decided(self) -> bool {
        self.is_exact || self.or_zero
    }
}

/// What is known of a value that a call or a function hands over: which symbol it is, if it is an Int, or the size of each
/// dimension, if it is an array, and whether that is so without rows too.
pub type Handed = Vec<Option<(Symbol, bool)>>;

/// The size that a dimension of an array has, of which nothing else is known.
pub(super) fn own(var: VarId, k: usize) -> Size {
    Size::exact(Symbol::Dim(var, k as u8))
}

/// The sizes of a variable: those that are known, and its own.
pub(super) fn of_own(var: VarId, sizes: &[Option<Size>]) -> Vec<Size> {
    sizes.iter().enumerate().map(|(k, size)| size.unwrap_or_else(|| own(var, k))).collect()
}
