//! Whether what a rule gives is linear: the one check of all engines.
//!
//! In reverse mode a rule of `custom_vjp` may do to the cotangent whatever it likes, as long as the engine
//! hands it the whole cotangent of the result, once. Forward mode needs the transpose of the pullback, and
//! an engine that collects matrices needs its matrix; only a linear function has those. The tangent that a
//! rule of `custom_jvp` gives is always linear in the one that it is given, as reverse mode needs its
//! transpose. Engines that transform programs have the program run by levels that look first ([`crate::run`]).
//!
//! The function is applied to values that a level of its own follows, beside whoever follows them already: so
//! one run of it gives its result, what others record of it, and the answer whether it is linear. Each primitive
//! on the way must be linear in what is followed, nothing may be decided by it, and what does not come from it
//! must be zero. So the numbers that it is applied to do not matter.

use std::rc::Rc;

use pullback_eval::{Ctx, Fault, Level, Native, Nonlinear, Ruled, Step, Value, primal, walk};
use pullback_prim::{Linearity, Prim};

use crate::go::Go;
use crate::levels::{below_or_at, carried, carriers, followed_sum};

/// Which pullbacks of rules a level admits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pullbacks {
    /// Any: each is applied once at most, to the whole cotangent.
    #[default]
    Any,
    /// Linear ones.
    Linear,
}

/// Applies a function that must be linear, and goes on with `then`.
pub fn apply_linear(
    ctx: &mut Ctx,
    rule: Ruled,
    function: Value,
    argument: &Value,
    then: impl FnOnce(&mut Ctx, Value) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let level = ctx.open(Rc::new(Linear(rule)));
    let followed = walk::map_leaves(argument, |leaf| {
        if leaf.is_real() { ctx.follow(level, leaf.clone(), Value::Unit) } else { Ok(leaf.clone()) }
    })?;
    Ok(Step::call(
        function,
        vec![followed],
        Go(move |ctx: &mut Ctx, result: Value| {
            ctx.close(level);
            let leaves = walk::real_leaves(&result)?;
            if leaves.iter().any(|leaf| is_constant(level, below_or_at(leaf, level))) {
                return Err(Fault::NotLinear { rule, cause: Nonlinear::Constant });
            }
            drop(leaves);
            then(ctx, walk::strip(&result, level)?)
        }),
    ))
}

/// Goes on with `then` if the pullback of a function with the result `y` is linear.
pub fn demand_linear(
    ctx: &mut Ctx,
    y: &Value,
    pullback: Value,
    then: impl FnOnce(&mut Ctx) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let y_bar = walk::zeros(y)?;
    ctx.watch().inspect(|watch| watch.enter_sweep());
    apply_linear(ctx, Ruled::Cotangent, pullback, &y_bar, |ctx, _| {
        ctx.watch().inspect(|watch| watch.leave_sweep());
        then(ctx)
    })
}

/// The result of a function with a rule of forward mode, at a level that keeps more than a tangent: what the rule
/// makes of zeros that carry what is kept.
pub fn carried_by_rule(
    ctx: &mut Ctx,
    level: u64,
    x: &Value,
    value: Value,
    pushforward: Value,
) -> Result<Step, Fault> {
    let carriers = carriers(ctx, level, x)?;
    apply_linear(ctx, Ruled::Tangent, pushforward, &carriers, move |ctx, y_dot| {
        Ok(Step::Return(carried(ctx, level, &value, &y_dot)?))
    })
}

/// A pullback that is an error if it is not linear.
pub struct LinearPullback(pub Value);

impl Native for LinearPullback {
    fn name(&self) -> &'static str {
        "linear pullback"
    }
    fn call(&self, ctx: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        apply_linear(ctx, Ruled::Cotangent, self.0.clone(), &y_bar, |_, x_bar| {
            Ok(Step::Return(x_bar))
        })
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.0));
    }
}

/// Whether this is a number other than zero that does not come from the cotangent.
fn is_constant(level: u64, value: &Value) -> bool {
    value.level() != level && value.as_real() != Some(0.0)
}

/// A level that follows what a function is applied to and keeps nothing: it only looks whether the function is
/// linear.
struct Linear(Ruled);

impl Linear {
    fn refuse(&self, cause: Nonlinear) -> Fault {
        Fault::NotLinear { rule: self.0, cause }
    }
}

impl Level for Linear {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let followed =
            |index: usize| args.get(index).is_some_and(|arg: &Value| arg.level() == level);
        let linear = match prim.row().analysis().linearity {
            Linearity::Linear if args.iter().any(|arg| is_constant(level, arg)) => {
                return Err(self.refuse(Nonlinear::Offset));
            }
            Linearity::Linear => true,
            Linearity::Bilinear => followed(0) != followed(1),
            Linearity::LinearInFirst => !followed(1),
            Linearity::Nonlinear => false,
        };
        if !linear {
            return Err(self.refuse(Nonlinear::Applied(prim.written())));
        }
        let below: Vec<Value> = args.iter().map(|arg| primal(arg, level).clone()).collect();
        let result = ctx.apply(prim, &below)?;
        ctx.follow(level, result, Value::Unit)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        if items.iter().any(|item| is_constant(level, item)) {
            return Err(self.refuse(Nonlinear::Offset));
        }
        followed_sum(ctx, level, items)
    }

    fn through_rules(&self) -> bool {
        true
    }

    fn tests_linearity(&self) -> Option<Ruled> {
        Some(self.0)
    }
}
