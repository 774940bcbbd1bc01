//! What every engine offers: the same calls, the same description.

use std::borrow::Cow;
use std::rc::Rc;

use pullback_base::{Budget, Diagnostic, Span, bug};
use pullback_compile::Back;
use pullback_eval::{Engine, Value};
use pullback_lambda::{DefId, Program};
use pullback_reduce::{ForwardFn, TransformFn};

use crate::linear::Pullbacks;

/// An engine: what it is and how it runs.
#[derive(Clone, Copy, Debug)]
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
    /// Whether it needs the system's C compiler, and time to run it. Tests of all engines leave it out; it has
    /// tests that compile many programs at once.
    pub const fn needs_compiler(&self) -> bool {
        matches!(self.how, How::Compiled(Back::Native))
    }
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

    /// A program as this engine takes it: only compiled code knows checkpoints and what is differentiated as something
    /// else, to all others they are the applications that they mean.
    pub fn seen<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        match self.how {
            How::Compiled(_) => Cow::Borrowed(program),
            How::Runtime(_) | How::Transform { .. } => program.without_marks(),
        }
    }
}

/// Stops at a mark for other engines (a checkpoint, what is assumed to be linear, or what is differentiated as something
/// else), of which [`EngineInfo::seen`] leaves none.
pub fn unseen_mark() -> ! {
    bug("engine", "applications in the place of marks")
}

/// Stops at a perturbation, which is gone once functions are known.
pub fn unseen_perturbation() -> ! {
    bug("engine", "moved values in the place of perturbations")
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
        /// The most steps, if it may need unreasonably many where others do not.
        budget: Option<Budget>,
    },
    /// By compiling the program to the first-order array IR.
    Compiled(Back),
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

impl Stage {
    /// The form of a function.
    pub const fn form(name: &'static str, about: &'static str, show: ShowFn) -> Self {
        Self { name, about, needs_argument: false, show }
    }
    /// The form of one evaluation.
    pub const fn at_argument(name: &'static str, about: &'static str, show: ShowFn) -> Self {
        Self { name, about, needs_argument: true, show }
    }
}

/// The text of a stage, for a function of one argument and maybe its argument.
pub type ShowFn = fn(&Program, DefId, Option<Value>) -> Result<String, Box<Diagnostic>>;

/// In which variant of a paper's semantics an evaluation is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Letter {
    /// How deep calls of a recursive function may nest; none is as deep as they do.
    pub fuel: Option<u64>,
    /// Whether predicates and operations are partial, as in the paper; else the table of conventions gives them values.
    pub is_strict: bool,
}

/// As [`ShowFn`] at an argument, in a variant of the paper's semantics.
pub type LetterFn = fn(&Program, DefId, Value, Letter) -> Result<String, Box<Diagnostic>>;

/// The argument of a stage that needs one.
pub fn needed(argument: Option<Value>) -> Result<Value, Box<Diagnostic>> {
    argument.ok_or_else(|| {
        Box::new(
            Diagnostic::error("E0827", Span::NONE, "this stage needs arguments", "")
                .note("it shows one evaluation of the definition")
                .hint("give the arguments after the name of the definition"),
        )
    })
}

/// The value and the derivative of a pair.
pub fn parts(pair: Value) -> (Value, Value) {
    match pair.as_tuple() {
        Some([first, second]) => (first.clone(), second.clone()),
        Some(_) | None => bug("engine", "a value with its derivative"),
    }
}
