//! Functions with their own derivative rule.
//!
//! `custom_vjp f rule x` has the value of `f x`. If a level follows `x`, the function is applied one
//! level down, the rule is run there too, and the engine of the level attaches the derivative that the
//! rule gives. What `f` captured keeps the derivative that `f` itself gives it: if that is followed by a
//! later level, `f` is applied once more at the level of `x`, because the derivative by what was captured
//! depends on `x` too. A level that looks through rules follows `f` itself; the levels below it still get the
//! derivative of the rule.

use pullback_lambda::AdOp;

use super::hooks::{Ctx, Level, Native, Step, Then};
use super::value::{NativeValue, Value, primal, tangent_at};
use super::walk;
use crate::Fault;

/// Applies a function with its own rule.
pub(super) fn apply(
    ctx: &mut Ctx,
    op: AdOp,
    function: Value,
    rule: Value,
    mut x: Value,
) -> Result<Step, Fault> {
    let level = loop {
        let level = walk::highest_level(&x)?;
        if level == 0 {
            return Ok(Step::Tail { function, args: vec![x] });
        }
        if ctx.level(level).is_some() {
            break level;
        }
        x = walk::strip(&x, level)?;
    };
    if open_level(ctx, level)?.through_rules() {
        let below = walk::strip(&x, level)?;
        let ruled = walk::highest_level(&below)? > 0;
        let lower = Lower { op, function: function.clone(), rule };
        let then = AfterFunction { level, lower: ruled.then_some((lower, below)) };
        ctx.watch().inspect(|watch| watch.enter_rule(false));
        return Ok(Step::call(function, vec![x], then));
    }
    ctx.watch().inspect(|watch| watch.enter_rule(true));
    let below = walk::strip(&x, level)?;
    let lower = Lower { op, function: function.clone(), rule: rule.clone() };
    let then = AfterValue { op, level, function, rule, x, below: below.clone() };
    Ok(Step::call(NativeValue::value(lower), vec![below], then))
}

/// Applies a function that the program assumes to be linear: a level that tests linearity follows its result, and
/// not its steps.
pub(super) fn assume_linear(ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
    let level = walk::highest_level(&x)?;
    if ctx.level(level).and_then(|level| level.tests_linearity()).is_none() {
        return Ok(Step::Tail { function, args: vec![x] });
    }
    let below = walk::strip(&x, level)?;
    let again = NativeValue::value(Assumed { function });
    Ok(Step::call(
        again,
        vec![below],
        AfterOwn(move |ctx: &mut Ctx, value: Value| {
            let result = walk::map_leaves(&value, |leaf| {
                if leaf.is_real() {
                    ctx.follow(level, leaf.clone(), Value::Unit)
                } else {
                    Ok(leaf.clone())
                }
            })?;
            Ok(Step::Return(result))
        }),
    ))
}

/// A function that is assumed to be linear, to be applied to an argument one level down.
struct Assumed {
    function: Value,
}

impl Native for Assumed {
    fn name(&self) -> &'static str {
        "function that is assumed to be linear"
    }
    fn call(&self, ctx: &mut Ctx, x: Value) -> Result<Step, Fault> {
        assume_linear(ctx, self.function.clone(), x)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.function));
    }
}

/// The function with its rule, to be applied to an argument one level down.
struct Lower {
    op: AdOp,
    function: Value,
    rule: Value,
}

impl Native for Lower {
    fn name(&self) -> &'static str {
        "function with its own derivative"
    }
    fn call(&self, ctx: &mut Ctx, x: Value) -> Result<Step, Fault> {
        apply(ctx, self.op, self.function.clone(), self.rule.clone(), x)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.extend([std::mem::take(&mut self.function), std::mem::take(&mut self.rule)]);
    }
}

/// A function with its own rule has been followed as if it had none. Earlier levels that follow its argument
/// take their derivatives from the rule all the same, one level down.
struct AfterFunction {
    level: u64,
    lower: Option<(Lower, Value)>,
}

impl Then for AfterFunction {
    fn resume(self: Box<Self>, ctx: &mut Ctx, own: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.leave_rule(false));
        let Self { level, lower } = *self;
        let Some((lower, below)) = lower else { return Ok(Step::Return(own)) };
        ctx.watch().inspect(|watch| watch.enter_rule(true));
        let graft = move |ctx: &mut Ctx, value: Value| {
            ctx.watch().inspect(|watch| watch.leave_rule(true));
            let followed = followed_alike(ctx, level, &own, &value)?;
            Ok(Step::Return(grafted(ctx, level, &own, &followed)?))
        };
        Ok(Step::call(NativeValue::value(lower), vec![below], AfterOwn(graft)))
    }
}

/// `value` below the level, its Reals followed at the level where those of `own` are.
fn followed_alike(ctx: &mut Ctx, level: u64, own: &Value, value: &Value) -> Result<Value, Fault> {
    let mut leaves = walk::real_leaves(value)?.into_iter();
    walk::map_leaves(own, |leaf| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        let base = leaves.next().ok_or_else(|| Fault::internal("a rule lost a Real"))?;
        let base = primal(below_or_at(&base, level), level).clone();
        match tangent_at(below_or_at(leaf, level), level) {
            Some(tangent) => ctx.follow(level, base, tangent.clone()),
            None => Ok(base),
        }
    })
}

/// The value is there; the rule comes next, unless the function has to be applied once more before.
struct AfterValue {
    op: AdOp,
    level: u64,
    function: Value,
    rule: Value,
    x: Value,
    below: Value,
}

impl Then for AfterValue {
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.leave_rule(true));
        let Self { op, level, function, rule, x, below } = *self;
        let later = walk::highest_level(&value)? > level;
        let mut next = Ruled { op, level, rule, x, below, value, own: None };
        if !later {
            return next.apply_rule(ctx);
        }
        next.value = walk::map_leaves(&next.value, |leaf| Ok(below_or_at(leaf, level).clone()))?;
        let x = next.x.clone();
        ctx.watch().inspect(|watch| watch.enter_rule(true));
        Ok(Step::call(
            function,
            vec![x],
            AfterOwn(move |ctx: &mut Ctx, own: Value| {
                ctx.watch().inspect(|watch| watch.leave_rule(true));
                next.own = Some(own);
                next.apply_rule(ctx)
            }),
        ))
    }
}

/// A continuation that is a closure.
struct AfterOwn<F>(F);

impl<F: FnOnce(&mut Ctx, Value) -> Result<Step, Fault>> Then for AfterOwn<F> {
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault> {
        (self.0)(ctx, value)
    }
}

/// A value that waits for its rule.
struct Ruled {
    op: AdOp,
    level: u64,
    rule: Value,
    x: Value,
    below: Value,
    /// The value below the level.
    value: Value,
    /// The value with the derivative that the function itself has, if later levels follow it.
    own: Option<Value>,
}

impl Ruled {
    fn apply_rule(self, ctx: &mut Ctx) -> Result<Step, Fault> {
        let Self { op, level, rule, x, below, value, own } = self;
        let attach = NativeValue::value(Attach { op, level, x, value });
        if op == AdOp::CustomJvp {
            let pushforward = NativeValue::value(Pushforward { rule, x: below });
            return Ok(attached(attach, pushforward, level, own));
        }
        ctx.watch().inspect(|watch| watch.enter_sweep());
        Ok(Step::call(
            rule,
            vec![below],
            AfterOwn(move |ctx: &mut Ctx, pair: Value| {
                ctx.watch().inspect(|watch| watch.leave_sweep());
                Ok(attached(attach, derivative_of(&pair)?, level, own))
            }),
        ))
    }
}

/// The derivative is attached to the value, and grafted on what the function itself gave, if that counts.
fn attached(attach: Value, derivative: Value, level: u64, own: Option<Value>) -> Step {
    let Some(own) = own else {
        return Step::Tail { function: attach, args: vec![derivative] };
    };
    let graft =
        move |ctx: &mut Ctx, value: Value| Ok(Step::Return(grafted(ctx, level, &own, &value)?));
    Step::call(attach, vec![derivative], AfterOwn(graft))
}

/// What a rule gives beside the value.
fn derivative_of(pair: &Value) -> Result<Value, Fault> {
    match pair.as_tuple() {
        Some([_, derivative]) => Ok(derivative.clone()),
        Some(_) | None => Err(Fault::internal("a derivative rule gave no pair")),
    }
}

/// What the rule gave, attached by the engine to the value.
struct Attach {
    op: AdOp,
    level: u64,
    x: Value,
    value: Value,
}

impl Native for Attach {
    fn name(&self) -> &'static str {
        "result of a rule"
    }
    fn call(&self, ctx: &mut Ctx, derivative: Value) -> Result<Step, Fault> {
        let (level, x, value) = (open_level(ctx, self.level)?, self.x.clone(), self.value.clone());
        if self.op == AdOp::CustomJvp {
            level.custom_jvp(ctx, self.level, x, value, derivative)
        } else {
            level.custom_vjp(ctx, self.level, x, value, derivative)
        }
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.extend([std::mem::take(&mut self.x), std::mem::take(&mut self.value)]);
    }
}

/// `T a -> T b` at a point, by a rule of forward mode.
struct Pushforward {
    rule: Value,
    x: Value,
}

impl Native for Pushforward {
    fn name(&self) -> &'static str {
        "rule of forward mode"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.enter_sweep());
        Ok(Step::call(
            self.rule.clone(),
            vec![self.x.clone(), x_dot],
            AfterOwn(move |ctx: &mut Ctx, pair: Value| {
                ctx.watch().inspect(|watch| watch.leave_sweep());
                Ok(Step::Return(derivative_of(&pair)?))
            }),
        ))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.extend([std::mem::take(&mut self.rule), std::mem::take(&mut self.x)]);
    }
}

/// `own` with its Reals at `level` and below replaced by those of `value`: what later levels keep of
/// their derivatives stays.
fn grafted(ctx: &mut Ctx, level: u64, own: &Value, value: &Value) -> Result<Value, Fault> {
    let mut below = walk::real_leaves(value)?.into_iter();
    walk::map_leaves(own, |leaf| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        let mut later = vec![];
        let mut rest = leaf;
        while let Value::Active(active) = rest
            && active.level > level
        {
            later.push((active.level, &active.tangent));
            rest = &active.primal;
        }
        let base = below.next().ok_or_else(|| Fault::internal("a rule lost a Real"))?;
        later
            .into_iter()
            .rev()
            .try_fold(base, |primal, (level, tangent)| ctx.follow(level, primal, tangent.clone()))
    })
}

/// A Real without the derivatives of later levels.
fn below_or_at(value: &Value, level: u64) -> &Value {
    let mut value = value;
    while let Value::Active(active) = value
        && active.level > level
    {
        value = &active.primal;
    }
    value
}

fn open_level(ctx: &Ctx, level: u64) -> Result<std::rc::Rc<dyn Level>, Fault> {
    ctx.level(level).ok_or_else(|| Fault::internal("a derivative rule outlived its level"))
}
