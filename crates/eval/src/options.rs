//! What an evaluation may take, and the conventions it keeps.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use pullback_base::{Budget, Progress, Since};

use super::watch::Watch;

/// Limits and conventions of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes that values, frames and tapes may take together.
    pub max_memory: usize,
    /// The most time an evaluation may take.
    pub timeout: Option<Duration>,
    /// From when the limits of time and memory count, if that is before the evaluation.
    pub since: Option<Since>,
    /// Strict domain: ties of followed Reals and primitives without a derivative are errors.
    pub strict_domain: bool,
    /// What is shown the primitives of an image made for it.
    pub watch: Option<Rc<Watch>>,
    /// The most steps, for engines that may need unreasonably many.
    pub budget: Option<Budget>,
    /// The most bytes that compiled code saves of a loop for reverse mode, before it gets checkpoints.
    pub max_tape: Option<usize>,
    /// What is told each line of `debug`.
    pub tell: fn(&str),
    /// Who is told how far the outermost loop is.
    pub progress: Option<Arc<Progress>>,
    /// Whether native code adds and rounds as the evaluator does, to the last bit.
    pub strict_fp: bool,
    /// Whether native code runs on every machine of this kind, and not on this one alone.
    pub portable: bool,
    /// The most threads that native code computes on.
    pub threads: usize,
}

impl Options {
    /// The same for an evaluation that comes before or after the one that is asked for: nobody hears what it tells,
    /// and how far it is.
    #[must_use]
    pub fn unheard(&self) -> Self {
        Self { tell: |_| {}, progress: None, ..self.clone() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_memory: 4 << 30,
            timeout: None,
            since: None,
            strict_domain: false,
            watch: None,
            budget: None,
            max_tape: None,
            tell: |_| {},
            progress: None,
            strict_fp: false,
            portable: false,
            threads: 1,
        }
    }
}
