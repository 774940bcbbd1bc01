//! The list of passes, and what runs them.

use std::time::{Duration, Instant};

use pullback_base::bug;
use pullback_ir::{FuncId, Program, Stage, verify};

use crate::pass::{Pass, block_size};

/// All passes, in their order.
pub const PASSES: &[Pass] = &[
    crate::inline::PASS,
    crate::prune::PASS,
    crate::simplify::PASS,
    crate::sizes::PASS,
    crate::select::PASS,
    crate::cse::PASS,
    crate::dce::PASS,
    crate::hoist::PASS,
];

/// How often the list is run at most.
const ROUNDS: usize = 4;

/// What a run of the optimiser is to do.
#[derive(Default)]
pub struct Options<'o> {
    /// The names of passes that are left out.
    pub without: Vec<&'o str>,
    /// The name of the pass to stop after, when it runs for the first time.
    pub stop_after: Option<&'o str>,
    /// Whether the verifier runs after every pass.
    pub verify: bool,
    /// What is told of each step.
    pub observe: Option<&'o mut dyn FnMut(&Step)>,
}

/// What is told of one run of one pass.
#[derive(Debug)]
pub struct Step {
    /// The pass.
    pub pass: &'static Pass,
    /// In which run of the list, from 0.
    pub round: usize,
    /// How long it took.
    pub time: Duration,
    /// How many statements the program has then.
    pub size: usize,
    /// Whether it changed anything.
    pub changed: bool,
}

/// The pass of a name.
pub fn pass_named(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Runs the passes until none changes anything, a bounded number of times. The roots, which are called from
/// outside and keep their parameters and results, may have other numbers afterwards.
pub fn optimise(mut program: Program, roots: &mut [FuncId], options: &mut Options<'_>) -> Program {
    for round in 0..ROUNDS {
        let mut any_changed = false;
        for pass in PASSES.iter().filter(|pass| !options.without.contains(&pass.name)) {
            let start = Instant::now();
            let changed = (pass.run)(&mut program, roots);
            any_changed |= changed;
            if let Some(observe) = &mut options.observe {
                let (time, size) = (start.elapsed(), size(&program));
                observe(&Step { pass, round, time, size, changed });
            }
            if options.verify {
                check(&program, pass);
            }
            if options.stop_after == Some(pass.name) {
                return program;
            }
        }
        if !any_changed {
            break;
        }
    }
    program
}

fn check(program: &Program, pass: &Pass) {
    if let Err(breaches) = verify(program, Stage::default()) {
        let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
        bug("opt", format_args!("`{}` to keep the rules: {}", pass.name, breaches.join("\n")));
    }
}

/// How many statements a program has.
fn size(program: &Program) -> usize {
    program.funcs.iter().map(|func| block_size(&func.body)).sum()
}
