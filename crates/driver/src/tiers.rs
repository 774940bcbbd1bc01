//! Two tiers: a run starts in the evaluator, and goes on as native code when it takes long.
//!
//! Input: a function, its argument, what is asked of it. Output: the answer, and which tier gave it. What is long is
//! counted, never measured, so that the same input goes the same way every time. Only values come from native code:
//! where it cannot be made, or ends in an error, the evaluator answers, as it would have without it.

use std::cell::RefCell;
use std::fmt;

use pullback_base::Diagnostic;
use pullback_engines::{
    Answer, Asked, Back, Compiled, Failure, Mode, may_compile, run_in_machine, trace_engine,
    wants_vetting,
};
use pullback_eval::{Budget, Image, Options, Value};
use pullback_lambda::{DefId, ExprKind, Program};
use pullback_reduce::reachable;

/// How many steps (calls and iterations of loops) the evaluator is given: with these it takes about as long as a C
/// compiler does for little code.
const STEPS: u64 = 2_000_000;

/// How many it is given for each statement of the code, if these are more: a C compiler takes milliseconds for each.
const STEPS_EACH: u64 = 5_000;

/// The most statements that are handed to a C compiler.
const LARGEST: usize = 10_000;

/// Who gave an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The evaluator, within so many steps.
    Evaluator(u64),
    /// Native code, after the evaluator had used up so many steps.
    Native(u64),
    /// The evaluator in the end, for this reason.
    Stayed(String),
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Evaluator(steps) => write!(f, "the evaluator answered, within {steps} steps"),
            Self::Native(steps) => {
                write!(f, "native code answered, after {steps} steps in the evaluator")
            }
            Self::Stayed(why) => write!(f, "the evaluator answered: {why}"),
        }
    }
}

/// What has been told of the latest answer.
pub type Told = RefCell<Option<Tier>>;

/// Runs a function.
pub fn climb(
    (program, image): (&Program, &Image),
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
    told: &Told,
) -> Result<Answer, Box<Diagnostic>> {
    let evaluate = |options: &Options| {
        run_in_machine(trace_engine(), image, function, argument.clone(), mode, options)
    };
    let tell = |tier: Tier| drop(told.replace(Some(tier)));
    let stays = if !may_compile() {
        Some("there is no C compiler")
    } else if tells(program, function) {
        Some("it tells what it does, once")
    } else if wants_vetting(program, function, mode) {
        Some("it follows rules of the program's own")
    } else {
        None
    };
    if let Some(why) = stays {
        tell(Tier::Stayed(why.to_owned()));
        return evaluate(options);
    }
    let within = |steps: u64| {
        let budget = Some(Budget { steps, exceeded: "the steps of the first tier" });
        match evaluate(&Options { budget, ..options.clone() }) {
            Err(fault) if fault.code == "E0719" => {
                // The next tier begins anew.
                options.progress.iter().for_each(|progress| progress.tell(None));
                None
            }
            answered => Some(answered),
        }
    };
    if let Some(answered) = within(STEPS) {
        tell(Tier::Evaluator(STEPS));
        return answered;
    }
    let why = match code(program, function, mode, options) {
        Ok(code) => {
            let steps = STEPS.max(code.size() as u64 * STEPS_EACH);
            if steps > STEPS
                && let Some(answered) = within(steps)
            {
                tell(Tier::Evaluator(steps));
                return answered;
            }
            match native(code, argument.clone(), mode, options) {
                Ok(answer) => {
                    tell(Tier::Native(steps));
                    return Ok(answer);
                }
                Err(why) => why,
            }
        }
        Err(why) => why,
    };
    tell(Tier::Stayed(why));
    evaluate(options)
}

/// Whether a function tells something as it runs: nothing starts it again.
fn tells(program: &Program, function: DefId) -> bool {
    let mut tells = false;
    for def in reachable(program, function) {
        program.defs[def].body.visit(&mut |expr| {
            tells |= matches!(&expr.kind, ExprKind::Prim(prim, _) if prim.row().tells());
        });
    }
    tells
}

/// The code of what is asked, or why there is none.
fn code(
    program: &Program,
    function: DefId,
    mode: &Mode,
    options: &Options,
) -> Result<Compiled, String> {
    let asked = Asked::by(mode);
    let code = Compiled::of_function(program, function, asked, options, Back::Evaluator)
        .map_err(|refused| refused.title)?;
    if code.size() > LARGEST {
        return Err(format!("native code would have more than {LARGEST} statements"));
    }
    Ok(code)
}

/// What it answers as native code, or why it does not.
fn native(
    mut code: Compiled,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, String> {
    code.try_native(options).map_err(|failure| match failure {
        Failure::NoCompiler => "there is no C compiler".to_owned(),
        Failure::Unsupported(what) => what,
        Failure::Refused(_) => "the C compiler failed".to_owned(),
    })?;
    let answer = code.answer(argument, mode, options);
    answer.map_err(|_| "native code ended in an error".to_owned())
}
