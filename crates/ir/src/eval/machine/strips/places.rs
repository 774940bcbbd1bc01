//! Elements and parts of arrays in strips, and what is added to accumulators.
//!
//! Input: an array from outside, and indices. Output: its elements in all iterations. Places in equal steps are not
//! listed, and elements side by side are not copied. What is outside an array stops the strip.

use std::rc::Rc;

use super::Lane;
use crate::eval::code::{CONST, KILL, Operand, Reg};
use crate::eval::lanes::{Held, Ints, Places, Stop};
use crate::eval::value::{Acc, Array, Items, Value};
use crate::ty::Type;

/// What indices lead to.
pub struct Lead<'s> {
    pub reg: Reg,
    pub array: &'s Array,
    /// How many indices of the array lead there.
    pub indices: usize,
    pub places: Places,
}

impl Lead<'_> {
    /// Whether it is an element.
    pub fn is_element(&self) -> bool {
        self.indices == self.array.sizes().len()
    }
}

impl<'s> Lane<'s, '_> {
    /// An array of the machine's registers.
    pub fn array(&self, reg: Reg) -> Result<&'s Array, Stop> {
        self.outside.regs[reg as usize].as_array().ok_or(Stop::Never)
    }

    /// The array that an operand is a part of, how many indices lead to the part, and where it begins.
    fn part(&self, a: Operand) -> Result<(Reg, usize, Ints<'_>), Stop> {
        if a & CONST != 0 {
            return Err(Stop::Never);
        }
        let reg = a & !KILL;
        let held = self.lanes.held(reg);
        if let Held::Outside = held {
            Ok((reg, 0, Ints::Steps { first: 0, step: 0 }))
        } else if let Held::Part { array, indices, first, step } = held {
            Ok((array, indices, Ints::Steps { first, step }))
        } else if let Held::Parts { array, indices } = held {
            Ok((array, indices, Ints::Each(self.lanes.firsts(reg, self.count))))
        } else {
            Err(Stop::Never)
        }
    }

    /// The places that indices lead to in an array of these sizes, from where a part of it begins.
    fn places(
        &mut self,
        sizes: &[usize],
        indices: &[Operand],
        (mut first, mut step): (i64, i64),
        mut each: Option<Vec<i64>>,
    ) -> Result<Places, Stop> {
        let count = self.count;
        let mut stride: usize = sizes.iter().product();
        for (index, size) in indices.iter().zip(sizes) {
            if *size == 0 {
                return Err(Stop::OneByOne);
            }
            stride /= size;
            let (size, stride) = (*size as i64, stride as i64);
            match self.lanes.ints(self.outside, *index, count)? {
                Ints::Steps { first: n, step: by } => {
                    let last = n + by * (count as i64 - 1);
                    if n.min(last) < 0 || n.max(last) >= size {
                        return Err(Stop::OneByOne);
                    }
                    first += n * stride;
                    step += by * stride;
                }
                Ints::Each(ns) => {
                    if !ns.iter().all(|n| (0..size).contains(n)) {
                        return Err(Stop::OneByOne);
                    }
                    let each = each.get_or_insert_with(|| vec![0; self.lanes.strips.size]);
                    each.iter_mut().zip(ns).for_each(|(place, n)| *place += n * stride);
                }
            }
        }
        Ok(match each {
            None => Places::Steps { first, step },
            Some(mut each) => {
                let places = each[..count].iter_mut().enumerate();
                places.for_each(|(nth, place)| *place += first + step * nth as i64);
                Places::Each(each)
            }
        })
    }

    /// What indices lead to: in which array, by how many indices of it, and where that begins.
    pub fn lead(&mut self, a: Operand, at: &[Operand]) -> Result<Lead<'s>, Stop> {
        let (reg, indices, start) = self.part(a)?;
        let (from, each) = match start {
            Ints::Steps { first, step } => ((first, step), None),
            Ints::Each(places) => {
                let mut each = places.to_vec();
                each.resize(self.lanes.strips.size, 0);
                ((0, 0), Some(each))
            }
        };
        let array = self.array(reg)?;
        let places = self.places(&array.sizes()[indices..], at, from, each)?;
        Ok(Lead { reg, array, indices: indices + at.len(), places })
    }

    /// An element or a part of an array.
    pub fn index(&mut self, d: Reg, a: Operand, at: &[Operand]) -> Result<(), Stop> {
        let lead = self.lead(a, at)?;
        if lead.is_element() {
            return self.load(d, lead);
        }
        let Lead { reg: array, indices, places, .. } = lead;
        match places {
            Places::Steps { first, step } => {
                self.lanes.at(d, Held::Part { array, indices, first, step });
            }
            Places::Each(each) => self.lanes.put_ints(d, Held::Parts { array, indices }, each),
        }
        Ok(())
    }

    fn load(&mut self, d: Reg, lead: Lead<'_>) -> Result<(), Stop> {
        let Lead { reg, array, places, .. } = lead;
        let count = self.count;
        let (items, offset) = array.items();
        let place = |nth: usize| match &places {
            Places::Steps { first, step } => offset + (first + step * nth as i64) as usize,
            Places::Each(each) => offset + each[nth] as usize,
        };
        let is_same = matches!(places, Places::Steps { step: 0, .. });
        match items {
            Items::Real(items) => match &places {
                Places::Steps { step: 0, .. } => self.lanes.at(d, Held::Real(items[place(0)])),
                Places::Steps { first, step: 1 } => {
                    self.lanes.at(d, Held::Row { array: reg, at: *first as usize });
                }
                Places::Steps { first, step } => {
                    let mut room = self.lanes.room_for_reals();
                    let mut at = offset as i64 + first;
                    for x in &mut room[..count] {
                        *x = items[at as usize];
                        at += step;
                    }
                    self.lanes.put_reals(d, Held::Reals, room);
                }
                Places::Each(each) => {
                    let mut room = self.lanes.room_for_reals();
                    let items = &items[offset..];
                    room.iter_mut()
                        .zip(&each[..count])
                        .for_each(|(x, at)| *x = items[*at as usize]);
                    self.lanes.put_reals(d, Held::Reals, room);
                }
            },
            Items::Int(items) if is_same => self.lanes.at(d, Held::int(items[place(0)])),
            Items::Int(items) => {
                let mut room = self.lanes.room_for_ints();
                let each = room[..count].iter_mut().enumerate();
                each.for_each(|(nth, n)| *n = items[place(nth)]);
                self.lanes.put_ints(d, Held::Ints, room);
            }
            Items::Bool(items) if is_same => self.lanes.at(d, Held::Bool(items[place(0)])),
            Items::Bool(items) => {
                let mut room = self.lanes.room_for_bools();
                let each = room[..count].iter_mut().enumerate();
                each.for_each(|(nth, truth)| *truth = items[place(nth)]);
                self.lanes.put_bools(d, Held::Bools, room);
            }
            Items::Unit | Items::Values(_) => return Err(Stop::Never),
        }
        Ok(())
    }

    /// The size of a dimension.
    pub fn dim(&mut self, d: Reg, a: Operand, dimension: u8) -> Result<(), Stop> {
        let (array, indices, _) = self.part(a)?;
        let size = self.array(array)?.sizes()[indices + usize::from(dimension)];
        self.lanes.at(d, Held::int(size as i64));
        Ok(())
    }

    /// Stops unless the rows at a dimension have a size.
    pub fn check_size(&mut self, a: Operand, dimension: u8, n: Operand) -> Result<(), Stop> {
        let (array, indices, _) = self.part(a)?;
        let size = self.array(array)?.sizes()[indices + usize::from(dimension)];
        if self.same_int(n)? == size as i64 { Ok(()) } else { Err(Stop::OneByOne) }
    }

    /// The sums of parts of arrays, each from left to right.
    pub fn sum(&mut self, d: Reg, a: Operand) -> Result<(), Stop> {
        let mut room = self.lanes.room_for_reals();
        let (array, indices, starts) = self.part(a)?;
        let whole = self.array(array)?;
        let (items, offset) = match whole.items() {
            (Items::Real(items), offset) => (items, offset),
            (Items::Int(_) | Items::Bool(_) | Items::Unit | Items::Values(_), _) => {
                return Err(Stop::Never);
            }
        };
        let length: usize = whole.sizes()[indices..].iter().product();
        let total = |nth: usize| {
            let first = offset + starts.at(nth) as usize;
            items[first..first + length].iter().fold(0.0, |total, x| total + x)
        };
        let held = if let Ints::Steps { step: 0, .. } = starts {
            Held::Real(total(0))
        } else {
            let each = room[..self.count].iter_mut().enumerate();
            each.for_each(|(nth, x)| *x = total(nth));
            Held::Reals
        };
        self.lanes.put_reals(d, held, room);
        self.operations += (length * self.count) as u64;
        Ok(())
    }

    /// Notes what is to be added to an accumulator of Reals.
    pub fn add_acc(&mut self, a: Operand, at: &[Operand], v: Operand, ty: u32) -> Result<(), Stop> {
        let acc = self.acc(a)?;
        if self.core.image.tables.types[ty as usize] != Type::REAL
            || acc.sizes().len() != at.len()
            || self.added.is_full()
        {
            return Err(Stop::Never);
        }
        let places = self.places(acc.sizes(), at, (0, 0), None)?;
        let reals = self.lanes.reals(self.outside, v, self.count).ok_or(Stop::Never)?;
        self.added.push(a & !KILL, places, reals);
        self.operations += self.count as u64;
        Ok(())
    }

    fn acc(&self, a: Operand) -> Result<&'s Rc<Acc>, Stop> {
        match self.outside.regs.get((a & !KILL) as usize) {
            Some(Value::Acc(acc)) if a & CONST == 0 => Ok(acc),
            _ => Err(Stop::Never),
        }
    }
}
