//! Comparisons at ties and primitives at edges of their domains, in runs whose sides are chosen ([`super::ties`]).
//!
//! Input: a primitive and its arguments, one of which the outermost derivative follows. Output: what it is on the chosen side;
//! none, if it is at no tie or edge, or if nobody chooses.

use pullback_prim::{Prim, Smooth};

use super::hooks::Ctx;
use super::numeric::smooth_value;
use super::ties::Side;
use super::value::{Value, primal, same, tangent_at};
use super::watch::compares;
use crate::Fault;

impl Ctx {
    /// The derivative of a Real by the outermost derivative that is being taken, if that follows it.
    fn outermost_slope(&self, value: &Value) -> Option<f64> {
        let lowest = self.lowest_level()?;
        let mut value = value;
        while value.level() > lowest {
            value = primal(value, value.level());
        }
        tangent_at(value, lowest)?.as_real()
    }

    /// Two numbers in the order that equal Reals have on the chosen side, if sides are chosen and this is a tie.
    pub(super) fn at_tie(&self, x: &Value, y: &Value) -> Result<Option<[f64; 2]>, Fault> {
        let (Some(ties), Some(number)) = (self.ties(), x.as_real()) else { return Ok(None) };
        if y.as_real() != Some(number) || same(x, y) {
            return Ok(None);
        }
        let (by_x, by_y) = (self.outermost_slope(x), self.outermost_slope(y));
        if by_x.is_none() && by_y.is_none() {
            return Ok(None);
        }
        let slope = by_x.unwrap_or(0.0) - by_y.unwrap_or(0.0);
        Ok(match ties.decide(number, slope)? {
            Side::Above => Some([1.0, 0.0]),
            Side::Below => Some([0.0, 1.0]),
            Side::Equal => None,
        })
    }

    /// As [`Ctx::at_tie`], for the arguments of a primitive that compares them.
    pub(super) fn at_compared_tie(
        &self,
        prim: Prim,
        args: &[Value],
    ) -> Result<Option<[Value; 2]>, Fault> {
        let ([x, y], true) = (args, compares(prim)) else { return Ok(None) };
        Ok(self.at_tie(x, y)?.map(|sides| sides.map(Value::Real)))
    }

    /// A smooth primitive at an edge of its domain, where sides are chosen: the linear function that it is on that side, or
    /// an error if it is none.
    pub(super) fn at_edge(
        &mut self,
        prim: Prim,
        smooth: &Smooth,
        args: &[Value],
    ) -> Result<Option<Value>, Fault> {
        let Some(ties) = self.ties().cloned() else { return Ok(None) };
        let numbers: Option<Vec<f64>> = args.iter().map(Value::as_real).collect();
        let Some(numbers) = numbers else { return Ok(None) };
        let slopes: Vec<Option<f64>> = args.iter().map(|arg| self.outermost_slope(arg)).collect();
        if smooth.differentiable(&numbers, |by| slopes[by].is_some()) {
            return Ok(None);
        }
        let (number, slope) = match (args, &*slopes) {
            ([x, y], _) if same(x, y) => return Ok(None),
            ([_], [by_x]) => (numbers[0], by_x.unwrap_or(0.0)),
            (_, [by_x, by_y]) if numbers[0] == numbers[1] => {
                (numbers[0], by_x.unwrap_or(0.0) - by_y.unwrap_or(0.0))
            }
            _ => return Err(Fault::NotSmooth { prim, args: numbers }),
        };
        let pieces = [false, true].map(|above| linear_piece(prim, smooth, &numbers, above));
        let [Some(below), Some(above)] = pieces else {
            return Err(Fault::NotSmooth { prim, args: numbers });
        };
        let piece = match ties.decide(number, slope)? {
            Side::Above => above,
            Side::Below => below,
            Side::Equal => return Ok(None),
        };
        let mut total = Value::Unit;
        for (factor, arg) in piece.iter().zip(args) {
            if *factor != 0.0 {
                total = self.add_product(&total, &Value::Real(*factor), arg)?;
            }
        }
        Ok(Some(if let Value::Unit = total { Value::Real(0.0) } else { total }))
    }
}

/// The factors of the linear function that a primitive is where its first argument is a little larger, or smaller, by the
/// partial derivatives of the table; none if it jumps there, or has no value.
fn linear_piece(prim: Prim, smooth: &Smooth, numbers: &[f64], above: bool) -> Option<Vec<f64>> {
    let value = |numbers: &[f64]| {
        let args: Vec<Value> = numbers.iter().map(|x| Value::Real(*x)).collect();
        smooth_value(smooth.value, &args)
    };
    // A little is far more than rounding and far less than the number.
    let little = numbers[0].abs().max(1.0) * 2f64.powi(-26);
    let step = if above { little } else { -little };
    // With a second number, all of the side counts: between straight lines a curve is no linear function (`hypot`).
    let points = [0.0, 0.5, -0.5].map(|part| {
        let mut beside = numbers.to_vec();
        beside[0] += step;
        if let Some(second) = beside.get_mut(1) {
            *second += part * step;
        }
        beside
    });
    let beside = &points[0];
    // A partial derivative that is not there is 0.
    let factors = prim.partials_at(beside).into_iter().map(|factor| factor.unwrap_or(0.0));
    let factors: Vec<f64> = factors.collect();
    let linear =
        |numbers: &[f64]| factors.iter().zip(numbers).map(|(factor, x)| factor * x).sum::<f64>();
    let agrees = |numbers: &[f64]| value(numbers) == Some(linear(numbers));
    (agrees(numbers) && points.iter().all(|point| agrees(point))).then_some(factors)
}
