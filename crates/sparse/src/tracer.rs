//! The tracer: runs code of the IR at a point, and follows which inputs each number depends on.
//!
//! Input: code that computes a directional derivative, a point, and a direction whose Reals are the numbers of inputs.
//! Output: for each Real of the result the set of inputs that it depends on ([`Dependences`]).
//!
//! ```text
//! y_dot = jvp f x x_dot      run at x, with x_dot[j] = {j}:      y_dot[i] = {the columns of row i}
//! ```
//!
//! Law: control flow of such code never looks at the direction, so a number of its result that does not depend on
//! `x_dot[j]` has the derivative 0 by it. Derivatives that are zeros by the table are none that the code computes, so they
//! make no dependence. The tracer needs no rule of differentiation of its own.

mod array;
mod build;
mod machine;
mod merge;
mod ops;
mod prepare;
mod tangent;
mod value;

use pullback_base::{Budget, Diagnostic, Exceeded, Limits, Span};
use pullback_ir::eval;
use pullback_ir::{FuncId, Program};
use pullback_prim::Fault;

use crate::pattern::Pattern;
use crate::sets::{Set, Sets};
use rustc_hash::FxHashMap;

use machine::Machine;
use prepare::Ready;
use value::{As, Value};

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Given<'l> {
    /// A value. Its Ints, Bools and Strings are the same at each point.
    Point(&'l eval::Value),
    /// A value that is another one at another point, Ints, Bools and Strings too.
    Data(&'l eval::Value),
    /// A value whose Reals are the numbers of inputs, counted from one; 0 is that of none.
    Inputs(&'l eval::Value),
}

/// What numbers depend on.
#[derive(Debug)]
pub struct Dependences {
    /// The results, in which each Real is the number of a set.
    pub results: Vec<eval::Value>,
    /// The sets.
    pub sets: Sets,
    /// Whether no data decided what was executed: each point with the same sizes has these dependences, and with the same
    /// Ints of what was no [`Given::Data`].
    pub holds_everywhere: bool,
}

/// What the results of a function depend on. Beyond a budget of steps there is an error.
pub fn dependences(
    program: &Program,
    func: FuncId,
    arguments: &[Given<'_>],
    limits: Limits,
    budget: Option<Budget>,
) -> Result<Dependences, Box<Diagnostic>> {
    let ready = Ready::new(program);
    let inputs = arguments.iter().map(|argument| match argument {
        Given::Point(_) | Given::Data(_) => 0,
        Given::Inputs(leaf) => highest(leaf),
    });
    let inputs = inputs.max().unwrap_or(0);
    let mut machine = Machine::new(&ready, inputs, limits);
    machine.meter.budget = budget;
    let args = arguments.iter().map(|argument| match argument {
        Given::Point(leaf) => Value::given(leaf, As::Point),
        Given::Data(leaf) => Value::given(leaf, As::Data),
        Given::Inputs(leaf) => Value::given(leaf, As::Inputs),
    });
    let results = machine.call(func, args.collect())?;
    let results = results.iter().map(Value::told).collect();
    let holds_everywhere = !machine.is_local;
    Ok(Dependences { results, sets: machine.sets, holds_everywhere })
}

/// The highest number of an input in a leaf.
fn highest(leaf: &eval::Value) -> u32 {
    let mut highest = 0.0_f64;
    let mut work = vec![leaf];
    while let Some(leaf) = work.pop() {
        if let Some(x) = leaf.as_real() {
            highest = highest.max(x);
        } else if let Some(array) = leaf.as_array() {
            highest = array.reals().into_iter().flatten().fold(highest, |most, x| most.max(*x));
            work.extend(array.values().into_iter().flatten());
        } else if let Some((_, fields)) = leaf.as_data() {
            work.extend(fields);
        }
    }
    highest as u32
}

impl Dependences {
    /// The pattern of a matrix with so many columns, whose rows depend on these sets.
    pub fn pattern(
        &self,
        rows: impl Iterator<Item = Set>,
        columns: usize,
        limits: &Limits,
    ) -> Result<Pattern, Box<Diagnostic>> {
        let mut reader = self.sets.reader();
        let mut pattern = Pattern::new(columns);
        let mut large: FxHashMap<Set, usize> = FxHashMap::default();
        for (row, set) in rows.enumerate() {
            if let Some(earlier) = large.get(&set) {
                pattern.repeat(*earlier);
            } else {
                pattern.push(|entries| reader.members(set, entries));
                if self.sets.is_large(set) {
                    large.insert(set, row);
                }
            }
            if row.is_multiple_of(1024) || pattern.row(row).len() > 1024 {
                limits.check(pattern.bytes()).map_err(|exceeded| refused(exceeded, limits))?;
            }
        }
        Ok(pattern)
    }
}

fn refused(exceeded: Exceeded, limits: &Limits) -> Box<Diagnostic> {
    let fault = match exceeded {
        Exceeded::Memory => Fault::Memory { limit: limits.max_memory, request: None },
        Exceeded::Time => {
            Fault::Time { seconds: limits.timeout.map_or(0.0, |timeout| timeout.as_secs_f64()) }
        }
    };
    Box::new(fault.diagnostic(Span::NONE))
}
