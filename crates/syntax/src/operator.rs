//! The binary operators: what they are and how they are spelt.

/// A binary operator, from loosest to tightest binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `x |> f` is `f x`. Left.
    Pipe,
    /// `a || b`, lazy. Right.
    Or,
    /// `a && b`, lazy. Right.
    And,
    /// `a == b`. Comparisons do not chain.
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a + b`. Left.
    Add,
    /// `a - b`
    Sub,
    /// `a ++ b`: Strings one after the other. Left.
    Join,
    /// `a * b`. Left.
    Mul,
    /// `a / b`: Real division; on Int the floor of the quotient.
    Div,
    /// `a % b`: Int remainder with the divisor's sign.
    Rem,
    /// `s *. v`, `v .+ s` and so on: a number and every number of an array, tuple or record.
    Dotted(NumberSide, Arithmetic),
    /// `a @ b`: matrix product (matrix times matrix, or matrix times vector).
    MatMul,
    /// `a ^ b`: power. Right; binds tighter than unary minus.
    Pow,
}

/// The side of a dotted operator on which the single number stands. The dot is on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberSide {
    /// `s +. v`
    Left,
    /// `v .+ s`
    Right,
}

/// The arithmetic that has dotted forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `^`
    Pow,
}

impl Arithmetic {
    /// The operator without a dot.
    pub fn plain(self) -> BinaryOp {
        match self {
            Self::Add => BinaryOp::Add,
            Self::Sub => BinaryOp::Sub,
            Self::Mul => BinaryOp::Mul,
            Self::Div => BinaryOp::Div,
            Self::Pow => BinaryOp::Pow,
        }
    }
}

impl BinaryOp {
    /// Every operator, loosest first.
    pub const ALL: [Self; 27] = [
        Self::Pipe,
        Self::Or,
        Self::And,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Add,
        Self::Sub,
        Self::Dotted(NumberSide::Left, Arithmetic::Add),
        Self::Dotted(NumberSide::Left, Arithmetic::Sub),
        Self::Dotted(NumberSide::Right, Arithmetic::Add),
        Self::Dotted(NumberSide::Right, Arithmetic::Sub),
        Self::Join,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::MatMul,
        Self::Dotted(NumberSide::Left, Arithmetic::Mul),
        Self::Dotted(NumberSide::Left, Arithmetic::Div),
        Self::Dotted(NumberSide::Right, Arithmetic::Mul),
        Self::Dotted(NumberSide::Right, Arithmetic::Div),
        Self::Pow,
        Self::Dotted(NumberSide::Left, Arithmetic::Pow),
        Self::Dotted(NumberSide::Right, Arithmetic::Pow),
    ];

    /// Whether it binds like `^`.
    pub fn is_power(self) -> bool {
        matches!(self, Self::Pow | Self::Dotted(_, Arithmetic::Pow))
    }

    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            Self::Pipe => "|>",
            Self::Or => "||",
            Self::And => "&&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Dotted(NumberSide::Left, Arithmetic::Add) => "+.",
            Self::Dotted(NumberSide::Left, Arithmetic::Sub) => "-.",
            Self::Dotted(NumberSide::Left, Arithmetic::Mul) => "*.",
            Self::Dotted(NumberSide::Left, Arithmetic::Div) => "/.",
            Self::Dotted(NumberSide::Left, Arithmetic::Pow) => "^.",
            Self::Dotted(NumberSide::Right, Arithmetic::Add) => ".+",
            Self::Dotted(NumberSide::Right, Arithmetic::Sub) => ".-",
            Self::Dotted(NumberSide::Right, Arithmetic::Mul) => ".*",
            Self::Dotted(NumberSide::Right, Arithmetic::Div) => "./",
            Self::Dotted(NumberSide::Right, Arithmetic::Pow) => ".^",
            Self::Join => "++",
            Self::MatMul => "@",
            Self::Pow => "^",
        }
    }
}
