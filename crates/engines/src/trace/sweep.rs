//! The two sweeps over a tape: backwards with cotangents, forwards with tangents.
//!
//! They do their arithmetic at whatever level the numbers have, so an earlier level follows them.
//! Absent entries are structural zeros and are skipped; a number that happens to be 0 is not. A sweep
//! stops at a function with its own rule, has the rule's function applied, and goes on.

use std::rc::Rc;

use pullback_eval::memory::Charge;
use pullback_eval::{Ctx, Fault, Native, NativeValue, Step, Value, walk};

use super::tape::{Aside, Custom, NONE, Node, Recorder, View};
use super::{Record, nans, vjp_on};
use crate::engine::Go;
use crate::follow::checked_leaves;

/// How many nodes pass between two looks at the limits.
const TICK: usize = 1 << 16;

/// Adds `partial * factor` to an entry.
#[inline]
fn accumulate(
    ctx: &mut Ctx,
    entry: &mut Value,
    partial: &Value,
    factor: &Value,
) -> Result<(), Fault> {
    *entry = ctx.add_product(entry, partial, factor)?;
    Ok(())
}

/// An entry for each node, in the account while the sweep lasts.
fn entries(ctx: &Ctx, count: usize) -> Result<(Vec<Value>, Charge), Fault> {
    let bytes = count * size_of::<Value>();
    ctx.reserve(bytes as u128)?;
    Ok((vec![Value::Unit; count], Charge::new(bytes)))
}

/// `()` as the number it stands for.
fn number(entry: &Value) -> Value {
    if let Value::Unit = entry { Value::Real(0.0) } else { entry.clone() }
}

/// The sweep backwards.
pub(super) struct Reverse {
    record: Rc<Record>,
    bars: Vec<Value>,
    #[expect(dead_code, reason = "it is in the account while the sweep lasts")]
    held: Charge,
    at: usize,
}

impl Reverse {
    /// From cotangents of the result's Reals to the cotangent of the argument.
    pub(super) fn start(
        ctx: &mut Ctx,
        record: Rc<Record>,
        seeds: Vec<Value>,
    ) -> Result<Step, Fault> {
        let at = record.tape.nodes.len();
        let (mut bars, held) = entries(ctx, at)?;
        for (output, seed) in record.outputs.iter().zip(seeds) {
            if *output == NONE {
                continue;
            }
            let entry = &mut bars[*output as usize];
            if let Value::Unit = entry {
                *entry = seed;
            } else {
                accumulate(ctx, entry, &Value::Real(1.0), &seed)?;
            }
        }
        nans::enter(ctx, &record);
        Self { record, bars, held, at }.go(ctx)
    }

    fn go(mut self, ctx: &mut Ctx) -> Result<Step, Fault> {
        let record = self.record.clone();
        let (tape, watched) = (&record.tape, !record.notes.is_empty());
        while self.at > tape.inputs {
            self.at -= 1;
            if self.at.is_multiple_of(TICK) {
                ctx.check_limits()?;
            }
            let at = self.at;
            if watched {
                nans::look_backwards(ctx, &record, &self.bars, at);
            }
            match tape.view(at) {
                View::Leaf => {}
                View::Plain(node) => self.plain(ctx, at, node)?,
                View::Aside(Aside::General { parents, partials }) => {
                    let y_bar = std::mem::take(&mut self.bars[at]);
                    if let Value::Unit = y_bar {
                        continue;
                    }
                    for (parent, partial) in parents.iter().zip(partials) {
                        if *parent != NONE {
                            accumulate(ctx, &mut self.bars[*parent as usize], partial, &y_bar)?;
                        }
                    }
                }
                View::Aside(Aside::Sum(parents)) => {
                    let y_bar = std::mem::take(&mut self.bars[at]);
                    if let Value::Unit = y_bar {
                        continue;
                    }
                    for parent in parents {
                        accumulate(
                            ctx,
                            &mut self.bars[*parent as usize],
                            &Value::Real(1.0),
                            &y_bar,
                        )?;
                    }
                }
                View::Aside(Aside::Custom(custom)) => {
                    let outputs = &self.bars[at + 1..=at + custom.outputs];
                    if outputs.iter().all(|bar| matches!(bar, Value::Unit)) {
                        continue;
                    }
                    let y_bar = walk::tangent_of(&custom.value, outputs.iter().map(number))?;
                    return Ok(self.ask(custom, y_bar));
                }
            }
        }
        nans::leave(ctx, &record);
        let x_bar = self.bars[..tape.inputs].iter().map(number);
        Ok(Step::Return(walk::tangent_of(&record.x, x_bar)?))
    }

    #[inline]
    fn plain(&mut self, ctx: &mut Ctx, at: usize, node: Node) -> Result<(), Fault> {
        if let Value::Real(y_bar) = self.bars[at] {
            for (parent, partial) in node.parents.into_iter().zip(node.partials) {
                if parent == NONE {
                    continue;
                }
                let entry = &mut self.bars[parent as usize];
                if let Value::Real(total) = entry {
                    ctx.counts.derivative += 1;
                    *total += partial * y_bar;
                } else if let Value::Unit = entry {
                    ctx.counts.derivative += u64::from(partial != 1.0);
                    *entry = Value::Real(partial * y_bar);
                } else {
                    let (partial, y_bar) = (Value::Real(partial), Value::Real(y_bar));
                    *entry = ctx.add_product(entry, &partial, &y_bar)?;
                }
            }
            return Ok(());
        }
        let y_bar = std::mem::take(&mut self.bars[at]);
        if let Value::Unit = y_bar {
            return Ok(());
        }
        for (parent, partial) in node.parents.into_iter().zip(node.partials) {
            if parent != NONE {
                accumulate(ctx, &mut self.bars[parent as usize], &Value::Real(partial), &y_bar)?;
            }
        }
        Ok(())
    }

    /// Has a rule's pullback applied, adds what it gives and goes on.
    fn ask(mut self, custom: &Custom, y_bar: Value) -> Step {
        let at = self.at;
        Step::call(
            custom.pullback.clone(),
            vec![y_bar],
            Go(move |ctx: &mut Ctx, x_bar: Value| {
                let record = self.record.clone();
                let View::Aside(Aside::Custom(custom)) = record.tape.view(at) else {
                    return Err(Fault::internal("a rule without its node"));
                };
                let x_bar = walk::strip(&x_bar, record.level)?;
                let leaves = checked_leaves(&custom.x, &x_bar, "cotangent")?;
                nans::look_at_rule(ctx, &record, at, &leaves);
                for (input, leaf) in custom.inputs.iter().zip(&leaves) {
                    if *input != NONE {
                        accumulate(ctx, &mut self.bars[*input as usize], &Value::Real(1.0), leaf)?;
                    }
                }
                self.go(ctx)
            }),
        )
    }
}

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
                ctx.check_limits()?;
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
        Ok(Step::Return(walk::tangent_of(&record.y, y_dot)?))
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
