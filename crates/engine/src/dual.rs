//! Forward mode by dual numbers, and reverse mode as many forward passes.
//!
//! Type:  `jvp : (a -> b) -> a -> T a -> (b, T b)`; `vjp` with the same type as everywhere.
//! Law:   every Real carries its tangent; a primitive gives its value and the sum of its partial
//!        derivatives times the tangents of its arguments (*Provably Correct, Asymptotically Efficient,
//!        Higher-Order Reverse-Mode AD* §4).
//! Cost:  `jvp` is a constant times the program in time and in memory. `vjp` is one such pass for each
//!        Real of the argument (the wrapper of §4, for arguments and results of any first-order type).
//! Limits: the whole language, but for rules of reverse mode that are not linear: they have no matrix.
//! Needs: the primitive table; the machine's levels. The same as a translation of programs is in
//!        `delta/forward.rs`.

mod level;
mod show;

use std::rc::Rc;

use pullback_eval::{Ctx, Engine, Fault, Native, NativeValue, Step, Value, tangent_at, walk};

use crate::go::Go;
use crate::levels::{checked_leaves, finite};
use crate::watch::{self, Noting};
pub use level::Duals;

pub use show::show_dual;

/// The engine.
pub fn engine() -> Rc<dyn Engine> {
    Rc::new(Dual)
}

struct Dual;

impl Engine for Dual {
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        columns(ctx, function, x, |_, columns| {
            let y = columns.y.clone();
            Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Pullback(columns))])))
        })
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        pass(ctx, function, &x, &x_dot, |_, y, y_dot| {
            Ok(Step::Return(Value::tuple(vec![y, y_dot])))
        })
    }

    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        if walk::real_leaves(&x)?.len() == 1 {
            // One pass gives all there is to know, and derivatives nest without running the function
            // twice at each order.
            return columns(ctx, function, x, |_, columns| {
                let y = columns.y.clone();
                Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(Slope(columns))])))
            });
        }
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

/// As [`pass`], at a level of dual numbers of any kind.
pub fn pass_on(
    ctx: &mut Ctx,
    duals: Rc<impl Noting + 'static>,
    function: Value,
    x: &Value,
    x_dot: &Value,
    then: impl FnOnce(&mut Ctx, Value, Value) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let level = watch::open(ctx, duals);
    let followed = walk::zip_leaves(x, x_dot, "tangent", |leaf, tangent| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        ctx.follow(level, leaf.clone(), tangent.clone())
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
            let y_dot = finite(ctx, y_dot)?;
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

/// `T a -> T b`, for an argument of one Real.
struct Slope(Rc<Columns>);

impl Native for Slope {
    fn name(&self) -> &'static str {
        "pushforward"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        let columns = &self.0;
        let x_dot = checked_leaves(&columns.x, &x_dot, "tangent")?;
        let mut dots = vec![];
        for (column, x_dot) in columns.passes.iter().zip(&x_dot) {
            for y_dot in column {
                let structural_zero = matches!(y_dot, Value::Unit);
                dots.push(if structural_zero {
                    Value::Real(0.0)
                } else {
                    ctx.add_product(&Value::Unit, y_dot, x_dot)?
                });
            }
        }
        Ok(Step::Return(finite(ctx, walk::tangent_of(&columns.y, dots)?)?))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        if let Some(columns) = Rc::get_mut(&mut self.0) {
            work.extend([std::mem::take(&mut columns.x), std::mem::take(&mut columns.y)]);
        }
    }
}

/// `T b -> T a`
struct Pullback(Rc<Columns>);

impl Native for Pullback {
    fn name(&self) -> &'static str {
        "pullback"
    }
    fn call(&self, ctx: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        let columns = &self.0;
        let y_bar = checked_leaves(&columns.y, &y_bar, "cotangent")?;
        let mut x_bar = vec![];
        for column in &columns.passes {
            let mut total = Value::Unit;
            for (y_dot, y_bar) in column.iter().zip(&y_bar) {
                if !matches!(y_dot, Value::Unit) {
                    total = ctx.add_product(&total, y_dot, y_bar)?;
                }
            }
            x_bar.push(if let Value::Unit = total { Value::Real(0.0) } else { total });
        }
        Ok(Step::Return(finite(ctx, walk::tangent_of(&columns.x, x_bar)?)?))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        if let Some(columns) = Rc::get_mut(&mut self.0) {
            work.extend([std::mem::take(&mut columns.x), std::mem::take(&mut columns.y)]);
        }
    }
}

/// The Jacobian by columns: one pass for each Real of the argument.
struct Columns {
    function: Value,
    x: Value,
    y: Value,
    inputs: usize,
    /// The tangents of the result's Reals in each pass; `()` is a structural zero.
    passes: Vec<Vec<Value>>,
}

/// Makes all passes, then goes on.
fn columns(
    ctx: &mut Ctx,
    function: Value,
    x: Value,
    then: impl FnOnce(&mut Ctx, Rc<Columns>) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let inputs = walk::real_leaves(&x)?.len();
    let columns = Columns { function, x, y: Value::Unit, inputs, passes: vec![] };
    columns.next(ctx, Box::new(then))
}

type AfterPasses = dyn FnOnce(&mut Ctx, Rc<Columns>) -> Result<Step, Fault>;

impl Columns {
    fn next(mut self, ctx: &mut Ctx, then: Box<AfterPasses>) -> Result<Step, Fault> {
        let current = self.passes.len();
        let level = watch::open(ctx, Rc::new(Duals::default()));
        let mut index = 0;
        let followed = walk::map_leaves(&self.x, |leaf| {
            let chosen = leaf.as_real().is_some() && {
                index += 1;
                index - 1 == current
            };
            // All others are constants: their tangents are structural zeros.
            if chosen {
                ctx.follow(level, leaf.clone(), Value::Real(1.0))
            } else {
                Ok(leaf.clone())
            }
        })?;
        Ok(Step::call(
            self.function.clone(),
            vec![followed],
            Go(move |ctx: &mut Ctx, result: Value| {
                let column = walk::real_leaves(&result)?
                    .iter()
                    .map(|leaf| tangent_at(leaf, level).cloned().unwrap_or(Value::Unit))
                    .collect();
                self.y = walk::strip(&result, level)?;
                drop(result);
                ctx.close(level);
                if current < self.inputs {
                    self.passes.push(column);
                }
                if self.passes.len() < self.inputs {
                    return self.next(ctx, then);
                }
                // What remains is linear; the function is not needed again.
                self.function = Value::Unit;
                then(ctx, Rc::new(self))
            }),
        ))
    }
}
