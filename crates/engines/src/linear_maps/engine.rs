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
use super::maps::{Function, Map, Maps, Node, ONE, ZERO};
use super::space;

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
    /// From the space of the argument to that of the result.
    map: Map,
    /// The maps of the Reals of both.
    ends: [Vec<Map>; 2],
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
    // `1` on the argument, taken apart.
    let inputs = space::selections(&mut building.maps.borrow_mut(), &x, ONE)?;
    let mut maps = inputs.iter().copied();
    let followed = walk::map_leaves(&x, |leaf| {
        let map = if leaf.is_real() { maps.next() } else { None };
        map.map_or_else(|| Ok(leaf.clone()), |map| ctx.follow(level, leaf.clone(), named(map)))
    })?;
    Ok(Step::call(
        function,
        vec![followed],
        Go(move |ctx: &mut Ctx, result: Value| {
            let leaves = walk::real_leaves(&result)?;
            let outputs: Vec<Map> = leaves.iter().map(|leaf| map_at(leaf, level)).collect();
            let y = walk::strip(&result, level)?;
            drop((result, leaves));
            ctx.close(level);
            let mut maps = building.maps.take();
            let map = space::joined(&mut maps, &y, outputs.iter().copied())?;
            let (maps, ends) = (Rc::new(maps), [inputs, outputs]);
            then(ctx, Rc::new(Jacobian { maps, map, ends, level, x, y }))
        }),
    ))
}

/// Where maps that have been built are put, with that of the whole and those of the Reals of argument and result.
pub(super) type Place = Rc<RefCell<Option<(Rc<Maps>, Map, [Vec<Map>; 2])>>>;

/// Builds `∂f(x)` and puts it there.
pub(super) fn jacobian_at(
    ctx: &mut Ctx,
    function: Value,
    x: Value,
    place: Place,
) -> Result<Step, Fault> {
    jacobian(ctx, Pullbacks::Any, function, x, move |_, jacobian| {
        *place.borrow_mut() = Some((jacobian.maps.clone(), jacobian.map, jacobian.ends.clone()));
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
        let vector = space::vector(if reverse { &self.y } else { &self.x }, leaves)?;
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
            let leaves = space::leaves(shape, &vector);
            Ok(Step::Return(finish(finite(ctx, walk::tangent_of(shape, leaves)?)?)))
        }
        Progress::Ask { transposed, map, arg } => {
            let Node::Function(function) = jacobian.maps.node(map) else {
                bug("linear-maps", "a map of the program")
            };
            let Function { source, target, apply } = &**function;
            let shape = if transposed { target } else { source };
            let arg = walk::tangent_of(shape, space::leaves(shape, &arg))?;
            let function = if transposed {
                NativeValue::value(Transposed { function: apply.clone(), source: source.clone() })
            } else {
                apply.clone()
            };
            Ok(Step::call(
                function,
                vec![arg],
                Go(move |ctx: &mut Ctx, answer: Value| {
                    let answer = walk::strip(&answer, jacobian.level)?;
                    let vector = space::vector(&answer, walk::real_leaves(&answer)?)?;
                    run.tell(ctx, told, vector)?;
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

/// The transpose of a linear function: its own derivative in reverse, at zero.
struct Transposed {
    function: Value,
    /// A value of the shape of what it is applied to.
    source: Value,
}

impl Native for Transposed {
    fn name(&self) -> &'static str {
        "transposed pullback"
    }
    fn call(&self, ctx: &mut Ctx, x_dot: Value) -> Result<Step, Fault> {
        let zeros = walk::zeros(&self.source)?;
        jacobian(ctx, Pullbacks::Any, self.function.clone(), zeros, move |ctx, jacobian| {
            let leaves = checked_leaves(&jacobian.y, &x_dot, "tangent")?;
            jacobian.apply(ctx, true, leaves, |result| result)
        })
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.push(std::mem::take(&mut self.function));
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
        let map = self.maps.borrow_mut().sum(terms)?;
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
        let inputs: Vec<Map> =
            walk::real_leaves(&x)?.iter().map(|leaf| map_at(leaf, level)).collect();
        let x = walk::strip(&x, level)?;
        let y = walk::strip(&value, level)?;
        let tested = (self.pullbacks == Pullbacks::Linear).then(|| pullback.clone());
        let parts = {
            let mut maps = self.maps.borrow_mut();
            let inputs = space::joined(&mut maps, &x, inputs)?;
            // The pullback goes from the result to the argument, so the rule is its transpose.
            let function = Function { source: y.clone(), target: x, apply: pullback };
            let pullback = maps.function(function)?;
            let rule = maps.transpose(pullback)?;
            let whole = maps.compose(rule, inputs)?;
            space::selections(&mut maps, &y, whole)?
        };
        let mut parts = parts.into_iter();
        let result = walk::map_leaves(&value, |leaf| {
            let part = if leaf.is_real() { parts.next() } else { None };
            part.map_or_else(|| Ok(leaf.clone()), |part| attach(ctx, level, leaf, named(part)))
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
