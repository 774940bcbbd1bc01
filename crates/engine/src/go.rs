//! Continuations of steps of the machine.

use pullback_eval::{Ctx, Fault, Step, Then, Value};

/// A continuation that is a closure.
pub struct Go<F>(pub F);

impl<F> Then for Go<F>
where
    F: FnOnce(&mut Ctx, Value) -> Result<Step, Fault>,
{
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault> {
        (self.0)(ctx, value)
    }
}
