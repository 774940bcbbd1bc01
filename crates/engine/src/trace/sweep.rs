//! The sweep over a tape backwards, with cotangents; that forwards is in `pushforward.rs`.
//!
//! Sweeps do their arithmetic at whatever level the numbers have, so an earlier level follows them.
//! Absent entries are structural zeros and are skipped; a number that happens to be 0 is not. A sweep
//! stops at a function with its own rule, has the rule's function applied, and goes on.

use std::rc::Rc;

use pullback_base::{Counted, Stand};
use pullback_eval::memory::Charge;
use pullback_eval::{Ctx, Fault, Step, Value, walk};

use super::nans;
use super::record::Record;
use super::tape::{Aside, Custom, NONE, Node, View};
use crate::go::Go;
use crate::levels::{checked_leaves, finite};

/// How many nodes pass between two looks at the limits.
pub(super) const TICK: usize = 1 << 16;

/// Adds `partial * factor` to an entry.
#[inline]
pub(super) fn accumulate(
    ctx: &mut Ctx,
    entry: &mut Value,
    partial: &Value,
    factor: &Value,
) -> Result<(), Fault> {
    *entry = ctx.add_product(entry, partial, factor)?;
    Ok(())
}

/// An entry for each node, in the account while the sweep lasts.
pub(super) fn entries(ctx: &Ctx, count: usize) -> Result<(Vec<Value>, Charge), Fault> {
    let bytes = count * size_of::<Value>();
    ctx.meter.reserve(bytes as u128)?;
    Ok((vec![Value::Unit; count], Charge::new(bytes)))
}

/// `()` as the number it stands for.
pub(super) fn number(entry: &Value) -> Value {
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
                ctx.meter.check()?;
                let all = tape.nodes.len();
                let done = (all - self.at) as u64;
                ctx.tell_stand(Stand { counted: Counted::Operations, done, all: Some(all as u64) });
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
        Ok(Step::Return(finite(ctx, walk::tangent_of(&record.x, x_bar)?)?))
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
                    ctx.meter.counts.derivative += 1;
                    *total += partial * y_bar;
                } else if let Value::Unit = entry {
                    ctx.meter.counts.derivative += u64::from(partial != 1.0);
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
