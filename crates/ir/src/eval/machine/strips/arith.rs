//! Operations on numbers in strips.
//!
//! Input: operands. Output: a register that holds the results of all iterations. Each counts one operation for each
//! iteration, also where one is enough for all.

use pullback_prim::{Prim, RealFn, Scalar};

use super::super::scalars::scalar;
use super::Lane;
use crate::eval::code::{CONST, KILL, Operand, Reg};
use crate::eval::lanes::{Held, Ints, Numbers, Stop};
use crate::eval::value::Value;

/// A function of a number: its one result, or nothing where there is one for each iteration, in the room.
#[inline(always)]
fn map<X: Copy, Y>(xs: Numbers<'_, X>, room: &mut [Y], f: impl Fn(X) -> Y) -> Option<Y> {
    match xs {
        Numbers::Same(x) => return Some(f(x)),
        Numbers::Each(xs) => room.iter_mut().zip(xs).for_each(|(y, x)| *y = f(*x)),
    }
    None
}

/// The same of two numbers.
#[inline(always)]
fn map2<X: Copy, Z>(
    xs: Numbers<'_, X>,
    ys: Numbers<'_, X>,
    room: &mut [Z],
    f: impl Fn(X, X) -> Z,
) -> Option<Z> {
    match (xs, ys) {
        (xs, Numbers::Same(y)) => return map(xs, room, |x| f(x, y)),
        (Numbers::Same(x), ys) => return map(ys, room, |y| f(x, y)),
        (Numbers::Each(xs), Numbers::Each(ys)) => {
            room.iter_mut().zip(xs).zip(ys).for_each(|((z, x), y)| *z = f(*x, *y));
        }
    }
    None
}

/// One of two numbers in each iteration.
fn choose<T>(truths: &[bool], one: impl Fn(usize) -> T, other: impl Fn(usize) -> T) -> Vec<T> {
    let each = truths.iter().enumerate();
    each.map(|(nth, truth)| if *truth { one(nth) } else { other(nth) }).collect()
}

impl Lane<'_, '_> {
    pub fn reals(&self, a: Operand) -> Result<Numbers<'_, f64>, Stop> {
        self.lanes.reals(self.outside, a, self.count).ok_or(Stop::Never)
    }
    pub fn ints(&self, a: Operand) -> Result<Ints<'_>, Stop> {
        self.lanes.ints(self.outside, a, self.count)
    }
    fn bools(&self, a: Operand) -> Result<Numbers<'_, bool>, Stop> {
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
            Numbers::Same(truth) => Ok(truth),
            Numbers::Each(truths) if truths.iter().all(|truth| *truth == truths[0]) => {
                Ok(truths[0])
            }
            Numbers::Each(_) => Err(Stop::OneByOne),
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

    /// The state among two operands, if one is, whether it is the first, and the other operand.
    fn state(&self, a: Operand, b: Operand) -> Option<(Held, bool, Operand)> {
        [(a, true, b), (b, false, a)].into_iter().find_map(|(state, is_first, other)| {
            let held = (state & CONST == 0).then(|| self.lanes.held(state & !KILL))?;
            held.is_state().then_some((held, is_first, other))
        })
    }

    /// A function of one Real.
    #[inline]
    pub fn real1(&mut self, d: Reg, a: Operand, f: impl Fn(f64) -> f64) -> Result<(), Stop> {
        self.count_one();
        let mut room = self.lanes.room_for_reals();
        let same = map(self.reals(a)?, &mut room, f);
        self.lanes.put_reals(d, same.map_or(Held::Reals, Held::Real), room);
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
        if let Some((Held::State(mut total), is_first, other)) = self.state(a, b) {
            let reals = self.reals(other)?;
            for nth in 0..self.count {
                let x = reals.at(nth);
                total = if is_first { f(total, x) } else { f(x, total) };
            }
            self.lanes.at(d, Held::State(total));
            return Ok(());
        }
        let mut room = self.lanes.room_for_reals();
        let same = map2(self.reals(a)?, self.reals(b)?, &mut room, f);
        self.lanes.put_reals(d, same.map_or(Held::Reals, Held::Real), room);
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
        let same = map2(self.reals(a)?, self.reals(b)?, &mut room, f);
        self.lanes.put_bools(d, same.map_or(Held::Bools, Held::Bool), room);
        Ok(())
    }

    /// A sum or difference of Ints: that of equal steps has equal steps. A state goes through the iterations in their
    /// order.
    #[inline]
    pub fn int2(
        &mut self,
        d: Reg,
        a: Operand,
        b: Operand,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<(), Stop> {
        if let Some((Held::IntState(mut total), is_first, other)) = self.state(a, b) {
            self.count_one();
            let ints = self.ints(other)?;
            for nth in 0..self.count {
                let n = ints.at(nth);
                let next = if is_first { f(total, n) } else { f(n, total) };
                total = next.ok_or(Stop::OneByOne)?;
            }
            self.lanes.at(d, Held::IntState(total));
            return Ok(());
        }
        if let (Ints::Steps { first: m, step: p }, Ints::Steps { first: n, step: q }) =
            (self.ints(a)?, self.ints(b)?)
        {
            let steps = f(m, n).zip(f(p, q));
            return self.put_steps(d, steps);
        }
        self.each_int(d, a, b, f)
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
        let same = map(self.bools(a)?, &mut room, |truth| !truth);
        self.lanes.put_bools(d, same.map_or(Held::Bools, Held::Bool), room);
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
            let held = Held::of(self.outside.constant(a));
            if let Held::Outside = held {
                return Err(Stop::Never);
            }
            self.lanes.at(d, held);
            return Ok(());
        }
        let from = a & !KILL;
        let held = self.lanes.held(from);
        if held.is_state() {
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
            Numbers::Same(truth) => return self.copy(d, if truth { a } else { b }),
            Numbers::Each(truths) => truths,
        };
        if let (Ok(xs), Ok(ys)) = (self.reals(a), self.reals(b)) {
            let chosen = choose(truths, |nth| xs.at(nth), |nth| ys.at(nth));
            self.lanes.put_reals(d, Held::Reals, chosen);
        } else if let (Ok(ms), Ok(ns)) = (self.ints(a), self.ints(b)) {
            let chosen = choose(truths, |nth| ms.at(nth), |nth| ns.at(nth));
            self.lanes.put_ints(d, Held::Ints, chosen);
        } else {
            let (ones, others) = (self.bools(a)?, self.bools(b)?);
            let chosen = choose(truths, |nth| ones.at(nth), |nth| others.at(nth));
            self.lanes.put_bools(d, Held::Bools, chosen);
        }
        Ok(())
    }

    /// Any other primitive on numbers.
    pub fn primitive(&mut self, d: Reg, prim: Prim, args: &[Operand]) -> Result<(), Stop> {
        self.count_one();
        let smooth = prim.row().smooth().map(|smooth| smooth.value);
        let is_same = args.iter().all(|a| self.is_same(*a));
        let results = (0..if is_same { 1 } else { self.count }).map(|nth| {
            let values = args.iter().map(|a| self.lanes.value(self.outside, *a, nth));
            let values: Vec<Value> = values.collect();
            match (smooth, values.as_slice()) {
                (Some(RealFn::RealInt(f)), [Value::Real(x), Value::Int(n)]) => {
                    Ok(Scalar::Real(f(*x, *n)))
                }
                (Some(RealFn::IntReal(f)), [Value::Int(n), Value::Real(x)]) => {
                    Ok(Scalar::Real(f(*n, *x)))
                }
                (_, values) => {
                    let scalars: Option<Vec<Scalar>> = values.iter().map(scalar).collect();
                    prim.eval_scalar(&scalars.ok_or(Stop::Never)?).map_err(|_| Stop::OneByOne)
                }
            }
        });
        let results = results.collect::<Result<Vec<Scalar>, Stop>>()?;
        self.put_scalars(d, &results, is_same)
    }

    /// Puts results of one type into a register: one, or one for each iteration.
    fn put_scalars(&mut self, d: Reg, results: &[Scalar], is_same: bool) -> Result<(), Stop> {
        let (mut reals, mut ints, mut bools) = (vec![], vec![], vec![]);
        for result in results {
            match result {
                Scalar::Real(x) => reals.push(*x),
                Scalar::Int(n) => ints.push(*n),
                Scalar::Bool(truth) => bools.push(*truth),
                Scalar::Str(_) => return Err(Stop::Never),
            }
        }
        match results {
            [Scalar::Real(x)] if is_same => self.lanes.at(d, Held::Real(*x)),
            [Scalar::Int(n)] if is_same => self.lanes.at(d, Held::int(*n)),
            [Scalar::Bool(truth)] if is_same => self.lanes.at(d, Held::Bool(*truth)),
            [Scalar::Real(_), ..] => self.lanes.put_reals(d, Held::Reals, reals),
            [Scalar::Int(_), ..] => self.lanes.put_ints(d, Held::Ints, ints),
            [] | [Scalar::Bool(_) | Scalar::Str(_), ..] => {
                self.lanes.put_bools(d, Held::Bools, bools);
            }
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
