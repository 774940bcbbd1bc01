//! What to write where one type was meant for another: in words, and as changes of the text.

use pullback_base::{Fix, Name, Span};
use pullback_syntax::ast::BinaryOp;

use super::callee::Callee;
use super::why::Why;
use crate::tir::Builtin;
use crate::ty::Ty;

/// What to write where one type was meant for another.
pub(super) fn conversion_hint(actual: &Ty, expected: &Ty, why: &Why) -> Option<String> {
    let argument = matches!(why, Why::Argument(..));
    if matches!(why, Why::Scrutinee(_)) && matches!(actual, Ty::Real | Ty::Int | Ty::Bool | Ty::Str)
    {
        return Some("a pattern has the type of the value that is taken apart".to_owned());
    }
    let hint = match (actual, expected) {
        (Ty::Int, Ty::Real) => "write `real n` to turn an Int into a Real",
        (Ty::Real, Ty::Int) => "write `int x` to cut a Real down to an Int",
        (Ty::Real, Ty::Bool) => "compare it to get a Bool, as in `x > 0.0`",
        (Ty::Int, Ty::Bool) => "compare it to get a Bool, as in `n != 0`",
        (Ty::Bool, Ty::Real) => "write `if c then 1.0 else 0.0` to turn a condition into a number",
        (Ty::Bool, Ty::Int) => "write `if c then 1 else 0` to turn a condition into a number",
        (Ty::Tuple(items), Ty::Real | Ty::Int) if items.is_empty() => {
            "`()` holds nothing; it is also the derivative of an Int, a Bool or a String"
        }
        (Ty::Tuple(_), Ty::Record(_)) if matches!(why, Why::Scrutinee(_)) => {
            "a record is taken apart by its fields, as in `let { a, b } = r in …`"
        }
        (Ty::Sum(..), Ty::Sum(..)) if matches!(why, Why::Scrutinee(_)) => {
            "the arms of a `match` name constructors of the value's own type"
        }
        (Ty::Real | Ty::Int, Ty::Array(..)) => {
            "an array of one element is `[x]`, of equal ones `replicate n x`"
        }
        (Ty::Array(..), Ty::Str) if matches!(why, Why::Operator(BinaryOp::Join)) => {
            "arrays are joined with `concat a b`; `string xs` is the text of an array"
        }
        (_, Ty::Str) => "`string x` is the text of a value",
        (Ty::Str, Ty::Real) => "`real_of text` is the number that a text says, an `Option Real`",
        (Ty::Str, Ty::Int | Ty::Bool) => {
            "a String is no number; `real_of text` is the number that it says, an `Option Real`"
        }
        (Ty::Array(..), Ty::Real | Ty::Int) => {
            "pick one element with `xs[i]`, or go through all of them with `map` or `[ … | x <- xs ]`"
        }
        (other, Ty::Tuple(items))
            if argument && items.len() > 1 && items.first() == Some(other) =>
        {
            "it takes one tuple: write its components in parentheses, with commas, as in `f (x, y)`"
        }
        (Ty::Tuple(items), other) if argument && items.first() == Some(other) => {
            "arguments are written one after the other, without a comma: `f x y`, not `f(x, y)`"
        }
        (Ty::Record(a), Ty::Record(b)) => return Some(field_hint(a, b)),
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() != b.len() => {
            return Some(format!("one has {} components, the other {}", a.len(), b.len()));
        }
        (_, Ty::Fun(..)) if is_point(why) => {
            "a derivative is taken at a point that is data: differentiate a function of data, and use the other function inside it"
        }
        (_, Ty::Fun(..)) => "a function is needed here; write `\\x -> …` to make one",
        _ => return None,
    };
    Some(hint.to_string())
}

/// What turns a whole expression into one of the type that is expected.
pub(super) fn conversion(actual: &Ty, expected: &Ty, span: Span, why: &Why) -> Vec<Fix> {
    if matches!(why, Why::Scrutinee(_) | Why::Group(_)) {
        return vec![];
    }
    let (before, behind) = match (actual, expected) {
        (Ty::Int, Ty::Real) => ("(real (", "))"),
        (Ty::Real, Ty::Int) => ("(int (", "))"),
        (Ty::Bool, Ty::Real) => ("(if ", " then 1.0 else 0.0)"),
        (Ty::Bool, Ty::Int) => ("(if ", " then 1 else 0)"),
        (Ty::Int | Ty::Real | Ty::Bool | Ty::Tuple(_) | Ty::Record(_), Ty::Str) => {
            ("(string (", "))")
        }
        _ => return vec![],
    };
    Fix::around(span, before, behind).into()
}

/// What to write where a function is given an array of what it takes.
pub(super) fn rank_hint(actual: &Ty, expected: &Ty, why: &Why) -> Option<String> {
    let Why::Argument(callee, _) = why else { return None };
    let name = callee.name()?;
    let Ty::Array(_, element) = actual else { return None };
    match (element.as_ref(), expected) {
        (Ty::Real | Ty::Int, Ty::Real | Ty::Int) if callee.takes_one_number() => {
            Some(format!("`map {name} xs` applies it to every element"))
        }
        (Ty::Array(_, inner), Ty::Array(_, wanted)) if inner == wanted => {
            // An `einsum` is called by its name and its text.
            let given = if name.contains(' ') { format!("({name})") } else { name.to_owned() };
            Some(format!(
                "`{name}` takes a single row: `map {given} m` goes through each, `{name} (flatten m)` through all the numbers of a matrix"
            ))
        }
        _ => None,
    }
}

/// Whether the type is that of the point at which a derivative is taken.
fn is_point(why: &Why) -> bool {
    let Why::Argument(Callee::Builtin(operator), 1) = why else { return false };
    matches!(
        operator,
        Builtin::Grad
            | Builtin::ValueAndGrad
            | Builtin::Vjp
            | Builtin::Jvp
            | Builtin::Linearize
            | Builtin::Rd
            | Builtin::Jacobian
            | Builtin::Hessian
            | Builtin::Hvp
    )
}

fn field_hint(found: &[(Name, Ty)], wanted: &[(Name, Ty)]) -> String {
    let lacks = |a: &[(Name, Ty)], b: &[(Name, Ty)]| -> Vec<String> {
        let missing = a.iter().filter(|(name, _)| !b.iter().any(|(other, _)| other == name));
        missing.map(|(name, _)| format!("`{name}`")).collect()
    };
    let (missing, extra) = (lacks(wanted, found), lacks(found, wanted));
    match (missing.is_empty(), extra.is_empty()) {
        (false, true) => format!("add the missing {}", missing.join(", ")),
        (true, false) => format!("leave out {}", extra.join(", ")),
        (false, false) => {
            format!("missing: {}; not expected: {}", missing.join(", "), extra.join(", "))
        }
        (true, true) => "the fields are the same, their types differ".into(),
    }
}
