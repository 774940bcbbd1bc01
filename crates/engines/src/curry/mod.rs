//! The engines of *The Differentiable Curry*: `curry-list` and `curry-env`.
//!
//! Type:  `vjp : (S -> T) -> S -> (T, T' -> S')`, from rep-functions `a ~> b = a -> (b, T b -o T a)`;
//!        `jvp : (S -> T) -> (S, S') -> (T, T')`, from arrows `(a, T a) -> (b, T b)`.
//! Law:   a term is an arrow made of `id`, `curry`, `eval`, `prod`, `∘`, `const`, `proj` and generators
//!        (figure 1); each combinator composes rep-functions (figures 2, 3, 5). The laws of cartesian
//!        closed categories hold, for list tangents up to `[(x, 0)] ~ []` and
//!        `[(x, g), (x, h)] ~ [(x, g + h)]`.
//! Cost:  forward mode: a constant times the program in time, and its memory. Reverse mode of `curry-env`: a
//!        constant times the program, in time and memory. `curry-list` runs a function again for each call that flows back to
//!        it, and functions that captured functions as often as they are nested.
//! Limits: derivatives that are nested in another derivative multiply the size of the code where a pullback is
//!        not known before the run; the code is bounded. So are the steps of list tangents. Both bounds are told as such.
//! Needs: the primitive table; the shared elimination of derivatives inside programs.
//!
//! The combinators are composed while code is made, so that the output is ordinary, well-typed code of
//! the calculus: `T` of a function is a sum type, for lists (figure 6) as for packages of environments
//! (Definition 5.2), whose tag is matched where the erased version casts.

mod arrays;
mod backward;
mod boundary;
mod closure;
mod code;
mod comb;
mod control;
mod cotangent;
mod erased;
mod forward;
mod print;
mod pull;
mod push;
mod push_control;
mod rep;
mod rules;
mod seen;
mod tan;
mod tangents;
mod transform;
mod translate;
mod types;
mod unfolding;

pub use code::{Package, Style};

pub use print::show_combinators;
pub use rep::rep_functions;
pub use seen::{Arrived, Call, Seen};
pub use tangents::function_tangents;
pub use transform::{BUDGET, jvp_env, jvp_erased, jvp_list, vjp_env, vjp_erased, vjp_list};

use pullback_engine::Stage;

const COMBINATORS: Stage =
    Stage::form("combinators", "the translation to categorical combinators", show_combinators);

const REP: &str = "the rep-functions of a definition and of what it calls, as they run";

const ERASED: &str =
    "the rep-functions with erased environments, each on its own, with the casts that open them";

/// The stages of `curry-list`.
pub const STAGES_LIST: &[Stage] = &[
    COMBINATORS,
    Stage::form("rep", REP, |program, def, _| rep::show(program, def, Style::List)),
    Stage::at_argument(
        "curry-list",
        "the lists of calls that flow back to functions at run time",
        |program, def, argument| tangents::show(program, def, argument, Style::List),
    ),
];

/// The stages of `curry-env`.
pub const STAGES_ENV: &[Stage] = &[
    COMBINATORS,
    Stage::form("rep", REP, |program, def, _| rep::show(program, def, Style::Env(Package::Tagged))),
    Stage::form("erased", ERASED, rep::show_rep_erased),
    Stage::at_argument(
        "curry-env",
        "the packages of environments that flow back to functions at run time",
        |program, def, argument| {
            tangents::show(program, def, argument, Style::Env(Package::Tagged))
        },
    ),
];

/// The stages of `curry-env` with erased environments.
pub const STAGES_ERASED: &[Stage] = &[Stage::form("rep", REP, |program, def, _| {
    rep::show(program, def, Style::Env(Package::Erased))
})];
