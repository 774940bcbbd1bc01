//! Runs of an engine: the value and the derivative of a function, or the value of a definition.
//!
//! Input: an engine, a program, a definition. Output: values, or the fault of the run.

use std::rc::Rc;

use pullback_base::{Diagnostic, bug};
use pullback_compile::{Answer, Compiled, Mode};
use pullback_eval::{Budget, Engine, Fault, Image, Machine, NotFinite, Options, Value, compile};
use pullback_lambda::{AdOp, DefId, ExprKind, Program, in_library};
use pullback_reduce::{Transforms, reachable};

use crate::engine::{EngineInfo, How, parts};
use crate::follow::follow;
use crate::levels::infinity;
use crate::linear::Pullbacks;
use crate::source;
use crate::trace::{engine as trace_engine, linear_engine};

/// The value and the derivative of a function of one argument, `S -> T` with first-order S and T.
///
/// What a transformation makes is ordinary code, which has no domain of derivatives and cannot see whether
/// the pullback of a rule is linear. So in the strict domain, and where pullbacks must be linear, the program
/// itself is run first, followed in the evaluator, and its faults are the answer.
pub fn run(
    engine: &EngineInfo,
    program: &Program,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    match engine.how {
        How::Runtime(make) => {
            run_in_machine(make(), &compile(program), function, argument, mode, options)
                .map_err(|fault| placed(program, function, fault))
        }
        How::Transform { vjp, jvp, reverse, budget } => {
            let whole = program;
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            let options = &budgeted(budget, options);
            if let Some(tester) = tester(reverse, program, function, Some(mode)) {
                let (image, x) = (compile(program), argument.clone());
                run_in_machine(tester, &image, function, x, mode, &options.unheard())?;
            }
            let program = &*engine.seen(program);
            followed(program, function, &argument, mode, options)
                .map_err(|fault| by_evaluator(engine, fault))?;
            let answer =
                source::run_transformed(transforms, program, function, argument, mode, options)?;
            finite_answer(engine, whole, function, answer, options)
        }
        How::Compiled(back) => {
            vet(program, function, &argument, mode, options)
                .map_err(|fault| by_evaluator(engine, fault))?;
            let answer = pullback_compile::run(program, function, argument, mode, options, back)?;
            finite_answer(engine, program, function, answer, options)
        }
    }
}

/// The codes of faults of the strict domain: a tie, an edge, a number that is not finite.
const STRICT: [&str; 3] = ["E0714", "E0715", "E0721"];

/// A fault of the strict domain that the evaluator told for an engine: it says who did.
fn by_evaluator(engine: &EngineInfo, mut fault: Box<Diagnostic>) -> Box<Diagnostic> {
    if STRICT.contains(&fault.code) {
        let name = engine.name;
        fault.notes.push(format!(
            "the evaluator, which runs the program before `{name}` does, found this: code of `{name}` has no domains"
        ));
    }
    fault
}

/// A fault of the strict domain that arose after the program itself had ended: it is at the function.
pub fn placed(program: &Program, function: DefId, fault: Box<Diagnostic>) -> Box<Diagnostic> {
    if fault.labels.is_empty() && fault.code == "E0721" {
        let span = program.defs[function].span;
        return Box::new(fault.label(span, "the derivative of this"));
    }
    fault
}

/// In the strict domain: an error if a number of the derivative that the engine gave is not finite.
fn finite_answer(
    engine: &EngineInfo,
    program: &Program,
    function: DefId,
    answer: Answer,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    let number = answer.derivative.as_ref().and_then(infinity);
    match number {
        Some(number) if options.strict_domain => {
            let fault = Fault::NotFinite { what: NotFinite::Derivative, number };
            let diagnostic = fault.diagnostic(program.defs[function].span);
            Err(Box::new(diagnostic.note(format!("`{}` gave this", engine.name))))
        }
        Some(_) | None => Ok(answer),
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
        How::Runtime(make) => Machine::new(&compile(program), make(), options.clone()).global(def),
        How::Transform { vjp, jvp, reverse, budget } => {
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            if let Some(tester) = tester(reverse, program, def, None) {
                Machine::new(&compile(program), tester, options.unheard()).global(def)?;
            }
            let program = &*engine.seen(program);
            if options.strict_domain {
                let image = compile(program);
                let mut machine = Machine::new(&image, trace_engine(), options.unheard());
                machine.global(def).map_err(|fault| by_evaluator(engine, fault))?;
            }
            source::evaluate_transformed(transforms, program, def, &budgeted(budget, options))
        }
        How::Compiled(back) => {
            checked(program, def, options).map_err(|fault| by_evaluator(engine, fault))?;
            pullback_compile::evaluate(program, def, options, back)
        }
    }
}

/// Faults that compiled code would not tell: rules that are not linear, and those of the strict domain.
fn checked(program: &Program, def: DefId, options: &Options) -> Result<(), Box<Diagnostic>> {
    if let Some(tester) = tester(Pullbacks::Any, program, def, None) {
        Machine::new(&compile(program), tester, options.unheard()).global(def)?;
    }
    if options.strict_domain {
        let image = compile(program);
        Machine::new(&image, trace_engine(), options.unheard()).global(def)?;
    }
    Ok(())
}

/// Closed definitions of a program, compiled together to native code.
pub struct Batch<'p> {
    program: &'p Program,
    defs: Vec<DefId>,
    code: Compiled,
}

impl<'p> Batch<'p> {
    /// The code of these definitions.
    pub fn new(program: &'p Program, defs: &[DefId]) -> Result<Self, Box<Diagnostic>> {
        let code = Compiled::batch(program, defs)?;
        Ok(Self { program, defs: defs.to_vec(), code })
    }

    /// The value of one of them, as [`evaluate`] gives it.
    pub fn value(&self, def: DefId, options: &Options) -> Result<Value, Box<Diagnostic>> {
        let Some(at) = self.defs.iter().position(|other| *other == def) else {
            bug("engine", "a definition of the batch")
        };
        checked(self.program, def, options)?;
        Ok(self.code.call_entry(at, &[], options)?.0)
    }
}

/// Whether the evaluator has to run a definition for faults that compiled code would not tell: there are rules in it.
/// It is a function if a mode is given.
pub fn wants_vetting(program: &Program, def: DefId, mode: Option<&Mode>) -> bool {
    tester(Pullbacks::Any, program, def, mode).is_some()
}

/// As [`checked`], for a function of one argument.
pub fn vet(
    program: &Program,
    function: DefId,
    argument: &Value,
    mode: &Mode,
    options: &Options,
) -> Result<(), Box<Diagnostic>> {
    if let Some(tester) = tester(Pullbacks::Any, program, function, Some(mode)) {
        let (image, x) = (compile(program), argument.clone());
        run_in_machine(tester, &image, function, x, mode, &options.unheard())?;
    }
    followed(program, function, argument, mode, options)
}

/// In the strict domain: runs the program itself, followed in the evaluator, for its faults.
fn followed(
    program: &Program,
    function: DefId,
    argument: &Value,
    mode: &Mode,
    options: &Options,
) -> Result<(), Box<Diagnostic>> {
    if !options.strict_domain {
        return Ok(());
    }
    let (image, x) = (compile(program), argument.clone());
    if matches!(mode, Mode::Value) {
        run_in_machine(trace_engine(), &image, function, x, mode, &options.unheard())?;
        return Ok(());
    }
    follow(&image, function, x, options)
}

/// The engine of the evaluator that refuses the rules which a transformation would have to, for a definition
/// in which there may be some. Those of the library are known to be linear.
fn tester(
    reverse: Pullbacks,
    program: &Program,
    def: DefId,
    mode: Option<&Mode>,
) -> Option<Rc<dyn Engine>> {
    let (mut pullbacks, mut tangents, mut backward, mut forward) = (false, false, false, false);
    for def in reachable(program, def) {
        program.defs[def].body.visit(&mut |expr| {
            if let ExprKind::Ad(op, _) = &expr.kind {
                let is_own = expr.span.is_none() || !in_library(&program.library, expr.span);
                pullbacks |= *op == AdOp::CustomVjp && is_own;
                tangents |= *op == AdOp::CustomJvp && is_own;
                backward |= *op == AdOp::Vjp;
                forward |= matches!(op, AdOp::Jvp | AdOp::Linearize);
            }
        });
    }
    backward |= matches!(mode, Some(Mode::Vjp(_)));
    forward |= matches!(mode, Some(Mode::Jvp(_)));
    match reverse {
        Pullbacks::Linear if pullbacks && (backward || forward) => Some(linear_engine()),
        Pullbacks::Linear | Pullbacks::Any if pullbacks && forward => Some(trace_engine()),
        Pullbacks::Linear | Pullbacks::Any if tangents && (backward || forward) => {
            Some(trace_engine())
        }
        Pullbacks::Linear | Pullbacks::Any => None,
    }
}

/// The options of an engine that may need unreasonably many steps where others do not.
fn budgeted(budget: Option<Budget>, options: &Options) -> Options {
    Options { budget: options.budget.or(budget), ..options.clone() }
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
