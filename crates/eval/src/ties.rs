//! Runs on one side of each tie: what a function does next to a point, where comparisons that are ties at the point are
//! decided.
//!
//! Input: a side for each of the first ties that a run meets, in the options of a machine whose outermost derivative goes
//! forward (its tangents are numbers). Output: the run goes on as it would on these sides. At the first tie without one it
//! ends, and [`Ties::open`] has the derivative of the difference that is 0 there, in the direction of the run.
//!
//! ```text
//! if x <= 0.0 then 0.0 else x      at 0.0, above: as where x - 0.0 > 0;  below: as where x - 0.0 < 0
//! max x y                          at a tie, above: x;  below: y
//! ```
//!
//! A tie is a comparison of equal Reals that depend on the argument, or a primitive of the table at an edge of its domain
//! on whose two sides it is two linear functions (`abs`, `max`, `min`). Law: next to the point, wherever the differences
//! have the signs that were chosen, the program takes the same branches; so the derivative is that of one smooth piece.

use std::cell::Cell;

use crate::Fault;

/// How a run goes on at a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As where the left number is the larger one; of one number, where it is larger.
    Above,
    /// As where it is the smaller one.
    Below,
    /// As where the numbers are equal, by the table's conventions.
    Equal,
}

/// The sides that a run is to take.
#[derive(Debug)]
pub struct Ties {
    sides: Vec<Side>,
    met: Cell<usize>,
    open: Cell<Option<f64>>,
}

impl Ties {
    /// These sides for the first ties, and an end at the next.
    pub fn new(sides: Vec<Side>) -> Self {
        Self { sides, met: Cell::new(0), open: Cell::new(None) }
    }

    /// The derivative of what is 0 at the tie where the run ended, if it ended at one.
    pub fn open(&self) -> Option<f64> {
        self.open.get()
    }

    pub(super) fn decide(&self, number: f64, slope: f64) -> Result<Side, Fault> {
        let at = self.met.get();
        self.met.set(at + 1);
        self.sides.get(at).copied().ok_or_else(|| {
            self.open.set(Some(slope));
            Fault::Tie { number }
        })
    }
}
