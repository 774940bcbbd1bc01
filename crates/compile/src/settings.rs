//! Translation of the options of an evaluation: to limits and levels of native code, and to limits of the evaluator of
//! the array code.
//!
//! Input: [`Options`], or how an attempt at native code ended. Output: settings, or the error that is told. Without a C
//! compiler there is no error: the evaluator runs.

use std::time::Duration;

use pullback_base::{Diagnostic, Instant, Span};
use pullback_codegen::{Failure, Fp, Level, cannot_be_made};
use pullback_eval::{Limits, Options};
use pullback_prim::Fault;

/// The error for native code that could not be made. Without a C compiler there is none: the evaluator runs.
pub(crate) fn unless_refused(
    done: Result<(), Failure>,
    timeout: Option<Duration>,
) -> Result<(), Box<Diagnostic>> {
    match done {
        Ok(()) | Err(Failure::NoCompiler) => Ok(()),
        Err(Failure::Unsupported(what)) => {
            Err(Box::new(Fault::Unsupported { what }.diagnostic(Span::NONE)))
        }
        Err(Failure::Refused(told)) => Err(Box::new(cannot_be_made(told, "`--engine ir`"))),
        Err(Failure::Late) => {
            let seconds = timeout.unwrap_or_default().as_secs_f64();
            Err(Box::new(Fault::Time { seconds }.diagnostic(Span::NONE)))
        }
    }
}

/// When the time of a run is over.
pub(crate) fn deadline(options: &Options) -> Option<Instant> {
    let Limits { since, timeout, .. } = options.limits;
    since.and_then(|since| since.time.checked_add(timeout?))
}

/// What numbers of native code may differ in.
pub(crate) fn fp(options: &Options) -> Fp {
    if options.strict_fp { Fp::Strict } else { Fp::Fast }
}

/// For which machines native code is.
pub(crate) fn level(options: &Options) -> Level {
    if options.portable { Level::Portable } else { Level::Fast }
}
