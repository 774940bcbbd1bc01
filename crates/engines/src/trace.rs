//! Reverse mode over a recorded trace, and forward mode beside it.
//!
//! Type:  `vjp : (a -> b) -> a -> (b, T b -> T a)`, `linearize` over the same record, and `jvp`.
//! Law:   the pullback is the transposed Jacobian of the executed trace: the sequence of primitives
//!        that ran, each with its partial derivatives (*A Simple Differentiable Programming Language*
//!        §3, with its trace terms as a tape so that the reverse pass is linear).
//! Cost:  recording and each sweep are linear in the operations executed; so is memory. `jvp` needs no
//!        record: it computes with dual numbers, in the memory of the program.
//! Limits: none; the whole language.
//! Needs: the primitive table; the machine's levels.

mod forward;
mod nans;
mod show;
mod sweep;
mod tape;

use std::rc::Rc;

use pullback_base::bug;
use pullback_eval::{Chunks, Ctx, Engine, Fault, Native, NativeValue, Step, Value, walk};

use crate::dual::pass_on;
use crate::engine::Go;
use crate::follow::{checked_leaves, tangent_at};
use crate::linear::Pullbacks;
use crate::watch::{self, Note};
use forward::Forwards;
use sweep::{Forward, Reverse};
use tape::{NONE, Recorder, Tape};

pub use show::{show_trace, show_trace_bounded};

/// The engine.
pub fn engine() -> Rc<dyn Engine> {
    Rc::new(Trace { reverse: Pullbacks::Any })
}

/// The engine with an error for rules that are not linear in reverse mode too, as they are in forward mode.
pub(crate) fn linear_engine() -> Rc<dyn Engine> {
    Rc::new(Trace { reverse: Pullbacks::Linear })
}

struct Trace {
    /// Which pullbacks of rules reverse mode admits.
    reverse: Pullbacks,
}

/// A function application that has been recorded.
pub(crate) struct Record {
    pub tape: Tape,
    pub level: u64,
    /// The argument; its Reals are the first nodes.
    pub x: Value,
    /// The result.
    pub y: Value,
    /// The node of each Real of the result.
    pub outputs: Vec<u32>,
    /// What ran, if a watch looks for NaN.
    pub notes: Chunks<Note>,
}

impl Engine for Trace {
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        vjp_on(ctx, Rc::new(Recorder::admitting(self.reverse)), function, x)
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        pass_on(ctx, Rc::new(Forwards::default()), function, &x, &x_dot, |_, y, y_dot| {
            Ok(Step::Return(Value::tuple(vec![y, y_dot])))
        })
    }

    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        let recorder = Rc::new(Recorder::admitting(Pullbacks::Linear));
        record_on(ctx, recorder, function, x, |_, record| {
            let y = record.y.clone();
            Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Pushforward(record))])))
        })
    }
}

/// `vjp f x` on this tape.
fn vjp_on(ctx: &mut Ctx, recorder: Rc<Recorder>, function: Value, x: Value) -> Result<Step, Fault> {
    record_on(ctx, recorder, function, x, |_, record| {
        let y = record.y.clone();
        Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Pullback(record))])))
    })
}

/// Applies `function` to `x` on this tape, then goes on with the record.
fn record_on(
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

/// The node that a followed Real names.
#[inline]
fn node(tangent: &Value) -> u32 {
    let node = tangent.as_int().and_then(|node| u32::try_from(node).ok());
    node.unwrap_or_else(|| bug("trace", "the number of a node"))
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
        release(&mut self.0, work);
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
        release(&mut self.0, work);
    }
}

fn release(record: &mut Rc<Record>, work: &mut Vec<Value>) {
    if let Some(record) = Rc::get_mut(record) {
        record.tape.release(work);
        work.extend([std::mem::take(&mut record.x), std::mem::take(&mut record.y)]);
    }
}
