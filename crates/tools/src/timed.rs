//! A function that runs many times, each run with its time.
//!
//! Input: an engine, a function, what is asked of it. Output: its code, and then results with times: of the function
//! alone on the compiler's path, whose arguments are put in place once; of a whole evaluation in the evaluator.

use std::rc::Rc;

use pullback_base::{Diagnostic, Instant, Span};
use pullback_compile::{Asked, Compiled, Mode, More, Packing, Ran};
use pullback_engines::{How, run_in_machine, vet};
use pullback_eval::memory::live;
use pullback_eval::{Image, Options, Since, Value, compile};
use pullback_lambda::{DefId, Program};
use pullback_session::engine::Engine;

use crate::bug::bug;

/// What is asked of a function, as code.
pub struct Timed {
    program: Rc<Program>,
    function: DefId,
    asked: Asked,
    code: Code,
}

enum Code {
    Compiled(Box<Compiled>),
    Evaluated(Image, fn() -> Rc<dyn pullback_eval::Engine>),
}

impl Timed {
    /// Makes the code.
    pub fn new(
        engine: &Engine,
        program: &Rc<Program>,
        function: DefId,
        asked: Asked,
        packing: Packing,
    ) -> Result<Self, Box<Diagnostic>> {
        is_timed(engine)?;
        let code = match engine.how() {
            How::Compiled(back) => Code::Compiled(Box::new(Compiled::of_function(
                program,
                function,
                asked,
                packing,
                engine.options(),
                back,
            )?)),
            How::Runtime(make) => Code::Evaluated(compile(program), make),
            How::Transform { .. } => bug("an engine that is timed has code"),
        };
        Ok(Self { program: program.clone(), function, asked, code })
    }

    fn mode(&self, direction: Option<&Value>) -> Mode {
        let direction = || direction.cloned().unwrap_or(Value::Real(1.0));
        match self.asked {
            Asked::Value => Mode::Value,
            Asked::Vjp | Asked::Gradient => Mode::Vjp(direction()),
            Asked::Jvp => Mode::Jvp(direction()),
        }
    }

    /// What compiled code is given.
    fn arguments(&self, argument: &Value, mode: Mode) -> Vec<Value> {
        let direction = match mode {
            Mode::Vjp(direction) | Mode::Jvp(direction) if self.asked != Asked::Gradient => {
                Some(direction)
            }
            Mode::Vjp(_) | Mode::Jvp(_) | Mode::Value => None,
        };
        std::iter::once(argument.clone()).chain(direction).collect()
    }

    /// What a run costs: of compiled code by the evaluator of the array code.
    pub fn account(
        &self,
        argument: &Value,
        direction: &Value,
        options: &Options,
    ) -> Result<Account, Box<Diagnostic>> {
        let mode = self.mode(Some(direction));
        // What is in use already does not count.
        let mut options = options.clone();
        options.limits.since = options.limits.since.map(|since| Since { bytes: live(), ..since });
        let options = &options;
        Ok(match &self.code {
            Code::Compiled(code) => {
                let counts = code.count(&self.arguments(argument, mode), options)?;
                Account {
                    operations: counts.operations,
                    bytes: Some(counts.allocated),
                    peak: Some(counts.peak),
                }
            }
            Code::Evaluated(image, make) => {
                let argument = argument.clone();
                let answer =
                    run_in_machine(make(), image, self.function, argument, &mode, options)?;
                Account { operations: answer.counts.total(), bytes: None, peak: None }
            }
        })
    }

    /// Runs at an argument, along a direction if one is asked for, as often as `more` wants. Gives the value and the
    /// derivative of the last run.
    pub fn run(
        &self,
        argument: &Value,
        direction: Option<&Value>,
        options: &Options,
        more: More<'_>,
    ) -> Result<(Value, Option<Value>), Box<Diagnostic>> {
        let mode = self.mode(direction);
        match &self.code {
            Code::Compiled(code) => {
                vet(&self.program, self.function, argument, &mode, options)?;
                let result = code.repeat(&self.arguments(argument, mode), options, more)?;
                Ok(match (self.asked, result.as_tuple()) {
                    (Asked::Vjp | Asked::Jvp | Asked::Gradient, Some([value, derivative])) => {
                        (value.clone(), Some(derivative.clone()))
                    }
                    (..) => (result, None),
                })
            }
            Code::Evaluated(image, make) => loop {
                let argument = argument.clone();
                let started = Instant::now();
                let answer =
                    run_in_machine(make(), image, self.function, argument, &mode, options)?;
                if !more(Ran { time: started.elapsed(), held: 0 }) {
                    break Ok((answer.value, answer.derivative));
                }
            },
        }
    }
}

/// What a run costs, by count.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Operations.
    pub operations: u64,
    /// Bytes allocated, where they are counted.
    pub bytes: Option<u64>,
    /// The most bytes in use at once, where they are counted.
    pub peak: Option<u64>,
}

/// Whether runs of an engine can be timed, or why not.
pub fn is_timed(engine: &Engine) -> Result<(), Box<Diagnostic>> {
    match engine.how() {
        How::Compiled(_) | How::Runtime(_) => Ok(()),
        How::Transform { .. } => {
            let title = format!("the engine `{}` is not timed", engine.name());
            Err(Box::new(
                Diagnostic::error("E0812", Span::NONE, title, "")
                    .note("it transforms the program anew for every run, and would be timed with that")
                    .hint("choose `native`, `ir`, or an engine of the evaluator such as `trace`"),
            ))
        }
    }
}
