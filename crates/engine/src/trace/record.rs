//! What is recorded of the application of a function.

use std::rc::Rc;

use pullback_eval::{Chunks, Value};

use super::tape::Tape;
use crate::watch::Note;

/// A function application that has been recorded.
pub struct Record {
    pub tape: Tape,
    pub level: u64,
    /// The argument; its Reals are the first nodes.
    pub x: Value,
    /// The result.
    pub y: Value,
    /// The node of each Real of the result.
    pub outputs: Vec<u32>,
    /// What ran, if a watch looks for NaN.
    pub notes: Chunks<Note>,
}

impl Record {
    /// Gives up what is held, if nobody else holds it.
    pub fn release(record: &mut Rc<Self>, work: &mut Vec<Value>) {
        if let Some(record) = Rc::get_mut(record) {
            record.tape.release(work);
            work.extend([std::mem::take(&mut record.x), std::mem::take(&mut record.y)]);
        }
    }
}
