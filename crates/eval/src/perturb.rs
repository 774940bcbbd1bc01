//! `perturb`: the Reals of a value, also those that its functions captured, held constant and moved by a number
//! times their weights ([`pullback_lambda::weights`]). It recurses on a stack of its own, however deep the value is.

use pullback_base::bug;
use pullback_base::memory::Charge;
use pullback_lambda::weights::{phase, weight};
use pullback_prim::Prim;

use super::hooks::Ctx;
use super::value::{Fields, Items, Value};
use crate::Fault;

/// A structure being rebuilt.
struct Open {
    source: Value,
    phase: f64,
    done: Vec<Value>,
    #[expect(dead_code, reason = "it is in the account while the structure is open")]
    held: Charge,
}

impl Ctx {
    /// `perturb by value`
    pub(super) fn perturbed(&mut self, by: &Value, value: &Value) -> Result<Value, Fault> {
        let mut stack: Vec<Open> = vec![];
        let mut current = (value.clone(), 0.0);
        loop {
            let (value, whole) = current;
            let count = parts(&value);
            if count > 0 {
                self.count_elements(count, 1)?;
                let held = Charge::new(count * size_of::<Value>());
                current = (part(&value, 0), phase(whole, 0));
                let done = Vec::with_capacity(count);
                stack.push(Open { source: value, phase: whole, done, held });
                continue;
            }
            let mut result = self.moved(by, value, whole)?;
            current = loop {
                let Some(open) = stack.last_mut() else { return Ok(result) };
                open.done.push(result);
                let next = open.done.len();
                if next < parts(&open.source) {
                    break (part(&open.source, next), phase(open.phase, next));
                }
                result = closed(&open.source, std::mem::take(&mut open.done));
                stack.pop();
            };
        }
    }

    /// A value without parts: a Real that is moved, or something else.
    fn moved(&mut self, by: &Value, value: Value, phase: f64) -> Result<Value, Fault> {
        if !value.is_real() {
            return Ok(value);
        }
        let held = self.stopped(&value)?;
        let change = self.apply(Prim::Mul, &[Value::Real(weight(phase)), by.clone()])?;
        self.apply(Prim::Add, &[held, change])
    }
}

/// How many parts a value has that may hold Reals.
fn parts(value: &Value) -> usize {
    match value {
        Value::Tuple(fields)
        | Value::Data(fields)
        | Value::Closure(_, Some(fields))
        | Value::Partial(fields) => fields.items().len(),
        Value::Array(array) => match array.items() {
            Items::Real(reals) => reals.len(),
            Items::Values(items) => items.len(),
            Items::Int(_) | Items::Absent(_) => 0,
        },
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Tag(_)
        | Value::Active(_)
        | Value::Str(_)
        | Value::Closure(_, None)
        | Value::Native(_) => 0,
    }
}

/// One of them.
fn part(value: &Value, index: usize) -> Value {
    match value {
        Value::Tuple(fields)
        | Value::Data(fields)
        | Value::Closure(_, Some(fields))
        | Value::Partial(fields) => fields.items()[index].clone(),
        Value::Array(array) => array.at(index),
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Tag(_)
        | Value::Active(_)
        | Value::Str(_)
        | Value::Closure(_, None)
        | Value::Native(_) => bug("eval", "a value with parts"),
    }
}

/// The same structure with other parts.
fn closed(source: &Value, items: Vec<Value>) -> Value {
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
        | Value::Active(_)
        | Value::Str(_)
        | Value::Native(_) => bug("eval", "a structure that was taken apart"),
    }
}
