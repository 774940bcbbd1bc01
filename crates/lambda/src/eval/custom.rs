//! Functions with their own derivative rule.
//!
//! `custom_vjp f rule x` has the value of `f x`. If a level follows `x`, the function is applied one
//! level down, the rule is run there too, and the engine of the level attaches the derivative that the
//! rule gives. What `f` captured keeps the derivative that `f` itself gives it.

use crate::AdOp;

use super::arith::Ctx;
use super::fault::Fault;
use super::hooks::{Native, NativeValue, Step, Then};
use super::value::Value;
use super::walk;

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
        ctx.watch().inspect(|watch| watch.enter_rule(false));
        return Ok(Step::call(function, vec![x], AfterFunction));
    }
    ctx.watch().inspect(|watch| watch.enter_rule(true));
    let below = walk::strip(&x, level)?;
    let lower = Lower { op, function, rule: rule.clone() };
    let then = AfterValue { op, level, rule, x, below: below.clone() };
    Ok(Step::call(NativeValue::value(lower), vec![below], then))
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

/// A function with its own rule has been followed as if it had none.
struct AfterFunction;

impl Then for AfterFunction {
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.leave_rule(false));
        Ok(Step::Return(value))
    }
}

/// The value is there; the rule comes next.
struct AfterValue {
    op: AdOp,
    level: u64,
    rule: Value,
    x: Value,
    below: Value,
}

impl Then for AfterValue {
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.leave_rule(true));
        let mut args = vec![self.below];
        if self.op == AdOp::CustomJvp {
            let level = open_level(ctx, self.level)?;
            args.push(level.tangent(ctx, self.level, &self.x)?);
        }
        ctx.watch().inspect(|watch| watch.enter_sweep());
        let then = AfterRule { op: self.op, level: self.level, x: self.x, value };
        Ok(Step::call(self.rule, args, then))
    }
}

/// The rule has run; the engine attaches what it gave.
struct AfterRule {
    op: AdOp,
    level: u64,
    x: Value,
    value: Value,
}

impl Then for AfterRule {
    fn resume(self: Box<Self>, ctx: &mut Ctx, pair: Value) -> Result<Step, Fault> {
        ctx.watch().inspect(|watch| watch.leave_sweep());
        let Some([_, derivative]) = pair.as_tuple() else {
            return Err(Fault::internal("a derivative rule gave no pair"));
        };
        let level = open_level(ctx, self.level)?;
        if self.op == AdOp::CustomJvp {
            return Ok(Step::Return(level.custom_jvp(
                ctx,
                self.level,
                self.value,
                derivative.clone(),
            )?));
        }
        level.custom_vjp(ctx, self.level, self.x, self.value, derivative.clone())
    }
}

fn open_level(ctx: &Ctx, level: u64) -> Result<std::rc::Rc<dyn super::hooks::Level>, Fault> {
    ctx.level(level).ok_or_else(|| Fault::internal("a derivative rule outlived its level"))
}
