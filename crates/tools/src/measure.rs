//! The cost of a derivative: operations and time of an entry and of its gradient.
//!
//! Input: a [`Call`] of a Real-valued entry. Output: a [`Cost`]. Times are of this machine and only
//! their ratios mean anything; operations are exact.

use std::time::Duration;

use pullback_base::Instant;
use pullback_compile::Mode;
use pullback_data::shape::leaves;
use pullback_eval::{Counts, Value, walk};
use pullback_lambda::{DefId, Program};
use pullback_session::call::{Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::{Call, Query, Stop};

use crate::bug::bug;

/// What an entry and its gradient cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Operations of the entry.
    pub primal_operations: u64,
    /// Operations of value and gradient together.
    pub gradient_operations: u64,
    /// The shortest time of the entry.
    pub primal_time: Duration,
    /// The shortest time of value and gradient together.
    pub gradient_time: Duration,
}

/// Evaluates an entry and its gradient a few times each.
pub fn measure(query: &mut Query<'_>, call: &Call, repeat: usize) -> Result<Cost, Stop> {
    let engine = Engine::resolve(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt: &[], scalar: true, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    let code = &prepared.code;
    let mut cost = |mode: &Mode| {
        let mut shortest = Duration::MAX;
        let mut operations = 0;
        for _ in 0..repeat.max(1) {
            let start = Instant::now();
            let argument = prepared.argument.clone();
            let answer = engine.run(query, code, prepared.function, argument, mode)?;
            shortest = shortest.min(start.elapsed());
            operations = answer.counts.total();
        }
        Ok((operations, shortest))
    };
    let (primal_operations, primal_time) = cost(&Mode::Value)?;
    let (gradient_operations, gradient_time) = cost(&Mode::Vjp(Value::Real(1.0)))?;
    Ok(Cost { primal_operations, gradient_operations, primal_time, gradient_time })
}

/// An entry as a function of the arguments that have Reals, and these arguments.
pub fn function(query: &mut Query<'_>, call: &Call) -> Result<(Program, DefId, Value), Stop> {
    let engine = Engine::resolve(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    Ok((prepared.code.program().clone(), prepared.function, prepared.argument))
}

/// The operations of an entry, alone and together with a product of its Jacobian.
#[derive(Clone, Copy, Debug)]
pub struct Operations {
    /// The entry, with the engine taking the derivatives inside it.
    pub primal: Counts,
    /// Its value, and one cotangent of all parameters or one tangent of the result.
    pub derived: Counts,
    /// How many Reals the argument holds.
    pub inputs: usize,
    /// How many Reals the result holds.
    pub outputs: usize,
}

/// Counts the operations of an entry, whatever its result, in forward or else in reverse mode, by the
/// engine of the settings.
pub fn operations(query: &mut Query<'_>, call: &Call, forward: bool) -> Result<Operations, Stop> {
    let engine = Engine::resolve(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    let code = &prepared.code;
    let ones = |value: &Value| {
        let reals = walk::real_leaves(value).map(|leaves| leaves.len());
        let ones = reals.and_then(|count| walk::tangent_of(value, vec![Value::Real(1.0); count]));
        ones.unwrap_or_else(|_| bug("what is differentiated is data"))
    };
    let mut run =
        |mode: &Mode| engine.run(query, code, prepared.function, prepared.argument.clone(), mode);
    let primal = run(&Mode::Value)?;
    let (inputs, outputs) = (leaves(&prepared.argument).len(), leaves(&primal.value).len());
    let mode =
        if forward { Mode::Jvp(ones(&prepared.argument)) } else { Mode::Vjp(ones(&primal.value)) };
    Ok(Operations { primal: primal.counts, derived: run(&mode)?.counts, inputs, outputs })
}
