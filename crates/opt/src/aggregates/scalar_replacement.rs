//! Scalar replacement of aggregates: a small array of known size becomes its elements, across calls, loops and
//! branches.
//!
//! ```text
//! s = for i < n with b = r {            p = r[0]
//!   x = b[0]                            q = r[1]
//!   y = b[1]                     =>     u, v = for i < n with x = p, y = q {
//!   c = [y, x]                            yield y, x
//!   yield c                             }
//! }                                     s = [u, v]
//! ```
//!
//! The pass writes `[x, y]` where the array was and reads its elements where it goes on; `simplify` and `dce` leave
//! what is above.
//!
//! Law: all values keep their bits. It applies to arrays of at most 16 numbers whose sizes are the same wherever they
//! come from, in parameters and results of functions, states of loops, and results of branches. An array of which
//! something else than an element at a constant place is wanted stays, so that none is put together again. Roots and
//! functions that requests name keep their parameters and results.

mod choice;
mod split;

use pullback_ir::{FuncId, Program};

use self::choice::Choice;
use self::split::Split;
use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "scalar_replacement",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "passes small arrays of known size, and keeps them in loops, as their elements",
    law: "f(x) = f'(x[0], x[1]) with f'(a, b) = f([a, b]), if every x has 2 elements; the same for states and results",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let constants = analyses.constants(program, roots);
    let choice = Choice::of(program, &analyses.call_graph(program, roots), &constants);
    (choice.is_any() && Split::new(program, &choice).run()).into()
}
