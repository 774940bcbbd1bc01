//! Sums of elements and of products in strips: what a product of matrices does in its innermost loop, without dispatch.
//!
//! Input: the terms that a loop adds up. Output: its states after all its iterations. Law: each sum has its addends in
//! the order of the loop, and each product is rounded before it is added. So the bits are those of the loop.
//!
//! Where the factors are one number of a row and the elements of another side by side, four steps of the loop are taken
//! at once, in vectors as long as the processor has them. Else eight sums of products are in registers at once.

use pulp::Arch;

use super::Lane;
use crate::eval::code::{Element, Reg, Strip, Term};
use crate::eval::lanes::{Held, Numbers, Places, Stop};
use crate::eval::value::Items;

/// How many sums are in registers at once.
const SUMS: usize = 8;

/// The factors of a step and an iteration: from the first, so far to that of the next iteration and of the next step.
#[derive(Clone, Copy)]
struct Factors<'a> {
    items: &'a [f64],
    first: i64,
    lane: i64,
    step: i64,
}

impl<'a> Factors<'a> {
    #[inline(always)]
    fn at(self, step: usize, lane: usize) -> f64 {
        self.items[(self.first + self.step * step as i64 + self.lane * lane as i64) as usize]
    }
    /// Those of a step side by side.
    #[inline(always)]
    fn row(self, step: usize, count: usize) -> &'a [f64] {
        let first = (self.first + self.step * step as i64) as usize;
        &self.items[first..first + count]
    }
}

impl<'s> Lane<'s, '_> {
    /// Runs a loop that adds up terms and does nothing else; whether it has been run.
    pub fn terms(&mut self, inner: &Strip, pc: usize) -> Result<bool, Stop> {
        let Some(terms) = inner.terms.as_ref().filter(|_| !inner.is_down) else {
            return Ok(false);
        };
        let steps = self.same_int(inner.count)?;
        let Some(factors) = self.all_factors(terms, inner, steps)? else {
            // It runs step by step, from the first.
            self.lanes.at(inner.index, Held::int(0));
            return Ok(false);
        };
        let mut operations = 0;
        for (Term { state, other, .. }, factors) in terms.iter().zip(factors) {
            operations += if other.is_some() { 2 } else { 1 };
            let is_strong = other.as_ref().map(|(_, is_strong)| *is_strong);
            self.add_terms(*state, is_strong, factors, steps as usize)?;
        }
        self.operations += operations * self.count as u64 * steps as u64;
        self.steps += self.count as u64 * (steps as u64 - 1);
        self.step(pc)?;
        Ok(true)
    }

    /// Where the factors of all terms lie; nothing if one does not lie in equal steps.
    fn all_factors(
        &mut self,
        terms: &[Term],
        inner: &Strip,
        steps: i64,
    ) -> Result<Option<Vec<[Factors<'s>; 2]>>, Stop> {
        let mut all = vec![];
        for Term { factor, other, .. } in terms {
            let one = self.factors(factor, inner, steps)?;
            let other = match other {
                Some((other, _)) => self.factors(other, inner, steps)?,
                None => one,
            };
            let Some(pair) = one.zip(other) else { return Ok(None) };
            all.push(pair.into());
        }
        Ok(Some(all))
    }

    /// Where the factors lie that an element gives; nothing if that is not in equal steps.
    fn factors(
        &mut self,
        element: &Element,
        inner: &Strip,
        steps: i64,
    ) -> Result<Option<Factors<'s>>, Stop> {
        let mut ends = [None; 2];
        for (end, nth) in ends.iter_mut().zip([0, steps - 1]) {
            self.lanes.at(inner.index, Held::int(nth));
            let lead = self.lead(element.array, &element.at)?;
            let (Items::Real(items), offset) = lead.array.items() else { return Ok(None) };
            let Places::Steps { first, step } = lead.places else { return Ok(None) };
            *end = lead.is_element().then_some((&items[offset..], first, step));
        }
        let [Some((items, first, lane)), Some((_, last, _))] = ends else { return Ok(None) };
        let step = if steps > 1 { (last - first) / (steps - 1) } else { 0 };
        Ok(Some(Factors { items, first, lane, step }))
    }

    /// Adds the terms of so many steps to a state: products, which may be strong, or elements.
    fn add_terms(
        &mut self,
        state: Reg,
        is_strong: Option<bool>,
        factors: [Factors<'_>; 2],
        steps: usize,
    ) -> Result<(), Stop> {
        let mut room = self.lanes.room_for_reals();
        let [one, other] = factors;
        // What all iterations add up is added up once.
        let is_same = one.lane == 0 && other.lane == 0;
        let (count, held) = match self.reals(state)? {
            Numbers::Same(x) => {
                let count = if is_same { 1 } else { self.count };
                room[..count].fill(x);
                (count, Held::Reals)
            }
            Numbers::Each(xs) => {
                room[..xs.len()].copy_from_slice(xs);
                (xs.len(), Held::Reals)
            }
        };
        let sums = &mut room[..count];
        match is_strong {
            None if one.lane == 1 => {
                Arch::new().dispatch(|| rows(sums, steps, one, one, |_, x| x));
            }
            None => columns(sums, steps, one, one, |x, _| x),
            Some(false) => add_all(sums, steps, one, other, |x, y| x * y),
            Some(true) => {
                add_all(sums, steps, one, other, |t, x| if t == 0.0 { 0.0 } else { t * x });
            }
        }
        let held = if is_same && count == 1 { Held::Real(room[0]) } else { held };
        self.lanes.put_reals(state, held, room);
        Ok(())
    }
}

/// Adds the terms of all steps.
fn add_all(
    sums: &mut [f64],
    steps: usize,
    one: Factors<'_>,
    other: Factors<'_>,
    term: impl Fn(f64, f64) -> f64 + Copy,
) {
    match (one.lane, other.lane) {
        (0, 1) => Arch::new().dispatch(|| rows(sums, steps, one, other, term)),
        (1, 0) => {
            Arch::new().dispatch(|| rows(sums, steps, other, one, |y, x| term(x, y)));
        }
        _ => columns(sums, steps, one, other, term),
    }
}

/// Adds a number times a row in each step, four steps at once.
#[inline(always)]
fn rows(
    sums: &mut [f64],
    steps: usize,
    one: Factors<'_>,
    row: Factors<'_>,
    term: impl Fn(f64, f64) -> f64,
) {
    let count = sums.len();
    let mut step = 0;
    while step + 4 <= steps {
        let [a, b, c, d] = [0, 1, 2, 3].map(|by| one.at(step + by, 0));
        let [w, x, y, z] = [0, 1, 2, 3].map(|by| row.row(step + by, count));
        for nth in 0..count {
            let sum = sums[nth] + term(a, w[nth]);
            let sum = sum + term(b, x[nth]);
            let sum = sum + term(c, y[nth]);
            sums[nth] = sum + term(d, z[nth]);
        }
        step += 4;
    }
    for step in step..steps {
        let (a, row) = (one.at(step, 0), row.row(step, count));
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += term(a, *x));
    }
}

/// Adds the products of eight iterations at once.
#[inline(always)]
fn columns(
    sums: &mut [f64],
    steps: usize,
    one: Factors<'_>,
    other: Factors<'_>,
    term: impl Fn(f64, f64) -> f64,
) {
    for (block, sums) in sums.chunks_mut(SUMS).enumerate() {
        let first = block * SUMS;
        if let Ok(sums) = <&mut [f64; SUMS]>::try_from(&mut *sums) {
            let mut held = *sums;
            for step in 0..steps {
                for (nth, sum) in held.iter_mut().enumerate() {
                    *sum += term(one.at(step, first + nth), other.at(step, first + nth));
                }
            }
            *sums = held;
        } else {
            for step in 0..steps {
                for (nth, sum) in sums.iter_mut().enumerate() {
                    *sum += term(one.at(step, first + nth), other.at(step, first + nth));
                }
            }
        }
    }
}
