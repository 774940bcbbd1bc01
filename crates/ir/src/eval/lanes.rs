//! What registers hold in the iterations of a strip: a number that all have, Ints in equal steps, or a number for each.
//!
//! Input: the registers of the machine where a loop begins. Output: numbers by register and iteration. Invariants. What is
//! the same in all iterations is held once, so whatever hangs on outer loops alone costs one operation. A row of an array
//! that the iterations read one element after the other is not copied.

use pullback_prim::Fault;

use super::code::{CONST, KILL, Operand, Reg, Strip};
use super::value::{Items, Value};

/// After so many strips that could not run, those of a loop are no longer tried.
const TRIES: u32 = 8;

/// Why a strip has not run.
pub enum Stop {
    /// An iteration fails, or takes another branch than others.
    OneByOne,
    /// Something is not of numbers.
    Never,
    /// A limit is exceeded, at an instruction.
    Limit(Fault, usize),
}

/// What is outside of the lanes: the registers of the machine, and constants.
#[derive(Clone, Copy)]
pub struct Outside<'r> {
    pub regs: &'r [Value],
    pub consts: &'r [Value],
}

impl<'r> Outside<'r> {
    /// A constant.
    pub fn constant(self, a: Operand) -> &'r Value {
        &self.consts[(a & !CONST) as usize]
    }
    /// The elements of an array of Reals in a register, and where its own start.
    fn reals(self, reg: Reg) -> Option<(&'r [f64], usize)> {
        let (items, offset) = self.regs[reg as usize].as_array()?.items();
        if let Items::Real(items) = items { Some((items, offset)) } else { None }
    }
}

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
    pub fn int(n: i64) -> Self {
        Self::Steps { first: n, step: 0 }
    }
    /// What all iterations have outside: a number, or something else.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Real(x) => Self::Real(*x),
            Value::Int(n) => Self::int(*n),
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Undef
            | Value::Str(_)
            | Value::Tag(_)
            | Value::Data(_)
            | Value::Array(_)
            | Value::Acc(_) => Self::Outside,
        }
    }
    /// Whether it goes from one iteration to the next.
    pub fn is_state(self) -> bool {
        matches!(self, Self::State(_) | Self::IntState(_))
    }
}

/// The numbers of the iterations: one, or one for each.
#[derive(Clone, Copy)]
pub enum Numbers<'l, T> {
    Same(T),
    Each(&'l [T]),
}

impl<T: Copy> Numbers<'_, T> {
    /// That of an iteration.
    #[inline(always)]
    pub fn at(self, nth: usize) -> T {
        match self {
            Self::Same(x) => x,
            Self::Each(items) => items[nth],
        }
    }
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
    pub fn at(self, nth: usize) -> i64 {
        match self {
            Self::Steps { first, step } => first + step * nth as i64,
            Self::Each(items) => items[nth],
        }
    }
}

/// Where in an array the iterations are: in equal steps, or each at its place.
pub enum Places {
    Steps { first: i64, step: i64 },
    Each(Vec<i64>),
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
    pub strips: Strips,
    /// How many strips have run.
    pub run: u64,
    registers: Vec<Register>,
    /// How many strips of each loop could not run.
    failures: Vec<u32>,
    /// Room for results.
    reals: Vec<f64>,
    ints: Vec<i64>,
    bools: Vec<bool>,
}

/// Room for the numbers of a strip, and how what has been computed there gets into a register.
macro_rules! rooms {
    ($room:ident, $put:ident, $numbers:ident: $ty:ty) => {
        #[inline]
        pub fn $room(&mut self) -> Vec<$ty> {
            let mut room = std::mem::take(&mut self.$numbers);
            room.resize(self.strips.size, <$ty>::default());
            room
        }
        #[inline]
        pub fn $put(&mut self, d: Reg, held: Held, room: Vec<$ty>) {
            let register = &mut self.registers[d as usize];
            register.held = held;
            self.$numbers = std::mem::replace(&mut register.$numbers, room);
        }
    };
}

impl Lanes {
    /// Registers of loops that run so.
    pub fn of(strips: Strips) -> Self {
        Self { strips, ..Self::default() }
    }

    /// Whether the strips of a loop are tried.
    pub fn is_worth(&self, strip: u32) -> bool {
        self.failures.get(strip as usize).is_none_or(|failures| *failures < TRIES)
    }

    /// Notes that a strip of a loop could not run, and whether none of them can.
    pub fn failed(&mut self, strip: u32, is_final: bool) {
        let nth = strip as usize;
        self.failures.resize(self.failures.len().max(nth + 1), 0);
        self.failures[nth] += if is_final { TRIES } else { 1 };
    }

    /// Takes over what the body of a loop reads.
    pub fn begin(&mut self, r: Outside<'_>, needed: usize, strip: &Strip) {
        let needed = self.registers.len().max(needed);
        self.registers.resize_with(needed, Register::default);
        for reg in &strip.inputs {
            self.at(*reg, Held::of(&r.regs[*reg as usize]));
        }
        for reg in &strip.states {
            let value = &r.regs[*reg as usize];
            let real = value.as_real().map(Held::State);
            let held = real.or_else(|| value.as_int().map(Held::IntState));
            self.at(*reg, held.unwrap_or_default());
        }
    }

    /// What the states hold after a strip.
    pub fn totals(&self, strip: &Strip) -> impl Iterator<Item = (Reg, Value)> {
        strip.states.iter().filter_map(|state| {
            let held = self.held(*state);
            if let Held::State(total) = held {
                return Some((*state, Value::Real(total)));
            }
            if let Held::IntState(total) = held { Some((*state, Value::Int(total))) } else { None }
        })
    }

    /// Sets what a register holds.
    #[inline]
    pub fn at(&mut self, reg: Reg, held: Held) {
        self.registers[reg as usize].held = held;
    }

    /// What a register holds.
    #[inline]
    pub fn held(&self, reg: Reg) -> Held {
        self.registers[reg as usize].held
    }

    /// The Reals of an operand, if it holds such.
    #[inline]
    pub fn reals<'l>(
        &'l self,
        r: Outside<'l>,
        a: Operand,
        count: usize,
    ) -> Option<Numbers<'l, f64>> {
        if a & CONST != 0 {
            return r.constant(a).as_real().map(Numbers::Same);
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Real(x) => Some(Numbers::Same(x)),
            Held::Reals => Some(Numbers::Each(&register.reals[..count])),
            Held::Row { array, at } => {
                let (items, offset) = r.reals(array)?;
                Some(Numbers::Each(&items[offset + at..][..count]))
            }
            Held::Outside
            | Held::State(_)
            | Held::IntState(_)
            | Held::Steps { .. }
            | Held::Ints
            | Held::Bool(_)
            | Held::Bools
            | Held::Part { .. }
            | Held::Parts { .. } => None,
        }
    }

    /// The Ints of an operand.
    #[inline]
    pub fn ints<'l>(&'l self, r: Outside<'_>, a: Operand, count: usize) -> Result<Ints<'l>, Stop> {
        if a & CONST != 0 {
            let n = r.constant(a).as_int().ok_or(Stop::Never)?;
            return Ok(Ints::Steps { first: n, step: 0 });
        }
        let register = &self.registers[(a & !KILL) as usize];
        if let Held::Steps { first, step } = register.held {
            Ok(Ints::Steps { first, step })
        } else if let Held::Ints = register.held {
            Ok(Ints::Each(&register.ints[..count]))
        } else {
            Err(Stop::Never)
        }
    }

    /// The Bools of an operand.
    #[inline]
    pub fn bools<'l>(
        &'l self,
        r: Outside<'_>,
        a: Operand,
        count: usize,
    ) -> Result<Numbers<'l, bool>, Stop> {
        if a & CONST != 0 {
            return if let Value::Bool(truth) = r.constant(a) {
                Ok(Numbers::Same(*truth))
            } else {
                Err(Stop::Never)
            };
        }
        let register = &self.registers[(a & !KILL) as usize];
        if let Held::Bool(truth) = register.held {
            Ok(Numbers::Same(truth))
        } else if let Held::Bools = register.held {
            Ok(Numbers::Each(&register.bools[..count]))
        } else {
            Err(Stop::Never)
        }
    }

    /// The first elements of the parts of arrays in a register.
    pub fn firsts(&self, reg: Reg, count: usize) -> &[i64] {
        &self.registers[reg as usize].ints[..count]
    }

    /// The number that an operand holds in an iteration, if it holds such for each.
    pub fn value(&self, r: Outside<'_>, a: Operand, nth: usize) -> Value {
        if a & CONST != 0 {
            return r.constant(a).clone();
        }
        let register = &self.registers[(a & !KILL) as usize];
        match register.held {
            Held::Real(x) => Value::Real(x),
            Held::Reals => Value::Real(register.reals[nth]),
            Held::Row { array, at } => match r.reals(array) {
                Some((items, offset)) => Value::Real(items[offset + at + nth]),
                None => Value::Undef,
            },
            Held::Steps { first, step } => Value::Int(first + step * nth as i64),
            Held::Ints => Value::Int(register.ints[nth]),
            Held::Bool(truth) => Value::Bool(truth),
            Held::Bools => Value::Bool(register.bools[nth]),
            Held::Outside
            | Held::State(_)
            | Held::IntState(_)
            | Held::Part { .. }
            | Held::Parts { .. } => Value::Undef,
        }
    }

    rooms!(room_for_reals, put_reals, reals: f64);
    rooms!(room_for_ints, put_ints, ints: i64);
    rooms!(room_for_bools, put_bools, bools: bool);

    /// Copies what one register holds to another.
    pub fn copy(&mut self, d: Reg, from: Reg, count: usize) {
        if d == from {
            return;
        }
        let size = self.strips.size;
        let Ok([register, to]) = self.registers.get_disjoint_mut([from as usize, d as usize])
        else {
            return;
        };
        to.held = register.held;
        if let Held::Reals = to.held {
            to.reals.resize(size, 0.0);
            to.reals[..count].copy_from_slice(&register.reals[..count]);
        }
        if let Held::Ints | Held::Parts { .. } = to.held {
            to.ints.resize(size, 0);
            to.ints[..count].copy_from_slice(&register.ints[..count]);
        }
        if let Held::Bools = to.held {
            to.bools.resize(size, false);
            to.bools[..count].copy_from_slice(&register.bools[..count]);
        }
    }
}
