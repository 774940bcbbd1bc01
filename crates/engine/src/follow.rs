//! Runs that only see which Reals depend on the argument.
//!
//! Input: an image, a function of one argument, and maybe a watch in the options. Output: in the watch; or the
//! fault of the run, in the strict domain those of the derivative too. No derivative is computed, so it is the
//! same for every engine.

use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::{Ctx, Fault, Image, Level, Linearised, Machine, Options, Step, Value, walk};
use pullback_lambda::DefId;
use pullback_prim::Prim;

use crate::go::Go;
use crate::levels::followed_sum;

/// Runs a function of one argument whose Reals are all followed; the watch in `options` sees what
/// depends on them. Derivatives inside the program are taken by traces. Nobody hears what the program tells.
pub fn follow(
    image: &Image,
    function: DefId,
    argument: Value,
    options: &Options,
) -> Result<(), Box<Diagnostic>> {
    let mut machine = Machine::new(image, crate::trace_engine(), options.unheard());
    let function = machine.global(function)?;
    machine.perform(|ctx| {
        let level = ctx.open(Rc::new(Followed));
        let followed = walk::map_leaves(&argument, |leaf| {
            if leaf.is_real() {
                ctx.follow(level, leaf.clone(), Value::Unit)
            } else {
                Ok(leaf.clone())
            }
        })?;
        let close = Go(move |ctx: &mut Ctx, _: Value| {
            ctx.close(level);
            Ok(Step::Return(Value::Unit))
        });
        Ok(Step::call(function, vec![followed], close))
    })?;
    Ok(())
}

/// A level that knows which Reals depend on its inputs, and nothing else of their derivatives.
struct Followed;

impl Level for Followed {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let Linearised { result, terms } = ctx.linearise(level, prim, args)?;
        if terms.iter().any(Option::is_some) {
            ctx.follow(level, result, Value::Unit)
        } else {
            Ok(result)
        }
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        followed_sum(ctx, level, items)
    }

    fn through_rules(&self) -> bool {
        true
    }
}
