//! The list of passes, and what runs them.

use std::time::{Duration, Instant};

use pullback_base::bug;
use pullback_ir::{FuncId, Program, Stage, verify};

use crate::pass::{Pass, block_size};

/// All passes, in their order: those that run until none changes anything, then with those of [`THEN`], then those of
/// [`LATE`].
pub const PASSES: &[Pass] = &[
    crate::tails::PASS,
    crate::inline::PASS,
    crate::unfold::PASS,
    crate::deforest::PASS,
    crate::prune::PASS,
    crate::simplify::PASS,
    crate::powers::PASS,
    crate::counts::PASS,
    crate::sizes::PASS,
    crate::fixed::PASS,
    crate::params::PASS,
    crate::unroll::PASS,
    crate::tags::PASS,
    crate::scalars::PASS,
    crate::cells::PASS,
    crate::select::PASS,
    crate::extremes::PASS,
    crate::addends::PASS,
    crate::branches::PASS,
    crate::cse::PASS,
    crate::twins::PASS,
    crate::dce::PASS,
    crate::hoist::PASS,
    crate::fields::PASS,
    crate::sums::SUMS,
    crate::elements::PASS,
    crate::outer::PASS,
    crate::shift::PASS,
    crate::collect::PASS,
    crate::states::PASS,
    crate::unbox::PASS,
    crate::present::PASS,
    crate::spread::PASS,
    crate::fuse::PASS,
    crate::sweeps::PASS,
    crate::variants::PASS,
    crate::alike::PASS,
    crate::sums::REDUCE,
    crate::undo::PASS,
    crate::fuse::FUSE_STATES,
    crate::unread::PASS,
    crate::sparse::PASS,
    crate::edges::PASS,
    crate::starts::PASS,
    crate::later::PASS,
    crate::added::PASS,
    crate::ahead::PASS,
];

/// The names of the passes that run once, after the others, since those would undo what they do or could do less
/// after them.
pub const LATE: &[&str] = &[
    crate::sums::REDUCE.name,
    crate::undo::PASS.name,
    crate::fuse::FUSE_STATES.name,
    crate::unread::PASS.name,
    crate::sparse::PASS.name,
    crate::edges::PASS.name,
    crate::starts::PASS.name,
    crate::later::PASS.name,
    crate::added::PASS.name,
    crate::ahead::PASS.name,
];

/// The names of the passes that begin when the others change nothing any more, and with which those go on then: what joins
/// the sweeps of a recursive function has no use for what they make.
pub const THEN: &[&str] = &[crate::variants::PASS.name, crate::alike::PASS.name];

/// The names of the passes that must not run before derivatives are made: one computes what is not chosen, one
/// compares with what no element is, and an element may tie with it, one makes of a power what has more to derive, and
/// two are for what only residuals are.
pub const DERIVED: &[&str] = &[
    crate::select::PASS.name,
    crate::extremes::PASS.name,
    crate::powers::PASS.name,
    crate::variants::PASS.name,
    crate::alike::PASS.name,
];

/// The names of the passes that run once more in the end.
const TIDY: &[&str] = &[crate::simplify::PASS.name, crate::cse::PASS.name, crate::dce::PASS.name];

/// How often the list is run at most, and how often again with [`THEN`].
const ROUNDS: usize = 6;
const MORE: usize = 4;

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

/// Runs the passes until none changes anything, a bounded number of times, then those of [`THEN`], with all again if these
/// changed anything, and then those of [`LATE`]. The roots,
/// which are called from outside and keep their parameters and results, may have other numbers afterwards.
pub fn optimise(program: Program, roots: &mut [FuncId], options: &mut Options<'_>) -> Program {
    let mut run = Run { program, roots, options, round: 0, has_stopped: false };
    run.often(ROUNDS, |pass| !LATE.contains(&pass.name) && !THEN.contains(&pass.name));
    if run.all(|pass| THEN.contains(&pass.name)) {
        run.often(MORE, |pass| !LATE.contains(&pass.name));
    }
    run.all(|pass| LATE.contains(&pass.name));
    run.all(|pass| TIDY.contains(&pass.name));
    run.program
}

struct Run<'r, 'o> {
    program: Program,
    roots: &'r mut [FuncId],
    options: &'r mut Options<'o>,
    round: usize,
    has_stopped: bool,
}

impl Run<'_, '_> {
    /// Runs some of the passes until none changes anything, so often at most.
    fn often(&mut self, most: usize, is_meant: impl Fn(&Pass) -> bool) {
        let most = self.round + most;
        while self.round < most && self.all(&is_meant) {
            self.round += 1;
        }
    }

    /// Runs some of the passes; whether any changed anything.
    fn all(&mut self, is_meant: impl Fn(&Pass) -> bool) -> bool {
        let mut any_changed = false;
        for pass in PASSES.iter().filter(|pass| is_meant(pass)) {
            if self.has_stopped || self.options.without.contains(&pass.name) {
                continue;
            }
            let start = Instant::now();
            let changed = (pass.run)(&mut self.program, self.roots);
            any_changed |= changed;
            if let Some(observe) = &mut self.options.observe {
                let (time, size) = (start.elapsed(), size(&self.program));
                observe(&Step { pass, round: self.round, time, size, changed });
            }
            if self.options.verify {
                check(&self.program, pass);
            }
            self.has_stopped = self.options.stop_after == Some(pass.name);
        }
        any_changed && !self.has_stopped
    }
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
