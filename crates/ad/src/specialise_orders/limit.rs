//! How far functions are told apart, and what the compiler says of a program that goes further.
//!
//! ```text
//! d (d (d … f)), told apart to the near reach, then to the far one      =>      copies, or E0717 with the limit
//! ```
//!
//! Input: the limits that a program has reached. Output: the diagnostic (E0717) that names them.
//! Invariants: there are two reaches. The far one is tried only if the near one is not enough, so that most programs
//! get few copies.

use std::collections::BTreeSet;

use pullback_base::{Diagnostic, Span};
use pullback_ir::Func;

/// How many functions specialisation may add.
pub(super) const FUNCTIONS: usize = 5_000;

/// How far forms are told apart.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// How many constructors inside each other.
    pub height: usize,
    /// How many numbers as one argument of a function.
    pub literals: usize,
    /// How many iterations of a loop are written out.
    pub iterations: i64,
}

/// A near reach, and a far one for what goes further: programs that the near one is enough for have fewer functions.
pub(super) const REACHES: [Reach; 2] = [
    Reach { height: 32, literals: 64, iterations: 32 },
    Reach { height: 256, literals: 512, iterations: 256 },
];

/// A limit of specialisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// The depth of functions, and other data, that hold each other.
    Height,
    /// The numbers that one argument of a function may be.
    Literals,
    /// The iterations of a loop, with the count that the text says.
    Iterations(i64),
    /// The number of copies.
    Functions,
}

/// The limits that a program has reached.
pub(super) type Limits = BTreeSet<Limit>;

impl Limit {
    fn note(self, reach: &Reach) -> String {
        let Reach { height, literals, iterations } = reach;
        match self {
            Self::Height => format!(
                "functions that hold functions are told apart to a depth of {height}, and here they are deeper"
            ),
            Self::Literals => format!(
                "a function is told apart for {literals} numbers as one of its arguments, and here there are more"
            ),
            Self::Iterations(count) => format!(
                "loops that make functions are told apart step by step to {iterations} steps, and here one has {count}"
            ),
            Self::Functions => format!(
                "of all functions together there are {FUNCTIONS} copies at most for what they are given, and here \
                 there are more"
            ),
        }
    }
}

/// The diagnostic for a request that still leads to itself, with the limits that were reached.
pub(super) fn refusal(func: &Func, span: Span, limits: &Limits, reach: &Reach) -> Diagnostic {
    let title = format!(
        "the engine `ir` sees no bound for derivatives inside each other in `{}`",
        func.name
    );
    let problem = Diagnostic::error("E0717", span, title, "this derivative leads to itself again")
        .note(
            "the compiler makes every derivative before the program runs, and does not see then how many are inside \
             each other",
        );
    let problem = limits.iter().fold(problem, |problem, limit| problem.note(limit.note(reach)));
    problem.hint("use `--engine trace`, which takes derivatives while the program runs")
}
