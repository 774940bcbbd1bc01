//! The built-in names of the language, beside its operators. Their types are in
//! [`crate::infer`]; everything else a program may use is written in the prelude.

use pullback_prim::Prim;
use pullback_syntax::ast::BinaryOp;

use crate::tir::Builtin;

/// The built-in of this name.
pub fn lookup(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
}

/// Every built-in name.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// The name of a built-in, or the spelling of its operator.
pub fn name_of(builtin: Builtin) -> &'static str {
    if let Some((name, _)) = BUILTINS.iter().find(|(_, known)| *known == builtin) {
        return name;
    }
    BinaryOp::ALL.iter().find(|op| of_operator(**op) == Some(builtin)).map_or("-", |op| op.text())
}

/// The built-in behind an operator; `|>` is application.
pub fn of_operator(op: BinaryOp) -> Option<Builtin> {
    Some(match op {
        BinaryOp::Pipe => return None,
        BinaryOp::Or => Builtin::Or,
        BinaryOp::And => Builtin::And,
        BinaryOp::Eq => Builtin::Eq,
        BinaryOp::Ne => Builtin::Ne,
        BinaryOp::Lt => Builtin::Lt,
        BinaryOp::Le => Builtin::Le,
        BinaryOp::Gt => Builtin::Gt,
        BinaryOp::Ge => Builtin::Ge,
        BinaryOp::Add => Builtin::Add,
        BinaryOp::Sub => Builtin::Sub,
        BinaryOp::Mul => Builtin::Mul,
        BinaryOp::Div => Builtin::Div,
        BinaryOp::Rem => Builtin::Rem,
        BinaryOp::Dotted(side, arithmetic) => Builtin::Dotted(side, arithmetic),
        BinaryOp::Join => Builtin::Prim(Prim::StrJoin),
        BinaryOp::MatMul => Builtin::MatMul,
        BinaryOp::Pow => Builtin::Pow,
    })
}

const BUILTINS: &[(&str, Builtin)] = &[
    ("exp", Builtin::Prim(Prim::Exp)),
    ("expm1", Builtin::Prim(Prim::Expm1)),
    ("log", Builtin::Prim(Prim::Log)),
    ("log1p", Builtin::Prim(Prim::Log1p)),
    ("sin", Builtin::Prim(Prim::Sin)),
    ("cos", Builtin::Prim(Prim::Cos)),
    ("tan", Builtin::Prim(Prim::Tan)),
    ("asin", Builtin::Prim(Prim::Asin)),
    ("acos", Builtin::Prim(Prim::Acos)),
    ("atan", Builtin::Prim(Prim::Atan)),
    ("sinh", Builtin::Prim(Prim::Sinh)),
    ("cosh", Builtin::Prim(Prim::Cosh)),
    ("tanh", Builtin::Prim(Prim::Tanh)),
    ("asinh", Builtin::Prim(Prim::Asinh)),
    ("acosh", Builtin::Prim(Prim::Acosh)),
    ("atanh", Builtin::Prim(Prim::Atanh)),
    ("sqrt", Builtin::Prim(Prim::Sqrt)),
    ("cbrt", Builtin::Prim(Prim::Cbrt)),
    ("floor", Builtin::Prim(Prim::Floor)),
    ("ceil", Builtin::Prim(Prim::Ceil)),
    ("round", Builtin::Prim(Prim::Round)),
    ("erf", Builtin::Prim(Prim::Erf)),
    ("erfc", Builtin::Prim(Prim::Erfc)),
    ("lgamma", Builtin::Prim(Prim::Lgamma)),
    ("digamma", Builtin::Prim(Prim::Digamma)),
    ("sigmoid", Builtin::Prim(Prim::Sigmoid)),
    ("softplus", Builtin::Prim(Prim::Softplus)),
    ("atan2", Builtin::Prim(Prim::Atan2)),
    ("hypot", Builtin::Prim(Prim::Hypot)),
    ("xlogy", Builtin::Prim(Prim::Xlogy)),
    ("polygamma", Builtin::Prim(Prim::Polygamma)),
    ("max", Builtin::Max),
    ("min", Builtin::Min),
    ("abs", Builtin::Abs),
    ("signum", Builtin::Signum),
    ("real", Builtin::Prim(Prim::ToReal)),
    ("int", Builtin::Prim(Prim::ToInt)),
    ("is_nan", Builtin::Prim(Prim::IsNan)),
    ("read_real", Builtin::Prim(Prim::ReadReal)),
    ("not", Builtin::Prim(Prim::Not)),
    ("size", Builtin::Prim(Prim::Size)),
    ("concat", Builtin::Prim(Prim::Concat)),
    ("flatten", Builtin::Prim(Prim::Flatten)),
    ("argsort", Builtin::Prim(Prim::Argsort)),
    ("sum", Builtin::Sum),
    ("einsum", Builtin::Einsum),
    ("build", Builtin::Build),
    ("assert", Builtin::Assert),
    ("error", Builtin::Error),
    ("string", Builtin::String),
    ("debug", Builtin::Debug),
    ("vjp", Builtin::Vjp),
    ("jvp", Builtin::Jvp),
    ("linearize", Builtin::Linearize),
    ("rd", Builtin::Rd),
    ("grad", Builtin::Grad),
    ("value_and_grad", Builtin::ValueAndGrad),
    ("jacobian", Builtin::Jacobian),
    ("jacobian_forward", Builtin::JacobianForward),
    ("jacobian_reverse", Builtin::JacobianReverse),
    ("hessian", Builtin::Hessian),
    ("hvp", Builtin::Hvp),
    ("stop_gradient", Builtin::StopGradient),
    ("custom_vjp", Builtin::CustomVjp),
    ("custom_jvp", Builtin::CustomJvp),
    ("zeros", Builtin::Zeros),
    ("move", Builtin::Move),
    ("displacement", Builtin::Displacement),
    ("as_tangent", Builtin::AsTangent),
    ("map_reals", Builtin::MapReals),
    ("map_reals2", Builtin::MapReals2),
    ("fold_reals", Builtin::FoldReals),
    ("sum_reals", Builtin::SumReals),
    ("checkpoint", Builtin::Checkpoint),
    ("assume_linear", Builtin::AssumeLinear),
    ("perturb", Builtin::Perturb),
    ("differentiated_as", Builtin::DifferentiatedAs),
];

#[cfg(test)]
mod tests {
    use super::*;

    const REFERENCE: &str = include_str!("../../../docs/language.md");

    /// Primitives that programs reach otherwise than by a built-in of their own, by what the reference
    /// says of that.
    const OTHERWISE: &[(&str, &[Prim])] = &[
        ("`-x`", &[Prim::Neg, Prim::IntNeg]),
        ("`+ -`", &[Prim::Add, Prim::Sub, Prim::IntAdd, Prim::IntSub]),
        ("`* / % @`", &[Prim::Mul, Prim::Div, Prim::Rem, Prim::IntMul, Prim::IntDiv, Prim::IntRem]),
        ("`^`", &[Prim::Pow, Prim::PowInt, Prim::IntPow]),
        ("`max min`", &[Prim::Max, Prim::Min, Prim::IntMax, Prim::IntMin]),
        ("`abs signum`", &[Prim::Abs, Prim::Signum, Prim::IntAbs, Prim::IntSignum]),
        ("`== != < <= > >=`", &[Prim::Eq, Prim::Ne, Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge]),
        ("`== != < <= > >=`", &[Prim::IntEq, Prim::IntNe, Prim::BoolEq, Prim::StrEq]),
        ("`== != < <= > >=`", &[Prim::IntLt, Prim::IntLe, Prim::IntGt, Prim::IntGe]),
        ("`sum`", &[Prim::Sum]),
        ("`[i]`", &[Prim::Index]),
        ("slices (the first index, and one past the last)", &[Prim::Slice]),
        ("`with`", &[Prim::Update]),
        ("`assert`, `error`", &[Prim::Fail]),
        ("`++`", &[Prim::StrJoin]),
        ("`string`", &[Prim::ShowReal, Prim::ShowInt, Prim::Quote, Prim::Enclose]),
        ("`debug`", &[Prim::Tell]),
        // Checks of sizes, which elaboration inserts.
        ("sizes that should agree", &[Prim::Dim, Prim::CheckSize]),
        // The sizes of rows, which elaboration puts beside what makes arrays of arrays.
        ("rows that are absent", &[Prim::Sized]),
        // Primitives that only derivatives of others contain.
        ("", &[Prim::PowSlope, Prim::Sech2]),
        // Faults that only translated programs stop with.
        ("", &[Prim::OutOfFuel, Prim::EngineLimit, Prim::OtherShape, Prim::Broken]),
    ];

    #[test]
    fn every_primitive_is_in_the_language_and_its_reference() {
        let (_, section) = REFERENCE.split_once("\n## Built-in operations\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let quoted = section.split('`').skip(1).step_by(2);
        let documented: Vec<&str> = quoted.flat_map(str::split_whitespace).collect();
        for &prim in Prim::ALL {
            let name = prim.row().name;
            let otherwise = OTHERWISE.iter().find(|(_, prims)| prims.contains(&prim));
            if BUILTINS.contains(&(name, Builtin::Prim(prim))) {
                assert!(otherwise.is_none(), "`{name}` is a built-in");
                assert!(documented.contains(&name), "`{name}` is not in docs/language.md");
            } else if let Some((text, _)) = otherwise {
                assert!(REFERENCE.contains(text), "{text} is not in docs/language.md: `{name}`");
            } else {
                panic!("no program reaches `{name}`: it is no built-in");
            }
        }
    }

    #[test]
    fn every_built_in_is_in_the_reference() {
        let quoted: Vec<&str> = REFERENCE.split('`').skip(1).step_by(2).collect();
        for name in names() {
            let is_name = |text: &&str| text.split_whitespace().any(|word| word == name);
            assert!(quoted.iter().any(is_name), "`{name}` is not in docs/language.md");
        }
    }
}
