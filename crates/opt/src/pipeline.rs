//! The pipeline: the list of all passes, and what runs them, phase after phase.
//!
//! Input: a program, its roots, and options. Output: the optimised program; roots that were numbered anew have their
//! new numbers.
//! Invariants: *simplify* runs its passes in the order of the list until none changes anything. *Specialise* runs its
//! passes then, and with those before it until nothing changes. *Schedule* runs its passes once. Each loop of runs
//! has a limit, and passes that are marked so run once more at the end.

use std::hash::BuildHasher;
use std::time::Duration;

use pullback_base::{Instant, bug};
use pullback_ir::{FuncId, Program, Stage, verify};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::{Analyses, Changed};

/// All passes, in their order within each [`Phase`].
pub const PASSES: &[Pass] = &[
    crate::functions::small_routines::PASS,
    crate::functions::tail_calls_to_loops::PASS,
    crate::functions::inline::PASS,
    crate::functions::unroll_recursion::PASS,
    crate::functions::deforest::PASS,
    crate::functions::prune::PASS,
    crate::local::simplify::PASS,
    crate::local::expand_powers::PASS,
    crate::loops::while_to_for::PASS,
    crate::constants::propagate_sizes::PASS,
    crate::constants::interprocedural_sizes::PASS,
    crate::constants::interprocedural_constants::PASS,
    crate::constants::preconditions::PASS,
    crate::loops::unroll::PASS,
    crate::aggregates::unpack_sums::PASS,
    crate::aggregates::scalar_replacement::PASS,
    crate::accumulators::scalarise_accumulators::PASS,
    crate::local::if_conversion::PASS,
    crate::loops::reduce_from_identity::PASS,
    crate::loops::guarded_reductions::PASS,
    crate::local::merge_branches::PASS,
    crate::local::cse::PASS,
    crate::loops::congruent_states::PASS,
    crate::local::dce::PASS,
    crate::loops::hoist::PASS,
    crate::aggregates::hoist_field_loads::PASS,
    crate::loops::reductions::SUMS,
    crate::aggregates::forward_elements::PASS,
    crate::accumulators::interchange_loops::PASS,
    crate::accumulators::update_to_accumulate::PASS,
    crate::accumulators::scatter_to_gather::PASS,
    crate::accumulators::scatter_to_map::PASS,
    crate::accumulators::promote_accumulators::PASS,
    crate::aggregates::unbox::PASS,
    crate::local::drop_strong_zeros::PASS,
    crate::accumulators::elementwise_adds::PASS,
    crate::loops::fuse::PASS,
    crate::functions::fuse_recursive_sweeps::pass(fuse_recursive_sweeps),
    crate::functions::specialise_constructors::PASS,
    crate::functions::static_arguments::PASS,
    crate::loops::reductions::REDUCE,
    crate::memory::overwrite_log::PASS,
    crate::loops::fuse::FUSE_STATES,
    crate::accumulators::accumulator_init::PASS,
    crate::loops::distribute_products::PASS,
    crate::loops::dead_collects::PASS,
    crate::loops::skip_zero_directions::PASS,
    crate::loops::partition_loops::PASS,
    crate::memory::sink_updates::PASS,
    crate::accumulators::accumulate_to_update::PASS,
    crate::loops::distribute_loops::PASS,
    crate::loops::distribute_recurrences::PASS,
];

/// The pass that tries other passes of the list, in the order of the list.
fn fuse_recursive_sweeps(
    program: &mut Program,
    roots: &mut [FuncId],
    analyses: &mut Analyses,
) -> Changed {
    let tried: Vec<&Pass> = PASSES.iter().filter(|pass| pass.runs_in_trial).collect();
    crate::functions::fuse_recursive_sweeps::run(program, roots, analyses, &tried)
}

/// How often the passes of [`Phase::Simplify`] run at most, and how often again with those of [`Phase::Specialise`].
const ROUNDS: usize = 6;
const MORE: usize = 4;

/// What a run of the optimiser is to do.
#[derive(Default)]
pub struct Options<'o> {
    /// Whether derivatives will be taken of the code: passes of [`Scope::Derived`] and [`Phase::Schedule`] are left out.
    /// Loops with states would leave fewer ways to run a forward and a backward sweep in one.
    pub before_derivatives: bool,
    /// The names of passes that are left out.
    pub without: Vec<&'o str>,
    /// The name of the pass to stop after, when it runs for the first time.
    pub stop_after: Option<&'o str>,
    /// Whether the verifier runs after every pass.
    pub verify: bool,
    /// Called after each run of a pass.
    pub observe: Option<&'o mut dyn FnMut(&Step)>,
}

impl Options<'_> {
    fn leaves_out(&self, pass: &Pass) -> bool {
        let comes_later = pass.scope == Scope::Derived || pass.phase == Phase::Schedule;
        self.before_derivatives && comes_later || self.without.contains(&pass.name)
    }
}

/// A report of one run of one pass.
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

/// Runs the phases one after the other, each pass with the verifier behind it if that is asked for. The verifier always
/// looks at what comes out: code that breaks a rule would be compiled to code that gives wrong numbers. The roots, which are
/// called from outside and keep their parameters and results, may have other numbers afterwards. A pass that had nothing
/// to do does not run again before the program has changed.
pub fn optimise(program: Program, roots: &mut [FuncId], options: &mut Options<'_>) -> Program {
    let mut run = Run {
        program,
        roots,
        options,
        analyses: Analyses::default(),
        idle: FxHashMap::default(),
        seen: vec![],
        round: 0,
        has_stopped: false,
    };
    run.often(ROUNDS, |pass| pass.phase == Phase::Simplify);
    if run.all(|pass| pass.phase == Phase::Specialise) {
        run.often(MORE, |pass| pass.phase <= Phase::Specialise);
    }
    run.all(|pass| pass.phase == Phase::Schedule);
    run.all(|pass| pass.runs_last);
    if let Some(breaches) = breaches(&run.program) {
        let how = "`pullback dev --verify` names the pass that breaks them";
        bug("opt", format_args!("optimised code to keep the rules ({how}): {breaches}"));
    }
    run.program
}

struct Run<'r, 'o> {
    program: Program,
    roots: &'r mut [FuncId],
    options: &'r mut Options<'o>,
    /// What is known of the program.
    analyses: Analyses,
    /// The passes, by name, that had nothing to do when they last ran: in which version of the program.
    idle: FxHashMap<&'static str, u64>,
    /// The hashes of the functions as the last pass left them, if the verifier runs after every pass.
    seen: Vec<u64>,
    round: usize,
    has_stopped: bool,
}

impl Run<'_, '_> {
    /// Runs the passes that are meant until none changes anything, at most `most` times.
    fn often(&mut self, most: usize, is_meant: impl Fn(&Pass) -> bool) {
        let most = self.round + most;
        while self.round < most && self.all(&is_meant) {
            self.round += 1;
        }
    }

    /// Runs the passes that are meant once; whether any changed anything.
    fn all(&mut self, is_meant: impl Fn(&Pass) -> bool) -> bool {
        let mut any_changed = false;
        for pass in PASSES.iter().filter(|pass| is_meant(pass)) {
            let is_idle = self.idle.get(pass.name) == Some(&self.analyses.version());
            if self.has_stopped || is_idle || self.options.leaves_out(pass) {
                continue;
            }
            if self.options.verify && self.seen.is_empty() {
                self.seen = hashes(&self.program);
            }
            let start = Instant::now();
            let what = (pass.run)(&mut self.program, self.roots, &mut self.analyses);
            if what != Changed::Nothing {
                for func in self.program.funcs.ids() {
                    self.program.funcs[func].keep_preconditions();
                }
            }
            self.analyses.forget(&what);
            if what == Changed::Nothing {
                self.idle.insert(pass.name, self.analyses.version());
            }
            let changed = what.is_new();
            any_changed |= changed;
            if let Some(observe) = &mut self.options.observe {
                let (time, size) = (start.elapsed(), self.program.size());
                observe(&Step { pass, round: self.round, time, size, changed });
            }
            if self.options.verify {
                self.seen = check_changes(&self.program, pass, &self.seen, &what);
                if changed && let Some(breaches) = breaches(&self.program) {
                    let name = pass.name;
                    bug("opt", format_args!("`{name}` to keep the rules: {breaches}"));
                }
            }
            self.has_stopped = self.options.stop_after == Some(pass.name);
        }
        any_changed && !self.has_stopped
    }
}

/// The rules that a program breaks, in words, if it breaks any.
fn breaches(program: &Program) -> Option<String> {
    let breaches = verify(program, Stage::default()).err()?;
    Some(breaches.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// Whatever a pass does not own up to have changed is as it was: what is known of it is kept. The hashes of the functions
/// as they are now.
fn check_changes(program: &Program, pass: &Pass, before: &[u64], changed: &Changed) -> Vec<u64> {
    let after = hashes(program);
    let owned: &[FuncId] = match changed {
        Changed::Ids | Changed::All => return after,
        Changed::Nothing => &[],
        Changed::Bodies(funcs) => funcs,
    };
    let mut same = before.len() == after.len();
    for ((func, before), after) in program.funcs.ids().zip(before).zip(&after) {
        same &= before == after || owned.contains(&func);
    }
    if !same {
        bug("opt", format_args!("`{}` to say what it changes", pass.name));
    }
    after
}

/// A number for each function of a program that is another one, but for chance, if the function is.
fn hashes(program: &Program) -> Vec<u64> {
    program.funcs.iter().map(|func| FxBuildHasher.hash_one(func)).collect()
}
