//! Partial derivatives at plain numbers as straight code: what engines ask for most often, without a walk over
//! terms. `straighten.rs` makes it of the terms of a row.

use std::sync::OnceLock;

/// The partial derivatives by some of the arguments of a primitive of Reals.
#[derive(Debug)]
pub struct Straight {
    pub(crate) steps: Vec<Step>,
    /// Where each partial is: none where it is not asked for, or structurally zero.
    pub(crate) places: [Option<u8>; 2],
    /// How many primitives it takes.
    pub operations: u64,
    /// By how much their weights exceed one each.
    pub surcharge: u64,
}

/// The straight code of a row by which partials are wanted: the bits of a number below four.
#[derive(Debug, Default)]
pub struct Straightened(pub(crate) OnceLock<Box<[Option<Straight>; 4]>>);

/// What makes the next number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Number(f64),
    One(fn(f64) -> f64, u8),
    Two(fn(f64, f64) -> f64, u8, u8),
    Power(fn(f64, i64) -> f64, u8, i64),
}

/// The numbers at hand: two arguments, the result, and what steps make.
pub(crate) const ROOM: usize = 16;
pub(crate) const RESULT: u8 = 2;
pub(crate) const FIRST_STEP: u8 = 3;

impl Straightened {
    /// Of a row that has not been asked yet.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }
}

impl Straight {
    /// The partials at these arguments and this result; none where they are structurally zero.
    #[inline]
    pub fn partials(&self, args: [f64; 2], result: f64) -> [Option<f64>; 2] {
        let mut numbers = [0.0; ROOM];
        numbers[..3].copy_from_slice(&[args[0], args[1], result]);
        for (step, at) in self.steps.iter().zip(usize::from(FIRST_STEP)..) {
            let number = |place: u8| numbers[usize::from(place) % ROOM];
            numbers[at % ROOM] = match *step {
                Step::Number(x) => x,
                Step::One(f, a) => f(number(a)),
                Step::Two(f, a, b) => f(number(a), number(b)),
                Step::Power(f, a, n) => f(number(a), n),
            };
        }
        self.places.map(|place| place.map(|place| numbers[usize::from(place) % ROOM]))
    }
}
