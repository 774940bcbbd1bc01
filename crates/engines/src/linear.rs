//! Whether the pullback of a rule is linear: the one check of all engines.
//!
//! In reverse mode a rule of `custom_vjp` may do to the cotangent whatever it likes, as long as the engine
//! hands it the whole cotangent of the result, once. Forward mode needs the transpose of the pullback, and
//! an engine that collects matrices needs its matrix; only a linear function has those. A level whose
//! engine goes such a way calls [`demand_linear`] wherever a rule is applied to what it follows. Engines
//! that transform programs have the program run by such levels first ([`crate::run`]).
//!
//! The pullback is applied to a cotangent that a level of its own follows. Each primitive on the way must be
//! linear in what is followed, nothing may be decided by it, and what does not come from it must be zero. So
//! the number that the cotangent has does not matter.

use std::rc::Rc;

use pullback_eval::{Ctx, Fault, Level, Nonlinear, Step, Value, primal, walk};
use pullback_prim::{Linearity, Prim};

use crate::go::Go;
use crate::levels::{below_or_at, followed_sum, smooth};

/// Which pullbacks of rules a level admits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pullbacks {
    /// Any: each is applied once at most, to the whole cotangent.
    #[default]
    Any,
    /// Linear ones.
    Linear,
}

/// Goes on with `then` if the pullback of a function with the result `y` is linear.
pub(crate) fn demand_linear(
    ctx: &mut Ctx,
    y: &Value,
    pullback: Value,
    then: impl FnOnce(&mut Ctx) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let zeros = walk::zeros(y)?;
    let level = ctx.open(Rc::new(Linear));
    let y_bar = walk::map_leaves(&zeros, |leaf| {
        if leaf.is_real() { ctx.follow(level, leaf.clone(), Value::Unit) } else { Ok(leaf.clone()) }
    })?;
    ctx.watch().inspect(|watch| watch.enter_sweep());
    Ok(Step::call(
        pullback,
        vec![y_bar],
        Go(move |ctx: &mut Ctx, x_bar: Value| {
            ctx.watch().inspect(|watch| watch.leave_sweep());
            ctx.close(level);
            let leaves = walk::real_leaves(&x_bar)?;
            if leaves.iter().any(|leaf| is_constant(level, below_or_at(leaf, level))) {
                return Err(Fault::NotLinear { cause: Nonlinear::Constant });
            }
            then(ctx)
        }),
    ))
}

/// Whether this is a number other than zero that does not come from the cotangent.
fn is_constant(level: u64, value: &Value) -> bool {
    value.level() != level && value.as_real() != Some(0.0)
}

/// A level that follows a cotangent through a pullback and keeps nothing: it only looks whether the
/// pullback is linear.
struct Linear;

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
        let linear = match smooth(prim)?.linearity {
            Linearity::Linear if args.iter().any(|arg| is_constant(level, arg)) => {
                return Err(Fault::NotLinear { cause: Nonlinear::Offset });
            }
            Linearity::Linear => true,
            Linearity::Bilinear => followed(0) != followed(1),
            Linearity::LinearInFirst => !followed(1),
            Linearity::Nonlinear => false,
        };
        if !linear {
            return Err(Fault::NotLinear { cause: Nonlinear::Applied(prim.written()) });
        }
        let below: Vec<Value> = args.iter().map(|arg| primal(arg, level).clone()).collect();
        let result = ctx.apply(prim, &below)?;
        ctx.follow(level, result, Value::Unit)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        if items.iter().any(|item| is_constant(level, item)) {
            return Err(Fault::NotLinear { cause: Nonlinear::Offset });
        }
        followed_sum(ctx, level, items)
    }

    fn custom_vjp(&self, _: &mut Ctx, _: u64, _: Value, _: Value, _: Value) -> Result<Step, Fault> {
        Err(no_rule())
    }

    fn tangent(&self, _: &mut Ctx, _: u64, _: &Value) -> Result<Value, Fault> {
        Err(no_rule())
    }

    fn custom_jvp(&self, _: &mut Ctx, _: u64, _: Value, _: Value) -> Result<Value, Fault> {
        Err(no_rule())
    }

    fn through_rules(&self) -> bool {
        true
    }

    fn tests_linearity(&self) -> bool {
        true
    }
}

/// Functions with rules of their own are followed as if they had none, so no rule is ever asked for.
fn no_rule() -> Fault {
    Fault::internal("a rule was asked for by a test of linearity")
}
