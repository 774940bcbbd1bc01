//! Values of sum types become a tag and fields, as variables, where they are states of loops, results of branches, and
//! parameters and results of functions: then no step of a loop makes a box, an array in one is written in place, and
//! what reverse mode must save of it is what it would save of the array alone.
//!
//! Only those do that constructors make wherever they come from, and of which nothing but cases is wanted, so that none is
//! put together again in a loop.

mod choice;
mod split;

use pullback_ir::{FuncId, Program};

use self::choice::Choice;
use self::split::{NAME, Split};
use crate::pass::{Pass, Phase, Scope};

pub(crate) const PASS: Pass = Pass {
    name: NAME,
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "keeps values of sum types in loops, branches and calls as their tags and fields",
    law: "x = if c { yield C(a) } else { yield D(b) }; match x { C(y) => e, D(z) => f } = t, y, z = if c { yield true, \
          a, _ } else { yield false, _, b }; if t { e } else { f }; the same for states, parameters and results of \
          functions; nothing looks at _",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let choice = Choice::of(program, roots);
    choice.is_any() && Split::new(program, &choice).run()
}
