//! The engine: every Real is a pair of its value and a linear map from the Reals of the argument
//! (figure 8), and the maps are built while the program runs.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::bug;
use pullback_engine::{
    Go, Pullbacks, attach, carried_by_rule, checked_leaves, demand_linear, finite,
};
use pullback_eval::{
    Ctx, Engine, Fault, Level, Linearised, Native, NativeValue, Plain, Step, Value, primal,
    tangent_at, walk,
};
use pullback_prim::Prim;

use super::apply::{Progress, Run};
use super::maps::{Map, Maps, Opaque, ZERO};
use super::vector::Vector;

/// The engine.
pub fn engine() -> Rc<dyn Engine> {
    Rc::new(LinearMaps)
}

struct LinearMaps;

impl Engine for LinearMaps {
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        jacobian(ctx, Pullbacks::Any, function, x, |_, jacobian| {
            let y = jacobian.y.clone();
            let pullback = NativeValue::value(Applied { jacobian, reverse: true });
            Ok(Step::Return(Value::tuple(vec![y, pullback])))
        })
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        let leaves = checked_leaves(&x, &x_dot, "tangent")?;
        jacobian(ctx, Pullbacks::Linear, function, x, |ctx, jacobian| {
            let y = jacobian.y.clone();
            jacobian.apply(ctx, false, leaves, move |y_dot| Value::tuple(vec![y, y_dot]))
        })
    }

    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        jacobian(ctx, Pullbacks::Linear, function, x, |_, jacobian| {
            let y = jacobian.y.clone();
            let pushforward = NativeValue::value(Applied { jacobian, reverse: false });
            Ok(Step::Return(Value::tuple(vec![y, pushforward])))
        })
    }
}

/// `∂f(x)` beside `f(x)`.
struct Jacobian {
    maps: Rc<Maps>,
    /// From the Reals of the argument to those of the result.
    map: Map,
    level: u64,
    x: Value,
    y: Value,
}

/// Applies `function` to the argument paired with `1`, then goes on with value and map.
fn jacobian(
    ctx: &mut Ctx,
    pullbacks: Pullbacks,
    function: Value,
    x: Value,
    then: impl FnOnce(&mut Ctx, Rc<Jacobian>) -> Result<Step, Fault> + 'static,
) -> Result<Step, Fault> {
    let building = Rc::new(Building { maps: RefCell::default(), pullbacks });
    let level = ctx.open(building.clone());
    let mut place = 0;
    let followed = walk::map_leaves(&x, |leaf| {
        if !leaf.is_real() {
            return Ok(leaf.clone());
        }
        // `1` on the argument is the × of the maps that select its Reals.
        let map = building.maps.borrow_mut().select(place)?;
        place += 1;
        ctx.follow(level, leaf.clone(), named(map))
    })?;
    Ok(Step::call(
        function,
        vec![followed],
        Go(move |ctx: &mut Ctx, result: Value| {
            let leaves = walk::real_leaves(&result)?;
            let outputs = leaves.iter().map(|leaf| map_at(leaf, level)).collect();
            let y = walk::strip(&result, level)?;
            drop((result, leaves));
            ctx.close(level);
            let mut maps = building.maps.take();
            let map = maps.vcat(outputs)?;
            then(ctx, Rc::new(Jacobian { maps: Rc::new(maps), map, level, x, y }))
        }),
    ))
}

/// Where a map that has been built is put.
pub(super) type Place = Rc<RefCell<Option<(Rc<Maps>, Map)>>>;

/// Builds `∂f(x)` and puts it there.
pub(super) fn jacobian_at(
    ctx: &mut Ctx,
    function: Value,
    x: Value,
    place: Place,
) -> Result<Step, Fault> {
    jacobian(ctx, Pullbacks::Any, function, x, move |_, jacobian| {
        *place.borrow_mut() = Some((jacobian.maps.clone(), jacobian.map));
        Ok(Step::Return(jacobian.y.clone()))
    })
}

/// The map of a Real, in the tangent's place.
fn named(map: Map) -> Value {
    Value::Int(i64::from(map.0))
}

/// The map that a tangent names.
fn map_of(tangent: &Value) -> Map {
    let map = tangent.as_int().and_then(|map| u32::try_from(map).ok());
    Map(map.unwrap_or_else(|| bug("linear-maps", "the number of a map")))
}

/// The map of a Real: `0` if this level does not follow it.
fn map_at(value: &Value, level: u64) -> Map {
    tangent_at(value, level).map_or(ZERO, map_of)
}

impl Jacobian {
    /// `∂f(x) ⊙ v`, or `v ⊙ᴿ ∂f(x)`; what is made of the resulting tangent or cotangent is the result.
    fn apply(
        self: Rc<Self>,
        ctx: &mut Ctx,
        reverse: bool,
        leaves: Vec<Value>,
        finish: impl FnOnce(Value) -> Value + 'static,
    ) -> Result<Step, Fault> {
        let vector = Vector::Parts(leaves.into_iter().map(Vector::Real).collect());
        let run = if reverse {
            Run::reverse(self.maps.clone(), self.map, vector)
        } else {
            Run::forward(self.maps.clone(), self.map, vector)
        };
        go(ctx, self, reverse, run, Box::new(finish))
    }
}

type Finish = Box<dyn FnOnce(Value) -> Value>;

/// Runs a map's application until its end, with the program's own derivative rules as steps.
fn go(
    ctx: &mut Ctx,
    jacobian: Rc<Jacobian>,
    reverse: bool,
    mut run: Run,
    finish: Finish,
) -> Result<Step, Fault> {
    let (progress, told) = run.go_on(ctx)?;
    match progress {
        Progress::Done(vector) => {
            let shape = if reverse { &jacobian.x } else { &jacobian.y };
            let count = walk::real_leaves(shape)?.len() as u32;
            let leaves = (0..count).map(|place| match vector.part(place) {
                Vector::Real(x) => x,
                Vector::Zero | Vector::Parts(_) | Vector::Sparse(_) => Value::Real(0.0),
            });
            Ok(Step::Return(finish(finite(ctx, walk::tangent_of(shape, leaves)?)?)))
        }
        Progress::Ask { transposed, pullback, y, arg } => {
            let function =
                if transposed { NativeValue::value(Transposed { pullback, y }) } else { pullback };
            Ok(Step::call(
                function,
                vec![arg],
                Go(move |ctx: &mut Ctx, answer: Value| {
                    let answer = walk::strip(&answer, jacobian.level)?;
                    run.tell(ctx, told, walk::real_leaves(&answer)?)?;
                    go(ctx, jacobian, reverse, run, finish)
                }),
            ))
        }
    }
}

/// `T b -> T a` if in reverse, else `T a -> T b`.
struct Applied {
    jacobian: Rc<Jacobian>,
    reverse: bool,
}

impl Native for Applied {
    fn name(&self) -> &'static str {
        if self.reverse { "pullback" } else { "pushforward" }
    }
    fn call(&self, ctx: &mut Ctx, arg: Value) -> Result<Step, Fault> {
        let jacobian = self.jacobian.clone();
        let leaves = if self.reverse {
            checked_leaves(&jacobian.y, &arg, "cotangent")?
        } else {
            checked_leaves(&jacobian.x, &arg, "tangent")?
        };
        jacobian.apply(ctx, self.reverse, leaves, |result| result)
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        if let Some(jacobian) = Rc::get_mut(&mut self.jacobian) {
            if let Some(maps) = Rc::get_mut(&mut jacobian.maps) {
                maps.release(work);
            }
            work.extend([std::mem::take(&mut jacobian.x), std::mem::take(&mut jacobian.y)]);
        }
    }
}

/// The transpose of a linear function `T b -> T a`: its own derivative in reverse, at zero.
struct Transposed {
    pullback: Value,
    y: Value,
}

impl Native for Transposed {
    fn name(&self) -> &'static str {
        "transposed pullback"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        let zeros = walk::zeros(&self.y)?;
        jacobian(ctx, Pullbacks::Any, self.pullback.clone(), zeros, move |ctx, jacobian| {
            let leaves = checked_leaves(&jacobian.y, &x_dot, "tangent")?;
            jacobian.apply(ctx, true, leaves, |result| result)
        })
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.pullback));
    }
}

/// A table that is being filled.
struct Building {
    maps: RefCell<Maps>,
    /// Which pullbacks of rules it admits.
    pullbacks: Pullbacks,
}

impl Level for Building {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let Linearised { result, terms } = ctx.linearise(level, prim, args)?;
        let terms = terms.map(|term| term.map(|(partial, tangent)| (partial, map_of(tangent))));
        let map = self.maps.borrow_mut().primitive(terms)?;
        if map == ZERO { Ok(result) } else { ctx.follow(level, result, named(map)) }
    }

    fn takes_plain(&self) -> bool {
        true
    }

    fn plain(&self, ctx: &mut Ctx, level: u64, plain: &Plain<'_>) -> Result<Value, Fault> {
        let term = |index: usize| {
            Some((Value::Real(plain.partials[index]), map_of(plain.tangents[index]?)))
        };
        let map = self.maps.borrow_mut().primitive([term(0), term(1)])?;
        let result = Value::Real(plain.result);
        if map == ZERO { Ok(result) } else { ctx.follow(level, result, named(map)) }
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        let below: Vec<Value> = items.iter().map(|item| primal(item, level).clone()).collect();
        let result = ctx.sum_values(&below)?;
        // `H(1, …, 1) ∘ V(∂v) = ∂v₁ ⊕ … ⊕ ∂vₙ`
        let terms = items.iter().filter_map(|item| tangent_at(item, level)).map(map_of).collect();
        let map = self.maps.borrow_mut().sum(ctx, terms)?;
        ctx.follow(level, result, named(map))
    }

    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault> {
        let inputs = walk::real_leaves(&x)?.iter().map(|leaf| map_at(leaf, level)).collect();
        let x = walk::strip(&x, level)?;
        let y = walk::strip(&value, level)?;
        let tested = (self.pullbacks == Pullbacks::Linear).then(|| pullback.clone());
        let whole = {
            let mut maps = self.maps.borrow_mut();
            let inputs = maps.vcat(inputs)?;
            let rule = maps.opaque(Opaque { x, y, pullback })?;
            maps.compose(ctx, rule, inputs)?
        };
        let mut place = 0;
        let result = walk::map_leaves(&value, |leaf| {
            if !leaf.is_real() {
                return Ok(leaf.clone());
            }
            let part = {
                let mut maps = self.maps.borrow_mut();
                let select = maps.select(place)?;
                maps.compose(ctx, select, whole)?
            };
            place += 1;
            attach(ctx, level, leaf, named(part))
        })?;
        match tested {
            Some(pullback) => demand_linear(ctx, &value, pullback, |_| Ok(Step::Return(result))),
            None => Ok(Step::Return(result)),
        }
    }

    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pushforward: Value,
    ) -> Result<Step, Fault> {
        carried_by_rule(ctx, level, &x, value, pushforward)
    }
}
