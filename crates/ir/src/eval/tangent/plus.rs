//! Sums of tangents, and addition to accumulators.
//!
//! Input: two tangents of one shape and their type. Output: their sum, in place where nothing else sees one of them.
//! The zero vector of a data type, and a value that nothing looks at, leave the other as it is. Each addition of
//! numbers counts one operation.

use std::rc::Rc;

use pullback_base::bug;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::types::{Types, zero_tag};
use super::walk::{Work, walk};
use crate::eval::value::{Array, Items, Value};
use crate::ty::{Elem, Type};

/// Two tangents to be added, and their type.
type Pair = (Value, Value, Type);

/// The sum of two tangents of one shape; in place where nothing else sees one of them.
pub(in super::super) fn plus(
    a: Value,
    b: Value,
    ty: Type,
    types: &Types<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    if let (Value::Real(x), Value::Real(y)) = (&a, &b) {
        meter.counts.operations += 1;
        return Ok(Value::Real(x + y));
    }
    walk((a, b, ty), meter, |pair, work, meter| add(pair, types, work, meter))
}

fn add(
    (a, b, ty): Pair,
    types: &Types<'_>,
    work: &mut Work<Pair>,
    meter: &mut Meter,
) -> Result<(), Fault> {
    match (a, b) {
        (Value::Undef, other) | (other, Value::Undef) => work.give(other),
        (Value::Real(x), Value::Real(y)) => {
            meter.counts.operations += 1;
            work.give(Value::Real(x + y));
        }
        (Value::Array(a), Value::Array(b)) if matches!(ty.elem, Elem::Data(_)) => {
            same_sizes(&a, &b);
            let (Some(one), Some(other)) = (a.values(), b.values()) else {
                bug("ir", "arrays of data values to add")
            };
            let element = ty.with_rank(0);
            let pairs = one.iter().zip(other);
            let pairs = pairs.map(|(one, other)| (one.clone(), other.clone(), element));
            work.array(a.shape().clone(), pairs);
        }
        (Value::Array(a), Value::Array(b)) => work.give(Value::Array(add_arrays(a, b, meter)?)),
        (a, b) => add_data(a, b, ty, types, work),
    }
    Ok(())
}

fn add_data(a: Value, b: Value, ty: Type, types: &Types<'_>, work: &mut Work<Pair>) {
    let (Elem::Data(data), Some((one, _)), Some((other, _))) = (ty.elem, a.as_data(), b.as_data())
    else {
        bug("ir", format_args!("two tangents of one type to add, not {a:?} and {b:?}"))
    };
    let data = &types.datas[data];
    let zero = zero_tag(data);
    if one == zero {
        return work.give(b);
    }
    if other == zero {
        return work.give(a);
    }
    if one != other {
        bug("ir", format_args!("tangents of one shape, not of constructors {one} and {other}"));
    }
    let field_types = &data.constructors[one as usize].fields;
    let fields = fields(a).into_iter().zip(fields(b)).zip(field_types);
    work.con(one, fields.map(|((a, b), ty)| (a, b, *ty)));
}

/// The fields of a data value, moved out if nothing else sees it.
fn fields(value: Value) -> Vec<Value> {
    let Value::Data(mut node) = value else { return vec![] };
    match Rc::get_mut(&mut node) {
        Some(node) => node.fields_mut().iter_mut().map(std::mem::take).collect(),
        None => node.fields().to_vec(),
    }
}

/// The sum of two arrays of Reals, or of units.
fn add_arrays(a: Rc<Array>, b: Rc<Array>, meter: &mut Meter) -> Result<Rc<Array>, Fault> {
    same_sizes(&a, &b);
    let (mut sum, mut other) = (a, b);
    if Array::items_mut(&mut sum).is_none() && Array::items_mut(&mut other).is_some() {
        // Sums of two do not depend on the order.
        std::mem::swap(&mut sum, &mut other);
    }
    if Array::items_mut(&mut sum).is_none() {
        let (Some(one), Some(other)) = (sum.reals(), other.reals()) else { return Ok(sum) };
        meter.reserve_elements(one.len(), size_of::<f64>())?;
        meter.counts.operations += one.len() as u64;
        let items = one.iter().zip(other).map(|(x, y)| x + y).collect();
        return Ok(Rc::new(Array::new(sum.shape().clone(), Items::Real(items))));
    }
    if let Some((items, offset)) = Array::items_mut(&mut sum) {
        add_reals(items, offset, &other, meter);
    }
    Ok(sum)
}

/// Adds an array of Reals, or of units, to the elements from a place on.
fn add_reals(items: &mut Items, at: usize, other: &Array, meter: &mut Meter) {
    if let (Items::Real(items), Some(reals)) = (items, other.reals()) {
        meter.counts.operations += reals.len() as u64;
        for (total, x) in items[at..at + reals.len()].iter_mut().zip(reals) {
            *total += x;
        }
    }
}

/// Adds a value to what is accumulated from a place on.
pub(in super::super) fn add_into(
    items: &mut Items,
    at: usize,
    value: Value,
    ty: Type,
    types: &Types<'_>,
    meter: &mut Meter,
) -> Result<(), Fault> {
    let element = ty.with_rank(0);
    match (items, value) {
        (Items::Real(items), Value::Real(x)) => {
            meter.counts.operations += 1;
            items[at] += x;
        }
        (Items::Values(items), Value::Array(array)) => {
            let Some(values) = array.values() else { bug("ir", "data values to accumulate") };
            for (total, value) in items[at..].iter_mut().zip(values) {
                let before = std::mem::take(total);
                *total = plus(before, value.clone(), element, types, meter)?;
            }
        }
        (items, Value::Array(array)) => add_reals(items, at, &array, meter),
        (Items::Values(items), value) => {
            let before = std::mem::take(&mut items[at]);
            items[at] = plus(before, value, element, types, meter)?;
        }
        (_, Value::Undef) => {}
        (_, value) => bug("ir", format_args!("a value to accumulate, not {value:?}")),
    }
    Ok(())
}

/// Tangents of one value have its sizes, as far as there are elements.
fn same_sizes(a: &Array, b: &Array) {
    if a.sizes() != b.sizes() && a.count() + b.count() > 0 {
        bug("ir", format_args!("tangents of one shape, not {:?} and {:?}", a.sizes(), b.sizes()));
    }
}
