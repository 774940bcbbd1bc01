//! `perturb`: the Reals of a value, also those that its functions captured, held constant and moved by a number
//! times their weights ([`pullback_lambda::weights`]).

use pullback_lambda::weights::{phase, weight};
use pullback_prim::Prim;

use super::hooks::Ctx;
use super::value::{Items, Value};
use super::walk::{Rebuild, rebuild};
use crate::Fault;

/// Moves Reals by a number; beside each part of the value is its phase.
struct Mover<'c> {
    ctx: &'c mut Ctx,
    by: &'c Value,
}

impl Ctx {
    /// `perturb by value`
    pub(super) fn perturbed(&mut self, by: &Value, value: &Value) -> Result<Value, Fault> {
        rebuild(value, 0.0, &mut Mover { ctx: self, by })
    }
}

impl Rebuild for Mover<'_> {
    type Beside = f64;

    const OPENS_FUNCTIONS: bool = true;

    fn keeps(&self, value: &Value) -> bool {
        parts(value) == 0
    }
    fn meet(&mut self, value: &Value, _: &f64) -> Result<(), Fault> {
        match parts(value) {
            0 => Ok(()),
            parts => self.ctx.count_elements(parts, 1),
        }
    }
    fn part(&self, whole: &f64, index: usize) -> f64 {
        phase(*whole, index)
    }
    fn leaf(&mut self, value: &Value, phase: &f64) -> Result<Value, Fault> {
        if !value.is_real() {
            return Ok(value.clone());
        }
        let held = self.ctx.stopped(value)?;
        let change = self.ctx.apply(Prim::Mul, &[Value::Real(weight(*phase)), self.by.clone()])?;
        self.ctx.apply(Prim::Add, &[held, change])
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
        | Value::IntOf(..)
        | Value::RealOf(..)
        | Value::Chain(..)
        | Value::Active(_)
        | Value::Str(_)
        | Value::Closure(_, None)
        | Value::Native(_) => 0,
    }
}
