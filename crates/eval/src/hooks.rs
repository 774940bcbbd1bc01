//! What an engine of automatic differentiation implements to run inside the machine.
//!
//! An engine never calls the machine. Where it needs a function of the program applied, it returns a
//! [`Step`] that says which and what to do with the result; the machine keeps these continuations in
//! its own stack of frames, so nothing grows on the native stack.

use pullback_prim::Prim;

use super::arith::Ctx;
use super::fault::Fault;
use super::numeric::Plain;
use super::value::Value;

/// What happens next.
pub enum Step {
    /// This is the result.
    Return(Value),
    /// Apply the function, then go on with its result.
    Call {
        /// The function.
        function: Value,
        /// Its arguments.
        args: Vec<Value>,
        /// What to do with the result.
        then: Box<dyn Then>,
    },
    /// The result is that of this call.
    Tail {
        /// The function.
        function: Value,
        /// Its arguments.
        args: Vec<Value>,
    },
}

impl Step {
    /// Apply `function` to `args`, then go on with `then`.
    pub fn call(function: Value, args: Vec<Value>, then: impl Then + 'static) -> Self {
        Self::Call { function, args, then: Box::new(then) }
    }
}

/// What to do with the result of a call.
pub trait Then {
    /// Goes on.
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault>;
}

/// A function of one argument that an engine made, such as a pullback.
pub trait Native {
    /// What it is, for messages.
    fn name(&self) -> &'static str;
    /// Applies it.
    fn call(&self, ctx: &mut Ctx, arg: Value) -> Result<Step, Fault>;
    /// Moves the functions it holds into `work`, so that long chains are freed without recursion.
    fn release(&mut self, work: &mut Vec<Value>);
}

/// A native function as a value.
pub struct NativeValue(Box<dyn Native>);

impl NativeValue {
    /// The value of a native function.
    pub fn value(native: impl Native + 'static) -> Value {
        Value::Native(std::rc::Rc::new(Self(Box::new(native))))
    }
    /// The function.
    pub fn native(&self) -> &dyn Native {
        &*self.0
    }
    pub(super) fn release(&mut self, work: &mut Vec<Value>) {
        self.0.release(work);
    }
}

impl Drop for NativeValue {
    fn drop(&mut self) {
        let mut work = vec![];
        self.0.release(&mut work);
        if !work.is_empty() {
            super::structure::free_all(work);
        }
    }
}

impl std::fmt::Debug for NativeValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.0.name())
    }
}

/// One activation of a differentiation operator: it follows the Reals of its level.
pub trait Level {
    /// A smooth primitive with at least one argument of this level and none of a later one. The value
    /// must be that of the primitive on the primal arguments.
    fn smooth(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value])
    -> Result<Value, Fault>;
    /// The sum of Reals of which at least one is of this level and none of a later one.
    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault>;
    /// The result of a function with its own rule: `value` at the argument `x`, with the derivative
    /// that `pullback : T b -> T a` gives.
    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault>;
    /// The tangent of `x` that a rule of forward mode is given.
    fn tangent(&self, ctx: &mut Ctx, level: u64, x: &Value) -> Result<Value, Fault>;
    /// The result of a function with its own rule of forward mode: `value` with the tangent that the
    /// rule made from [`Level::tangent`].
    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        value: Value,
        tangent: Value,
    ) -> Result<Value, Fault>;
    /// Whether it takes primitives at plain numbers by [`Level::plain`].
    fn takes_plain(&self) -> bool {
        false
    }
    /// As [`Level::smooth`] for a primitive whose value and partial derivatives are known, because its
    /// arguments are numbers that no earlier level follows.
    fn plain(&self, _: &mut Ctx, _: u64, _: &Plain<'_>) -> Result<Value, Fault> {
        Err(Fault::internal("this level takes no plain numbers"))
    }
    /// Whether it follows Reals through functions with their own rule, without the rule.
    fn through_rules(&self) -> bool {
        false
    }
    /// Whether it looks if a function is linear: then it is an error to compare its Reals, to make an Int of
    /// them, or to stop their derivatives.
    fn tests_linearity(&self) -> bool {
        false
    }
}

/// A way to differentiate, at run time.
pub trait Engine {
    /// `vjp f x`
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault>;
    /// `jvp f x x_dot`
    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault>;
    /// `linearize f x`
    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault>;
}

/// The engine of programs that differentiate nothing.
pub struct NoEngine;

impl NoEngine {
    fn refuse() -> Result<Step, Fault> {
        Err(Fault::Unsupported {
            what: "derivatives are switched off in this evaluation".to_string(),
        })
    }
}

impl Engine for NoEngine {
    fn vjp(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
    fn jvp(&self, _: &mut Ctx, _: Value, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
    fn linearize(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
}
