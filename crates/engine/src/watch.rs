//! What engines note under a watch, so that a NaN in their sweeps can be told by the primitive it came from.
//!
//! Input: a [`Watch`] in the options of an evaluation. Output: in the watch. [`Noted`] stands before the level
//! of an engine while a watch looks for NaN, and only then.

use std::rc::Rc;

use pullback_eval::watch::{NanCause, NanStep, Place, Watch};
use pullback_eval::{Ctx, Fault, Level, Step, Value};
use pullback_prim::Prim;

/// A primitive as it ran.
#[derive(Clone, Debug)]
pub struct Note {
    /// The node it became, where there are nodes.
    pub node: u32,
    /// Where it stands.
    pub place: Place,
    /// The primitive; none is a function with its own rule.
    pub prim: Option<Prim>,
    /// Its arguments.
    pub args: Vec<f64>,
    /// Its value.
    pub value: f64,
}

/// What a level does with a primitive that has run.
pub trait Noting: Level {
    /// Looks at a primitive at its arguments and result of this level.
    fn noted(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value], result: &Value);
    /// Looks at the result of a function with its own rule.
    fn noted_rule(&self, ctx: &mut Ctx);
}

/// A level under a watch for NaN.
pub struct Noted<L>(pub Rc<L>);

/// The watch of this evaluation, if it looks for NaN.
pub fn nan_watch(ctx: &Ctx) -> Option<Rc<Watch>> {
    ctx.watch().filter(|watch| watch.nans()).cloned()
}

/// Opens a level, under a watch if there is one.
pub fn open<L: Noting + 'static>(ctx: &mut Ctx, level: Rc<L>) -> u64 {
    if nan_watch(ctx).is_some() { ctx.open(Rc::new(Noted(level))) } else { ctx.open(level) }
}

impl<L: Noting> Level for Noted<L> {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let result = self.0.smooth(ctx, level, prim, args)?;
        self.0.noted(ctx, level, prim, args, &result);
        Ok(result)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        let result = self.0.sum(ctx, level, items)?;
        self.0.noted(ctx, level, Prim::Sum, items, &result);
        Ok(result)
    }

    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault> {
        self.0.noted_rule(ctx);
        self.0.custom_vjp(ctx, level, x, value, pullback)
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

/// The arguments of a primitive as numbers; of a sum, none: they may be many.
pub fn numbers(prim: Prim, args: &[Value]) -> Vec<f64> {
    if prim == Prim::Sum {
        return vec![];
    }
    let number = |arg: &Value| arg.as_real().or_else(|| arg.as_int().map(|n| n as f64));
    args.iter().filter_map(number).collect()
}

/// Notes a step of a derivative if it makes a NaN of numbers that are none.
pub fn look_at_step(watch: &Watch, note: &Note, step: Product) -> bool {
    let Product { by, backwards, partial, factor, total } = step;
    let product = partial * factor;
    let sum = total.map_or(product, |total| total + product);
    // What comes from a NaN in the values did not arise here.
    if note.value.is_nan() || note.args.iter().any(|x| x.is_nan()) {
        return false;
    }
    if factor.is_nan() || total.is_some_and(f64::is_nan) || !sum.is_nan() {
        return false;
    }
    let Some(prim) = note.prim else {
        watch.note_nan(note.place, NanCause::Rule);
        return true;
    };
    let (args, value) = (note.args.clone(), note.value);
    let step = NanStep { prim, args, value, by, backwards, partial, factor, total };
    watch.note_nan(note.place, NanCause::Derivative(step));
    true
}

/// A product of a partial derivative, added to a total.
pub struct Product {
    /// The argument that the partial derivative is by.
    pub by: usize,
    /// Whether the sweep goes backwards.
    pub backwards: bool,
    /// The partial derivative.
    pub partial: f64,
    /// The cotangent or tangent.
    pub factor: f64,
    /// What is there already.
    pub total: Option<f64>,
}
