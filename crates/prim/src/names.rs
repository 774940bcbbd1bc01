//! Names of primitives: in the calculus' text, and as programs write them.

use crate::row::Prim;

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
            Self::Rem | Self::IntRem => "%",
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
        Self::ALL.iter().copied().find(|prim| prim.row().name == name)
    }
}
