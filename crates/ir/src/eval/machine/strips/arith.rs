//! Operations on numbers in strips.
//!
//! Input: operands. Output: a register that holds the results of all iterations. Each counts one operation for each
//! iteration, also where one is enough for all.

use pullback_prim::{Prim, RealFn, Scalar};

use super::Lane;
use crate::eval::code::{CONST, KILL, Operand, Reg};
use crate::eval::lanes::{Bools, Held, Ints, Reals, Stop};
use crate::eval::value::Value;

impl Lane<'_, '_> {
    pub fn reals(&self, a: Operand) -> Result<Reals<'_>, Stop> {
        self.lanes.reals(self.outside, a, self.count).ok_or(Stop::Never)
    }
    pub fn ints(&self, a: Operand) -> Result<Ints<'_>, Stop> {
        self.lanes.ints(self.outside, a, self.count)
    }
    fn bools(&self, a: Operand) -> Result<Bools<'_>, Stop> {
        self.lanes.bools(self.outside, a, self.count)
    }
    /// The Int that all iterations have.
    pub fn same_int(&self, a: Operand) -> Result<i64, Stop> {
        match self.ints(a)? {
            Ints::Steps { first, step: 0 } => Ok(first),
            Ints::Steps { .. } | Ints::Each(_) => Err(Stop::Never),
        }
    }
    /// The Bool of all iterations, if they agree.
    pub fn agreed(&self, a: Operand) -> Result<bool, Stop> {
        match self.bools(a)? {
            Bools::Same(truth) => Ok(truth),
            Bools::Each(truths) if truths.iter().all(|truth| *truth == truths[0]) => Ok(truths[0]),
            Bools::Each(_) => Err(Stop::OneByOne),
        }
    }
    /// Fails unless an operand holds numbers.
    pub fn is_number(&self, a: Operand) -> Result<(), Stop> {
        let value = self.lanes.value(self.outside, a, 0);
        if let Value::Real(_) | Value::Int(_) | Value::Bool(_) = value {
            return Ok(());
        }
        Err(Stop::Never)
    }
    fn count_one(&mut self) {
        self.operations += self.count as u64;
    }

    /// A function of one Real.
    #[inline]
    pub fn real1(&mut self, d: Reg, a: Operand, f: impl Fn(f64) -> f64) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_reals();
        let held = match self.reals(a)? {
            Reals::Same(x) => Held::Real(f(x)),
            Reals::State(_) => return Err(Stop::Never),
            Reals::Each(xs) => {
                room.iter_mut().zip(xs).for_each(|(y, x)| *y = f(*x));
                Held::Reals
            }
        };
        self.lanes.put_reals(d, held, room);
        Ok(())
    }

    /// A function of two Reals. A state goes through the iterations in their order.
    #[inline]
    pub fn real2(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(f64, f64) -> f64,
    ) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_reals();
        let each = room.iter_mut();
        let count = self.count;
        let held = match (self.reals(a)?, self.reals(b)?) {
            (Reals::Same(x), Reals::Same(y)) => Held::Real(f(x, y)),
            (Reals::Each(xs), Reals::Each(ys)) => {
                each.zip(xs).zip(ys).for_each(|((z, x), y)| *z = f(*x, *y));
                Held::Reals
            }
            (Reals::Each(xs), Reals::Same(y)) => {
                each.zip(xs).for_each(|(z, x)| *z = f(*x, y));
                Held::Reals
            }
            (Reals::Same(x), Reals::Each(ys)) => {
                each.zip(ys).for_each(|(z, y)| *z = f(x, *y));
                Held::Reals
            }
            (Reals::State(x), Reals::Each(ys)) => Held::State(ys.iter().fold(x, |x, y| f(x, *y))),
            (Reals::Each(xs), Reals::State(y)) => Held::State(xs.iter().fold(y, |y, x| f(*x, y))),
            (Reals::State(x), Reals::Same(y)) => Held::State((0..count).fold(x, |x, _| f(x, y))),
            (Reals::Same(x), Reals::State(y)) => Held::State((0..count).fold(y, |y, _| f(x, y))),
            (Reals::State(_), Reals::State(_)) => return Err(Stop::Never),
        };
        self.lanes.put_reals(d, held, room);
        Ok(())
    }

    /// A comparison of Reals.
    #[inline]
    pub fn compare(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(f64, f64) -> bool,
    ) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_bools();
        let each = room.iter_mut();
        let held = match (self.reals(a)?, self.reals(b)?) {
            (Reals::Same(x), Reals::Same(y)) => Held::Bool(f(x, y)),
            (Reals::Each(xs), Reals::Each(ys)) => {
                each.zip(xs).zip(ys).for_each(|((z, x), y)| *z = f(*x, *y));
                Held::Bools
            }
            (Reals::Each(xs), Reals::Same(y)) => {
                each.zip(xs).for_each(|(z, x)| *z = f(*x, y));
                Held::Bools
            }
            (Reals::Same(x), Reals::Each(ys)) => {
                each.zip(ys).for_each(|(z, y)| *z = f(x, *y));
                Held::Bools
            }
            (Reals::State(_), _) | (_, Reals::State(_)) => return Err(Stop::Never),
        };
        self.lanes.put_bools(d, held, room);
        Ok(())
    }

    /// A sum or difference of Ints: that of equal steps has equal steps.
    #[inline]
    pub fn int2(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<(), Stop> {
        for (state, is_first) in [(a, true), (b, false)] {
            if state & CONST == 0
                && let Held::IntState(total) = self.lanes.held(state & !KILL)
            {
                let other = if is_first { b } else { a };
                return self.hand_on(
                    d,
                    total,
                    other,
                    |m, n| if is_first { f(m, n) } else { f(n, m) },
                );
            }
        }
        if let (Ints::Steps { first: m, step: p }, Ints::Steps { first: n, step: q }) =
            (self.ints(a)?, self.ints(b)?)
        {
            let steps = f(m, n).zip(f(p, q));
            return self.put_steps(d, steps);
        }
        self.each_int(d, a, b, f)
    }

    /// A sum or difference that goes from one iteration to the next.
    fn hand_on(
        &mut self,
        state: Reg,
        mut total: i64,
        other: Operand,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<(), Stop> {
        self.count_one();
        let ints = self.ints(other)?;
        for nth in 0..self.count {
            total = f(total, ints.at(nth)).ok_or(Stop::OneByOne)?;
        }
        self.lanes.at(state, Held::IntState(total));
        Ok(())
    }

    /// A product of Ints.
    pub fn int_mul(&mut self, d: Reg, a: Operand, b: Operand) -> Result<(), Stop> {
        match (self.ints(a)?, self.ints(b)?) {
            (Ints::Steps { first: k, step: 0 }, Ints::Steps { first, step })
            | (Ints::Steps { first, step }, Ints::Steps { first: k, step: 0 }) => {
                let steps = k.checked_mul(first).zip(k.checked_mul(step));
                self.put_steps(d, steps)
            }
            _ => self.each_int(d, a, b, i64::checked_mul),
        }
    }

    /// Equal steps, none of which exceeds the range of Ints.
    fn put_steps(&mut self, d: Reg, steps: Option<(i64, i64)>) -> Result<(), Stop> {
        self.count_one();
        let (first, step) = steps.ok_or(Stop::OneByOne)?;
        let all = step.checked_mul(self.count as i64 - 1);
        all.and_then(|all| first.checked_add(all)).ok_or(Stop::OneByOne)?;
        self.lanes.at(d, Held::Steps { first, step });
        Ok(())
    }

    /// A function of two Ints, which may fail.
    #[inline]
    pub fn each_int(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_ints();
        let (ms, ns) = (self.ints(a)?, self.ints(b)?);
        let held = if let (Ints::Steps { first: m, step: 0 }, Ints::Steps { first: n, step: 0 }) =
            (ms, ns)
        {
            Held::int(f(m, n).ok_or(Stop::OneByOne)?)
        } else {
            for (nth, k) in room[..self.count].iter_mut().enumerate() {
                *k = f(ms.at(nth), ns.at(nth)).ok_or(Stop::OneByOne)?;
            }
            Held::Ints
        };
        self.lanes.put_ints(d, held, room);
        Ok(())
    }

    /// A comparison of Ints.
    #[inline]
    pub fn compare_ints(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(i64, i64) -> bool,
    ) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_bools();
        let (ms, ns) = (self.ints(a)?, self.ints(b)?);
        let held = if let (Ints::Steps { first: m, step: 0 }, Ints::Steps { first: n, step: 0 }) =
            (ms, ns)
        {
            Held::Bool(f(m, n))
        } else {
            let each = room[..self.count].iter_mut().enumerate();
            each.for_each(|(nth, truth)| *truth = f(ms.at(nth), ns.at(nth)));
            Held::Bools
        };
        self.lanes.put_bools(d, held, room);
        Ok(())
    }

    /// The contrary.
    pub fn not(&mut self, d: Reg, a: Operand) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_bools();
        let held = match self.bools(a)? {
            Bools::Same(truth) => Held::Bool(!truth),
            Bools::Each(truths) => {
                room.iter_mut().zip(truths).for_each(|(not, truth)| *not = !truth);
                Held::Bools
            }
        };
        self.lanes.put_bools(d, held, room);
        Ok(())
    }

    /// Ints as Reals.
    pub fn as_real(&mut self, d: Reg, a: Operand) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_reals();
        let held = match self.ints(a)? {
            Ints::Steps { first, step: 0 } => Held::Real(first as f64),
            ints @ (Ints::Steps { .. } | Ints::Each(_)) => {
                let each = room[..self.count].iter_mut().enumerate();
                each.for_each(|(nth, x)| *x = ints.at(nth) as f64);
                Held::Reals
            }
        };
        self.lanes.put_reals(d, held, room);
        Ok(())
    }

    /// Copies an operand to a register.
    pub fn copy(&mut self, d: Reg, a: Operand) -> Result<(), Stop> {
        if a & CONST != 0 {
            let held = self.outside.constant(a);
            let number = held.as_real().map(Held::Real).or_else(|| held.as_int().map(Held::int));
            let truth = if let Value::Bool(truth) = held { Some(Held::Bool(*truth)) } else { None };
            self.lanes.at(d, number.or(truth).ok_or(Stop::Never)?);
            return Ok(());
        }
        let from = a & !KILL;
        let held = self.lanes.held(from);
        if let Held::State(_) | Held::IntState(_) = held {
            return Err(Stop::Never);
        }
        if let Held::Outside = held {
            self.array(from)?;
            self.lanes.at(d, Held::Part { array: from, indices: 0, first: 0, step: 0 });
        } else {
            self.lanes.copy(d, from, self.count);
        }
        Ok(())
    }

    /// One of two operands, by a Bool.
    pub fn select(&mut self, d: Reg, c: Operand, a: Operand, b: Operand) -> Result<(), Stop> {
        let truths = match self.bools(c)? {
            Bools::Same(truth) => return self.copy(d, if truth { a } else { b }),
            Bools::Each(truths) => truths,
        };
        if let (Ok(xs), Ok(ys)) = (self.reals(a), self.reals(b)) {
            let at = |reals: Reals<'_>, nth: usize| match reals {
                Reals::Same(x) | Reals::State(x) => x,
                Reals::Each(xs) => xs[nth],
            };
            let chosen: Vec<f64> = truths
                .iter()
                .enumerate()
                .map(|(nth, truth)| if *truth { at(xs, nth) } else { at(ys, nth) })
                .collect();
            let mut room = self.lanes.room_for_reals();
            room[..chosen.len()].copy_from_slice(&chosen);
            self.lanes.put_reals(d, Held::Reals, room);
        } else if let (Ok(ms), Ok(ns)) = (self.ints(a), self.ints(b)) {
            let each = truths.iter().enumerate();
            let mut chosen: Vec<i64> =
                each.map(|(nth, truth)| if *truth { ms.at(nth) } else { ns.at(nth) }).collect();
            chosen.resize(self.lanes.strips.size, 0);
            self.lanes.put_ints(d, Held::Ints, chosen);
        } else {
            let (ones, others) = (self.bools(a)?, self.bools(b)?);
            let at = |bools: Bools<'_>, nth: usize| match bools {
                Bools::Same(truth) => truth,
                Bools::Each(truths) => truths[nth],
            };
            let each = truths.iter().enumerate();
            let mut chosen: Vec<bool> = each
                .map(|(nth, truth)| if *truth { at(ones, nth) } else { at(others, nth) })
                .collect();
            chosen.resize(self.lanes.strips.size, false);
            self.lanes.put_bools(d, Held::Bools, chosen);
        }
        Ok(())
    }

    /// Any other primitive on numbers.
    pub fn primitive(&mut self, d: Reg, prim: Prim, args: &[Operand]) -> Result<(), Stop> {
        self.count_one();
        let is_state = |a: &Operand| {
            *a & CONST == 0
                && matches!(self.lanes.held(*a & !KILL), Held::State(_) | Held::IntState(_))
        };
        if args.iter().any(is_state) {
            return Err(Stop::Never);
        }
        let smooth = prim.row().smooth().map(|smooth| smooth.value);
        let is_same = args.iter().all(|a| self.is_same(*a));
        let count = if is_same { 1 } else { self.count };
        let mut results = vec![];
        for nth in 0..count {
            let values = args.iter().map(|a| self.lanes.value(self.outside, *a, nth));
            let values: Vec<Value> = values.collect();
            let result = match (smooth, values.as_slice()) {
                (Some(RealFn::RealInt(f)), [Value::Real(x), Value::Int(n)]) => {
                    Scalar::Real(f(*x, *n))
                }
                (Some(RealFn::IntReal(f)), [Value::Int(n), Value::Real(x)]) => {
                    Scalar::Real(f(*n, *x))
                }
                (_, values) => {
                    let scalars: Option<Vec<Scalar>> = values.iter().map(scalar).collect();
                    let scalars = scalars.ok_or(Stop::Never)?;
                    prim.eval_scalar(&scalars).map_err(|_| Stop::OneByOne)?
                }
            };
            results.push(result);
        }
        self.put_scalars(d, &results, is_same)
    }

    fn put_scalars(&mut self, d: Reg, results: &[Scalar], is_same: bool) -> Result<(), Stop> {
        match results {
            [Scalar::Real(x)] if is_same => self.lanes.at(d, Held::Real(*x)),
            [Scalar::Int(n)] if is_same => self.lanes.at(d, Held::int(*n)),
            [Scalar::Bool(truth)] if is_same => self.lanes.at(d, Held::Bool(*truth)),
            [Scalar::Real(_), ..] => {
                let mut room = self.lanes.room_for_reals();
                for (x, result) in room.iter_mut().zip(results) {
                    let Scalar::Real(result) = result else { return Err(Stop::Never) };
                    *x = *result;
                }
                self.lanes.put_reals(d, Held::Reals, room);
            }
            [Scalar::Int(_), ..] => {
                let mut room = self.lanes.room_for_ints();
                for (n, result) in room.iter_mut().zip(results) {
                    let Scalar::Int(result) = result else { return Err(Stop::Never) };
                    *n = *result;
                }
                self.lanes.put_ints(d, Held::Ints, room);
            }
            [Scalar::Bool(_), ..] => {
                let mut room = self.lanes.room_for_bools();
                for (truth, result) in room.iter_mut().zip(results) {
                    let Scalar::Bool(result) = result else { return Err(Stop::Never) };
                    *truth = *result;
                }
                self.lanes.put_bools(d, Held::Bools, room);
            }
            [] | [Scalar::Str(_), ..] => return Err(Stop::Never),
        }
        Ok(())
    }

    /// Whether an operand holds one number for all iterations.
    fn is_same(&self, a: Operand) -> bool {
        a & CONST != 0
            || matches!(
                self.lanes.held(a & !KILL),
                Held::Real(_) | Held::Steps { step: 0, .. } | Held::Bool(_)
            )
    }
}

fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::Real(x) => Some(Scalar::Real(*x)),
        Value::Int(n) => Some(Scalar::Int(*n)),
        Value::Bool(truth) => Some(Scalar::Bool(*truth)),
        Value::Undef
        | Value::Str(_)
        | Value::Tag(_)
        | Value::Data(_)
        | Value::Array(_)
        | Value::Acc(_) => None,
    }
}
