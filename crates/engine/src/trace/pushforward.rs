//! The sweep over a tape forwards, with tangents; and the transpose of a rule's pullback, which it asks for.

use std::rc::Rc;

use pullback_eval::memory::Charge;
use pullback_eval::{Ctx, Fault, Native, NativeValue, Step, Value, walk};

use super::nans;
use super::record::Record;
use super::sweep::{TICK, accumulate, entries, number};
use super::tape::{Aside, Custom, NONE, Recorder, View};
use super::vjp::vjp_on;
use crate::go::Go;
use crate::levels::finite;

/// The sweep forwards.
pub(super) struct Forward {
    record: Rc<Record>,
    dots: Vec<Value>,
    #[expect(dead_code, reason = "it is in the account while the sweep lasts")]
    held: Charge,
    at: usize,
}

impl Forward {
    /// From tangents of the argument's Reals to the tangent of the result.
    pub(super) fn start(
        ctx: &mut Ctx,
        record: Rc<Record>,
        seeds: Vec<Value>,
    ) -> Result<Step, Fault> {
        let (mut dots, held) = entries(ctx, record.tape.nodes.len())?;
        for (entry, seed) in dots.iter_mut().zip(seeds) {
            *entry = seed;
        }
        let at = record.tape.inputs;
        nans::enter(ctx, &record);
        Self { record, dots, held, at }.go(ctx)
    }

    fn go(mut self, ctx: &mut Ctx) -> Result<Step, Fault> {
        let record = self.record.clone();
        let (tape, watched) = (&record.tape, !record.notes.is_empty());
        while self.at < tape.nodes.len() {
            let at = self.at;
            self.at += 1;
            if at.is_multiple_of(TICK) {
                ctx.meter.check()?;
            }
            if watched {
                nans::look_forwards(ctx, &record, &self.dots, at);
            }
            let mut y_dot = Value::Unit;
            match tape.view(at) {
                View::Leaf => continue,
                View::Plain(node) => {
                    for (parent, partial) in node.parents.into_iter().zip(node.partials) {
                        self.add(ctx, &mut y_dot, parent, &Value::Real(partial))?;
                    }
                }
                View::Aside(Aside::General { parents, partials }) => {
                    for (parent, partial) in parents.iter().zip(partials) {
                        self.add(ctx, &mut y_dot, *parent, partial)?;
                    }
                }
                View::Aside(Aside::Sum(parents)) => {
                    for parent in parents {
                        self.add(ctx, &mut y_dot, *parent, &Value::Real(1.0))?;
                    }
                }
                View::Aside(Aside::Custom(custom)) => {
                    if let Some(step) = self.ask(custom)? {
                        return Ok(step(self));
                    }
                }
            }
            self.dots[at] = y_dot;
        }
        nans::leave(ctx, &record);
        let y_dot = record.outputs.iter().map(|output| match *output {
            NONE => Value::Real(0.0),
            output => number(&self.dots[output as usize]),
        });
        Ok(Step::Return(finite(ctx, walk::tangent_of(&record.y, y_dot)?)?))
    }

    #[inline]
    fn add(
        &self,
        ctx: &mut Ctx,
        y_dot: &mut Value,
        parent: u32,
        partial: &Value,
    ) -> Result<(), Fault> {
        if parent == NONE {
            return Ok(());
        }
        let x_dot = &self.dots[parent as usize];
        if let Value::Unit = x_dot { Ok(()) } else { accumulate(ctx, y_dot, partial, x_dot) }
    }

    /// How to have a rule's pullback transposed and applied to the tangent of its argument, unless
    /// that is a structural zero.
    fn ask(&self, custom: &Custom) -> Result<Option<impl FnOnce(Self) -> Step + use<>>, Fault> {
        let dots: Vec<&Value> = custom
            .inputs
            .iter()
            .map(|input| if *input == NONE { &Value::Unit } else { &self.dots[*input as usize] })
            .collect();
        if dots.iter().all(|dot| matches!(dot, Value::Unit)) {
            return Ok(None);
        }
        let x_dot = walk::tangent_of(&custom.x, dots.into_iter().map(number))?;
        let transposed = transposed(custom.pullback.clone(), custom.value.clone());
        let outputs = custom.outputs;
        Ok(Some(move |mut this: Self| {
            Step::call(
                transposed,
                vec![x_dot],
                Go(move |ctx: &mut Ctx, y_dot: Value| {
                    let first = this.at;
                    let y_dot = walk::strip(&y_dot, this.record.level)?;
                    let leaves = walk::real_leaves(&y_dot)?;
                    nans::look_at_rule(ctx, &this.record, first - 1, &leaves);
                    for (entry, leaf) in this.dots[first..first + outputs].iter_mut().zip(leaves) {
                        *entry = leaf;
                    }
                    this.go(ctx)
                }),
            )
        }))
    }
}

/// The transpose `T a -> T b` of a rule's pullback; `value` is what the rule's function gave.
pub(super) fn transposed(pullback: Value, value: Value) -> Value {
    NativeValue::value(Transposed { pullback, value })
}

/// The transpose of a linear function `T b -> T a`: its own derivative in reverse, at zero.
struct Transposed {
    pullback: Value,
    value: Value,
}

impl Native for Transposed {
    fn name(&self) -> &'static str {
        "transposed pullback"
    }
    fn call(&self, _: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        let differentiate = NativeValue::value(Differentiate(self.pullback.clone()));
        Ok(Step::call(
            differentiate,
            vec![walk::zeros(&self.value)?],
            Go(move |_: &mut Ctx, pair: Value| match pair.as_tuple() {
                Some([_, transposed]) => {
                    Ok(Step::Tail { function: transposed.clone(), args: vec![x_dot] })
                }
                Some(_) | None => Err(Fault::internal("vjp gave no pair")),
            }),
        ))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.pullback));
    }
}

/// `vjp f`, as a function of the argument.
struct Differentiate(Value);

impl Native for Differentiate {
    fn name(&self) -> &'static str {
        "differentiated function"
    }
    fn call(&self, ctx: &mut Ctx, x: Value) -> Result<Step, Fault> {
        vjp_on(ctx, Rc::new(Recorder::default()), self.0.clone(), x)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.0));
    }
}
