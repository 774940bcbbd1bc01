//! Primitives without a derivative of their own: Int arithmetic, comparisons, conversions, and those
//! that move array elements or check something. They look only at primals.

use std::cmp::Ordering;
use std::rc::Rc;

use pullback_base::{Text, bug};
use pullback_prim::{Move, Place, Prim, enclosed, quoted, read_real, real_text, values};

use super::hooks::Ctx;
use super::numeric;
use super::value::{Array, Items, Value};
use crate::Fault;

/// Applies a primitive that is neither smooth nor [`Prim::Sum`]. [`Prim::Update`] copies the array;
/// the machine updates in place where it may.
pub(super) fn apply(ctx: &mut Ctx, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
    if let Prim::Beside(row) = prim
        && let Some(moves) = row.0.moves()
    {
        return beside(ctx, moves, args);
    }
    match args {
        [Value::Int(m), Value::Int(n)] => int2(prim, *m, *n),
        [Value::Int(n)] => int1(prim, *n),
        [Value::Bool(a)] if prim == Prim::Not => Ok(Value::Bool(!a)),
        [Value::Bool(a), Value::Bool(b)] if prim == Prim::BoolEq => Ok(Value::Bool(a == b)),
        [Value::Str(a), Value::Str(b)] if prim == Prim::StrEq => Ok(Value::Bool(a == b)),
        [Value::Str(one), Value::Str(other)] => joined(ctx, prim, one, other),
        [Value::Str(text)] => of_text(ctx, prim, text),
        [Value::Array(array), rest @ ..] => arrays(ctx, prim, array, rest),
        [x] => real1(prim, x),
        [x, y] => compare(prim, x, y),
        _ => Err(unfit(prim, args)),
    }
}

/// A primitive beside the table moves values as one of the table does.
fn beside(ctx: &mut Ctx, moves: Move, args: &[Value]) -> Result<Value, Fault> {
    let arg = |index: usize| args[index].clone();
    let place = |place| match place {
        Place::Arg(index) => arg(index),
        Place::Int(n) => Value::Int(n),
    };
    match moves {
        Move::Keep { array } => Ok(arg(array)),
        Move::Pick { array, index } => apply(ctx, Prim::Index, &[arg(array), place(index)]),
        Move::Put { array, index, element } => {
            apply(ctx, Prim::Update, &[arg(array), place(index), arg(element)])
        }
        Move::Cut { array, from, to } => {
            apply(ctx, Prim::Slice, &[arg(array), place(from), place(to)])
        }
        Move::Join { first, second } => apply(ctx, Prim::Concat, &[arg(first), arg(second)]),
        Move::Unnest { rows } => apply(ctx, Prim::Flatten, &[arg(rows)]),
        Move::Total { array } => ctx.sum(&args[array]),
    }
}

fn unfit(prim: Prim, args: &[Value]) -> Fault {
    Fault::internal(format!("{prim:?} on {args:?}"))
}

/// What is done with one text.
fn of_text(ctx: &Ctx, prim: Prim, text: &str) -> Result<Value, Fault> {
    if prim.row().tells() {
        (ctx.meter.limits.tell)(text);
        Ok(Value::Unit)
    } else if prim == Prim::Quote {
        ctx.meter.reserve(2 * text.len() as u128)?;
        Ok(Value::str(&quoted(text)))
    } else if prim == Prim::Enclose {
        ctx.meter.reserve(text.len() as u128)?;
        Ok(Value::str(&enclosed(text)))
    } else if prim == Prim::ReadReal {
        Ok(Value::Real(read_real(text)))
    } else {
        Err(Fault::stop(prim, text))
    }
}

fn joined(ctx: &Ctx, prim: Prim, one: &str, other: &str) -> Result<Value, Fault> {
    if prim != Prim::StrJoin {
        return Err(unfit(prim, &[Value::str(one), Value::str(other)]));
    }
    ctx.meter.reserve(one.len() as u128 + other.len() as u128)?;
    Ok(Value::Str(Rc::new(Text::new(&[one, other]))))
}

fn real1(prim: Prim, x: &Value) -> Result<Value, Fault> {
    let Some(number) = x.as_real() else { return Err(unfit(prim, std::slice::from_ref(x))) };
    if prim == Prim::IsNan {
        Ok(Value::Bool(number.is_nan()))
    } else if prim == Prim::ShowReal {
        Ok(Value::str(&real_text(number)))
    } else if prim == Prim::ToInt {
        values::to_int(number).map(Value::Int).ok_or(Fault::NoInt { number })
    } else {
        Err(unfit(prim, std::slice::from_ref(x)))
    }
}

/// A comparison of Reals.
#[inline]
pub(super) fn compare(prim: Prim, x: &Value, y: &Value) -> Result<Value, Fault> {
    let (Some(a), Some(b)) = (x.as_real(), y.as_real()) else {
        return Err(unfit(prim, &[x.clone(), y.clone()]));
    };
    let truth = numeric::compare(prim, a, b).map(Value::Bool);
    truth.ok_or_else(|| unfit(prim, &[x.clone(), y.clone()]))
}

fn int1(prim: Prim, n: i64) -> Result<Value, Fault> {
    let value = if prim == Prim::ToReal {
        return Ok(Value::Real(n as f64));
    } else if prim == Prim::ShowInt {
        return Ok(Value::str(&n.to_string()));
    } else if prim == Prim::IntNeg {
        n.checked_neg()
    } else if prim == Prim::IntAbs {
        n.checked_abs()
    } else if prim == Prim::IntSignum {
        Some(n.signum())
    } else {
        return Err(unfit(prim, &[Value::Int(n)]));
    };
    value.map(Value::Int).ok_or_else(|| Fault::of_ints(prim, &[n]))
}

/// An operation on two Ints.
#[inline]
pub(super) fn int2(prim: Prim, m: i64, n: i64) -> Result<Value, Fault> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the Int operations among all primitives")]
    let value = match prim {
        Prim::IntLt => return Ok(Value::Bool(m < n)),
        Prim::IntLe => return Ok(Value::Bool(m <= n)),
        Prim::IntGt => return Ok(Value::Bool(m > n)),
        Prim::IntGe => return Ok(Value::Bool(m >= n)),
        Prim::IntEq => return Ok(Value::Bool(m == n)),
        Prim::IntNe => return Ok(Value::Bool(m != n)),
        Prim::IntAdd => m.checked_add(n),
        Prim::IntSub => m.checked_sub(n),
        Prim::IntMul => m.checked_mul(n),
        Prim::IntMax => Some(m.max(n)),
        Prim::IntMin => Some(m.min(n)),
        Prim::IntDiv => values::int_div(m, n),
        Prim::IntRem => values::int_rem(m, n),
        Prim::IntPow => values::int_pow(m, n),
        _ => return Err(unfit(prim, &[Value::Int(m), Value::Int(n)])),
    };
    value.map(Value::Int).ok_or_else(|| Fault::of_ints(prim, &[m, n]))
}

fn arrays(ctx: &mut Ctx, prim: Prim, array: &Rc<Array>, rest: &[Value]) -> Result<Value, Fault> {
    match (prim, rest) {
        (Prim::Size, []) => Ok(Value::Int(array.len() as i64)),
        (Prim::Index, [Value::Int(index)]) => Ok(element(array, *index)?),
        (Prim::Update, [Value::Int(index), value]) => {
            ctx.meter.counts.copied += array.len() as u64;
            ctx.count_elements(array.len(), times(array))?;
            let mut copied = array.copied();
            copied.set(position(&copied, *index)?, value.clone());
            Ok(Value::Array(Rc::new(copied)))
        }
        (Prim::Slice, [Value::Int(from), Value::Int(to)]) => slice(ctx, array, *from, *to),
        (Prim::Concat, [Value::Array(other)]) => concat(ctx, &[array.clone(), other.clone()]),
        (Prim::Flatten, []) => {
            let parts: Option<Vec<Rc<Array>>> = array
                .iter()
                .map(|part| if let Value::Array(part) = part { Some(part) } else { None })
                .collect();
            let parts = parts.ok_or_else(|| Fault::internal("flatten of no arrays"))?;
            if parts.is_empty() {
                // Where no size of a row is told, those inside it are 0.
                let rows = array.row_sizes();
                let inside = rows.get(1..).unwrap_or(&[]);
                return Ok(Value::Array(Rc::new(Array::without_rows(inside))));
            }
            concat(ctx, &parts)
        }
        (Prim::Argsort, []) => argsort(ctx, array),
        (Prim::Sized, [Value::Int(depth), Value::Int(size)]) => {
            Ok(Value::Array(array.clone()).sized(nesting_depth(*depth), *size))
        }
        (Prim::Dim, [Value::Int(depth)]) => Ok(Value::Int(array.dim(nesting_depth(*depth)) as i64)),
        (Prim::CheckSize, [Value::Int(depth), Value::Int(needed), Value::Str(what)]) => {
            let present = array.present_dim(nesting_depth(*depth));
            match present.map(|size| size as i64).filter(|found| found != needed) {
                Some(found) => Err(Fault::Size { found, needed: *needed, what: what.to_string() }),
                None => Ok(Value::Unit),
            }
        }
        _ => Err(Fault::internal(format!("{prim:?} on an array and {rest:?}"))),
    }
}

/// A depth of nesting, which elaboration writes as a literal.
fn nesting_depth(depth: i64) -> usize {
    usize::try_from(depth)
        .unwrap_or_else(|_| bug("eval", "a depth of nesting that is not negative"))
}

/// The position of an index that must be in range.
#[inline]
pub(super) fn position(array: &Array, index: i64) -> Result<usize, Fault> {
    match usize::try_from(index) {
        Ok(position) if position < array.len() => Ok(position),
        Ok(_) | Err(_) => Err(Fault::Index { index, size: array.len() }),
    }
}

#[inline]
fn element(array: &Array, index: i64) -> Result<Value, Fault> {
    let found = usize::try_from(index).ok().and_then(|index| array.get(index));
    found.ok_or_else(|| Fault::Index { index, size: array.len() })
}

fn slice(ctx: &Ctx, array: &Array, from: i64, to: i64) -> Result<Value, Fault> {
    let size = array.len();
    match (usize::try_from(from), usize::try_from(to)) {
        (Ok(lo), Ok(hi)) if lo <= hi && hi <= size => {
            ctx.meter.reserve((hi - lo) as u128 * element_bytes(array))?;
            ctx.count_elements(hi - lo, times(array))?;
            Ok(Value::Array(Rc::new(array.slice(lo, hi))))
        }
        _ => Err(Fault::Slice { from, to, size }),
    }
}

/// The bytes an element of this array takes.
pub(super) fn element_bytes(array: &Array) -> u128 {
    if array.values().is_some() { size_of::<Value>() as u128 } else { 8 }
}

/// How many plain numbers take as long to copy as an element of this array.
pub(super) fn times(array: &Array) -> u64 {
    if array.values().is_some() { 8 } else { 1 }
}

fn concat(ctx: &Ctx, parts: &[Rc<Array>]) -> Result<Value, Fault> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    ctx.meter
        .reserve(len as u128 * parts.iter().map(|part| element_bytes(part)).max().unwrap_or(0))?;
    ctx.count_elements(len, parts.iter().map(|part| times(part)).max().unwrap_or(0))?;
    // Packed parts stay packed; empty ones fit to anything.
    let filled: Vec<&Rc<Array>> = parts.iter().filter(|part| !part.is_empty()).collect();
    if filled.is_empty() {
        let sized = parts.iter().find(|part| matches!(part.items(), Items::Absent(_)));
        return Ok(Value::Array(sized.unwrap_or(&parts[0]).clone()));
    }
    if let Some(reals) = filled.iter().map(|part| part.reals()).collect::<Option<Vec<_>>>() {
        return Ok(Value::reals(reals.concat()));
    }
    if let Some(ints) = filled.iter().map(|part| part.ints()).collect::<Option<Vec<_>>>() {
        return Ok(Value::ints(ints.concat()));
    }
    let mut values = Vec::with_capacity(len);
    for part in filled {
        values.extend(part.iter());
    }
    Ok(Value::Array(Rc::new(Array::new(Items::Values(values)))))
}

fn argsort(ctx: &mut Ctx, array: &Array) -> Result<Value, Fault> {
    let keys: Option<Vec<f64>> = match array.items() {
        Items::Real(reals) => Some(reals.clone()),
        Items::Int(_) | Items::Absent(_) => None,
        Items::Values(values) => values.iter().map(Value::as_real).collect(),
    };
    let keys = keys.ok_or_else(|| Fault::internal("argsort of no Reals"))?;
    // As long as ten copies for each comparison.
    ctx.count_elements(keys.len(), 10 * u64::from(keys.len().max(1).ilog2()))?;
    let mut order: Vec<i64> = (0..keys.len() as i64).collect();
    order.sort_by(|a, b| ascending(keys[*a as usize], keys[*b as usize]));
    if ctx.ties().is_some() {
        on_chosen_sides(ctx, array, &keys, &mut order)?;
    }
    if ctx.strict_domain() {
        let values: Vec<Value> = order.iter().map(|index| array.at(*index as usize)).collect();
        for pair in values.windows(2) {
            ctx.check_tie(Prim::Lt, pair)?;
        }
    }
    Ok(Value::ints(order))
}

/// Puts equal keys in the order that they have on the chosen sides of their ties, by insertion: a run ends at the first
/// tie that has no side.
fn on_chosen_sides(ctx: &Ctx, array: &Array, keys: &[f64], order: &mut [i64]) -> Result<(), Fault> {
    for end in 1..order.len() {
        let mut at = end;
        while at > 0 && keys[order[at - 1] as usize] == keys[order[at] as usize] {
            let [before, after] = [order[at - 1], order[at]].map(|index| array.at(index as usize));
            match ctx.at_tie(&before, &after)? {
                Some([before, after]) if before > after => order.swap(at - 1, at),
                Some(_) | None => break,
            }
            at -= 1;
        }
    }
    Ok(())
}

/// Ascending, NaN last; zeros of either sign are equal.
fn ascending(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}
