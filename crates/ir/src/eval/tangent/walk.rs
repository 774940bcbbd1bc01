//! Structural recursion without the native stack: making a structure from others, part by part, with a stack of tasks.
//!
//! Input: a part, and a function that says what a part is made of. Output: the structure. Invariants. Parts are looked
//! at in their order, depth first. The tasks and the values that wait are in the account of memory.

use pullback_base::bug;
use pullback_base::memory::Charge;
use pullback_machine::Meter;
use pullback_prim::Fault;

use crate::eval::value::{Items, Shape, Value};

enum Task<P> {
    /// A part to be looked at.
    Part(P),
    /// The latest values are the fields of this constructor.
    Con(u32, usize),
    /// The latest values are the elements of an array.
    Array(Shape),
}

/// What is still to be done, and the values of what has been done.
pub(super) struct Work<P> {
    tasks: Vec<Task<P>>,
    values: Vec<Value>,
}

impl<P> Work<P> {
    /// The value of the part that is looked at.
    pub fn give(&mut self, value: Value) {
        self.values.push(value);
    }
    /// Has these parts looked at in order, each for what it gives.
    pub fn look(&mut self, parts: impl DoubleEndedIterator<Item = P>) {
        self.tasks.extend(parts.rev().map(Task::Part));
    }
    /// The part is a constructor whose fields these parts give, one each.
    pub fn con(&mut self, tag: u32, parts: impl DoubleEndedIterator<Item = P> + ExactSizeIterator) {
        self.tasks.push(Task::Con(tag, parts.len()));
        self.look(parts);
    }
    /// The part is an array whose elements these parts give, one each.
    pub fn array(&mut self, shape: Shape, parts: impl DoubleEndedIterator<Item = P>) {
        self.tasks.push(Task::Array(shape));
        self.look(parts);
    }
    fn bytes(&self) -> usize {
        self.tasks.capacity() * size_of::<Task<P>>() + self.values.capacity() * size_of::<Value>()
    }
}

/// What a part gives; `look` says by way of [`Work`] what a part is made of. A part that gives nothing may
/// stand below others only by [`Work::look`].
pub(super) fn walk<P>(
    part: P,
    meter: &mut Meter,
    mut look: impl FnMut(P, &mut Work<P>, &mut Meter) -> Result<(), Fault>,
) -> Result<Value, Fault> {
    let mut work = Work { tasks: vec![Task::Part(part)], values: vec![] };
    let mut held = Charge::default();
    while let Some(task) = work.tasks.pop() {
        match task {
            Task::Part(part) => look(part, &mut work, meter)?,
            Task::Con(tag, count) => {
                let first = work.values.len() - count;
                let con = Value::con(tag, count, work.values.drain(first..));
                work.give(con);
            }
            Task::Array(shape) => {
                let first = work.values.len() - shape.count();
                let items = Items::Values(work.values.drain(first..).collect());
                work.give(Value::array(shape, items));
            }
        }
        if work.bytes() != held.bytes() {
            held.set(work.bytes());
            meter.reserve_elements(work.bytes(), 1)?;
        }
    }
    match work.values.pop() {
        Some(value) => Ok(value),
        None => bug("ir", "a part that gives something"),
    }
}
