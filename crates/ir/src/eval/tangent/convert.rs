//! Conversions between two forms of tangents: those of the IR, which have fields only for what has tangents, and those
//! that programs see, which have the constructors of the value.
//!
//! ```text
//! value                 D(2.0, [7, 8])      of D(f64, []i64)
//! IR's tangent          D(1.0), or Zero     of D(f64) | Zero
//! a program's tangent   D(1.0, [(), ()])    of D(f64, []unit)
//! ```
//!
//! Input: a value and a tangent of it in one form. Output: the tangent in the other; a fault if the one that a program
//! made has another shape than the value. Parts that have no tangent are checked and left out.

use pullback_base::bug;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::types::Types;
use super::walk::{Work, walk};
use crate::eval::value::{Array, Items, Kind, Shape, Value};
use crate::program::Role;
use crate::ty::{Elem, Type};

/// A part of a value and of the tangent that a program made.
struct Seen {
    value: Value,
    tangent: Value,
    ty: Type,
    /// Whether the IR's tangent has it; else only its shape is checked.
    is_kept: bool,
}

/// The IR's tangent of a value, from one that a program made; an error if it has another shape.
pub(in super::super) fn to_tangent(
    role: Role,
    value: Value,
    tangent: Value,
    ty: Type,
    types: &Types<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let seen = Seen { value, tangent, ty, is_kept: true };
    walk(seen, meter, |seen, work, _| take_in(role, seen, types, work))
}

fn take_in(role: Role, seen: Seen, types: &Types<'_>, work: &mut Work<Seen>) -> Result<(), Fault> {
    let Seen { value, tangent, ty, is_kept } = seen;
    if let (Value::Array(array), Value::Array(other)) = (&value, &tangent) {
        same_sizes(role, array, other)?;
        let Elem::Data(_) = ty.elem else {
            if is_kept {
                work.give(tangent);
            }
            return Ok(());
        };
        let element = ty.with_rank(0);
        let parts =
            data_values(&value).iter().zip(data_values(&tangent)).map(|(value, tangent)| Seen {
                value: value.clone(),
                tangent: tangent.clone(),
                ty: element,
                is_kept,
            });
        if is_kept {
            work.array(array.shape().clone(), parts);
        } else {
            work.look(parts);
        }
        return Ok(());
    }
    let Elem::Data(data) = ty.elem else {
        work.give(tangent);
        return Ok(());
    };
    let (Some((tag, fields)), Some((other, tangents))) = (value.as_data(), tangent.as_data())
    else {
        bug("ir", format_args!("a value and its tangent, not {value:?} and {tangent:?}"))
    };
    if tag != other {
        return Err(Fault::Shape {
            what: role.name(),
            primal: format!("constructor number {}", tag + 1),
            found: format!("constructor number {}", other + 1),
        });
    }
    let mut tangents = tangents.iter();
    let mut kept = vec![];
    let mut checked = vec![];
    let constructor = &types.datas[data].constructors[tag as usize];
    for (at, (field, ty)) in fields.iter().zip(&constructor.fields).enumerate() {
        if !constructor.is_seen(at) {
            continue;
        }
        let Some(tangent) = tangents.next() else { bug("ir", "a tangent with enough fields") };
        let (value, tangent) = (field.clone(), tangent.clone());
        let is_kept = is_kept && types.holds_real(ty.elem);
        let part = Seen { value, tangent, ty: *ty, is_kept };
        if is_kept { kept.push(part) } else { checked.push(part) }
    }
    if is_kept {
        work.con(tag, kept.into_iter());
    }
    work.look(checked.into_iter());
    Ok(())
}

/// The elements of an array of data values.
fn data_values(value: &Value) -> &[Value] {
    match value.as_array().and_then(Array::values) {
        Some(values) => values,
        None => bug("ir", format_args!("an array of data values, not {value:?}")),
    }
}

/// A part of a value, and what there is of the IR's tangent of it.
type Kept = (Value, Option<Value>, Type);

/// What a program sees of the tangent of a value.
pub(in super::super) fn from_tangent(
    value: Value,
    tangent: Value,
    ty: Type,
    types: &Types<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let kept = (value, Some(tangent), ty);
    walk(kept, meter, |kept, work, meter| give_out(kept, types, work, meter))
}

fn give_out(
    (value, tangent, ty): Kept,
    types: &Types<'_>,
    work: &mut Work<Kept>,
    meter: &mut Meter,
) -> Result<(), Fault> {
    let tangent = tangent.filter(|tangent| !matches!(tangent, Value::Undef));
    match (&value, ty.elem) {
        (Value::Array(array), Elem::Data(_)) => {
            let element = ty.with_rank(0);
            let tangents = tangent.as_ref().map(data_values);
            let parts = data_values(&value).iter().enumerate().map(|(at, value)| {
                (value.clone(), tangents.map(|tangents| tangents[at].clone()), element)
            });
            work.array(array.shape().clone(), parts);
        }
        (Value::Array(array), elem) => match tangent {
            Some(tangent) => work.give(tangent),
            None => work.give(absent(array.shape(), elem, meter)?),
        },
        (value, Elem::Data(data)) => {
            let Some((tag, fields)) = value.as_data() else {
                bug("ir", format_args!("a data value, not {value:?}"))
            };
            let constructors = &types.datas[data].constructors;
            let is_zero = |tag: u32| tag as usize == constructors.len();
            let tangent = tangent.as_ref().and_then(Value::as_data);
            let mut tangents = match tangent {
                Some((other, _)) if is_zero(other) => None,
                Some((other, _)) if other != tag => {
                    bug("ir", format_args!("constructor {tag} of a tangent, not {other}"))
                }
                Some((_, tangents)) => Some(tangents.iter()),
                None => None,
            };
            let mut parts = vec![];
            let constructor = &constructors[tag as usize];
            for (at, (field, ty)) in fields.iter().zip(&constructor.fields).enumerate() {
                if constructor.is_seen(at) {
                    let has_tangent = types.holds_real(ty.elem);
                    let tangents = tangents.as_mut().filter(|_| has_tangent);
                    let tangent = tangents.and_then(Iterator::next).cloned();
                    parts.push((field.clone(), tangent, *ty));
                }
            }
            work.con(tag, parts.into_iter());
        }
        (_, Elem::Real) => work.give(tangent.unwrap_or(Value::Real(0.0))),
        (value, elem) => {
            bug("ir", format_args!("a value that has tangents, not {value:?}: {elem:?}"))
        }
    }
    Ok(())
}

/// What a program sees of an array's tangent where there is none.
fn absent(shape: &Shape, elem: Elem, meter: &Meter) -> Result<Value, Fault> {
    let kind = if elem == Elem::Real { Kind::Real } else { Kind::Unit };
    Ok(Value::array(shape.clone(), Items::blank(kind, shape.count(), meter)?))
}

/// An error unless two arrays have the same sizes, as far as there are rows.
fn same_sizes(role: Role, array: &Array, tangent: &Array) -> Result<(), Fault> {
    for (size, other) in array.sizes().iter().zip(tangent.sizes()) {
        if size != other {
            return Err(Fault::Shape {
                what: role.name(),
                primal: format!("an array of size {size}"),
                found: format!("one of size {other}"),
            });
        }
        if *size == 0 {
            break;
        }
    }
    Ok(())
}
