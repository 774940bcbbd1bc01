//! Tangents of data: sums, and the conversions between those of the IR and those that programs see.
//!
//! Input: values and their types. Output: tangents. A tangent that is as deep as a limit is a fault, since this recurses.

use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::{Atom, Elem, Type, VarId};
use pullback_prim::Fault;

use super::machine::Machine;
use super::value::{Array, Buffer, Items, Value};
use crate::sets::Sets;

/// How deep data may be.
const DEEPEST: usize = 20_000;

fn too_deep(depth: usize) -> Result<(), Fault> {
    if depth < DEEPEST {
        return Ok(());
    }
    Err(Fault::Unsupported { what: "the pattern of a derivative by data so deep".to_owned() })
}

/// The sum of two tangents of one shape.
pub fn plus(machine: &mut Machine<'_, '_>, one: Value, other: Value) -> Result<Value, Fault> {
    plus_at(machine, one, other, 0)
}

fn plus_at(
    machine: &mut Machine<'_, '_>,
    one: Value,
    other: Value,
    depth: usize,
) -> Result<Value, Fault> {
    too_deep(depth)?;
    Ok(match (one, other) {
        (Value::Undef, value) | (value, Value::Undef) => value,
        (Value::Real(x, a, s), Value::Real(y, b, t)) => {
            Value::Real(x + y, machine.sets.union(a, b), s || t)
        }
        (Value::Array(one), Value::Array(other)) => {
            let count = one.shape.count();
            if count != other.shape.count() {
                bug("sparse", "tangents of one shape");
            }
            if one.reals().is_none() && one.values().is_none() {
                return Ok(Value::Array(one));
            }
            let mut buffer = one.buffer.part(one.offset, count);
            for at in 0..count {
                let (x, y) = (buffer.get(at), other.buffer.get(other.offset + at));
                let sum = plus_at(machine, x, y, depth + 1)?;
                buffer.set(at, sum);
            }
            Value::Array(Rc::new(Array {
                shape: one.shape.clone(),
                buffer: Rc::new(buffer),
                offset: 0,
            }))
        }
        (Value::Data(one), Value::Data(other)) if one.tag == other.tag => {
            let pairs = one.fields.iter().zip(&other.fields);
            let sums: Result<Vec<Value>, Fault> =
                pairs.map(|(x, y)| plus_at(machine, x.clone(), y.clone(), depth + 1)).collect();
            Value::data(one.tag, sums?)
        }
        // The zero vector of a type is its last constructor, without fields.
        (Value::Data(one), Value::Data(other)) => {
            Value::Data(if one.tag > other.tag { other } else { one })
        }
        (one, other) => bug("sparse", format_args!("two tangents, not {one:?} and {other:?}")),
    })
}

impl Machine<'_, '_> {
    /// The fields of a tangent of a constructor, zeros if it is the zero vector.
    pub fn unpacked(&self, tangent: Atom, tag: u32, like: &[Atom], vars: &[VarId]) -> Vec<Value> {
        if let Value::Data(node) = self.get(tangent)
            && node.tag == tag
            && node.fields.len() == vars.len()
        {
            return node.fields.clone();
        }
        let zero = |(var, like): (&VarId, &Atom)| {
            self.zero(&self.get(*like), Some(self.ready.program.vars[*var].ty))
        };
        vars.iter().zip(like).map(zero).collect()
    }
}

fn mapped(
    array: &Array,
    mut each: impl FnMut(usize) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let items: Result<Vec<Value>, Fault> = (0..array.shape.count()).map(&mut each).collect();
    Ok(Value::array(array.shape.clone(), Buffer::new(Items::Values(items?), None, false)))
}

/// The IR's tangent of a value, from one that a program made.
pub fn taken(
    machine: &Machine<'_, '_>,
    value: Value,
    tangent: Value,
    ty: Type,
    depth: usize,
) -> Result<Value, Fault> {
    too_deep(depth)?;
    let Elem::Data(data) = ty.elem else { return Ok(tangent) };
    match (&value, &tangent) {
        (Value::Array(array), Value::Array(other)) => mapped(array, |at| {
            let (value, tangent) =
                (array.buffer.get(array.offset + at), other.buffer.get(other.offset + at));
            taken(machine, value, tangent, ty.with_rank(0), depth + 1)
        }),
        (Value::Data(node), Value::Data(other)) => {
            let program = machine.ready.program;
            let constructor = &program.constructors(data)[node.tag as usize];
            let mut tangents = other.fields.iter();
            let mut fields = vec![];
            for (at, (field, ty)) in node.fields.iter().zip(&constructor.fields).enumerate() {
                if !constructor.is_seen(at) {
                    continue;
                }
                let Some(tangent) = tangents.next() else {
                    bug("sparse", "a tangent with enough fields")
                };
                if program.has_tangent(*ty) {
                    fields.push(taken(machine, field.clone(), tangent.clone(), *ty, depth + 1)?);
                }
            }
            Ok(Value::data(node.tag, fields))
        }
        _ => Ok(Value::Undef),
    }
}

/// What a program sees of the tangent of a value.
pub fn seen(
    machine: &Machine<'_, '_>,
    value: Value,
    tangent: Option<Value>,
    ty: Type,
    depth: usize,
) -> Result<Value, Fault> {
    too_deep(depth)?;
    let tangent = tangent.filter(|tangent| !matches!(tangent, Value::Undef));
    let program = machine.ready.program;
    match (&value, ty.elem) {
        (Value::Array(array), Elem::Data(_)) => mapped(array, |at| {
            let tangent = if let Some(Value::Array(other)) = &tangent {
                Some(other.buffer.get(other.offset + at))
            } else {
                None
            };
            let value = array.buffer.get(array.offset + at);
            seen(machine, value, tangent, ty.with_rank(0), depth + 1)
        }),
        (Value::Array(array), elem) => Ok(tangent.unwrap_or_else(|| {
            let elem = if elem == Elem::Real { elem } else { Elem::Unit };
            let items = Items::blank(elem, array.shape.count());
            Value::array(array.shape.clone(), Buffer::new(items, None, false))
        })),
        (Value::Data(node), Elem::Data(data)) => {
            let constructor = &program.constructors(data)[node.tag as usize];
            let kept = if let Some(Value::Data(other)) = &tangent {
                Some(other).filter(|other| other.tag == node.tag)
            } else {
                None
            };
            let mut tangents = kept.into_iter().flat_map(|node| &node.fields);
            let mut fields = vec![];
            for (at, (field, ty)) in node.fields.iter().zip(&constructor.fields).enumerate() {
                if constructor.is_seen(at) {
                    let has_tangent = program.has_tangent(*ty);
                    let tangent = if has_tangent { tangents.next().cloned() } else { None };
                    fields.push(seen(machine, field.clone(), tangent, *ty, depth + 1)?);
                }
            }
            Ok(Value::data(node.tag, fields))
        }
        (_, Elem::Real) => Ok(tangent.unwrap_or(Value::Real(0.0, Sets::EMPTY, false))),
        _ => Ok(Value::Undef),
    }
}
