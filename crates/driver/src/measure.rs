//! The cost of a derivative: operations and time of an entry and of its gradient.
//!
//! Input: a [`Call`] of a Real-valued entry. Output: a [`Cost`]. Times are of this machine and only
//! their ratios mean anything; operations are exact.

use std::time::{Duration, Instant};

use pullback_engines::Mode;
use pullback_lambda::eval::Value;

use crate::call::{Purpose, prepare};
use crate::engine::{Code, Engine};
use crate::request::Call;
use crate::session::{Session, Stop};

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
pub fn measure(session: &mut Session<'_>, call: &Call, repeat: usize) -> Result<Cost, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let purpose = Purpose::Derivative { wrt: &[], scalar: true, direction: None };
    let prepared = prepare(session, call, &engine, &purpose)?;
    let code = Code::new(&prepared.program);
    let mut cost = |mode: &Mode| {
        let mut shortest = Duration::MAX;
        let mut operations = 0;
        for _ in 0..repeat.max(1) {
            let start = Instant::now();
            let argument = prepared.argument.clone();
            let answer = engine.run(session, &code, prepared.function, argument, mode)?;
            shortest = shortest.min(start.elapsed());
            operations = answer.counts.total();
        }
        Ok((operations, shortest))
    };
    let (primal_operations, primal_time) = cost(&Mode::Value)?;
    let (gradient_operations, gradient_time) = cost(&Mode::Vjp(Value::Real(1.0)))?;
    Ok(Cost { primal_operations, gradient_operations, primal_time, gradient_time })
}
