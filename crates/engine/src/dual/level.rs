//! Dual numbers under the machine's primitives.

use std::cell::RefCell;

use pullback_base::bug;
use pullback_eval::watch::{NanCause, Watch};
use pullback_eval::{
    Ctx, Fault, Level, Linearised, NativeValue, Plain, Ruled, Step, Value, primal, tangent_at, walk,
};
use pullback_prim::{Move, Prim};

use crate::go::Go;
use crate::levels::{attach, below_or_at, checked_leaves};
use crate::linear::{LinearPullback, apply_linear};
use crate::watch::{Note, Noting, Product, look_at_step, nan_watch, numbers};

/// A primitive as it ran, to be shown.
pub(super) struct Line {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Its result.
    pub result: Value,
}

/// A level of dual numbers. The tangent is in the number, so there is nothing to keep.
#[derive(Default)]
pub struct Duals {
    /// The primitives that ran, if they are to be shown.
    pub(super) lines: Option<RefCell<Vec<Line>>>,
    /// How a pullback is transposed, from it and a value of what it takes cotangents of; if there is no such
    /// way, the pullback is asked for each row of its matrix.
    transpose: Option<fn(Value, Value) -> Value>,
}

impl Duals {
    /// A level that keeps what ran, to be shown.
    pub fn noting_lines() -> Self {
        Self { lines: Some(RefCell::default()), transpose: None }
    }

    /// A level that transposes the pullbacks of rules by this function.
    pub fn transposing(transpose: fn(Value, Value) -> Value) -> Self {
        Self { lines: None, transpose: Some(transpose) }
    }

    fn note(&self, name: &'static str, args: &[Value], result: &Value) {
        if let Some(lines) = &self.lines {
            lines.borrow_mut().push(Line { name, args: args.to_vec(), result: result.clone() });
        }
    }
}

impl Level for Duals {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let Linearised { result, terms } = ctx.linearise(level, prim, args)?;
        let mut y_dot = Value::Unit;
        for (partial, x_dot) in terms.into_iter().flatten() {
            y_dot = ctx.add_product(&y_dot, &partial, x_dot)?;
        }
        let result =
            if let Value::Unit = y_dot { result } else { ctx.follow(level, result, y_dot)? };
        self.note(prim.row().name, args, &result);
        Ok(result)
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        let below: Vec<Value> = items.iter().map(|item| primal(item, level).clone()).collect();
        let result = ctx.sum_values(&below)?;
        let dots: Vec<Value> =
            items.iter().filter_map(|item| tangent_at(item, level)).cloned().collect();
        ctx.meter.counts.derivative += dots.len().saturating_sub(1) as u64;
        let y_dot = ctx.sum_values(&dots)?;
        let result = ctx.follow(level, result, y_dot)?;
        self.note("sum", items, &result);
        Ok(result)
    }

    fn takes_plain(&self) -> bool {
        self.lines.is_none()
    }

    fn plain(&self, ctx: &mut Ctx, level: u64, plain: &Plain<'_>) -> Result<Value, Fault> {
        let mut y_dot = Value::Unit;
        for (tangent, partial) in plain.tangents.iter().zip(plain.partials) {
            if let Some(x_dot) = tangent {
                y_dot = ctx.add_product(&y_dot, &Value::Real(partial), x_dot)?;
            }
        }
        let result = Value::Real(plain.result);
        if let Value::Unit = y_dot { Ok(result) } else { ctx.follow(level, result, y_dot) }
    }

    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault> {
        if let Some(transpose) = self.transpose {
            let pullback = NativeValue::value(LinearPullback(pullback));
            let pushforward = transpose(pullback, walk::strip(&value, level)?);
            ctx.watch().inspect(|watch| watch.enter_sweep());
            let attach = Go(move |ctx: &mut Ctx, y_dot: Value| {
                ctx.watch().inspect(|watch| watch.leave_sweep());
                attached(ctx, level, &value, &y_dot)
            });
            return Ok(Step::call(pushforward, vec![tangent_of(&x, level)?], attach));
        }
        let x_dot = walk::real_leaves(&x)?
            .iter()
            .map(|leaf| tangent_at(leaf, level).cloned().unwrap_or(Value::Unit))
            .collect();
        let x = walk::strip(&x, level)?;
        let outputs = walk::real_leaves(&value)?.len();
        Transpose { level, x, x_dot, value, outputs, pullback, y_dot: vec![] }.go(ctx)
    }

    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pushforward: Value,
    ) -> Result<Step, Fault> {
        let x_dot = tangent_of(&x, level)?;
        apply_linear(ctx, Ruled::Tangent, pushforward, &x_dot, move |ctx, y_dot| {
            attached(ctx, level, &value, &y_dot)
        })
    }
}

/// The tangent of a value.
fn tangent_of(x: &Value, level: u64) -> Result<Value, Fault> {
    walk::map_leaves(x, |leaf| {
        Ok(tangent_at(leaf, level).cloned().unwrap_or_else(|| walk::zero(leaf)))
    })
}

/// What a function with a rule gave, with the tangent that the rule gave.
fn attached(ctx: &mut Ctx, level: u64, value: &Value, y_dot: &Value) -> Result<Step, Fault> {
    let mut nan = false;
    let result = walk::zip_leaves(value, y_dot, "tangent", |leaf, y_dot| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        nan |= is_nan(y_dot);
        // What the rule captured may be followed too; here it counts as a constant.
        attach(ctx, level, leaf, primal(below_or_at(y_dot, level), level).clone())
    })?;
    if let (true, Some(watch)) = (nan, nan_watch(ctx)) {
        watch.note_nan(watch.place(), NanCause::Rule);
    }
    Ok(Step::Return(result))
}

impl Noting for Duals {
    fn noted(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value], result: &Value) {
        if let Some(watch) = ctx.watch().cloned()
            && tangent_at(result, level).is_some_and(is_nan)
        {
            look_at_nan(&watch, level, prim, args, result);
        }
    }

    fn noted_rule(&self, _: &mut Ctx) {}
}

/// Looks at the steps that made the tangent of a result NaN.
fn look_at_nan(watch: &Watch, level: u64, prim: Prim, args: &[Value], result: &Value) {
    let value = result.as_real().unwrap_or_else(|| bug("dual", "a Real"));
    let (place, numbers) = (watch.place(), numbers(prim, args));
    let note = Note { node: 0, place, prim: Some(prim), args: numbers, value };
    let partials = if let Some(Move::Total { .. }) = prim.row().moves() {
        vec![Some(1.0); args.len()]
    } else {
        prim.partials_at(&note.args)
    };
    let mut total = None;
    for (by, (arg, partial)) in args.iter().zip(partials).enumerate() {
        let factor = tangent_at(arg, level).and_then(Value::as_real);
        let (Some(factor), Some(partial)) = (factor, partial) else { continue };
        let step = Product { by, backwards: false, partial, factor, total };
        if look_at_step(watch, &note, step) {
            return;
        }
        total = Some(total.unwrap_or(0.0) + partial * factor);
    }
}

fn is_nan(value: &Value) -> bool {
    value.as_real().is_some_and(f64::is_nan)
}

/// Forward mode from a rule of reverse mode: the pullback of each unit cotangent gives a row of the
/// Jacobian, to be multiplied with the tangent.
struct Transpose {
    level: u64,
    x: Value,
    x_dot: Vec<Value>,
    value: Value,
    outputs: usize,
    pullback: Value,
    y_dot: Vec<Value>,
}

impl Transpose {
    fn go(mut self, ctx: &mut Ctx) -> Result<Step, Fault> {
        let current = self.y_dot.len();
        if current == self.outputs {
            let mut y_dot = self.y_dot.into_iter();
            let level = self.level;
            let result = walk::map_leaves(&self.value, |leaf| {
                let y_dot = if leaf.is_real() { y_dot.next() } else { None };
                match y_dot.filter(|y_dot| y_dot.is_real()) {
                    Some(y_dot) => attach(ctx, level, leaf, y_dot),
                    None => Ok(leaf.clone()),
                }
            })?;
            return Ok(Step::Return(result));
        }
        let unit = (0..self.outputs).map(|index| Value::Real(f64::from(index == current)));
        let y_bar = walk::tangent_of(&self.value, unit)?;
        ctx.watch().inspect(|watch| watch.enter_sweep());
        let pullback = self.pullback.clone();
        let row = move |ctx: &mut Ctx, x_bar: Value| {
            ctx.watch().inspect(|watch| watch.leave_sweep());
            let x_bar = walk::strip(&x_bar, self.level)?;
            let row = checked_leaves(&self.x, &x_bar, "cotangent")?;
            let mut total = Value::Unit;
            for (x_bar, x_dot) in row.iter().zip(&self.x_dot) {
                if !matches!(x_dot, Value::Unit) {
                    total = ctx.add_product(&total, x_bar, x_dot)?;
                }
            }
            if is_nan(&total)
                && let Some(watch) = nan_watch(ctx)
            {
                watch.note_nan(watch.place(), NanCause::Rule);
            }
            self.y_dot.push(total);
            self.go(ctx)
        };
        // Whether it is linear is seen on the way to the first row.
        if current == 0 {
            return apply_linear(ctx, Ruled::Cotangent, pullback, &y_bar, row);
        }
        Ok(Step::call(pullback, vec![y_bar], Go(row)))
    }
}
