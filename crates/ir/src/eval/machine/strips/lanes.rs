//! What registers hold in the iterations of a strip: a number that all have, Ints in equal steps, or a number for each.
//!
//! Input: the registers of the machine where a loop begins. Output: numbers by register and iteration. Invariants. What is
//! the same in all iterations is held once, so whatever hangs on outer loops alone costs one operation. A row of an array
//! that the iterations read one element after the other is not copied.

use super::addends::Addends;
use super::{Stop, TRIES, Window, reals};
use crate::eval::code::{CONST, KILL, Operand, Reg, Strip};
use crate::eval::value::Value;

/// What a register holds.
#[derive(Clone, Copy, Debug, Default)]
pub enum Held {
    /// What the machine's register holds, which is no number.
    #[default]
    Outside,
    /// One Real.
    Real(f64),
    /// A Real that goes from one iteration to the next.
    State(f64),
    /// An Int that does.
    IntState(i64),
    /// A Real for each iteration.
    Reals,
    /// A Real for each iteration: elements of the array in a register, from this one on.
    Row { array: Reg, at: usize },
    /// An Int for each iteration, in equal steps.
    Steps { first: i64, step: i64 },
    /// An Int for each iteration.
    Ints,
    /// One Bool.
    Bool(bool),
    /// A Bool for each iteration.
    Bools,
    /// A part of the array in a register, which so many indices lead to: its first element is so far behind that of the
    /// array, in equal steps.
    Part { array: Reg, indices: usize, first: i64, step: i64 },
    /// The same, where the first elements are Ints of the register.
    Parts { array: Reg, indices: usize },
}

impl Held {
    /// One Int.
    pub(super) fn int(n: i64) -> Self {
        Self::Steps { first: n, step: 0 }
    }
}

/// The Reals of the iterations.
#[derive(Clone, Copy)]
pub enum Reals<'l> {
    Same(f64),
    State(f64),
    Each(&'l [f64]),
}

/// The Ints of the iterations.
#[derive(Clone, Copy)]
pub enum Ints<'l> {
    Steps { first: i64, step: i64 },
    Each(&'l [i64]),
}

impl Ints<'_> {
    /// That of an iteration.
    #[inline(always)]
    pub(super) fn at(self, nth: usize) -> i64 {
        match self {
            Self::Steps { first, step } => first + step * nth as i64,
            Self::Each(items) => items[nth],
        }
    }
}

/// The Bools of the iterations.
#[derive(Clone, Copy)]
pub enum Bools<'l> {
    Same(bool),
    Each(&'l [bool]),
}

/// A register.
#[derive(Default)]
struct Register {
    held: Held,
    reals: Vec<f64>,
    ints: Vec<i64>,
    bools: Vec<bool>,
}

/// How loops run in strips.
#[derive(Clone, Copy, Debug)]
pub struct Strips {
    /// How many iterations run at once.
    pub size: usize,
    /// Fewer run one by one.
    pub fewest: usize,
}

impl Default for Strips {
    /// Enough at once that their dispatch is small, and few enough that what a loop inside works on stays in the nearest
    /// cache.
    fn default() -> Self {
        Self { size: 256, fewest: 16 }
    }
}

/// The registers of the function whose loop runs, for each iteration of a strip.
#[derive(Default)]
pub struct Lanes {
    pub(super) strips: Strips,
    /// How many strips have run.
    pub run: u64,
    registers: Vec<Register>,
    /// How many strips of each loop could not run.
    failures: Vec<u32>,
    /// Room for results.
    reals: Vec<f64>,
    ints: Vec<i64>,
    bools: Vec<bool>,
    /// Room for what is added to accumulators.
    pub(super) added: Addends,
}

impl Lanes {
    /// Registers of loops that run so.
    pub fn of(strips: Strips) -> Self {
        Self { strips, ..Self::default() }
    }

    /// Whether the strips of a loop are tried.
    pub(super) fn is_worth(&self, strip: u32) -> bool {
        self.failures.get(strip as usize).is_none_or(|failures| *failures < TRIES)
    }

    /// Notes that a strip of a loop could not run.
    pub(super) fn failed(&mut self, strip: u32, weight: u32) {
        let nth = strip as usize;
        self.failures.resize(self.failures.len().max(nth + 1), 0);
        self.failures[nth] += weight;
    }

    /// Takes over what the body of a loop reads.
    pub(super) fn begin(&mut self, r: &Window<'_>, strip: &Strip) {
        let needed = self.registers.len().max(r.code.registers as usize);
        self.registers.resize_with(needed, Register::default);
        for reg in &strip.inputs {
            let held = match r.regs[*reg as usize] {
                Value::Real(x) => Held::Real(x),
                Value::Int(n) => Held::int(n),
                Value::Bool(truth) => Held::Bool(truth),
                Value::Undef
                | Value::Str(_)
                | Value::Tag(_)
                | Value::Data(_)
                | Value::Array(_)
                | Value::Acc(_) => Held::Outside,
            };
            self.at(*reg, held);
        }
        for reg in &strip.states {
            let held = match r.regs[*reg as usize] {
                Value::Real(x) => Held::State(x),
                Value::Int(n) => Held::IntState(n),
                _ => Held::Outside,
            };
            self.at(*reg, held);
        }
    }

    /// What the states hold after a strip.
    pub(super) fn totals(&self, strip: &Strip) -> impl Iterator<Item = (Reg, Value)> {
        strip.states.iter().filter_map(|state| match self.registers[*state as usize].held {
            Held::State(total) => Some((*state, Value::Real(total))),
            Held::IntState(total) => Some((*state, Value::Int(total))),
            _ => None,
        })
    }

    /// Sets what a register holds.
    #[inline]
    pub(super) fn at(&mut self, reg: Reg, held: Held) {
        self.registers[reg as usize].held = held;
    }

    /// What a register holds.
    #[inline]
    pub(super) fn held(&self, reg: Reg) -> Held {
        self.registers[reg as usize].held
    }

    /// The Reals of an operand, if it holds such.
    #[inline]
    pub(super) fn reals<'l>(
        &'l self,
        r: &'l Window<'_>,
        a: Operand,
        count: usize,
    ) -> Option<Reals<'l>> {
        if a & CONST != 0 {
            return r.get(a).as_real().map(Reals::Same);
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Real(x) => Some(Reals::Same(x)),
            Held::State(x) => Some(Reals::State(x)),
            Held::Reals => Some(Reals::Each(&register.reals[..count])),
            Held::Row { array, at } => {
                let (items, offset) = reals(&r.regs[array as usize])?;
                Some(Reals::Each(&items[offset + at..][..count]))
            }
            _ => None,
        }
    }

    /// The Ints of an operand.
    #[inline]
    pub(super) fn ints<'l>(
        &'l self,
        r: &Window<'_>,
        a: Operand,
        count: usize,
    ) -> Result<Ints<'l>, Stop> {
        if a & CONST != 0 {
            let n = r.get(a).as_int().ok_or(Stop::Never)?;
            return Ok(Ints::Steps { first: n, step: 0 });
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Steps { first, step } => Ok(Ints::Steps { first, step }),
            Held::Ints => Ok(Ints::Each(&register.ints[..count])),
            _ => Err(Stop::Never),
        }
    }

    /// The Bools of an operand.
    #[inline]
    pub(super) fn bools<'l>(
        &'l self,
        r: &Window<'_>,
        a: Operand,
        count: usize,
    ) -> Result<Bools<'l>, Stop> {
        if a & CONST != 0 {
            return if let Value::Bool(truth) = r.get(a) {
                Ok(Bools::Same(*truth))
            } else {
                Err(Stop::Never)
            };
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Bool(truth) => Ok(Bools::Same(truth)),
            Held::Bools => Ok(Bools::Each(&register.bools[..count])),
            _ => Err(Stop::Never),
        }
    }

    /// The first elements of the parts of arrays in a register.
    pub(super) fn firsts(&self, reg: Reg, count: usize) -> &[i64] {
        &self.registers[reg as usize].ints[..count]
    }

    /// The number that an operand holds in an iteration.
    pub(super) fn value(&self, r: &Window<'_>, a: Operand, nth: usize) -> Value {
        if a & CONST != 0 {
            return r.get(a).clone();
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Real(x) | Held::State(x) => Value::Real(x),
            Held::Reals => Value::Real(register.reals[nth]),
            Held::Row { array, at } => match reals(&r.regs[array as usize]) {
                Some((items, offset)) => Value::Real(items[offset + at + nth]),
                None => Value::Undef,
            },
            Held::Steps { first, step } => Value::Int(first + step * nth as i64),
            Held::Ints => Value::Int(register.ints[nth]),
            Held::Bool(truth) => Value::Bool(truth),
            Held::Bools => Value::Bool(register.bools[nth]),
            Held::IntState(n) => Value::Int(n),
            Held::Outside | Held::Part { .. } | Held::Parts { .. } => Value::Undef,
        }
    }

    /// Room for the Reals of a strip.
    #[inline]
    pub(super) fn room_for_reals(&mut self) -> Vec<f64> {
        let mut room = std::mem::take(&mut self.reals);
        room.resize(self.strips.size, 0.0);
        room
    }
    /// Puts Reals into a register, of which `held` says whether they are one or many.
    #[inline]
    pub(super) fn put_reals(&mut self, d: Reg, held: Held, mut reals: Vec<f64>) {
        let register = &mut self.registers[d as usize];
        register.held = held;
        if let Held::Reals = held {
            std::mem::swap(&mut register.reals, &mut reals);
        }
        self.reals = reals;
    }
    /// Room for the Ints of a strip.
    #[inline]
    pub(super) fn room_for_ints(&mut self) -> Vec<i64> {
        let mut room = std::mem::take(&mut self.ints);
        room.resize(self.strips.size, 0);
        room
    }
    /// Puts Ints into a register.
    #[inline]
    pub(super) fn put_ints(&mut self, d: Reg, held: Held, mut ints: Vec<i64>) {
        let register = &mut self.registers[d as usize];
        register.held = held;
        std::mem::swap(&mut register.ints, &mut ints);
        self.ints = ints;
    }
    /// Room for the Bools of a strip.
    #[inline]
    pub(super) fn room_for_bools(&mut self) -> Vec<bool> {
        let mut room = std::mem::take(&mut self.bools);
        room.resize(self.strips.size, false);
        room
    }
    /// Puts Bools into a register.
    #[inline]
    pub(super) fn put_bools(&mut self, d: Reg, held: Held, mut bools: Vec<bool>) {
        let register = &mut self.registers[d as usize];
        register.held = held;
        std::mem::swap(&mut register.bools, &mut bools);
        self.bools = bools;
    }
    /// Copies what one register holds to another.
    pub(super) fn copy(&mut self, d: Reg, from: Reg, count: usize) {
        if d == from {
            return;
        }
        let size = self.strips.size;
        let Ok([register, to]) = self.registers.get_disjoint_mut([from as usize, d as usize])
        else {
            return;
        };
        to.held = register.held;
        match to.held {
            Held::Reals => {
                to.reals.resize(size, 0.0);
                to.reals[..count].copy_from_slice(&register.reals[..count]);
            }
            Held::Ints | Held::Parts { .. } => {
                to.ints.resize(size, 0);
                to.ints[..count].copy_from_slice(&register.ints[..count]);
            }
            Held::Bools => {
                to.bools.resize(size, false);
                to.bools[..count].copy_from_slice(&register.bools[..count]);
            }
            _ => {}
        }
    }
}
