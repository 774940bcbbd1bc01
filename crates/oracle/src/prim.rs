//! What every primitive computes, over any kind of number.

use std::cmp::Ordering;
use std::rc::Rc;

use pullback_prim::{Prim, enclosed, quoted, read_real, real_text};

use crate::scalar::{Binary, Scalar, Unary};
use crate::value::{Value, wrong};
use crate::{Error, ErrorKind};

type Args<'p, S> = std::vec::IntoIter<Value<'p, S>>;
type Eval<'p, S> = Result<Value<'p, S>, Error>;

fn next<'p, S>(args: &mut Args<'p, S>) -> Eval<'p, S> {
    args.next().ok_or_else(|| wrong("an argument more"))
}

/// Applies a primitive to all its arguments.
#[rustfmt::skip]
pub(crate) fn apply<'p, S: Scalar>(prim: Prim, args: Vec<Value<'p, S>>) -> Eval<'p, S> {
    let mut args = args.into_iter();
    let a = &mut args;
    match prim {
        Prim::Neg => unary(Unary::Neg, a),
        Prim::Add => binary(Binary::Add, a),
        Prim::Sub => binary(Binary::Sub, a),
        Prim::Mul => binary(Binary::Mul, a),
        Prim::Div => binary(Binary::Div, a),
        Prim::Rem => binary(Binary::Rem, a),
        Prim::Pow => binary(Binary::Pow, a),
        Prim::Max => binary(Binary::Max, a),
        Prim::Min => binary(Binary::Min, a),
        Prim::Atan2 => binary(Binary::Atan2, a),
        Prim::Hypot => binary(Binary::Hypot, a),
        Prim::Xlogy => binary(Binary::Xlogy, a),
        Prim::Abs => unary(Unary::Abs, a),
        Prim::Signum => unary(Unary::Signum, a),
        Prim::Floor => unary(Unary::Floor, a),
        Prim::Ceil => unary(Unary::Ceil, a),
        Prim::Round => unary(Unary::Round, a),
        Prim::Sqrt => unary(Unary::Sqrt, a),
        Prim::Cbrt => unary(Unary::Cbrt, a),
        Prim::Exp => unary(Unary::Exp, a),
        Prim::Expm1 => unary(Unary::Expm1, a),
        Prim::Log => unary(Unary::Log, a),
        Prim::Log1p => unary(Unary::Log1p, a),
        Prim::Sin => unary(Unary::Sin, a),
        Prim::Cos => unary(Unary::Cos, a),
        Prim::Tan => unary(Unary::Tan, a),
        Prim::Asin => unary(Unary::Asin, a),
        Prim::Acos => unary(Unary::Acos, a),
        Prim::Atan => unary(Unary::Atan, a),
        Prim::Sinh => unary(Unary::Sinh, a),
        Prim::Cosh => unary(Unary::Cosh, a),
        Prim::Tanh => unary(Unary::Tanh, a),
        Prim::Sech2 => unary(Unary::Sech2, a),
        Prim::Asinh => unary(Unary::Asinh, a),
        Prim::Acosh => unary(Unary::Acosh, a),
        Prim::Atanh => unary(Unary::Atanh, a),
        Prim::Erf => unary(Unary::Erf, a),
        Prim::Erfc => unary(Unary::Erfc, a),
        Prim::Lgamma => unary(Unary::Lgamma, a),
        Prim::Digamma => unary(Unary::Digamma, a),
        Prim::Sigmoid => unary(Unary::Sigmoid, a),
        Prim::Softplus => unary(Unary::Softplus, a),
        Prim::PowInt => {
            let (x, n) = (next(a)?.real()?, next(a)?.int()?);
            Ok(Value::Real(S::pow_int(&x, n)?))
        }
        Prim::PowSlope => {
            let (x, n) = (next(a)?.real()?, next(a)?.int()?);
            if n == 0 {
                return Ok(Value::Real(S::from_int(0)));
            }
            let power = S::pow_int(&x, n.saturating_sub(1))?;
            Ok(Value::Real(S::binary(Binary::Mul, &S::from_int(n), &power)?))
        }
        Prim::Polygamma => {
            let (n, x) = (next(a)?.int()?, next(a)?.real()?);
            Ok(Value::Real(S::polygamma(n, &x)?))
        }

        Prim::IntNeg => int1(a, i64::checked_neg),
        Prim::IntAbs => int1(a, i64::checked_abs),
        Prim::IntSignum => int1(a, |x| Some(x.signum())),
        Prim::IntAdd => int2(a, i64::checked_add),
        Prim::IntSub => int2(a, i64::checked_sub),
        Prim::IntMul => int2(a, i64::checked_mul),
        Prim::IntMax => int2(a, |x, y| Some(x.max(y))),
        Prim::IntMin => int2(a, |x, y| Some(x.min(y))),
        Prim::IntDiv => divide(a, |x, y| {
            let quotient = x.checked_div(y)?;
            Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
        }),
        Prim::IntRem => divide(a, |x, y| {
            let rest = x.checked_rem(y).unwrap_or(0);
            Some(if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest })
        }),
        Prim::IntPow => {
            let (x, n) = (next(a)?.int()?, next(a)?.int()?);
            int_pow(x, n).map(Value::Int)
        }

        Prim::Lt => compare(a, |order| order == Some(Ordering::Less)),
        Prim::Gt => compare(a, |order| order == Some(Ordering::Greater)),
        Prim::Le => compare(a, |order| matches!(order, Some(Ordering::Less | Ordering::Equal))),
        Prim::Ge => compare(a, |order| matches!(order, Some(Ordering::Greater | Ordering::Equal))),
        Prim::Eq => compare(a, |order| order == Some(Ordering::Equal)),
        Prim::Ne => compare(a, |order| order != Some(Ordering::Equal)),
        Prim::IntLt => int_compare(a, Ordering::is_lt),
        Prim::IntLe => int_compare(a, Ordering::is_le),
        Prim::IntGt => int_compare(a, Ordering::is_gt),
        Prim::IntGe => int_compare(a, Ordering::is_ge),
        Prim::IntEq => int_compare(a, Ordering::is_eq),
        Prim::IntNe => int_compare(a, Ordering::is_ne),
        Prim::BoolEq => Ok(Value::Bool(next(a)?.bool()? == next(a)?.bool()?)),
        Prim::StrEq => Ok(Value::Bool(next(a)?.str()? == next(a)?.str()?)),
        Prim::ShowReal => text(real_text(next(a)?.real()?.real_part())),
        Prim::ShowInt => text(next(a)?.int()?.to_string()),
        Prim::Quote => text(quoted(&next(a)?.str()?)),
        Prim::Enclose => text(enclosed(&next(a)?.str()?)),
        Prim::StrJoin => text([&*next(a)?.str()?, &*next(a)?.str()?].concat()),
        Prim::ReadReal => Ok(Value::Real(S::from_f64(read_real(&next(a)?.str()?)))),
        // The oracle has nobody to tell anything.
        Prim::Tell => next(a)?.str().map(|_| Value::unit()),
        Prim::Not => Ok(Value::Bool(!next(a)?.bool()?)),
        Prim::IsNan => Ok(Value::Bool(next(a)?.real()?.real_part().is_nan())),
        Prim::ToReal => Ok(Value::Real(S::from_int(next(a)?.int()?))),
        Prim::ToInt => {
            let x = next(a)?.real()?;
            let no_int = || Error::new(ErrorKind::NoInt, format!("{}", x.real_part()));
            x.to_int().map(Value::Int).ok_or_else(no_int)
        }

        Prim::Size => Ok(Value::Int(next(a)?.array()?.len() as i64)),
        Prim::Index => {
            let (items, index) = (next(a)?.array()?, next(a)?.int()?);
            Ok(items[position(index, items.len())?].clone())
        }
        Prim::Update => {
            let (mut items, index, new) = (next(a)?.array()?, next(a)?.int()?, next(a)?);
            let position = position(index, items.len())?;
            Rc::make_mut(&mut items)[position] = new;
            Ok(Value::Array(items))
        }
        Prim::Slice => slice(a),
        Prim::Concat => concat(a),
        Prim::Flatten => flatten(a),
        Prim::Sum => {
            let items = next(a)?.array()?;
            let mut sum = S::from_f64(0.0);
            for item in items.iter() {
                sum = S::binary(Binary::Add, &sum, &item.clone().real()?)?;
            }
            Ok(Value::Real(sum))
        }
        Prim::Argsort => argsort(a),
        Prim::Sized => with_size(a),
        Prim::Dim => dim(a),
        Prim::CheckSize => check_size(a),
        Prim::Fail => Err(Error::new(ErrorKind::Message, next(a)?.str()?.to_string())),
        // Translations make these, and the oracle runs programs that nothing has translated.
        Prim::OutOfFuel | Prim::EngineLimit | Prim::OtherShape | Prim::Broken => {
            Err(Error::new(ErrorKind::Unsupported, prim.row().name))
        }
        // The oracle shares no rule with the primitives, so it knows those of the table only.
        Prim::Beside(_) => Err(Error::new(ErrorKind::Unsupported, prim.row().name)),
    }
}

fn text<'p, S: Scalar>(text: String) -> Eval<'p, S> {
    Ok(Value::Str(text.into()))
}

fn unary<'p, S: Scalar>(op: Unary, args: &mut Args<'p, S>) -> Eval<'p, S> {
    Ok(Value::Real(S::unary(op, &next(args)?.real()?)?))
}

fn binary<'p, S: Scalar>(op: Binary, args: &mut Args<'p, S>) -> Eval<'p, S> {
    Ok(Value::Real(S::binary(op, &next(args)?.real()?, &next(args)?.real()?)?))
}

fn overflow() -> Error {
    Error::new(ErrorKind::Overflow, "beyond 64 bits")
}

fn int1<'p, S: Scalar>(args: &mut Args<'p, S>, f: impl Fn(i64) -> Option<i64>) -> Eval<'p, S> {
    f(next(args)?.int()?).map(Value::Int).ok_or_else(overflow)
}

fn int2<'p, S: Scalar>(args: &mut Args<'p, S>, f: impl Fn(i64, i64) -> Option<i64>) -> Eval<'p, S> {
    f(next(args)?.int()?, next(args)?.int()?).map(Value::Int).ok_or_else(overflow)
}

fn divide<'p, S: Scalar>(
    args: &mut Args<'p, S>,
    f: impl Fn(i64, i64) -> Option<i64>,
) -> Eval<'p, S> {
    let (x, y) = (next(args)?.int()?, next(args)?.int()?);
    if y == 0 {
        return Err(Error::new(ErrorKind::DivisionByZero, format!("{x} by 0")));
    }
    f(x, y).map(Value::Int).ok_or_else(overflow)
}

fn int_pow(x: i64, n: i64) -> Result<i64, Error> {
    match (x, n) {
        (_, ..0) => Err(Error::new(ErrorKind::Negative, format!("exponent {n}"))),
        (0, _) => Ok(i64::from(n == 0)),
        (1, _) => Ok(1),
        (-1, _) => Ok(if n % 2 == 0 { 1 } else { -1 }),
        _ => u32::try_from(n).ok().and_then(|n| x.checked_pow(n)).ok_or_else(overflow),
    }
}

fn compare<'p, S: Scalar>(
    args: &mut Args<'p, S>,
    holds: impl Fn(Option<Ordering>) -> bool,
) -> Eval<'p, S> {
    let (x, y) = (next(args)?.real()?, next(args)?.real()?);
    Ok(Value::Bool(holds(x.compare(&y))))
}

fn int_compare<'p, S: Scalar>(
    args: &mut Args<'p, S>,
    holds: impl Fn(Ordering) -> bool,
) -> Eval<'p, S> {
    let (x, y) = (next(args)?.int()?, next(args)?.int()?);
    Ok(Value::Bool(holds(x.cmp(&y))))
}

fn position(index: i64, size: usize) -> Result<usize, Error> {
    let outside = || Error::new(ErrorKind::Index, format!("{index} in an array of {size}"));
    usize::try_from(index).ok().filter(|index| *index < size).ok_or_else(outside)
}

fn slice<'p, S: Scalar>(a: &mut Args<'p, S>) -> Eval<'p, S> {
    let array = next(a)?;
    let sizes = array.row_sizes();
    let (items, from, to) = (array.array()?, next(a)?.int()?, next(a)?.int()?);
    if from < 0 || to < from || to > items.len() as i64 {
        return Err(Error::new(ErrorKind::Index, format!("[{from}:{to}]")));
    }
    if from == to {
        return Ok(Value::Absent(sizes.into()));
    }
    Ok(Value::Array(Rc::new(items[from as usize..to as usize].to_vec())))
}

fn concat<'p, S: Scalar>(a: &mut Args<'p, S>) -> Eval<'p, S> {
    let (left, right) = (next(a)?, next(a)?);
    joined(&[left, right], &[])
}

fn with_size<'p, S: Scalar>(a: &mut Args<'p, S>) -> Eval<'p, S> {
    let (array, depth, size) = (next(a)?, next(a)?.int()?, next(a)?.int()?);
    sized(array, depth, size)
}

fn dim<'p, S: Scalar>(a: &mut Args<'p, S>) -> Eval<'p, S> {
    let (array, depth) = (next(a)?, next(a)?.int()?);
    let sizes = array.row_sizes();
    let size = match usize::try_from(depth - 1) {
        Ok(row) => sizes.get(row).copied().unwrap_or(0),
        Err(_) => array.array()?.len() as i64,
    };
    Ok(Value::Int(size))
}

fn check_size<'p, S: Scalar>(a: &mut Args<'p, S>) -> Eval<'p, S> {
    let (array, depth) = (next(a)?, next(a)?.int()?);
    let (needed, what) = (next(a)?.int()?, next(a)?.str()?);
    match present(array, depth)?.filter(|size| *size != needed) {
        Some(size) => {
            Err(Error::new(ErrorKind::Size, format!("{size} instead of {needed}: {what}")))
        }
        None => Ok(Value::unit()),
    }
}

fn flatten<'p, S: Scalar>(args: &mut Args<'p, S>) -> Eval<'p, S> {
    let rows = next(args)?;
    let sizes = rows.row_sizes();
    joined(&rows.array()?, sizes.get(1..).unwrap_or(&[]))
}

/// All elements one after the other. Where there are none, their rows have the sizes that one of the
/// parts, or else the caller, knows.
fn joined<'p, S: Scalar>(parts: &[Value<'p, S>], sizes: &[i64]) -> Eval<'p, S> {
    let mut items = Vec::new();
    for part in parts {
        items.extend(part.clone().array()?.iter().cloned());
    }
    if !items.is_empty() {
        return Ok(Value::Array(Rc::new(items)));
    }
    let known =
        parts.iter().map(Value::row_sizes).find(|sizes| sizes.iter().any(|size| *size != 0));
    Ok(Value::Absent(known.unwrap_or_else(|| sizes.to_vec()).into()))
}

/// The array with this size for absent rows at this depth.
fn sized<'p, S: Scalar>(array: Value<'p, S>, depth: i64, size: i64) -> Eval<'p, S> {
    let Ok(row) = usize::try_from(depth - 1) else { return Ok(array) };
    let mut sizes = array.row_sizes();
    let items = array.clone().array()?;
    if items.is_empty() {
        sizes.resize(sizes.len().max(row + 1), 0);
        sizes[row] = size.max(0);
        return Ok(Value::Absent(sizes.into()));
    }
    if row == 0 {
        return Ok(array);
    }
    let rows = items.iter().map(|row| sized(row.clone(), depth - 1, size));
    Ok(Value::Array(Rc::new(rows.collect::<Result<_, _>>()?)))
}

/// The size at a depth, if there is a row there.
fn present<S: Scalar>(array: Value<'_, S>, depth: i64) -> Result<Option<i64>, Error> {
    let items = array.array()?;
    match items.first() {
        _ if depth == 0 => Ok(Some(items.len() as i64)),
        Some(first) => present(first.clone(), depth - 1),
        None => Ok(None),
    }
}

fn argsort<'p, S: Scalar>(args: &mut Args<'p, S>) -> Eval<'p, S> {
    let items = next(args)?.array()?;
    let keys = items.iter().map(|item| item.clone().real()).collect::<Result<Vec<_>, _>>()?;
    let mut order: Vec<usize> = (0..keys.len()).collect();
    let nan = |i: usize| keys[i].real_part().is_nan();
    order.sort_by(|&i, &j| keys[i].compare(&keys[j]).unwrap_or_else(|| nan(i).cmp(&nan(j))));
    Ok(Value::Array(Rc::new(order.into_iter().map(|i| Value::Int(i as i64)).collect())))
}
