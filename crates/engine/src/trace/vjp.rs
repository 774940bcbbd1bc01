//! `vjp` on a tape: the function runs once, the pullback sweeps over what it recorded.

use std::rc::Rc;

use pullback_eval::{Ctx, Fault, Native, NativeValue, Step, Value, tangent_at, walk};

use super::record::Record;
use super::sweep::Reverse;
use super::tape::{NONE, Recorder, node};
use crate::go::Go;
use crate::levels::checked_leaves;
use crate::watch;

/// `vjp f x` on this tape.
pub(super) fn vjp_on(
    ctx: &mut Ctx,
    recorder: Rc<Recorder>,
    function: Value,
    x: Value,
) -> Result<Step, Fault> {
    record_on(ctx, recorder, function, x, |_, record| {
        let y = record.y.clone();
        Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Pullback(record))])))
    })
}

/// Applies `function` to `x` on this tape, then goes on with the record.
pub(super) fn record_on(
    ctx: &mut Ctx,
    recorder: Rc<Recorder>,
    function: Value,
    x: Value,
    then: impl FnOnce(&mut Ctx, Rc<Record>) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let level = watch::open(ctx, recorder.clone());
    let followed = walk::map_leaves(&x, |leaf| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        ctx.follow(level, leaf.clone(), Value::Int(i64::from(recorder.input()?)))
    })?;
    Ok(Step::call(
        function,
        vec![followed],
        Go(move |ctx: &mut Ctx, result: Value| {
            let mut outputs = vec![];
            walk::for_each_real(&result, |leaf| {
                outputs.push(tangent_at(leaf, level).map_or(NONE, node));
            });
            let y = walk::strip(&result, level)?;
            drop(result);
            ctx.close(level);
            let notes = recorder.notes();
            let tape = recorder.finish();
            then(ctx, Rc::new(Record { tape, level, x, y, outputs, notes }))
        }),
    ))
}

/// `T b -> T a`
struct Pullback(Rc<Record>);

impl Native for Pullback {
    fn name(&self) -> &'static str {
        "pullback"
    }
    fn call(&self, ctx: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        let seeds = checked_leaves(&self.0.y, &y_bar, "cotangent")?;
        Reverse::start(ctx, self.0.clone(), seeds)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        Record::release(&mut self.0, work);
    }
}
