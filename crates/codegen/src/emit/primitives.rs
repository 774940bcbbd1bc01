//! Instruction selection for primitives on scalars: as an operator of C, as a function of C's library, or as a function
//! of `runtime/numbers.c`.
//!
//! Input: a primitive, its operands as C, and whether it is proved not to fail. Output: an expression of C.
//!
//! ```text
//! IR  add(x.1, y.2)     C   v1 + v2
//! IR  int_add(n.3, 1)   C   pb_int_add(c, site, number, v3, 1); proved: v3 + 1
//! ```
//!
//! Law: the value is that of the primitive table, and so are the cases in which it fails. A new primitive has to get
//! its form here; the compiler asks for it.

use pullback_base::bug;
use pullback_ir::Atom;
use pullback_prim::Prim;

use super::body::Body;
use super::ownership::Dead;
use super::statements::prim_number;

/// How a primitive is written.
pub(super) enum Form {
    /// Between its arguments.
    Between(&'static str),
    /// Before its argument.
    Before(&'static str),
    /// As a function that cannot fail.
    Function(&'static str),
    /// As a function that may fail, given the context, the place and the number of the primitive; and the
    /// operator that does the same where it cannot.
    Failing(&'static str, Option<&'static str>),
    /// [`Prim::ToInt`]
    Truncated,
    /// As a function that looks at texts, given the context.
    OfTexts(&'static str),
    /// As a function that makes a text, given the context and the place.
    Text(&'static str),
}

#[rustfmt::skip]
pub(super) fn form(prim: Prim) -> Form {
    use Form::{Before, Between, Failing, Function, OfTexts, Text};
    match prim {
        Prim::Neg => Before("-"),
        Prim::Add => Between("+"), Prim::Sub => Between("-"), Prim::Mul => Between("*"), Prim::Div => Between("/"),
        Prim::Rem => Function("pb_rem"),
        Prim::Pow => Function("pow"), Prim::Max => Function("pb_max"), Prim::Min => Function("pb_min"),
        Prim::Atan2 => Function("atan2"), Prim::Hypot => Function("pb_hypot"), Prim::Xlogy => Function("pb_xlogy"),
        Prim::Abs => Function("fabs"), Prim::Signum => Function("pb_signum"), Prim::Floor => Function("floor"),
        Prim::Ceil => Function("ceil"), Prim::Round => Function("round"), Prim::Sqrt => Function("sqrt"),
        Prim::Cbrt => Function("cbrt"), Prim::Exp => Function("exp"), Prim::Expm1 => Function("expm1"),
        Prim::Log => Function("log"), Prim::Log1p => Function("log1p"),
        Prim::Sin => Function("sin"), Prim::Cos => Function("cos"), Prim::Tan => Function("tan"),
        Prim::Asin => Function("asin"), Prim::Acos => Function("acos"), Prim::Atan => Function("atan"),
        Prim::Sinh => Function("sinh"), Prim::Cosh => Function("cosh"), Prim::Tanh => Function("tanh"),
        Prim::Sech2 => Function("pb_sech2"), Prim::Asinh => Function("asinh"), Prim::Acosh => Function("acosh"),
        Prim::Atanh => Function("atanh"), Prim::Erf => Function("erf"), Prim::Erfc => Function("erfc"),
        Prim::Lgamma => Function("pb_lgamma"), Prim::Digamma => Function("pb_digamma"),
        Prim::Sigmoid => Function("pb_sigmoid"), Prim::Softplus => Function("pb_softplus"),
        Prim::PowInt => Function("pb_pow_int"), Prim::PowSlope => Function("pb_pow_slope"),
        Prim::Polygamma => Function("pb_polygamma"),
        Prim::IntNeg => Failing("pb_int_neg", None), Prim::IntAdd => Failing("pb_int_add", Some("+")),
        Prim::IntSub => Failing("pb_int_sub", Some("-")), Prim::IntMul => Failing("pb_int_mul", Some("*")),
        Prim::IntDiv => Failing("pb_int_div", None), Prim::IntRem => Failing("pb_int_rem", None),
        Prim::IntPow => Failing("pb_int_pow", None), Prim::IntAbs => Failing("pb_int_abs", None),
        Prim::IntMax => Function("pb_int_max"), Prim::IntMin => Function("pb_int_min"),
        Prim::IntSignum => Function("pb_int_signum"),
        Prim::Lt | Prim::IntLt => Between("<"), Prim::Le | Prim::IntLe => Between("<="),
        Prim::Gt | Prim::IntGt => Between(">"), Prim::Ge | Prim::IntGe => Between(">="),
        Prim::Eq | Prim::IntEq | Prim::BoolEq => Between("=="), Prim::Ne | Prim::IntNe => Between("!="),
        Prim::Not => Before("!"), Prim::IsNan => Function("__builtin_isnan"), Prim::ToReal => Before("(double)"),
        Prim::ToInt => Form::Truncated,
        Prim::StrEq => OfTexts("pb_str_eq"), Prim::ReadReal => OfTexts("pb_read_real"), Prim::ShowReal => Text("pb_show_real"), Prim::ShowInt => Text("pb_show_int"),
        Prim::Quote => Text("pb_quote"), Prim::Enclose => Text("pb_enclose"), Prim::StrJoin => Text("pb_str_join"),
        Prim::Size | Prim::Index | Prim::Update | Prim::Slice | Prim::Concat | Prim::Flatten | Prim::Sum
        | Prim::Argsort | Prim::Sized | Prim::Dim | Prim::CheckSize | Prim::Tell | Prim::Fail | Prim::OutOfFuel
        | Prim::EngineLimit | Prim::OtherShape | Prim::Broken | Prim::Beside(_) => {
            bug("codegen", format_args!("a primitive on scalars, not {prim:?}"))
        }
    }
}

impl Body<'_, '_> {
    /// The value of a primitive.
    pub fn primitive(&mut self, prim: Prim, args: &[Atom], dead: &mut Dead<'_>) -> String {
        let mut texts: Vec<String> = args.iter().map(|arg| self.atom(*arg)).collect();
        if let (Prim::StrJoin, [one, other]) = (prim, args) {
            texts[0] = self.take(*one, &[*other], dead);
        }
        let site = self.site().to_string();
        primitive_text(prim, &texts, self.is_proven, &site)
    }
}

/// The value of a primitive, of these operands.
pub(super) fn primitive_text(prim: Prim, texts: &[String], is_proven: bool, site: &str) -> String {
    match (form(prim), texts) {
        (Form::Between(operator), [a, b]) => format!("{a} {operator} {b}"),
        (Form::Before(operator), [a]) => format!("{operator}{a}"),
        (Form::Function(function), args) => format!("{function}({})", args.join(", ")),
        (Form::Failing(_, Some(operator)), [a, b]) if is_proven => {
            format!("{a} {operator} {b}")
        }
        (Form::Failing(function, _), args) => {
            format!("{function}(c, {site}, {}, {})", prim_number(prim), args.join(", "))
        }
        (Form::OfTexts(function), args) => format!("{function}(c, {})", args.join(", ")),
        (Form::Text(function), args) => format!("{function}(c, {site}, {})", args.join(", ")),
        (Form::Truncated, [a]) => format!("pb_to_int(c, {site}, {a})"),
        (_, args) => {
            bug("codegen", format_args!("other than {} arguments of {prim:?}", args.len()))
        }
    }
}
