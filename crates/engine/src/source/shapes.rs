//! Checks that tangents and cotangents have the shape of what they belong to, in programs from which
//! the operators have been eliminated.
//!
//! The derivative of the identity gives back its tangent or cotangent, and checks its shape: so a check
//! is an operator on the identity, which the machine asks this engine for.

use pullback_eval::{Ctx, Engine, Fault, Native, NativeValue, Step, Value};

use crate::levels::checked_leaves;

/// Differentiates the identity.
pub(super) struct Shapes;

impl Engine for Shapes {
    fn vjp(&self, _: &mut Ctx, _: Value, x: Value) -> Result<Step, Fault> {
        let pullback = NativeValue::value(Pullback(x.clone()));
        Ok(Step::Return(Value::tuple(vec![x, pullback])))
    }
    fn jvp(&self, _: &mut Ctx, _: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        checked_leaves(&x, &x_dot, "tangent")?;
        Ok(Step::Return(Value::tuple(vec![x, x_dot])))
    }
    fn linearize(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Err(Fault::internal("linearize has been eliminated"))
    }
}

/// The pullback of the identity at a value.
struct Pullback(Value);

impl Native for Pullback {
    fn name(&self) -> &'static str {
        "pullback"
    }
    fn call(&self, _: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        checked_leaves(&self.0, &y_bar, "cotangent")?;
        Ok(Step::Return(y_bar))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.0));
    }
}
