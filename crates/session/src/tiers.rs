//! Three tiers: a run starts in the evaluator, begins again in that of the array code when it takes long, and goes on as
//! native code when that takes longer than a C compiler would.
//!
//! Input: a definition, or a function with its argument and what is asked of it. Output: the answer, and which tier
//! gave it. What is long is counted, never measured, so that the same input goes the same way every time. Only values
//! come from the array code: where it cannot be made, or ends in an error, the evaluator answers, as it would have
//! without it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use pullback_base::{Diagnostic, bug};
use pullback_compile::{Answer, Asked, Compiled, Failure, Mode, Packing, may_compile};
use pullback_engine::{run_in_machine, trace_engine, wants_vetting};
use pullback_eval::{Budget, Counts, Image, Machine, Options, Quota, Value};
use pullback_lambda::{DefId, ExprKind, Program};
use pullback_reduce::reachable;

/// How many steps take about as long as a C compiler does for little code: calls and iterations of loops, and for
/// whatever else takes time as many as take as long ([`Quota`]).
pub const STEPS: u64 = 2_000_000;

/// How many the evaluator is given for one function: at least, at most, and between these for each expression of the
/// program that it reaches. With these it takes about as long as the passes do for so much code, so that both
/// together take about twice as long as the better of the two at most (the ski rental rule, Karlin et al. 1988).
const FEWEST: u64 = 500_000;
const MOST: u64 = 3_000_000;
const STEPS_OF_EXPRESSION: u64 = 300;

/// How many that of the array code is given for each statement, if these are more than [`STEPS`]: a C compiler takes
/// milliseconds for each.
const STEPS_OF_STATEMENT: u64 = 40_000;

/// The most statements that are handed to a C compiler.
const LARGEST: usize = 10_000;

/// The most that are optimised, and that derivatives have: the passes take about half a second for ten thousand, as
/// long as the evaluator has had. Programs of which less than [`LARGEST`] is left have fewer.
const LARGEST_YET: usize = 40_000;

/// Who gave an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The evaluator, within so many steps.
    Evaluator(u64),
    /// That of the array code, within so many steps, together with those that functions had taken in the other.
    ArrayCode(u64),
    /// Native code, after the evaluator had used up so many steps.
    Native(u64),
    /// Native code at once, since it had answered before.
    Again,
    /// The evaluator in the end, for this reason.
    Stayed(String),
}

impl Tier {
    /// Whether native code gave the answer.
    pub fn is_native(&self) -> bool {
        matches!(self, Self::Native(_) | Self::Again)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Evaluator(steps) => write!(f, "the evaluator answered, within {steps} steps"),
            Self::ArrayCode(steps) => {
                write!(f, "the evaluator of the array code answered, within {steps} steps")
            }
            Self::Native(steps) => {
                write!(f, "native code answered, after {steps} steps in the evaluator")
            }
            Self::Again => write!(f, "native code answered, as it did before"),
            Self::Stayed(why) => write!(f, "the evaluator answered: {why}"),
        }
    }
}

/// What has been told of the answers.
#[derive(Default)]
pub struct Told {
    latest: RefCell<Option<Tier>>,
    /// How many answers the evaluator gave, and how many native code.
    answers: Cell<(u64, u64)>,
}

impl Told {
    fn tell(&self, tier: Tier) {
        let (evaluated, native) = self.answers.get();
        let native_one = u64::from(tier.is_native());
        self.answers.set((evaluated + 1 - native_one, native + native_one));
        self.latest.replace(Some(tier));
    }
    /// The tier of the latest answer.
    pub fn latest(&self) -> Option<Tier> {
        self.latest.borrow().clone()
    }
    /// Who gave all answers, in words.
    pub fn tally(&self) -> String {
        let (evaluated, native) = self.answers.get();
        let times = |count| match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            _ => format!("{count} times"),
        };
        let (evaluated, native) = (times(evaluated), times(native));
        format!("the evaluator answered {evaluated}, native code {native}")
    }
}

/// What is run.
#[derive(Clone, Copy)]
pub enum Work<'w> {
    /// A closed definition.
    Value(DefId),
    /// A function of one argument, there, and what is asked of it.
    Function(DefId, &'w Value, &'w Mode),
}

impl<'w> Work<'w> {
    fn def(self) -> DefId {
        match self {
            Self::Value(def) | Self::Function(def, ..) => def,
        }
    }
    fn mode(self) -> Option<&'w Mode> {
        match self {
            Self::Value(_) => None,
            Self::Function(_, _, mode) => Some(mode),
        }
    }
    /// What its code is made for.
    fn key(self, program: &Program) -> Key {
        let asked = match self {
            Self::Value(_) => None,
            Self::Function(def, argument, mode) => {
                Some((Asked::by(mode), Packing::of(program, def, argument, mode)))
            }
        };
        (self.def(), asked)
    }
}

type Key = (DefId, Option<(Asked, Packing)>);

/// What has been run of one program, kept for the next run. All runs that share it have the same options but for
/// their budgets.
#[derive(Default)]
pub struct Codes(RefCell<Vec<Known>>);

/// What is known of a function that has been run.
struct Known {
    key: Key,
    /// The code that the second tier has made.
    made: Option<Made>,
    /// The steps in which the evaluator has answered, together: a function that is run many times goes on as native
    /// code when all of them have taken as long as one long run.
    spent: u64,
}

enum Made {
    /// That of the array code has answered so far.
    Lowered(Compiled),
    Native(Compiled),
    /// That of the array code answers, as there is no native code for this reason.
    Evaluated(Compiled, String),
    /// No array code, for this reason.
    Not(String),
}

impl Codes {
    fn take(&self, key: Key) -> Known {
        let mut known = self.0.borrow_mut();
        match known.iter().position(|one| one.key == key) {
            Some(at) => known.swap_remove(at),
            None => Known { key, made: None, spent: 0 },
        }
    }
    fn keep(&self, known: Known) {
        self.0.borrow_mut().push(known);
    }
}

/// Runs what there is to run. What has gone on as native code once starts there the next time.
pub fn climb(
    (program, image): (&Program, &Image),
    codes: &Codes,
    work: Work<'_>,
    options: &Options,
    told: &Told,
) -> Result<Answer, Box<Diagnostic>> {
    if let Some(why) = stays(program, work) {
        told.tell(Tier::Stayed(why.to_owned()));
        return evaluate(image, work, options);
    }
    let mut known = codes.take(work.key(program));
    let evaluated = || evaluate(image, work, options);
    let first = steps_for(program, work.def());
    if known.made.is_none()
        && let Some(answered) =
            within(first, &mut known.spent, options, |options| evaluate(image, work, options))
    {
        told.tell(Tier::Evaluator(first));
        codes.keep(known);
        return answered;
    }
    let (made, tier) = match known.made.take() {
        Some(made @ Made::Native(_)) => (made, Tier::Again),
        Some(Made::Evaluated(code, why)) => (Made::Evaluated(code, why.clone()), Tier::Stayed(why)),
        Some(Made::Not(why)) => (Made::Not(why.clone()), Tier::Stayed(why)),
        lowered => {
            let mut made = lowered.unwrap_or_else(|| code(program, &known.key, options));
            let mut steps = first;
            if let Made::Lowered(code) = made {
                steps = STEPS + STEPS.max(code.size() as u64 * STEPS_OF_STATEMENT);
                let run = |options: &Options| answer(&code, work, options);
                if may_compile()
                    && let Some(answered) = within(steps, &mut known.spent, options, run)
                {
                    codes.keep(Known { made: Some(Made::Lowered(code)), ..known });
                    return or_evaluator(answered, Tier::ArrayCode(steps), told, evaluated);
                }
                made = native(code, options);
            }
            let tier = match &made {
                Made::Evaluated(_, why) | Made::Not(why) => Tier::Stayed(why.clone()),
                Made::Native(_) | Made::Lowered(_) => Tier::Native(steps),
            };
            (made, tier)
        }
    };
    let answered = match &made {
        Made::Native(code) | Made::Evaluated(code, _) => Some(answer(code, work, options)),
        Made::Lowered(_) => bug("tiers", "code whose tier is known"),
        Made::Not(_) => None,
    };
    codes.keep(Known { made: Some(made), ..known });
    match answered {
        Some(answered) => or_evaluator(answered, tier, told, evaluated),
        None => {
            told.tell(tier);
            evaluated()
        }
    }
}

/// How many steps the evaluator is given for a function.
fn steps_for(program: &Program, function: DefId) -> u64 {
    let mut expressions = 0;
    for def in reachable(program, function) {
        program.defs[def].body.visit(&mut |_| expressions += 1);
    }
    (expressions * STEPS_OF_EXPRESSION).clamp(FEWEST, MOST)
}

/// What the array code answers; or the evaluator, if that ends in an error, since it says best what is wrong.
fn or_evaluator(
    answered: Result<Answer, Box<Diagnostic>>,
    tier: Tier,
    told: &Told,
    evaluated: impl FnOnce() -> Result<Answer, Box<Diagnostic>>,
) -> Result<Answer, Box<Diagnostic>> {
    if let Ok(answer) = answered {
        told.tell(tier);
        return Ok(answer);
    }
    let code = if tier.is_native() { "native code" } else { "the array code" };
    told.tell(Tier::Stayed(format!("{code} ended in an error")));
    evaluated()
}

/// What an evaluator answers with what is left of so many steps, if these are enough.
fn within(
    steps: u64,
    spent: &mut u64,
    options: &Options,
    run: impl FnOnce(&Options) -> Result<Answer, Box<Diagnostic>>,
) -> Option<Result<Answer, Box<Diagnostic>>> {
    let left = steps.saturating_sub(*spent);
    if left == 0 {
        return None;
    }
    let exceeded = "the steps of this tier";
    let quota = Rc::new(Quota::new(Budget { steps: left, exceeded }));
    match run(&Options { quota: Some(quota.clone()), ..options.clone() }) {
        Err(fault) if fault.code == "E0719" => {
            // The next tier begins anew.
            options.limits.progress.iter().for_each(|progress| progress.tell(None));
            None
        }
        answered => {
            *spent = spent.saturating_add(quota.done());
            Some(answered)
        }
    }
}

/// Why the evaluator answers alone, if it does.
fn stays(program: &Program, work: Work<'_>) -> Option<&'static str> {
    if tells(program, work.def()) {
        Some("it tells what it does, once")
    } else if wants_vetting(program, work.def(), work.mode()) {
        Some("it follows rules of the program's own")
    } else {
        None
    }
}

/// What the evaluator answers.
fn evaluate(image: &Image, work: Work<'_>, options: &Options) -> Result<Answer, Box<Diagnostic>> {
    match work {
        Work::Value(def) => {
            let value = Machine::new(image, trace_engine(), options.clone()).global(def)?;
            Ok(Answer { value, derivative: None, counts: Counts::default() })
        }
        Work::Function(function, argument, mode) => {
            run_in_machine(trace_engine(), image, function, argument.clone(), mode, options)
        }
    }
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

/// The code of what is run, or why there is none.
fn code(program: &Program, (def, asked): &Key, options: &Options) -> Made {
    match Compiled::within(program, *def, asked.clone(), options, LARGEST_YET) {
        Err(refused) => Made::Not(refused.title),
        Ok(code) if code.size() > LARGEST => {
            let why = format!("native code would have more than {LARGEST} statements");
            Made::Evaluated(code, why)
        }
        Ok(code) => Made::Lowered(code),
    }
}

/// The same code made native, or why it is not.
fn native(mut code: Compiled, options: &Options) -> Made {
    let why = match code.try_native(options) {
        Ok(()) => return Made::Native(code),
        Err(Failure::NoCompiler) => "there is no C compiler".to_owned(),
        Err(Failure::Unsupported(what)) => what,
        Err(Failure::Refused(_)) => "the C compiler failed".to_owned(),
        Err(Failure::Late) => "the C compiler took too long".to_owned(),
    };
    Made::Evaluated(code, why)
}

/// What the array code answers, native or not.
fn answer(code: &Compiled, work: Work<'_>, options: &Options) -> Result<Answer, Box<Diagnostic>> {
    match work {
        Work::Value(_) => {
            let (value, counts) = code.call(&[], options)?;
            Ok(Answer { value, derivative: None, counts })
        }
        Work::Function(_, argument, mode) => code.answer(argument.clone(), mode, options),
    }
}
