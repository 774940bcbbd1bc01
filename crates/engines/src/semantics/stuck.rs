//! Why an evaluation gives no value.

use super::term::Fun;

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// More than a bounded number of steps.
    Steps,
    /// Calls and parts of terms that nest too deeply.
    Depth,
    /// A trace or a derivative that is too large.
    Trace,
    /// A `letrec_n` whose calls nest deeper than n.
    Fuel(Fun),
    /// A term that does not type check: a bug of whoever made it.
    Untyped,
}
