//! The engine: `vjp` and `linearize` over a record, `jvp` by dual numbers.

use std::rc::Rc;

use pullback_eval::{Ctx, Engine, Fault, Native, NativeValue, Step, Value};

use super::pushforward::{Forward, transposed};
use super::record::Record;
use super::tape::Recorder;
use super::vjp::{record_on, vjp_on};
use crate::dual::{Duals, pass_on};
use crate::levels::checked_leaves;
use crate::linear::Pullbacks;

/// The engine.
pub fn engine() -> Rc<dyn Engine> {
    Rc::new(Trace { reverse: Pullbacks::Any })
}

/// The engine with an error for rules that are not linear in reverse mode too, as they are in forward mode.
pub fn linear_engine() -> Rc<dyn Engine> {
    Rc::new(Trace { reverse: Pullbacks::Linear })
}

struct Trace {
    /// Which pullbacks of rules reverse mode admits.
    reverse: Pullbacks,
}

impl Engine for Trace {
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        vjp_on(ctx, Rc::new(Recorder::admitting(self.reverse)), function, x)
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        pass_on(
            ctx,
            Rc::new(Duals::transposing(transposed)),
            function,
            &x,
            &x_dot,
            |_, y, y_dot| Ok(Step::Return(Value::tuple(vec![y, y_dot]))),
        )
    }

    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        let recorder = Rc::new(Recorder::admitting(Pullbacks::Linear));
        record_on(ctx, recorder, function, x, |_, record| {
            let y = record.y.clone();
            Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Pushforward(record))])))
        })
    }
}

/// `T a -> T b`
struct Pushforward(Rc<Record>);

impl Native for Pushforward {
    fn name(&self) -> &'static str {
        "pushforward"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        let seeds = checked_leaves(&self.0.x, &x_dot, "tangent")?;
        Forward::start(ctx, self.0.clone(), seeds)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        Record::release(&mut self.0, work);
    }
}
