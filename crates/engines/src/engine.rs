//! What every engine offers: the same calls, the same description.

use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_lambda::eval::{
    Counts, Engine, Fault, Image, Machine, Options, Step, Then, Value, compile,
};
use pullback_lambda::{DefId, Program};

/// An engine: what it is and how it runs.
#[derive(Debug)]
pub struct EngineInfo {
    /// Its name, for `--engine`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Which programs it admits.
    pub covers: &'static str,
    /// What it costs, for `n` inputs and `m` outputs.
    pub cost: &'static str,
    /// How it runs.
    pub how: How,
}

/// How an engine runs.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Inside the evaluator: it follows Reals while the program runs.
    Runtime(fn() -> Rc<dyn Engine>),
    /// By transforming the program.
    Source {
        /// As [`run`].
        run: RunFn,
        /// As [`evaluate`].
        evaluate: EvaluateFn,
    },
}

/// The type of [`run`] for one engine.
pub type RunFn = fn(&Program, DefId, Value, &Mode, &Options) -> Result<Answer, Box<Diagnostic>>;
/// The type of [`evaluate`] for one engine.
pub type EvaluateFn = fn(&Program, DefId, &Options) -> Result<Value, Box<Diagnostic>>;

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

/// The value and the derivative of a function of one argument, `S -> T` with first-order S and T.
pub fn run(
    engine: &EngineInfo,
    program: &Program,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    match engine.how {
        How::Source { run, .. } => run(program, function, argument, mode, options),
        How::Runtime(make) => {
            run_in_machine(make(), &compile(program), function, argument, mode, options)
        }
    }
}

/// The value of a closed definition, with all derivatives in it taken by this engine.
pub fn evaluate(
    engine: &EngineInfo,
    program: &Program,
    def: DefId,
    options: &Options,
) -> Result<Value, Box<Diagnostic>> {
    match engine.how {
        How::Source { evaluate, .. } => evaluate(program, def, options),
        How::Runtime(make) => Machine::new(&compile(program), make(), options.clone()).global(def),
    }
}

/// As [`run`], for a compiled program and an engine of the evaluator.
pub fn run_in_machine(
    engine: Rc<dyn Engine>,
    image: &Image,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    let mut machine = Machine::new(image, engine.clone(), options.clone());
    let function = machine.global(function)?;
    let (value, derivative) = match mode {
        Mode::Value => (machine.call(function, vec![argument])?, None),
        Mode::Vjp(y_bar) => {
            let pair = machine.perform(|ctx| engine.vjp(ctx, function, argument))?;
            let (value, pullback) = parts(pair);
            let x_bar = machine.call(pullback, vec![y_bar.clone()])?;
            (value, Some(x_bar))
        }
        Mode::Jvp(x_dot) => {
            let pair = machine.perform(|ctx| engine.jvp(ctx, function, argument, x_dot.clone()))?;
            let (value, y_dot) = parts(pair);
            (value, Some(y_dot))
        }
    };
    Ok(Answer { value, derivative, counts: machine.counts() })
}

fn parts(pair: Value) -> (Value, Value) {
    match pair.as_tuple() {
        Some([first, second]) => (first.clone(), second.clone()),
        Some(_) | None => (pair, Value::Unit),
    }
}

/// A continuation that is a closure.
pub(crate) struct Go<F>(pub F);

impl<F> Then for Go<F>
where
    F: FnOnce(&mut pullback_lambda::eval::Ctx, Value) -> Result<Step, Fault>,
{
    fn resume(
        self: Box<Self>,
        ctx: &mut pullback_lambda::eval::Ctx,
        value: Value,
    ) -> Result<Step, Fault> {
        (self.0)(ctx, value)
    }
}
