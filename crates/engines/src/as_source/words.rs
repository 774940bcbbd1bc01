//! The words of the language: names, literals, and how primitives are written.

use pullback_lambda::Lit;
use pullback_prim::{Class, Prim, quoted, real_text};

/// The words that no variable can be called, and the names that the text uses itself.
#[rustfmt::skip]
const RESERVED: [&str; 43] = [
    "def", "type", "import", "as", "let", "rec", "and", "in", "if", "then", "else", "match", "with", "loop", "for", "while",
    "do", "true", "false", "checkpoint", "size", "sum", "max", "min", "abs", "signum", "real", "int", "not", "error", "zeros",
    "stop_gradient", "rd", "jvp", "inf", "nan", "pow_slope", "sech2", "assert", "vjp", "custom_vjp", "custom_jvp", "linearize",
];

/// How tightly the surroundings hold a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing follows.
    Open,
    /// An operand of a comparison is next.
    Compare,
    /// A summand.
    Sum,
    /// A factor.
    Product,
    /// A power, or an application.
    Power,
    /// An argument of an application.
    Argument,
}

impl Level {
    /// What the operands of an operator of this level have to bind at least as tightly as.
    pub fn sides(self) -> (Self, Self) {
        match self {
            Self::Sum => (Self::Sum, Self::Product),
            Self::Product => (Self::Product, Self::Power),
            Self::Open | Self::Compare => (Self::Sum, Self::Sum),
            Self::Power | Self::Argument => (Self::Argument, Self::Argument),
        }
    }
}

/// Functions of the table that the language has no name for.
pub const HELPERS: [(&str, &str); 2] = [
    ("sech2", "def sech2 (x: Real): Real = 1.0 / cosh x / cosh x"),
    (
        "pow_slope",
        "def pow_slope (x: Real) (n: Int): Real = if n == 0 then 0.0 else real n * x ^ (n - 1)",
    ),
];

/// The name, or the first one that is free of those with a number behind a gap.
pub fn first_free(base: &str, gap: &str, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{base}{gap}{number}"));
    let mut names = std::iter::once(base.to_owned()).chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_else(|| base.to_owned())
}

/// Whether the text needs this name for nothing else.
pub fn is_free(name: &str) -> bool {
    !RESERVED.contains(&name) && Prim::from_name(name).is_none()
}

/// A name of the notes as a variable of the language.
pub fn identifier(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let mut text: String = letters.collect();
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        text.insert(0, 'v');
    }
    text
}

/// The sign of a primitive that is written between its operands.
pub fn infix(prim: Prim) -> Option<(&'static str, Level)> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the operators among all primitives")]
    let level = match prim {
        Prim::Add | Prim::IntAdd | Prim::Sub | Prim::IntSub => Level::Sum,
        Prim::Mul | Prim::IntMul | Prim::Div | Prim::Rem | Prim::IntDiv | Prim::IntRem => {
            Level::Product
        }
        Prim::Pow | Prim::PowInt | Prim::IntPow => Level::Power,
        Prim::Neg | Prim::IntNeg => return None,
        _ => Level::Compare,
    };
    Some((prim.operator()?, level))
}

/// The word of a primitive that is applied like a function, if the language has one.
pub fn word(prim: Prim) -> Option<&'static str> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the names that differ from the table's, and those of neither"
    )]
    match prim {
        Prim::ToReal => Some("real"),
        Prim::ToInt => Some("int"),
        Prim::Size => Some("size"),
        Prim::Sum => Some("sum"),
        Prim::Fail => Some("error"),
        Prim::Not => Some("not"),
        Prim::IsNan => Some("is_nan"),
        Prim::Concat => Some("concat"),
        Prim::Flatten => Some("flatten"),
        Prim::Argsort => Some("argsort"),
        Prim::IntMax => Some("max"),
        Prim::IntMin => Some("min"),
        Prim::IntAbs => Some("abs"),
        Prim::IntSignum => Some("signum"),
        Prim::Beside(_) => None,
        _ => matches!(prim.row().class, Class::Smooth(_)).then(|| prim.row().name),
    }
}

/// A literal as printed forms have it.
pub fn plain(lit: &Lit) -> String {
    match lit {
        Lit::Real(x) => format!("{x:?}"),
        Lit::Int(n) => n.to_string(),
        Lit::Bool(truth) => truth.to_string(),
        Lit::Str(text) => format!("{text:?}"),
    }
}

/// A literal, and how tightly it binds.
pub fn literal(lit: &Lit) -> (String, Level) {
    match lit {
        Lit::Real(x) => (real(*x), Level::Argument),
        Lit::Int(n) if *n < 0 => (format!("({n})"), Level::Argument),
        Lit::Int(n) => (n.to_string(), Level::Argument),
        Lit::Bool(truth) => (truth.to_string(), Level::Argument),
        Lit::Str(text) => (quoted(text), Level::Argument),
    }
}

/// A number, in parentheses where it has a sign.
pub fn real(x: f64) -> String {
    let text = real_text(x);
    if text.starts_with('-') { format!("({text})") } else { text }
}

/// The size of an array at a nesting depth; 0 where there are no rows.
pub fn dim(array: &str, depth: &str) -> String {
    let Some(above) = depth.parse::<u32>().ok().filter(|depth| *depth > 0) else {
        return format!("(size {array})");
    };
    let inner = dim(&format!("{array}[0]"), &(above - 1).to_string());
    format!("(if size {array} == 0 then 0 else {inner})")
}
