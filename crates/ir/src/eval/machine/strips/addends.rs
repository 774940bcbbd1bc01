//! What a strip adds to accumulators. It is noted while the strip runs, and added when nothing can fail any more.
//!
//! Input: places and Reals, in the order in which one iteration adds them. Output: accumulators. Law: each element gets
//! its addends in the order of the iterations one by one: those of the first, then those of the second.

use crate::eval::code::Reg;
use crate::eval::lanes::{Numbers, Places};
use crate::eval::machine::registers::Window;
use crate::eval::value::Acc;

/// The most Reals that a strip notes: as many as lie in a cache.
const MOST: usize = 1 << 18;

/// How many sums are in registers at once.
const AT_ONCE: usize = 8;

/// One addition, which each iteration does at its place.
#[derive(Clone, Copy)]
struct Addend {
    acc: Reg,
    /// The place of the first iteration, and how far it is to that of the next; or those that are listed from here on.
    first: i64,
    step: i64,
    listed: Option<usize>,
    /// The Real of all iterations, or those that are listed from here on.
    value: f64,
    values: Option<usize>,
}

/// What a strip adds.
#[derive(Default)]
pub struct Addends {
    list: Vec<Addend>,
    places: Vec<i64>,
    values: Vec<f64>,
}

impl Addends {
    /// Whether it has noted as much as it may.
    pub fn is_full(&self) -> bool {
        self.list.len().max(self.values.len()) >= MOST
    }

    /// Notes an addition to the accumulator of a register, at these places.
    pub fn push(&mut self, acc: Reg, places: Places, reals: Numbers<'_, f64>) {
        let (value, values) = match reals {
            Numbers::Same(x) => (x, None),
            Numbers::Each(xs) => {
                let start = self.values.len();
                self.values.extend_from_slice(xs);
                (0.0, Some(start))
            }
        };
        let (first, step, listed) = match places {
            Places::Steps { first, step } => (first, step, None),
            Places::Each(each) => {
                let start = self.places.len();
                self.places.extend(each);
                (0, 0, Some(start))
            }
        };
        self.list.push(Addend { acc, first, step, listed, value, values });
    }

    /// Adds what has been noted for so many iterations.
    pub fn add(&mut self, r: &Window<'_>, count: usize) {
        while let Some(addend) = self.list.first() {
            let acc = r.acc(addend.acc);
            let shared = |other: &Addend| r.acc(other.acc).shares(acc);
            let (these, others): (Vec<Addend>, Vec<Addend>) =
                self.list.iter().partition(|other| shared(other));
            self.add_to(r, acc, &these, count);
            self.list = others;
        }
    }

    /// Adds to one accumulator, and parts of it.
    fn add_to(&self, r: &Window<'_>, acc: &Acc, addends: &[Addend], count: usize) {
        let offset = |addend: &Addend| r.acc(addend.acc).offset() as i64;
        acc.on_reals(|items| {
            let add = |items: &mut [f64], addend: &Addend, offset: i64, nth: usize| {
                let place = match addend.listed {
                    Some(start) => self.places[start + nth],
                    None => addend.first + addend.step * nth as i64,
                };
                let x = addend.values.map_or(addend.value, |start| self.values[start + nth]);
                items[(offset + place) as usize] += x;
            };
            if is_apart(addends.iter().map(|addend| (addend, offset(addend)))) {
                // Each element gets what one addition adds: some of them at once, as each waits for what it has added.
                for addends in addends.chunks(AT_ONCE) {
                    let at = |addend: &Addend| (offset(addend) + addend.first) as usize;
                    let places: Vec<usize> = addends.iter().map(at).collect();
                    let mut totals = [0.0; AT_ONCE];
                    let mut terms = [(0.0, None); AT_ONCE];
                    for (nth, addend) in addends.iter().enumerate() {
                        totals[nth] = items[places[nth]];
                        let values = addend.values.map(|start| &self.values[start..start + count]);
                        terms[nth] = (addend.value, values);
                    }
                    for nth in 0..count {
                        for (total, (value, values)) in totals.iter_mut().zip(terms) {
                            *total += values.map_or(value, |values: &[f64]| values[nth]);
                        }
                    }
                    places.iter().zip(totals).for_each(|(place, total)| items[*place] = total);
                }
            } else {
                let offsets: Vec<i64> = addends.iter().map(offset).collect();
                for nth in 0..count {
                    for (addend, offset) in addends.iter().zip(&offsets) {
                        add(items, addend, *offset, nth);
                    }
                }
            }
        });
    }
}

/// Whether all iterations of an addition add to one element, and no two additions to the same.
fn is_apart<'a>(addends: impl Iterator<Item = (&'a Addend, i64)>) -> bool {
    let places = addends.map(|(addend, offset)| {
        (addend.step == 0 && addend.listed.is_none()).then_some(offset + addend.first)
    });
    let Some(mut places) = places.collect::<Option<Vec<i64>>>() else { return false };
    places.sort_unstable();
    places.windows(2).all(|two| two[0] != two[1])
}
