//! Primitives on values, at any level of differentiation.
//!
//! A primitive works at the highest level among its arguments. The engine of that level computes the
//! primal by applying the same primitive one level down, and does its derivative arithmetic through
//! [`Ctx::apply`] too; so derivatives nest to any order and in any mixture of modes, and the numbers of
//! different activations are never confused.

use pullback_base::bug;
use pullback_prim::{Application, Class, Move, NotFinite, Partials, Prim, Smooth};

use super::boxes::numbers_of;
use super::discrete;
use super::hooks::Ctx;
use super::numeric::{Plain, jumps, smooth_value};
use super::value::{Value, primal, same, tangent_at};
use super::watch::compares;
use crate::Fault;

/// A smooth primitive below a level, with its derivative there.
pub struct Linearised<'a> {
    /// Its value.
    pub result: Value,
    /// For each argument the partial derivative by it, and what the level keeps of the argument: none where it
    /// does not follow the argument, or where the derivative is structurally zero.
    pub terms: [Option<(Value, &'a Value)>; 2],
}

/// A primitive at values of any level; each primitive in its partial derivatives is counted.
struct AtValues<'c> {
    ctx: &'c mut Ctx,
    args: &'c [Value],
    result: &'c Value,
}

impl Application for AtValues<'_> {
    type Value = Value;
    type Fault = Fault;

    fn arg(&self, index: usize) -> Value {
        self.args[index].clone()
    }

    fn result(&self) -> Value {
        self.result.clone()
    }

    fn real(&self, value: f64) -> Value {
        Value::Real(value)
    }

    fn int(&self, value: i64) -> Value {
        Value::Int(value)
    }

    fn holds(&self, condition: &Value) -> bool {
        let Value::Bool(truth) = condition else {
            bug("eval", "a Bool as the condition of a partial derivative")
        };
        *truth
    }

    fn apply(&mut self, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
        self.ctx.meter.counts.differentiate(prim);
        match &prim.row().class {
            Class::Smooth(smooth) => self.ctx.apply_smooth(prim, smooth, args),
            Class::Discrete | Class::Structural(_) | Class::Control | Class::Tell | Class::Fail => {
                match self.ctx.of_intervals(prim, args)? {
                    Some(decided) => Ok(decided),
                    None => discrete::apply(self.ctx, prim, args),
                }
            }
        }
    }
}

impl Ctx {
    /// Applies any primitive but [`Prim::Update`] to values of any level.
    pub fn apply(&mut self, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
        match &prim.row().class {
            Class::Smooth(smooth) => self.apply_smooth(prim, smooth, args),
            Class::Structural(Move::Total { array }) => self.sum(&args[*array]),
            Class::Discrete | Class::Structural(_) | Class::Control | Class::Tell | Class::Fail => {
                if self.strict_domain {
                    self.check_tie(prim, args)?;
                    self.check_jump(prim, args)?;
                }
                if self.linearity_tests > 0 {
                    self.check_undecided(prim, args)?;
                }
                if let Some(decided) = self.of_intervals(prim, args)? {
                    return Ok(decided);
                }
                if self.ties().is_some() {
                    self.check_jump(prim, args)?;
                    if let Some(sides) = self.at_compared_tie(prim, args)? {
                        return discrete::apply(self, prim, &sides);
                    }
                }
                discrete::apply(self, prim, args)
            }
        }
    }

    fn apply_smooth(
        &mut self,
        prim: Prim,
        smooth: &Smooth,
        args: &[Value],
    ) -> Result<Value, Fault> {
        if let Some(x) = smooth_value(smooth.value, args) {
            return Ok(Value::Real(x));
        }
        let highest = args.iter().map(Value::level).max().unwrap_or(0);
        if highest == 0 {
            return Err(Fault::internal(format!("{prim:?} on {args:?}")));
        }
        if !self.minds_edges()
            && let Some(result) = self.plain(smooth, args)
        {
            return result;
        }
        if let Some(result) = self.at_edge(prim, smooth, args)? {
            return Ok(result);
        }
        let Some(level) = self.level(highest) else {
            let args: Vec<Value> = args.iter().map(|arg| primal(arg, highest).clone()).collect();
            return self.apply_smooth(prim, smooth, &args);
        };
        if self.strict_domain {
            let numbers: Vec<f64> = args
                .iter()
                .map(|arg| arg.as_real().or(arg.as_int().map(|n| n as f64)))
                .map(|x| x.unwrap_or_else(|| bug("eval", "numbers for a smooth primitive")))
                .collect();
            let followed = |by: usize| self.is_followed(&args[by]);
            if !smooth.differentiable(&numbers, followed) {
                return Err(Fault::NotSmooth { prim, args: numbers });
            }
            if let Some((what, number)) = prim.infinity_at(&numbers, followed) {
                return Err(Fault::NotFinite { what, number });
            }
        }
        if self.minds_edges()
            && let Some(result) = self.plain(smooth, args)
        {
            return result;
        }
        level.smooth(self, highest, prim, args)
    }

    /// Applies a smooth primitive of one Real, which is followed.
    #[inline(never)]
    pub(super) fn followed1(&mut self, prim: Prim, x: &Value) -> Result<Value, Fault> {
        if !self.minds_edges()
            && let Class::Smooth(smooth) = &prim.row().class
            && let Some((last, level)) = self.plain_level()
            && let Some(plain) = Plain::unary(&mut self.meter.counts, last, smooth, x)
        {
            return level.plain(self, last, &plain);
        }
        self.apply(prim, std::slice::from_ref(x))
    }

    /// Applies a smooth primitive of two Reals, or of a Real and an Int, of which one or both are followed.
    #[inline(never)]
    pub(super) fn followed2(&mut self, prim: Prim, x: &Value, y: &Value) -> Result<Value, Fault> {
        if !self.minds_edges()
            && let Class::Smooth(smooth) = &prim.row().class
            && let Some((last, level)) = self.plain_level()
        {
            let plain = if let Value::Int(n) = y {
                Plain::power(&mut self.meter.counts, last, smooth, x, *n)
            } else {
                Plain::binary(&mut self.meter.counts, last, smooth, x, y)
            };
            if let Some(plain) = plain {
                return level.plain(self, last, &plain);
            }
        }
        self.apply(prim, &[x.clone(), y.clone()])
    }

    /// Applies a smooth primitive the short way, if the last level takes plain numbers and these are.
    #[inline]
    fn plain(&mut self, smooth: &Smooth, args: &[Value]) -> Option<Result<Value, Fault>> {
        let (last, level) = self.plain_level()?;
        let plain = match args {
            [x] => Plain::unary(&mut self.meter.counts, last, smooth, x)?,
            [x, Value::Int(n)] => Plain::power(&mut self.meter.counts, last, smooth, x, *n)?,
            [x, y] => Plain::binary(&mut self.meter.counts, last, smooth, x, y)?,
            _ => return None,
        };
        Some(level.plain(self, last, &plain))
    }

    /// `total + partial * factor`, one operation of differentiation; `()` stands for a structural zero
    /// total. A partial that is exactly 1 is not multiplied.
    #[inline]
    pub fn add_product(
        &mut self,
        total: &Value,
        partial: &Value,
        factor: &Value,
    ) -> Result<Value, Fault> {
        if let (Value::Real(p), Value::Real(x)) = (partial, factor) {
            if let Value::Real(total) = total {
                self.meter.counts.derivative += 1;
                return Ok(Value::Real(total + p * x));
            }
            if let Value::Unit = total {
                self.meter.counts.derivative += u64::from(*p != 1.0);
                return Ok(Value::Real(p * x));
            }
        }
        match (total, partial) {
            (Value::Unit, Value::Real(1.0)) => Ok(factor.clone()),
            (Value::Unit, _) => {
                self.meter.counts.derivative += 1;
                self.apply(Prim::Mul, &[partial.clone(), factor.clone()])
            }
            (_, Value::Real(1.0)) => {
                self.meter.counts.derivative += 1;
                self.apply(Prim::Add, &[total.clone(), factor.clone()])
            }
            _ => {
                self.meter.counts.derivative += 1;
                let product = self.apply(Prim::Mul, &[partial.clone(), factor.clone()])?;
                self.apply(Prim::Add, &[total.clone(), product])
            }
        }
    }

    /// Applies a smooth primitive below a level that follows some of its arguments, and linearises it there.
    pub fn linearise<'a>(
        &mut self,
        level: u64,
        prim: Prim,
        args: &'a [Value],
    ) -> Result<Linearised<'a>, Fault> {
        let mut below = [Value::Unit, Value::Unit];
        for (slot, arg) in below.iter_mut().zip(args) {
            *slot = primal(arg, level).clone();
        }
        let below = &below[..args.len().min(2)];
        let result = self.apply(prim, below)?;
        let mut terms = [None, None];
        let at = AtValues { ctx: self, args: below, result: &result };
        let mut partials = Partials::new(prim.row().analysis(), at);
        for (index, arg) in args.iter().enumerate() {
            if let Some(tangent) = tangent_at(arg, level) {
                terms[index] = partials.by(index)?.map(|partial| (partial, tangent));
            }
        }
        Ok(Linearised { result, terms })
    }

    /// The sum of an array of Reals of any level, from left to right.
    pub fn sum(&mut self, array: &Value) -> Result<Value, Fault> {
        let Value::Array(array) = array else {
            return Err(Fault::internal("sum of no array"));
        };
        // Those that are followed are met once more on the way back.
        self.count_summed(array.len(), if array.reals().is_some() { 4 } else { 100 })?;
        if let Some(reals) = array.reals() {
            return Ok(Value::Real(reals.iter().fold(0.0, |total, x| total + x)));
        }
        let Some(items) = array.values() else { return Ok(Value::Real(0.0)) };
        self.sum_values(items)
    }

    /// The sum of Reals of any level, from left to right.
    pub fn sum_values(&mut self, items: &[Value]) -> Result<Value, Fault> {
        let highest = items.iter().map(Value::level).max().unwrap_or(0);
        if highest == 0 {
            let total = items.iter().try_fold(0.0, |total, item| Some(total + item.as_real()?));
            return total.map(Value::Real).ok_or_else(|| Fault::internal("sum of no Reals"));
        }
        if let Some(level) = self.level(highest) {
            let sum = level.sum(self, highest, items)?;
            self.check_finite(&sum, NotFinite::Sum)?;
            return Ok(sum);
        }
        let items: Vec<Value> = items.iter().map(|item| primal(item, highest).clone()).collect();
        self.sum_values(&items)
    }

    /// The numbers that a comparison of Reals of any level compares.
    #[cold]
    pub(super) fn compared(&self, prim: Prim, x: &Value, y: &Value) -> Result<(f64, f64), Fault> {
        if self.strict_domain {
            self.check_tie(prim, &[x.clone(), y.clone()])?;
        }
        if self.linearity_tests > 0 {
            self.check_undecided(prim, &[x.clone(), y.clone()])?;
        }
        if let Some([x, y]) = self.at_tie(x, y)? {
            return Ok((x, y));
        }
        if let Some(truth) = self.compared_intervals(prim, x, y)? {
            return Ok(numbers_of(prim, truth));
        }
        match (x.as_real(), y.as_real()) {
            (Some(x), Some(y)) => Ok((x, y)),
            (None, _) | (_, None) => Err(Fault::internal("a comparison of no Reals")),
        }
    }

    /// Strict domain: an error if two equal Reals are compared and either is followed.
    pub(super) fn check_tie(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        if let ([x, y], true) = (args, compares(prim))
            && self.is_followed(x) | self.is_followed(y)
            && !same(x, y)
            && let (Some(x), Some(y)) = (x.as_real(), y.as_real())
            && x == y
        {
            return Err(Fault::Tie { number: x });
        }
        Ok(())
    }

    /// Strict domain: an error if a Real is not finite.
    pub fn check_finite(&self, value: &Value, what: NotFinite) -> Result<(), Fault> {
        match value.as_real() {
            Some(number) if self.strict_domain && !number.is_finite() => {
                Err(Fault::NotFinite { what, number })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Strict domain: an error if a followed Real becomes an Int where that jumps.
    fn check_jump(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        if let (Prim::ToInt, [x]) = (prim, args)
            && let Some(number) = x.as_real()
            && jumps(number)
            && self.is_followed(x)
        {
            return Err(Fault::NotSmooth { prim, args: vec![number] });
        }
        Ok(())
    }
}
