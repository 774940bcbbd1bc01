//! Questions to a function at run time, and their answers, whichever engine gives them: its value, a cotangent, or a
//! tangent.
//!
//! Input: a [`Mode`], with a direction for derivatives. Output: an [`Answer`]: the value, the derivative that was asked
//! for, and what was counted.

use pullback_base::bug;
use pullback_eval::{Counts, Value};

/// What runs the first-order array IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// An evaluator of its own.
    Evaluator,
    /// The processor: the system's C compiler makes code.
    Native,
}

/// What is asked of an engine.
#[derive(Clone, Debug)]
pub enum Mode {
    /// The value alone.
    Value,
    /// The value, and the cotangent of the argument for this cotangent of the result.
    Vjp(Value),
    /// The value, and the tangent of the result for this tangent of the argument.
    Jvp(Value),
}

/// What an engine answers.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value of the function.
    pub value: Value,
    /// The derivative that was asked for.
    pub derivative: Option<Value>,
    /// The operations executed.
    pub counts: Counts,
}

impl Answer {
    /// The value and the derivative, of a run that took one.
    pub fn with_derivative(self) -> (Value, Value) {
        let derivative = self.derivative;
        (self.value, derivative.unwrap_or_else(|| bug("compile", "a derivative was asked for")))
    }
}
