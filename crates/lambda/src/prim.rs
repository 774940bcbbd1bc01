//! The primitives. Their one table (type, value, smooth domain, linearity, partial derivatives) is in
//! `prim/table.rs`; every engine and the evaluator read it, none has rules of its own.
//!
//! A new variant does not compile until it has a row. [`Prim::row`] gives the row, [`Prim::ALL`] all
//! primitives in the order of the table, [`Prim::from_name`] the one of a name.

mod added;
mod row;
mod scalar;
mod special;
mod table;
pub mod values;

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod table_tests;

pub use added::ADDED;
pub use row::{Class, Linearity, MAX_SHARED, PrimTy, RealFn, Row, Smooth, Term};
pub use scalar::{Scalar, ScalarFault};

/// A primitive operation, always saturated. Real arithmetic follows binary64; Int arithmetic is
/// checked (overflow and division by zero are run-time errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the table documents the variants that their names do not")]
pub enum Prim {
    // Real -> Real and Real -> Real -> Real, differentiable.
    Neg, Add, Sub, Mul, Div, Pow, Max, Min, Atan2, Hypot, Xlogy,
    Abs, Signum, Floor, Ceil, Round, Sqrt, Cbrt, Exp, Expm1, Log, Log1p,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Sech, Asinh, Acosh, Atanh,
    Erf, Erfc, Lgamma, Digamma, Sigmoid, Softplus,
    /// `Real -> Int -> Real`: repeated product; a negative exponent gives the reciprocal.
    PowInt,
    /// `Real -> Int -> Real`: the derivative of [`Prim::PowInt`], `n * x ^ (n - 1)`.
    PowSlope,
    /// `Int -> Real -> Real`: the n-th derivative of digamma (n = 0 is digamma), n ≥ 0.
    Polygamma,

    // Int -> Int and Int -> Int -> Int, checked.
    IntNeg, IntAdd, IntSub, IntMul,
    /// Floor of the quotient.
    IntDiv,
    /// Remainder with the divisor's sign.
    IntRem,
    /// `Int -> Int -> Int`, exponent ≥ 0.
    IntPow, IntMax, IntMin, IntAbs, IntSignum,

    // Comparisons to Bool.
    Lt, Le, Gt, Ge, Eq, Ne,
    IntLt, IntLe, IntGt, IntGe, IntEq, IntNe,
    BoolEq, StrEq, Not, IsNan,

    /// `Int -> Real`
    ToReal,
    /// `Real -> Int`, towards zero; NaN and numbers out of range are errors.
    ToInt,

    // Arrays: polymorphic in the element, they move values without looking at them.
    /// `[]a -> Int`
    Size,
    /// `[]a -> Int -> a`
    Index,
    /// `[]a -> Int -> a -> []a`: in place when the array is not shared.
    Update,
    /// `[]a -> Int -> Int -> []a`: first index, one past the last.
    Slice,
    /// `[]a -> []a -> []a`
    Concat,
    /// `[][]a -> []a`
    Flatten,
    /// `[]Real -> Real`: from left to right, `sum [] = 0`; linear.
    Sum,
    /// `[]Real -> []Int`: the stable ascending order, NaN last.
    Argsort,

    /// `[]…a -> Int -> Int`: the size at a nesting depth (0 is outermost), -1 where an empty outer
    /// array leaves nothing to measure.
    Dim,
    /// `Int -> Int -> String -> ()`: an error unless both sizes are equal or the first is -1; the
    /// string says what they are sizes of.
    CheckSize,
    /// `String -> a`: a run-time error with this message.
    Fail,

    /// A primitive beside the table, with the row that [`Prim::add`] was given for this slot.
    Added(u8),
}

impl Prim {
    /// The sign that programs write it with, if it is an operator: between two operands, and for a
    /// negation before one.
    pub fn operator(self) -> Option<&'static str> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the operators among all primitives")]
        Some(match self {
            Self::Neg | Self::IntNeg | Self::Sub | Self::IntSub => "-",
            Self::Add | Self::IntAdd => "+",
            Self::Mul | Self::IntMul => "*",
            Self::Div | Self::IntDiv => "/",
            Self::IntRem => "%",
            Self::Pow | Self::PowInt | Self::IntPow => "^",
            Self::Lt | Self::IntLt => "<",
            Self::Le | Self::IntLe => "<=",
            Self::Gt | Self::IntGt => ">",
            Self::Ge | Self::IntGe => ">=",
            Self::Eq | Self::IntEq | Self::BoolEq | Self::StrEq => "==",
            Self::Ne | Self::IntNe => "!=",
            _ => return None,
        })
    }

    /// Its name in programs, which may be an operator.
    pub fn written(self) -> &'static str {
        self.operator().unwrap_or(self.row().name)
    }

    /// The primitive of this printed name.
    pub fn from_name(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().copied().find(|prim| prim.row().name == name);
        known.or_else(|| added::from_name(name))
    }
}
