//! Arrays of a few numbers, of a size that is known, become those numbers where they are parameters and results of
//! functions, states of loops, and results of branches: what is done with them then needs no memory.
//!
//! Only those do of which nothing but elements at known places is wanted, so that none is put together again.

mod choice;
mod split;

use pullback_ir::{FuncId, Program};

use self::choice::Choice;
use self::split::Split;
use crate::constants::interprocedural_sizes::sizes::Sizes;
use crate::pass::{Pass, Phase, Scope};

pub(crate) const PASS: Pass = Pass {
    name: "scalar_replacement",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "passes small arrays of known size, and keeps them in loops, as their elements",
    law: "f(x) = f'(x[0], x[1]) with f'(a, b) = f([a, b]), if every x has 2 elements; the same for states and results",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let sizes = Sizes::of(program, roots);
    let choice = Choice::of(program, roots, &sizes);
    choice.is_any() && Split::new(program, &choice).run()
}
