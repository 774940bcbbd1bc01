//! What primitives make of Reals in intervals that is no Real itself ([`super::boxes`]).
//!
//! Input: a primitive and its arguments, of which the lowest level keeps intervals. Output: what it is at all numbers in them, or by
//! an answer; none, if nobody keeps intervals.

use pullback_prim::Prim;
use pullback_prim::interval::Interval;

use super::boxes::{Boxes, Orders, interval_of};
use super::hooks::Ctx;
use super::value::{Value, primal, same, tangent_at};
use super::walk;
use super::watch::compares;
use crate::Fault;

impl Ctx {
    /// A Real without the derivatives of levels above the lowest.
    fn at_lowest<'v>(&self, value: &'v Value) -> &'v Value {
        let lowest = self.lowest_level().unwrap_or(0);
        let mut value = value;
        while value.level() > lowest {
            value = primal(value, value.level());
        }
        value
    }

    /// The interval that a Real is in: of one number, if nothing else is known.
    fn interval(&self, value: &Value) -> Option<Interval> {
        let lowest = self.lowest_level()?;
        let value = self.at_lowest(value);
        match tangent_at(value, lowest) {
            Some(kept) => interval_of(kept),
            None => value.as_real().map(Interval::point),
        }
    }

    /// A value without derivatives, but with the intervals of its Reals.
    pub(super) fn down_to_intervals(&self, value: &Value) -> Result<Value, Fault> {
        walk::map_leaves(value, |leaf| Ok(self.at_lowest(leaf).clone()))
    }

    /// Whether a comparison holds, where intervals are compared.
    pub(super) fn compared_intervals(
        &self,
        prim: Prim,
        x: &Value,
        y: &Value,
    ) -> Result<Option<bool>, Fault> {
        let Some(boxes) = self.boxes() else { return Ok(None) };
        let (Some(one), Some(other)) = (self.interval(x), self.interval(y)) else {
            return Ok(None);
        };
        let (x, y) = (self.at_lowest(x), self.at_lowest(y));
        let orders = if same(x, y) { Orders::of_itself(one) } else { Orders::of(one, other) };
        boxes.holds(prim, (x, y), orders).map(Some)
    }

    /// What a primitive makes of intervals that is no Real; none if nobody follows intervals.
    pub(super) fn of_intervals(&self, prim: Prim, args: &[Value]) -> Result<Option<Value>, Fault> {
        let Some(boxes) = self.boxes() else { return Ok(None) };
        if let ([x, y], true) = (args, compares(prim)) {
            return Ok(self.compared_intervals(prim, x, y)?.map(Value::Bool));
        }
        if let (Prim::Argsort, [Value::Array(array)]) = (prim, args) {
            return self.sorted(boxes, array.iter().collect());
        }
        let [x @ Value::Active(_)] = args else { return Ok(None) };
        let Some(interval) = self.interval(x).filter(|it| it.nan || it.low != it.high) else {
            return Ok(None);
        };
        if prim == Prim::IsNan {
            let is_nan = interval.nan && (interval.is_empty() || boxes.answer()?);
            return Ok(Some(Value::Bool(is_nan)));
        }
        if prim == Prim::ToInt {
            let ends = [interval.low, interval.high].map(pullback_prim::values::to_int);
            return match ends {
                [Some(first), Some(last)] if first == last && !interval.nan => {
                    Ok(Some(Value::Int(first)))
                }
                _ => Err(boxes.refuse("the Int that it is cut to")),
            };
        }
        if prim == Prim::ShowReal {
            return Err(boxes.refuse("its text"));
        }
        Ok(None)
    }

    /// The order of Reals in intervals, if these decide it.
    fn sorted(&self, boxes: &Boxes, items: Vec<Value>) -> Result<Option<Value>, Fault> {
        let mut order: Vec<(Interval, usize)> = vec![];
        for (at, item) in items.iter().enumerate() {
            let Some(interval) = self.interval(item) else { return Ok(None) };
            order.push((interval, at));
        }
        order.sort_by(|(x, _), (y, _)| x.low.total_cmp(&y.low));
        let is_known = |pair: &[(Interval, usize)]| {
            let ((x, first), (y, second)) = (pair[0], pair[1]);
            let are_equal = x == y && x.low == x.high;
            x.high < y.low || (are_equal && first < second)
        };
        if order.iter().any(|(x, _)| x.nan) || !order.windows(2).all(is_known) {
            return Err(boxes.refuse("the order of these numbers"));
        }
        let order = order.into_iter().map(|(_, at)| Value::Int(at as i64)).collect();
        Ok(Some(Value::array(order)))
    }
}
