//! Forward mode by dual numbers, and reverse mode as many forward passes.
//!
//! Type:  `jvp : (a -> b) -> a -> T a -> (b, T b)`; `vjp` with the same type as everywhere.
//! Law:   every Real carries its tangent; a primitive gives its value and the sum of its partial
//!        derivatives times the tangents of its arguments (*Provably Correct, Asymptotically Efficient,
//!        Higher-Order Reverse-Mode AD* §4).
//! Cost:  `jvp` is a constant times the program in time and in memory. `vjp` is one such pass for each
//!        Real of the argument (the wrapper of §4, for arguments and results of any first-order type).
//! Limits: none; the whole language.
//! Needs: the primitive table; the machine's levels.

mod level;
mod show;

use std::rc::Rc;

use pullback_lambda::eval::{Ctx, Engine, Fault, Native, NativeValue, Step, Value, walk};

use crate::engine::Go;
use crate::follow::{checked_leaves, tangent_at};
use level::Duals;

pub use show::show_dual;

/// The engine.
pub fn engine() -> Rc<dyn Engine> {
    Rc::new(Dual)
}

struct Dual;

impl Engine for Dual {
    fn vjp(&self, _: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        Ok(Step::call(
            function.clone(),
            vec![x.clone()],
            Go(move |_: &mut Ctx, y: Value| {
                let pullback = NativeValue::value(Pullback { function, x, y: y.clone() });
                Ok(Step::Return(Value::tuple(vec![y, pullback])))
            }),
        ))
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        pass(ctx, function, &x, &x_dot, |_, y, y_dot| {
            Ok(Step::Return(Value::tuple(vec![y, y_dot])))
        })
    }

    fn linearize(&self, _: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        Ok(Step::call(
            function.clone(),
            vec![x.clone()],
            Go(move |_: &mut Ctx, y: Value| {
                let pushforward = NativeValue::value(Pushforward { function, x });
                Ok(Step::Return(Value::tuple(vec![y, pushforward])))
            }),
        ))
    }
}

/// Applies `function` to the dual number of `x` and `x_dot`, then goes on with value and tangent.
fn pass(
    ctx: &mut Ctx,
    function: Value,
    x: &Value,
    x_dot: &Value,
    then: impl FnOnce(&mut Ctx, Value, Value) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    pass_on(ctx, Rc::new(Duals::default()), function, x, x_dot, then)
}

fn pass_on(
    ctx: &mut Ctx,
    duals: Rc<Duals>,
    function: Value,
    x: &Value,
    x_dot: &Value,
    then: impl FnOnce(&mut Ctx, Value, Value) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let level = ctx.open(duals);
    let followed = walk::zip_leaves(x, x_dot, "tangent", |leaf, tangent| match leaf {
        Value::Real(_) | Value::Active(_) => ctx.follow(level, leaf.clone(), tangent.clone()),
        _ => Ok(leaf.clone()),
    })?;
    Ok(Step::call(
        function,
        vec![followed],
        Go(move |ctx: &mut Ctx, result: Value| {
            let y = walk::strip(&result, level)?;
            let y_dot = walk::map_leaves(&result, |leaf| {
                Ok(tangent_at(leaf, level).cloned().unwrap_or_else(|| walk::zero(leaf)))
            })?;
            drop(result);
            ctx.close(level);
            then(ctx, y, y_dot)
        }),
    ))
}

/// `T a -> T b`
struct Pushforward {
    function: Value,
    x: Value,
}

impl Native for Pushforward {
    fn name(&self) -> &'static str {
        "pushforward"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        pass(ctx, self.function.clone(), &self.x, &x_dot, |_, _, y_dot| Ok(Step::Return(y_dot)))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.extend([std::mem::take(&mut self.function), std::mem::take(&mut self.x)]);
    }
}

/// `T b -> T a`
struct Pullback {
    function: Value,
    x: Value,
    y: Value,
}

impl Native for Pullback {
    fn name(&self) -> &'static str {
        "pullback"
    }
    fn call(&self, ctx: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        let y_bar = checked_leaves(&self.y, &y_bar, "cotangent")?;
        let inputs = walk::real_leaves(&self.x)?.len();
        let (function, x) = (self.function.clone(), self.x.clone());
        Passes { function, x, y_bar, inputs, x_bar: vec![] }.go(ctx)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        let held = [&mut self.function, &mut self.x, &mut self.y];
        work.extend(held.map(std::mem::take));
    }
}

/// One pass for each Real of the argument.
struct Passes {
    function: Value,
    x: Value,
    y_bar: Vec<Value>,
    inputs: usize,
    x_bar: Vec<Value>,
}

impl Passes {
    fn go(mut self, ctx: &mut Ctx) -> Result<Step, Fault> {
        let current = self.x_bar.len();
        if current == self.inputs {
            return Ok(Step::Return(walk::tangent_of(&self.x, self.x_bar)?));
        }
        let level = ctx.open(Rc::new(Duals::default()));
        let mut index = 0;
        let followed = walk::map_leaves(&self.x, |leaf| {
            let chosen = leaf.as_real().is_some() && {
                index += 1;
                index - 1 == current
            };
            // All others are constants: their tangents are structural zeros.
            if chosen { ctx.follow(level, leaf.clone(), Value::Real(1.0)) } else { Ok(leaf.clone()) }
        })?;
        Ok(Step::call(
            self.function.clone(),
            vec![followed],
            Go(move |ctx: &mut Ctx, result: Value| {
                let leaves = walk::real_leaves(&result)?;
                drop(result);
                ctx.close(level);
                let mut total = Value::Unit;
                for (leaf, y_bar) in leaves.iter().zip(&self.y_bar) {
                    if let Some(y_dot) = tangent_at(leaf, level) {
                        total = ctx.add_product(&total, y_dot, y_bar)?;
                    }
                }
                self.x_bar.push(if let Value::Unit = total { Value::Real(0.0) } else { total });
                self.go(ctx)
            }),
        ))
    }
}
