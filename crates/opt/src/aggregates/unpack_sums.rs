//! Unboxed sums: a value of a sum type becomes a tag and fields, across loops, branches and calls.
//!
//! ```text
//! v = for i < n with s = a {            t, v = for i < n with p = true, b = x {
//!   w = match s {                         q, c = if p {
//!     None => { … None() }                  …
//!     Some(b) => { … Some(c) }     =>       yield true, c
//!   }                                     } else { yield false, b }
//!   yield w                               yield q, c
//! }                                     }
//! ```
//!
//! Then no step of a loop makes a box, an array in one is written in place, and reverse mode saves what it would save
//! of the array alone.
//!
//! Law: all values keep their bits. A field that a constructor lacks is a placeholder at which nothing looks: the
//! field of the state before, if there is one, so that an array stays where it is. It applies to types with at most
//! eight constructors and eight fields that hold no value of their own type. Only those values are split that
//! constructors make wherever they come from, and of which nothing but cases is wanted; what a state begins with may
//! come from elsewhere, and what a loop ends with may be put together again.

mod choice;
mod split;

use pullback_ir::{FuncId, Program};

use self::choice::Choice;
use self::split::{NAME, Split};
use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: NAME,
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "keeps values of sum types in loops, branches and calls as their tags and fields",
    law: "x = if c { yield C(a) } else { yield D(b) }; match x { C(y) => e, D(z) => f } = t, y, z = if c { yield true, \
          a, _ } else { yield false, _, b }; if t { e } else { f }; the same for states, parameters and results of \
          functions; nothing looks at _",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let choice = Choice::of(program, &analyses.call_graph(program, roots));
    choice.is_some_and(|choice| Split::new(program, &choice).run()).into()
}
