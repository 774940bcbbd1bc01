//! The tracer: runs code of the IR at a point, and follows which inputs each number depends on.
//!
//! Input: code that computes a directional derivative, a point, and a direction whose Reals are the numbers of inputs.
//! Output: for each Real of the result the set of inputs that it depends on ([`Traced`]).
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
mod tangent;
mod value;

use pullback_base::{Budget, Diagnostic, Limits};
use pullback_ir::FuncId;
use pullback_ir::eval;

use crate::given::Given;
use crate::prepare::Ready;
use crate::sets::Sets;

use machine::Machine;
use value::Value;

/// What a run found.
pub struct Traced {
    /// The results, in which each Real is the number of a set.
    pub results: Vec<eval::Value>,
    pub sets: Sets,
    /// Whether data decided what was executed, so that another point may have another pattern.
    pub is_local: bool,
}

/// What the results of a function depend on, which follows so many inputs. Beyond a budget of steps there is an error.
pub fn traced(
    ready: &Ready<'_>,
    func: FuncId,
    arguments: &[Given<'_>],
    inputs: u32,
    (limits, budget): (Limits, Option<Budget>),
) -> Result<Traced, Box<Diagnostic>> {
    let mut machine = Machine::new(ready, inputs, limits);
    machine.meter.budget = budget;
    let args = arguments.iter().map(|argument| {
        let (leaf, known) = argument.parts();
        Value::given(leaf, known)
    });
    let results = machine.call(func, args.collect())?;
    let results = results.iter().map(Value::told).collect();
    Ok(Traced { results, is_local: machine.is_local, sets: machine.sets })
}
