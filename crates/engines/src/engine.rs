//! What every engine offers: the same calls, the same description.

use std::rc::Rc;

use pullback_base::{Diagnostic, Span, bug};
use pullback_eval::{
    Budget, Counts, Engine, Fault, Image, Machine, Options, Step, Then, Value, compile,
};
use pullback_lambda::{AdOp, DefId, ExprKind, Program};

use crate::linear::Pullbacks;
use crate::source;
use crate::trace::linear_engine;
use crate::{follow, trace_engine};
use pullback_reduce::{ForwardFn, TransformFn, Transforms, reachable};

/// An engine: what it is and how it runs.
#[derive(Debug)]
pub struct EngineInfo {
    /// Its name, for `--engine`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What the page of engines says of it.
    pub page: Page,
    /// How it runs.
    pub how: How,
    /// The intermediate forms that it shows.
    pub stages: &'static [Stage],
}

/// What the page of engines says of one, in Markdown.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Its own page, below `docs/engines`.
    pub file: &'static str,
    /// The paper and its sections.
    pub paper: &'static str,
    /// The type of what it makes.
    pub ty: &'static str,
    /// What holds of it.
    pub law: &'static str,
    /// What it costs, for `n` inputs and `m` outputs.
    pub cost: &'static str,
    /// What reverse mode costs, in a few words.
    pub reverse: &'static str,
    /// Which programs it admits, in a few words.
    pub covers: &'static str,
    /// What it does not admit.
    pub limits: &'static str,
    /// What it teaches.
    pub teaches: &'static str,
    /// A command that shows a worked example, without `pullback`.
    pub example: &'static str,
}

impl EngineInfo {
    /// An engine that stands in no table and on no page.
    pub const fn unlisted(name: &'static str, how: How, stages: &'static [Stage]) -> Self {
        let page = Page {
            file: "",
            paper: "",
            ty: "",
            law: "",
            cost: "",
            reverse: "",
            covers: "",
            limits: "",
            teaches: "",
            example: "",
        };
        Self { name, summary: "", page, how, stages }
    }
}

/// How an engine runs.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Inside the evaluator: it follows Reals while the program runs.
    Runtime(fn() -> Rc<dyn Engine>),
    /// By transforming the program: what comes out is ordinary lambda.
    Transform {
        /// From `S -> T` to `S -> (T, T' -> S')`, with the tangent types of `S` and `T` primed.
        vjp: TransformFn,
        /// From `S -> T` to `(S, S') -> (T, T')`.
        jvp: ForwardFn,
        /// Which pullbacks of rules reverse mode admits.
        reverse: Pullbacks,
    },
}

/// An intermediate form of an engine, for `pullback show --stage`.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Its name, unlike that of any other stage.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// Whether it is the form of one evaluation, so that there must be an argument.
    pub needs_argument: bool,
    /// Makes the text.
    pub show: ShowFn,
}

/// The text of a stage, for a function of one argument and maybe its argument.
pub type ShowFn = fn(&Program, DefId, Option<Value>) -> Result<String, Box<Diagnostic>>;

/// As [`ShowFn`] at an argument, with so much fuel for each recursive function.
pub type BoundedFn = fn(&Program, DefId, Value, u64) -> Result<String, Box<Diagnostic>>;

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
        }
        How::Transform { vjp, jvp, reverse } => {
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            let options = &budgeted(engine.name, options);
            if let Some(tester) = tester(reverse, program, function, Some(mode)) {
                let (image, x) = (compile(program), argument.clone());
                run_in_machine(tester, &image, function, x, mode, options)?;
            }
            if options.strict_domain {
                let (image, x) = (compile(program), argument.clone());
                if matches!(mode, Mode::Value) {
                    run_in_machine(trace_engine(), &image, function, x, mode, options)?;
                } else {
                    follow(&image, function, x, options)?;
                }
            }
            source::run_transformed(transforms, program, function, argument, mode, options)
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
        How::Runtime(make) => Machine::new(&compile(program), make(), options.clone()).global(def),
        How::Transform { vjp, jvp, reverse } => {
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            if let Some(tester) = tester(reverse, program, def, None) {
                Machine::new(&compile(program), tester, options.clone()).global(def)?;
            }
            if options.strict_domain {
                let image = compile(program);
                Machine::new(&image, trace_engine(), options.clone()).global(def)?;
            }
            source::evaluate_transformed(transforms, program, def, &budgeted(engine.name, options))
        }
    }
}

/// The engine of the evaluator that refuses the rules which a transformation would have to, for a definition
/// in which there may be some.
fn tester(
    reverse: Pullbacks,
    program: &Program,
    def: DefId,
    mode: Option<&Mode>,
) -> Option<Rc<dyn Engine>> {
    let (mut rules, mut backward, mut forward) = (false, false, false);
    for def in reachable(program, def) {
        program.defs[def].body.visit(&mut |expr| {
            if let ExprKind::Ad(op, _) = &expr.kind {
                rules |= *op == AdOp::CustomVjp;
                backward |= *op == AdOp::Vjp;
                forward |= matches!(op, AdOp::Jvp | AdOp::Linearize);
            }
        });
    }
    backward |= matches!(mode, Some(Mode::Vjp(_)));
    forward |= matches!(mode, Some(Mode::Jvp(_)));
    match reverse {
        Pullbacks::Linear if rules && (backward || forward) => Some(linear_engine()),
        Pullbacks::Any if rules && forward => Some(trace_engine()),
        Pullbacks::Linear | Pullbacks::Any => None,
    }
}

/// The argument of a stage that needs one.
pub(crate) fn needed(argument: Option<Value>) -> Result<Value, Box<Diagnostic>> {
    argument.ok_or_else(|| {
        Box::new(
            Diagnostic::error("E0806", Span::NONE, "this stage needs arguments", "")
                .note("it shows one evaluation of the definition")
                .hint("give the arguments after the name of the definition"),
        )
    })
}

/// The options for an engine that may need unreasonably many steps.
fn budgeted(engine: &str, options: &Options) -> Options {
    let found = BUDGETS.iter().find(|(name, _)| *name == engine);
    match found {
        Some((_, budget)) => {
            Options { budget: options.budget.or(Some(*budget)), ..options.clone() }
        }
        None => options.clone(),
    }
}

/// The engines that may need unreasonably many steps where others do not.
const BUDGETS: &[(&str, Budget)] = &[("curry-list", crate::curry::BUDGET)];

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

pub(crate) fn parts(pair: Value) -> (Value, Value) {
    match pair.as_tuple() {
        Some([first, second]) => (first.clone(), second.clone()),
        Some(_) | None => bug("engines", "a value with its derivative"),
    }
}

/// A continuation that is a closure.
pub(crate) struct Go<F>(pub F);

impl<F> Then for Go<F>
where
    F: FnOnce(&mut pullback_eval::Ctx, Value) -> Result<Step, Fault>,
{
    fn resume(self: Box<Self>, ctx: &mut pullback_eval::Ctx, value: Value) -> Result<Step, Fault> {
        (self.0)(ctx, value)
    }
}
