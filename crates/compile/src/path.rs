//! The pipeline of the compiler: from the calculus to code that runs, pass by pass.
//!
//! Input: a program of the calculus, the definitions that are called from outside, and a [`Plan`]. Output: code that
//! computes what they do, or nothing if the plan stops before there is any.
//!
//! ```text
//! specialise, lower, optimise, limit-tapes, { jvp, unzip, transpose, optimise }*, optimise
//! ```
//!
//! Law: each pass keeps what its own entry says ([`LOWER`], [`JVP`] and so on). Whoever watches is told of every pass
//! and stage. If the plan asks for it, the verifier runs after each pass, and what it finds is a bug of that pass. A
//! program that grows beyond [`Plan::most`] is refused instead of made.

use std::time::Duration;

use pullback_ad::{differentiate, limit_tapes};
use pullback_base::{Diagnostic, Instant, Span, bug};
use pullback_ir::{FuncId, Stage, verify};
use pullback_lambda::{DefId, Pass, Program};
use pullback_lower::{Lowered, lower};
use pullback_opt::{Options, optimise};
use pullback_prim::Fault;
use pullback_reduce::{SPECIALISE, specialise_all};

/// From the calculus to the IR.
pub const LOWER: Pass = Pass {
    name: "lower",
    ty: "(Program, definitions) -> (IR, functions)",
    law: "each function computes what its definition does, errors and their order included; structures are \
          several variables, functions are known or tagged environments, operators of differentiation are \
          requests",
};

/// Checkpoints where loops would save too much.
pub const LIMIT_TAPES: Pass = Pass {
    name: "limit-tapes",
    ty: "(IR, bytes) -> IR",
    law: "the code computes what it did; a loop that would save more for reverse mode, as it finds when it starts, \
          runs in segments that are checkpoints",
};

/// Forward mode on the IR.
pub const JVP: Pass = Pass {
    name: "jvp",
    ty: "(S -> T, which of S move) -> (S, T S) -> (T, T T)",
    law: "the first results are those of the function, the others its derivative applied to the tangents, \
          linear in them statement by statement; the only pass that reads partial derivatives",
};

/// A function with tangents falls into two.
pub const UNZIP: Pass = Pass {
    name: "unzip",
    ty: "(S, T S) -> (T, T T) to S -> (T, X) and (X, T S) -> T T",
    law: "both together are what came in, and the second is linear in the tangents; the only pass that \
          decides what is saved, linear in the operations executed",
};

/// A linear part is turned around.
pub const TRANSPOSE: Pass = Pass {
    name: "transpose",
    ty: "(X, T S) -> T T to (X, T T) -> T S",
    law: "⟨u, L v⟩ = ⟨Lᵀ u, v⟩, statement by statement",
};

/// How the pipeline runs: which passes, how far, and who watches.
#[derive(Default)]
pub struct Plan<'p> {
    /// The names of passes that are left out, of those that may be.
    pub without: Vec<&'p str>,
    /// The name of the pass to stop after.
    pub stop_after: Option<&'p str>,
    /// Whether no function has a routine: the code will run where there are none.
    pub text_alone: bool,
    /// Whether the verifier runs after every pass: what it finds is a bug of that pass.
    pub verifies: bool,
    /// The most bytes that a loop saves for reverse mode, before it gets checkpoints.
    pub max_tape: Option<usize>,
    /// The most statements that are optimised, and that derivatives have: a program with more is refused. Whoever
    /// could do without code does not wait for much of it.
    pub most: Option<usize>,
    /// Who is told of what happens.
    pub observe: Option<&'p mut dyn FnMut(Seen<'_>)>,
}

/// What a watcher of the pipeline is told.
pub enum Seen<'s> {
    /// A pass has run.
    Pass(Work),
    /// A stage is there, of the whole program.
    Stage(&'static str, Form<'s>),
}

/// What a pass did.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Its name.
    pub pass: &'static str,
    /// How often it ran.
    pub runs: usize,
    /// How long it took.
    pub time: Duration,
    /// How many terms or statements there are now; of a pass of differentiation, how many it made.
    pub size: usize,
}

/// A program at a stage of the pipeline.
pub enum Form<'s> {
    /// A program of the calculus.
    Calculus(&'s Program),
    /// A program of the IR, with the functions that are called from outside.
    Code(&'s pullback_ir::Program, &'s [FuncId]),
}

impl<'p> Plan<'p> {
    /// The whole path of a program, as it asks for.
    pub fn of(program: &'p Program) -> Self {
        let without = program.without_passes.iter().map(String::as_str).collect();
        Self { without, verifies: program.verify_passes, ..Self::default() }
    }
}

/// The names of the passes that may be left out, in their order.
pub fn optional_passes() -> impl Iterator<Item = &'static str> {
    let laws = pullback_opt::PASSES.iter().map(|pass| pass.name);
    std::iter::once(SPECIALISE.name).chain(laws)
}

impl Plan<'_> {
    fn tell(&mut self, seen: Seen<'_>) {
        if let Some(observe) = &mut self.observe {
            observe(seen);
        }
    }

    fn stops(&self, pass: &Pass) -> bool {
        self.stop_after == Some(pass.name)
    }

    /// Whether all passes run and nobody watches them, so that code that was made before will do.
    pub(crate) fn is_usual(&self) -> bool {
        let is_whole = self.without.is_empty() && self.stop_after.is_none();
        is_whole && !self.verifies && self.observe.is_none()
    }
}

/// Runs the pipeline from the calculus. There is no code if it is to stop before there is any.
pub fn compile(
    source: &Program,
    roots: &[DefId],
    plan: &mut Plan<'_>,
) -> Result<Option<Lowered>, Box<Diagnostic>> {
    let Some(mut lowered) = lowered(source, roots, plan)? else { return Ok(None) };
    if !plan.stops(&LOWER) {
        lowered.program = resolve(std::mem::take(&mut lowered.program), &mut lowered.roots, plan)?;
    }
    Ok(Some(lowered))
}

/// The head of the pipeline: code that may ask for derivatives, as [`resolve`] takes it.
pub(crate) fn lowered(
    source: &Program,
    roots: &[DefId],
    plan: &mut Plan<'_>,
) -> Result<Option<Lowered>, Box<Diagnostic>> {
    let start = Instant::now();
    let known;
    let source = if plan.without.contains(&SPECIALISE.name) {
        source
    } else {
        known = specialise_all(source, roots);
        &known
    };
    let (pass, time) = (SPECIALISE.name, start.elapsed());
    let size = source.defs.iter().map(|def| def.body.size()).sum();
    plan.tell(Seen::Pass(Work { pass, runs: 1, time, size }));
    plan.tell(Seen::Stage("lambda", Form::Calculus(source)));
    if plan.stops(&SPECIALISE) {
        return Ok(None);
    }
    let start = Instant::now();
    let mut lowered = lower(source, roots);
    if plan.text_alone {
        for func in lowered.program.funcs.ids() {
            lowered.program.funcs[func].routine = None;
        }
    }
    let (pass, time, size) = (LOWER.name, start.elapsed(), lowered.program.size());
    plan.tell(Seen::Pass(Work { pass, runs: 1, time, size }));
    plan.tell(Seen::Stage("ir", Form::Code(&lowered.program, &lowered.roots)));
    verified(&lowered.program, &LOWER, Stage::default(), plan.verifies);
    if let Some(most) = plan.most.filter(|most| size > *most) {
        let what = format!("code would be made of more than {most} statements");
        return Err(Box::new(Fault::Unsupported { what }.diagnostic(Span::NONE)));
    }
    Ok(Some(lowered))
}

/// Runs the pipeline from code that may ask for derivatives.
pub fn resolve(
    code: pullback_ir::Program,
    roots: &mut [FuncId],
    plan: &mut Plan<'_>,
) -> Result<pullback_ir::Program, Box<Diagnostic>> {
    let mut works = vec![];
    let mut code = optimised(code, roots, plan, &mut works, When::Before);
    if let Some(bytes) = plan.max_tape {
        // Loops can have checkpoints, recursion cannot.
        if pullback_opt::loop_tail_calls(&mut code, &plan.without) {
            code = optimised(code, roots, plan, &mut works, When::Before);
        }
        limit_tapes(&mut code, roots, bytes);
        verified(&code, &LIMIT_TAPES, Stage::default(), plan.verifies);
    }
    let most = plan.most;
    let mut between = |code: pullback_ir::Program, roots: &mut [FuncId]| {
        optimised(code, roots, plan, &mut works, When::Before)
    };
    let (mut code, tally) = differentiate(code, roots, most, &mut between)?;
    let [_, _, transposed] = &tally.works;
    if transposed.runs == 0 {
        // Nothing runs again, so that nothing is to stay apart.
        for func in code.funcs.ids() {
            code.funcs[func].is_checkpoint = false;
        }
    }
    let resolved = Stage { resolved: true, ..Stage::default() };
    for (pass, work) in [JVP, UNZIP, TRANSPOSE].iter().zip(tally.works) {
        let pullback_ad::Work { runs, time, size } = work;
        plan.tell(Seen::Pass(Work { pass: pass.name, runs, time, size }));
    }
    plan.tell(Seen::Stage("ad", Form::Code(&code, roots)));
    verified(&code, &TRANSPOSE, resolved, plan.verifies);
    if plan.stops(&TRANSPOSE) {
        return Ok(code);
    }
    let code = optimised(code, roots, plan, &mut works, When::After);
    for work in works {
        plan.tell(Seen::Pass(work));
    }
    plan.tell(Seen::Stage("opt", Form::Code(&code, roots)));
    Ok(code)
}

/// When the optimiser runs: before derivatives are made, or after that.
#[derive(Clone, Copy)]
enum When {
    Before,
    After,
}

/// The optimiser. What each pass did is added up.
fn optimised(
    code: pullback_ir::Program,
    roots: &mut [FuncId],
    plan: &Plan<'_>,
    works: &mut Vec<Work>,
    when: When,
) -> pullback_ir::Program {
    let mut observe = |step: &pullback_opt::Step| {
        let (pass, time, size) = (step.pass.name, step.time, step.size);
        match works.iter_mut().find(|work| work.pass == pass) {
            Some(work) => {
                work.runs += 1;
                work.time += time;
                work.size = size;
            }
            None => works.push(Work { pass, runs: 1, time, size }),
        }
    };
    let (without, verify) = (plan.without.clone(), plan.verifies);
    let before_derivatives = matches!(when, When::Before);
    let stop_after = if before_derivatives { None } else { plan.stop_after };
    let observe = Some(&mut observe as &mut dyn FnMut(&pullback_opt::Step));
    optimise(code, roots, &mut Options { before_derivatives, without, stop_after, verify, observe })
}

/// Code as it is before derivatives are made of it.
pub fn simplified(
    code: pullback_ir::Program,
    roots: &mut [FuncId],
    plan: &Plan<'_>,
) -> pullback_ir::Program {
    optimised(code, roots, plan, &mut vec![], When::Before)
}

/// Code in which no derivative is asked for, as it is in the end.
pub fn finished(
    code: pullback_ir::Program,
    roots: &mut [FuncId],
    plan: &Plan<'_>,
) -> pullback_ir::Program {
    optimised(code, roots, plan, &mut vec![], When::After)
}

/// Stops if a pass broke a rule of the IR.
pub(crate) fn verified(code: &pullback_ir::Program, pass: &Pass, stage: Stage, verifies: bool) {
    if verifies && let Err(breaches) = verify(code, stage) {
        let texts: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        bug(pass.name, format_args!("code that keeps the rules of the IR: {}", texts.join("; ")));
    }
}
