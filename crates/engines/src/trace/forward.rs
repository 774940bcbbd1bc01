//! Forward mode: dual numbers, so that nothing is recorded and memory is that of the program.
//!
//! The level is that of the engine `dual` but for functions with their own rule of reverse mode: the
//! rule's pullback is transposed and applied once, whatever the number of results.

use pullback_eval::watch::NanCause;
use pullback_eval::{Ctx, Fault, Level, NativeValue, Plain, Step, Value, walk};
use pullback_prim::Prim;

use super::pushforward::transposed;
use crate::dual::Duals;
use crate::go::Go;
use crate::levels::{attach, tangent_at};
use crate::linear::LinearPullback;
use crate::watch::{Noting, nan_watch};

/// The level.
#[derive(Default)]
pub(super) struct Forwards(Duals);

impl Level for Forwards {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        self.0.smooth(ctx, level, prim, args)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        self.0.sum(ctx, level, items)
    }

    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault> {
        let mut followed = false;
        let x_dot = walk::map_leaves(&x, |leaf| {
            let tangent = tangent_at(leaf, level);
            followed |= tangent.is_some();
            Ok(tangent.cloned().unwrap_or_else(|| walk::zero(leaf)))
        })?;
        if !followed {
            return Ok(Step::Return(value));
        }
        ctx.watch().inspect(|watch| watch.enter_sweep());
        let pullback = NativeValue::value(LinearPullback(pullback));
        let transposed = transposed(pullback, walk::strip(&value, level)?);
        let attached = move |ctx: &mut Ctx, y_dot: Value| {
            ctx.watch().inspect(|watch| watch.leave_sweep());
            attached(ctx, level, &value, &walk::strip(&y_dot, level)?)
        };
        Ok(Step::call(transposed, vec![x_dot], Go(attached)))
    }

    fn takes_plain(&self) -> bool {
        self.0.takes_plain()
    }

    fn plain(&self, ctx: &mut Ctx, level: u64, plain: &Plain<'_>) -> Result<Value, Fault> {
        self.0.plain(ctx, level, plain)
    }

    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pushforward: Value,
    ) -> Result<Step, Fault> {
        self.0.custom_jvp(ctx, level, x, value, pushforward)
    }
}

impl Noting for Forwards {
    fn noted(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value], result: &Value) {
        self.0.noted(ctx, level, prim, args, result);
    }

    fn noted_rule(&self, ctx: &mut Ctx) {
        self.0.noted_rule(ctx);
    }
}

/// What a function with a rule gave, with the tangent that the rule gave.
fn attached(ctx: &mut Ctx, level: u64, value: &Value, y_dot: &Value) -> Result<Step, Fault> {
    let mut nan = false;
    let result = walk::zip_leaves(value, y_dot, "tangent", |leaf, y_dot| {
        nan |= y_dot.as_real().is_some_and(f64::is_nan);
        if leaf.is_real() { attach(ctx, level, leaf, y_dot.clone()) } else { Ok(leaf.clone()) }
    })?;
    if let (true, Some(watch)) = (nan, nan_watch(ctx)) {
        watch.note_nan(watch.place(), NanCause::Rule);
    }
    Ok(Step::Return(result))
}
