//! Runs on intervals: where they do not decide a comparison, the answer is chosen.
//!
//! Input: a machine whose lowest level follows intervals ([`interval_value`] is what it keeps of a Real), and answers for the
//! first comparisons that the intervals do not decide, in the options of the machine. Output: the run goes on as it would
//! with these answers. At the first comparison without one it ends, and [`Boxes::is_open`] says so.
//!
//! ```text
//! x < y    with x in [0, 1], y in [2, 3]    true          with y in [1, 3]    true or false
//! ```
//!
//! Law: for each point of the box there are answers with which the run takes the same branches as at the point. So what all
//! runs enclose encloses the values at all points.

use std::cell::{Cell, RefCell};

use pullback_prim::Prim;
use pullback_prim::interval::Interval;

use super::value::{Value, same};
use crate::Fault;

/// The answers that a run gives to comparisons that intervals do not decide.
#[derive(Debug)]
pub struct Boxes {
    answers: Vec<bool>,
    met: Cell<usize>,
    is_open: Cell<bool>,
    unknown: Cell<Option<&'static str>>,
    /// What the answers tell of two numbers.
    told: RefCell<Vec<(Value, Value, Orders)>>,
}

impl Boxes {
    /// These answers for the first comparisons, and an end at the next.
    pub fn new(answers: Vec<bool>) -> Self {
        Self {
            answers,
            met: Cell::new(0),
            is_open: Cell::new(false),
            unknown: Cell::new(None),
            told: RefCell::default(),
        }
    }

    /// Whether the run ended at a comparison without an answer.
    pub fn is_open(&self) -> bool {
        self.is_open.get()
    }

    /// What the run made of an interval that one number alone can tell, if it ended there.
    pub fn unknown(&self) -> Option<&'static str> {
        self.unknown.get()
    }

    pub(super) fn answer(&self) -> Result<bool, Fault> {
        let at = self.met.get();
        self.met.set(at + 1);
        self.answers.get(at).copied().ok_or_else(|| {
            self.is_open.set(true);
            Fault::Tie { number: f64::NAN }
        })
    }

    /// Whether a comparison holds of two numbers in one of these orders, or an answer. Later answers agree with it.
    pub(super) fn holds(
        &self,
        prim: Prim,
        (x, y): (&Value, &Value),
        Orders(possible): Orders,
    ) -> Result<bool, Fault> {
        let told = self.told.borrow();
        let known = told.iter().position(|(one, other, _)| is_same(one, x) && is_same(other, y));
        let possible = known.map_or(possible, |at| possible & told[at].2.0);
        drop(told);
        let Orders(holding) = Orders::where_holds(prim);
        if possible & holding == 0 || possible & !holding == 0 {
            return Ok(possible & holding != 0);
        }
        let truth = self.answer()?;
        let left = Orders(if truth { possible & holding } else { possible & !holding });
        let mut told = self.told.borrow_mut();
        match known {
            Some(at) => told[at].2 = left,
            None => told.push((x.clone(), y.clone(), left)),
        }
        Ok(truth)
    }

    pub(super) fn refuse(&self, what: &'static str) -> Fault {
        self.unknown.set(Some(what));
        Fault::Tie { number: f64::NAN }
    }
}

/// What a level keeps of a Real in an interval.
pub fn interval_value(interval: Interval) -> Value {
    let Interval { low, high, nan } = interval;
    Value::tuple(vec![Value::Real(low), Value::Real(high), Value::Bool(nan)])
}

/// The interval that a level keeps.
pub fn interval_of(kept: &Value) -> Option<Interval> {
    let Some([Value::Real(low), Value::Real(high), Value::Bool(nan)]) = kept.as_tuple() else {
        return None;
    };
    Some(Interval { low: *low, high: *high, nan: *nan })
}

/// Whether two Reals are the same one, or constants that are equal.
fn is_same(x: &Value, y: &Value) -> bool {
    same(x, y) || matches!((x, y), (Value::Real(x), Value::Real(y)) if x == y)
}

/// In which orders two numbers may be: a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orders(u8);

impl Orders {
    const LESS: u8 = 1;
    const EQUAL: u8 = 2;
    const GREATER: u8 = 4;
    const NAN: u8 = 8;

    pub(super) fn of(x: Interval, y: Interval) -> Self {
        let bit = |may_be: bool, order: u8| if may_be { order } else { 0 };
        let nan = bit(x.nan || y.nan, Self::NAN);
        if x.is_empty() || y.is_empty() {
            return Self(Self::NAN);
        }
        let less = bit(x.low < y.high, Self::LESS);
        let greater = bit(y.low < x.high, Self::GREATER);
        let equal = bit(x.low <= y.high && y.low <= x.high, Self::EQUAL);
        Self(less | greater | equal | nan)
    }

    /// Of a number and itself.
    pub(super) fn of_itself(x: Interval) -> Self {
        let nan = if x.nan { Self::NAN } else { 0 };
        Self(if x.is_empty() { Self::NAN } else { Self::EQUAL | nan })
    }

    /// Those in which a comparison holds.
    fn where_holds(prim: Prim) -> Self {
        let bits = if prim == Prim::Lt {
            Self::LESS
        } else if prim == Prim::Le {
            Self::LESS | Self::EQUAL
        } else if prim == Prim::Gt {
            Self::GREATER
        } else if prim == Prim::Ge {
            Self::GREATER | Self::EQUAL
        } else if prim == Prim::Eq {
            Self::EQUAL
        } else {
            Self::LESS | Self::GREATER | Self::NAN
        };
        Self(bits)
    }
}

/// Two numbers of which a comparison holds, or of which it does not.
pub(super) fn numbers_of(prim: Prim, truth: bool) -> (f64, f64) {
    let is_less = match (prim, truth) {
        (Prim::Lt | Prim::Le | Prim::Ne, true) | (Prim::Gt | Prim::Ge | Prim::Eq, false) => true,
        (Prim::Gt | Prim::Ge, true) | (Prim::Lt | Prim::Le, false) => false,
        _ => return (0.0, 0.0),
    };
    if is_less { (0.0, 1.0) } else { (1.0, 0.0) }
}
