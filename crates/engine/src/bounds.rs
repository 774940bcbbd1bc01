//! Interval evaluation: what a function and its derivative are on a box, in one run.
//!
//! Type:  for `f : S -> T` and an interval for each Real of `S`: an interval for each Real of `T`, and one for each entry of the
//!        Jacobian.
//! Law:   at each point of the box where the run takes these branches, value and derivative are in the intervals.
//! Cost:  a constant times the program for the values, and one backward pass for each Real of `T`.
//! Limits: what only one number tells, such as an Int made of a Real, must be told by the interval.
//! Needs: the interval extensions of the primitive table; the machine's levels. The lowest level follows intervals, and the
//!        derivative is taken by traces above it; so its numbers are intervals.

use std::rc::Rc;

use pullback_base::{Diagnostic, bug};
use pullback_eval::boxes::{Boxes, interval_of, interval_value};
use pullback_eval::{Ctx, Fault, Image, Level, Machine, Options, Value, tangent_at, walk};
use pullback_lambda::DefId;
use pullback_prim::Prim;
use pullback_prim::interval::Interval;

/// What a function is on a box.
pub struct Bounds {
    /// For each Real of the result.
    pub values: Vec<Interval>,
    /// For each Real of the result, by each Real of the argument.
    pub slopes: Vec<Vec<Interval>>,
}

/// Runs a function on a box, with these answers to comparisons that intervals do not decide.
pub fn bounds(
    image: &Image,
    function: DefId,
    (argument, intervals): (&Value, &[Interval]),
    (boxes, options): (&Rc<Boxes>, &Options),
) -> Result<Bounds, Box<Diagnostic>> {
    let options = Options { boxes: Some(boxes.clone()), strict_domain: false, ..options.unheard() };
    let mut machine = Machine::new(image, crate::trace_engine(), options);
    let function = machine.global(function)?;
    let mut level = 0;
    let pair = machine.perform(|ctx| {
        level = ctx.open(Rc::new(Intervals));
        let mut rest = intervals.iter();
        let followed = walk::map_leaves(argument, |leaf| {
            if !leaf.is_real() {
                return Ok(leaf.clone());
            }
            let interval =
                rest.next().unwrap_or_else(|| bug("bounds", "an interval for each Real"));
            kept(ctx, level, *interval)
        })?;
        let engine = ctx.engine.clone();
        engine.vjp(ctx, function, followed)
    })?;
    let Some([value, pullback]) = pair.as_tuple() else {
        bug("bounds", "a value with its pullback")
    };
    let values = read(value, level);
    let mut slopes = vec![];
    for at in 0..values.len() {
        let ones = (0..values.len()).map(|other| Value::Real(f64::from(u8::from(other == at))));
        let unit = walk::tangent_of(value, ones);
        let unit = unit.unwrap_or_else(|_| bug("bounds", "a cotangent of the shape of the value"));
        slopes.push(read(&machine.call(pullback.clone(), vec![unit])?, level));
    }
    Ok(Bounds { values, slopes })
}

/// The intervals of the Reals in a value.
fn read(value: &Value, level: u64) -> Vec<Interval> {
    let mut all = vec![];
    walk::for_each_real(value, |leaf| all.push(known(leaf, level)));
    all
}

/// What is known of a number.
fn known(value: &Value, level: u64) -> Interval {
    let number = || value.as_real().or_else(|| value.as_int().map(|n| n as f64));
    tangent_at(value, level)
        .and_then(interval_of)
        .unwrap_or_else(|| Interval::point(number().unwrap_or_else(|| bug("bounds", "a number"))))
}

/// A Real in an interval. Of one number it is that number.
fn kept(ctx: &Ctx, level: u64, interval: Interval) -> Result<Value, Fault> {
    if interval.low == interval.high && !interval.nan {
        return Ok(Value::Real(interval.low));
    }
    ctx.follow(level, Value::Real(interval.middle()), interval_value(interval))
}

/// The level of intervals.
struct Intervals;

impl Level for Intervals {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        if let (Prim::Sub, [x, y]) = (prim, args)
            && is_one(x, y, level)
        {
            let x = known(x, level);
            if !x.nan && !x.has_infinity() {
                return Ok(Value::Real(0.0));
            }
        }
        let intervals: Vec<Interval> = args.iter().map(|arg| known(arg, level)).collect();
        kept(
            ctx,
            level,
            match (prim, args) {
                (Prim::Mul, [x, y]) if is_one(x, y, level) => {
                    Prim::PowInt.enclosure(&[intervals[0], Interval::point(2.0)])
                }
                _ => prim.enclosure(&intervals),
            },
        )
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        let start = Interval::point(0.0);
        let add = |total, item| Prim::Add.enclosure(&[total, known(item, level)]);
        kept(ctx, level, items.iter().fold(start, add))
    }

    fn through_rules(&self) -> bool {
        true
    }
}

/// Whether two numbers are one in every run.
fn is_one(x: &Value, y: &Value, level: u64) -> bool {
    match (x, y) {
        (Value::Active(x), Value::Active(y)) => x.level == level && Rc::ptr_eq(x, y),
        _ => false,
    }
}
