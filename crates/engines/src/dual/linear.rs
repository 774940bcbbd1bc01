//! A level that follows a cotangent through the pullback of a rule and keeps nothing: it only looks
//! whether the pullback is linear, without which it has no transpose and so no forward mode.

use pullback_eval::{Ctx, Fault, Level, Step, Value, primal, walk};
use pullback_prim::Prim;

use crate::follow::{attach, demand_linear, followed_sum};

/// The level.
pub(super) struct Linear;

impl Level for Linear {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        demand_linear(level, prim, args)?;
        let below: Vec<Value> = args.iter().map(|arg| primal(arg, level).clone()).collect();
        let result = ctx.apply(prim, &below)?;
        ctx.follow(level, result, Value::Unit)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        followed_sum(ctx, level, items)
    }

    // A function with a rule of its own is taken to be linear.
    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        _: Value,
        value: Value,
        _: Value,
    ) -> Result<Step, Fault> {
        Ok(Step::Return(followed(ctx, level, &value)?))
    }

    fn tangent(&self, _: &mut Ctx, _: u64, x: &Value) -> Result<Value, Fault> {
        walk::map_leaves(x, |leaf| Ok(walk::zero(leaf)))
    }

    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        value: Value,
        _: Value,
    ) -> Result<Value, Fault> {
        followed(ctx, level, &value)
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// A value whose Reals this level follows.
pub(super) fn followed(ctx: &mut Ctx, level: u64, value: &Value) -> Result<Value, Fault> {
    walk::map_leaves(value, |leaf| {
        if leaf.is_real() { attach(ctx, level, leaf, Value::Unit) } else { Ok(leaf.clone()) }
    })
}
