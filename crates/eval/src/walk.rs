//! Walks over first-order values and their tangents, without recursion however deep they are.
//!
//! A tangent has the structure of its primal: Real for Real, `()` for Int, Bool and String,
//! components, elements and fields alike under the same constructor.

use std::rc::Rc;

use pullback_base::bug;
use pullback_base::memory::Charge;

use super::value::{Array, Fields, Items, Value, primal};
use crate::Fault;

/// What is done to a value while it is rebuilt.
pub(super) trait Rebuild {
    /// What goes with each part of the value.
    type Beside;

    /// Whether the values that functions captured are parts of the functions. Otherwise a function is a leaf.
    const OPENS_FUNCTIONS: bool = false;

    /// Whether an array of numbers is to stay as it is.
    fn keeps(&self, _: &Value) -> bool {
        false
    }
    /// Called once for a value, before its parts.
    fn meet(&mut self, value: &Value, beside: &Self::Beside) -> Result<(), Fault>;
    /// What goes with a part.
    fn part(&self, beside: &Self::Beside, index: usize) -> Self::Beside;
    /// What replaces a leaf (Real, Int, Bool, String, function).
    fn leaf(&mut self, value: &Value, beside: &Self::Beside) -> Result<Value, Fault>;
}

/// A structure being rebuilt.
struct Open<'a, B> {
    source: &'a Value,
    beside: B,
    done: Vec<Value>,
    #[expect(dead_code, reason = "it is in the account while the structure is open")]
    held: Charge,
}

/// Rebuilds a value on a stack of its own, however deep it is.
pub(super) fn rebuild<R: Rebuild>(
    value: &Value,
    beside: R::Beside,
    rebuilder: &mut R,
) -> Result<Value, Fault> {
    // Elements of packed arrays have no address, so they are handled where the array is; everything
    // else is visited in place.
    let mut stack: Vec<Open<'_, R::Beside>> = vec![];
    let mut current = Some((value, beside));
    let mut result = Value::Unit;
    loop {
        if let Some((value, beside)) = current.take() {
            rebuilder.meet(value, &beside)?;
            match children(value, R::OPENS_FUNCTIONS) {
                Children::Leaf => result = rebuilder.leaf(value, &beside)?,
                Children::None => result = value.clone(),
                Children::Packed(_) if rebuilder.keeps(value) => result = value.clone(),
                Children::Packed(array) => result = packed(array, &beside, rebuilder)?,
                Children::Some(items) => {
                    let done = Vec::with_capacity(items.len());
                    current = Some((&items[0], rebuilder.part(&beside, 0)));
                    let held = Charge::new(size_of_val(items));
                    stack.push(Open { source: value, beside, done, held });
                    continue;
                }
            }
        }
        let Some(open) = stack.last_mut() else { return Ok(result) };
        open.done.push(std::mem::take(&mut result));
        let Children::Some(items) = children(open.source, R::OPENS_FUNCTIONS) else {
            return Err(Fault::internal("a structure without children is open"));
        };
        let next = open.done.len();
        if next < items.len() {
            current = Some((&items[next], rebuilder.part(&open.beside, next)));
            continue;
        }
        result = close(open.source, std::mem::take(&mut open.done));
        stack.pop();
    }
}

enum Children<'a> {
    Leaf,
    None,
    Packed(&'a Array),
    Some(&'a [Value]),
}

fn children(value: &Value, opens_functions: bool) -> Children<'_> {
    match value {
        Value::Unit | Value::Tag(_) => Children::None,
        Value::Tuple(fields) | Value::Data(fields) => Children::Some(fields.items()),
        Value::Closure(_, Some(fields)) | Value::Partial(fields) if opens_functions => {
            Children::Some(fields.items())
        }
        Value::Array(array) => match array.items() {
            Items::Values(items) if items.is_empty() => Children::None,
            Items::Absent(_) => Children::None,
            Items::Values(items) => Children::Some(items),
            Items::Real(_) | Items::Int(_) => Children::Packed(array),
        },
        Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Active(_)
        | Value::Str(_)
        | Value::IntOf(..)
        | Value::RealOf(..)
        | Value::Chain(..)
        | Value::Closure(..)
        | Value::Partial(_)
        | Value::Native(_) => Children::Leaf,
    }
}

/// The same structure with other parts.
fn close(source: &Value, items: Vec<Value>) -> Value {
    match source {
        Value::Tuple(_) => Value::Tuple(Fields::shared(0, items)),
        Value::Data(fields) => Value::Data(Fields::shared(fields.tag(), items)),
        Value::Closure(code, _) => Value::Closure(*code, Some(Fields::shared(0, items))),
        Value::Partial(_) => Value::Partial(Fields::shared(0, items)),
        Value::Array(_) => Value::array(items),
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Tag(_)
        | Value::IntOf(..)
        | Value::RealOf(..)
        | Value::Chain(..)
        | Value::Active(_)
        | Value::Str(_)
        | Value::Native(_) => bug("eval", "a structure that was taken apart"),
    }
}

fn packed<R: Rebuild>(
    array: &Array,
    beside: &R::Beside,
    rebuilder: &mut R,
) -> Result<Value, Fault> {
    let mut rebuilt = array.room_for_its_like();
    for (index, item) in array.iter().enumerate() {
        let beside = rebuilder.part(beside, index);
        rebuilt.push(rebuilder.leaf(&item, &beside)?);
    }
    Ok(Value::Array(Rc::new(rebuilt)))
}

/// Replaces leaves; beside a value may be a tangent or cotangent of it, which `what` names.
struct Leaves<F> {
    what: &'static str,
    leaf: F,
}

impl<F: FnMut(&Value, Option<&Value>) -> Result<Value, Fault>> Rebuild for Leaves<F> {
    type Beside = Option<Value>;

    fn meet(&mut self, value: &Value, partner: &Option<Value>) -> Result<(), Fault> {
        partner.as_ref().map_or(Ok(()), |partner| check_shape(value, partner, self.what))
    }
    fn part(&self, partner: &Option<Value>, index: usize) -> Option<Value> {
        partner.as_ref().map(|partner| child(partner, index))
    }
    fn leaf(&mut self, value: &Value, partner: &Option<Value>) -> Result<Value, Fault> {
        (self.leaf)(value, partner.as_ref())
    }
}

/// Rebuilds `value` with every leaf (Real, Int, Bool, String, function) replaced.
pub fn map_leaves(
    value: &Value,
    mut leaf: impl FnMut(&Value) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    rebuild(
        value,
        None,
        &mut Leaves { what: "", leaf: |value: &Value, _: Option<&Value>| leaf(value) },
    )
}

/// Rebuilds `value` with every leaf replaced by a function of it and of the leaf at the same place of
/// its tangent or cotangent. An error if the shapes differ; `what` says what the second is.
pub fn zip_leaves(
    value: &Value,
    tangent: &Value,
    what: &'static str,
    mut leaf: impl FnMut(&Value, &Value) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let leaf = |value: &Value, partner: Option<&Value>| match (value.as_real(), partner) {
        (Some(_), Some(partner @ (Value::Real(_) | Value::Active(_))))
        | (None, Some(partner @ Value::Unit)) => leaf(value, partner),
        (_, Some(partner)) => Err(mismatch(value, partner, what)),
        (_, None) => bug("eval", "a partner of each leaf"),
    };
    rebuild(value, Some(tangent.clone()), &mut Leaves { what, leaf })
}

/// The child of a structure that has been found to have one.
fn child(partner: &Value, index: usize) -> Value {
    if let Value::Tuple(fields) | Value::Data(fields) = partner {
        fields.items()[index].clone()
    } else {
        let array = partner.as_array();
        array.unwrap_or_else(|| bug("eval", "a structure as the partner of one")).at(index)
    }
}

/// An error unless `partner` can be a tangent of the structure `value`, looking one level deep.
fn check_shape(value: &Value, partner: &Value, what: &'static str) -> Result<(), Fault> {
    let fits = match (value, partner) {
        (Value::Unit, Value::Unit) => true,
        (Value::Tag(a), Value::Tag(b)) => a == b,
        (Value::Tuple(a), Value::Tuple(b)) | (Value::Data(a), Value::Data(b)) => {
            a.tag() == b.tag() && a.items().len() == b.items().len()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len(),
        (Value::Unit | Value::Tag(_) | Value::Tuple(_) | Value::Data(_) | Value::Array(_), _) => {
            false
        }
        _ => return Ok(()),
    };
    if fits { Ok(()) } else { Err(mismatch(value, partner, what)) }
}

fn mismatch(value: &Value, partner: &Value, what: &'static str) -> Fault {
    let (primal, found) = match (value, partner) {
        (Value::Array(a), Value::Array(b)) => {
            (format!("an array of size {}", a.len()), format!("one of size {}", b.len()))
        }
        (Value::Tag(_) | Value::Data(_), Value::Tag(_) | Value::Data(_)) => {
            let tag = |value: &Value| value.as_data().map_or(0, |(tag, _)| tag + 1);
            (
                format!("constructor number {}", tag(value)),
                format!("constructor number {}", tag(partner)),
            )
        }
        _ => {
            let needed = if matches!(value, Value::Int(_) | Value::Bool(_) | Value::Str(_)) {
                "()"
            } else {
                value.kind_name()
            };
            (needed.to_string(), partner.kind_name().to_string())
        }
    };
    Fault::Shape { what, primal, found }
}

/// The zero tangent of a value.
pub fn zeros(value: &Value) -> Result<Value, Fault> {
    if let Value::Array(array) = value
        && let Some(reals) = array.reals()
    {
        return Ok(Value::reals(vec![0.0; reals.len()]));
    }
    map_leaves(value, |leaf| Ok(zero(leaf)))
}

/// The zero tangent of a leaf.
#[inline]
pub fn zero(leaf: &Value) -> Value {
    if leaf.is_real() { Value::Real(0.0) } else { Value::Unit }
}

/// The tangent of `value` whose Reals are the next ones of `reals`, in order.
pub fn tangent_of(value: &Value, reals: impl IntoIterator<Item = Value>) -> Result<Value, Fault> {
    let mut reals = reals.into_iter();
    map_leaves(value, |leaf| {
        if !leaf.is_real() {
            return Ok(Value::Unit);
        }
        reals.next().ok_or_else(|| Fault::internal("a tangent has too few numbers"))
    })
}

/// The Reals of a value, in order.
pub fn real_leaves(value: &Value) -> Result<Vec<Value>, Fault> {
    let mut leaves = vec![];
    for_each_real(value, |leaf| leaves.push(leaf.clone()));
    Ok(leaves)
}

/// Calls `f` on the Reals of a value, in order.
pub fn for_each_real(value: &Value, mut f: impl FnMut(&Value)) {
    // The structures that are open: what is left of each.
    let mut open = vec![std::slice::from_ref(value).iter()];
    while let Some(items) = open.last_mut() {
        let next = items.next();
        // What has been visited is let go of before the last child opens: a list is as deep as long.
        if items.as_slice().is_empty() {
            open.pop();
        }
        let Some(value) = next else { continue };
        match value {
            Value::Real(_) | Value::Active(_) => f(value),
            Value::Tuple(fields) | Value::Data(fields) => open.push(fields.items().iter()),
            Value::Array(array) => match array.items() {
                Items::Real(reals) => reals.iter().for_each(|x| f(&Value::Real(*x))),
                Items::Int(_) | Items::Absent(_) => {}
                Items::Values(items) => open.push(items.iter()),
            },
            Value::Unit
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Tag(_)
            | Value::Str(_)
            | Value::IntOf(..)
            | Value::RealOf(..)
            | Value::Chain(..)
            | Value::Closure(..)
            | Value::Partial(_)
            | Value::Native(_) => {}
        }
    }
}

/// The latest level that follows any Real of the value; 0 if none does.
pub fn highest_level(value: &Value) -> Result<u64, Fault> {
    // Nothing follows the elements of packed arrays.
    if let Value::Array(array) = value
        && array.values().is_none()
    {
        return Ok(0);
    }
    let mut highest = 0;
    for_each_real(value, |leaf| highest = highest.max(leaf.level()));
    Ok(highest)
}

/// The value without the derivatives of one level, which must be the highest of each Real or absent.
pub fn strip(value: &Value, level: u64) -> Result<Value, Fault> {
    if let Value::Active(active) = value
        && active.level == level
    {
        return Ok(active.primal.clone());
    }
    if unfollowed(value) {
        return Ok(value.clone());
    }
    map_leaves(value, |leaf| Ok(primal(leaf, level).clone()))
}

/// The value without any derivative.
pub fn strip_all(value: &Value) -> Result<Value, Fault> {
    if unfollowed(value) {
        return Ok(value.clone());
    }
    map_leaves(value, |leaf| {
        Ok(leaf.as_real().filter(|_| leaf.level() > 0).map_or_else(|| leaf.clone(), Value::Real))
    })
}

/// Whether it is clear at one glance that nothing follows this value.
fn unfollowed(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.values().is_none(),
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Tag(_)
        | Value::IntOf(..)
        | Value::RealOf(..)
        | Value::Chain(..)
        | Value::Str(_) => true,
        Value::Closure(..) | Value::Partial(_) | Value::Native(_) => true,
        Value::Active(_) | Value::Tuple(_) | Value::Data(_) => false,
    }
}
