//! Passes: from programs to programs of the calculus.
//!
//! A pass is a function, and a [`Pass`] says of it what it makes and which law it keeps. Who runs it hands
//! what comes out to [`Pass::verified`], which in tests and debug builds names the culprit of a broken
//! program.

use crate::Program;
use crate::verify::{Stage, verify};

/// What is known of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it makes of what.
    pub ty: &'static str,
    /// What stays the same, and what holds of the result.
    pub law: &'static str,
}

impl Pass {
    /// The bug that this pass has if the program that it made breaks a rule of the verifier or of the stage
    /// that it is made for. Only programs that ask for it are verified: see [`Program::verify_passes`].
    ///
    /// # Panics
    /// If the program is broken.
    pub fn verified(&self, program: &Program, stage: Stage<'_>) {
        if !program.verify_passes {
            return;
        }
        if let Err(problems) = verify(program, stage) {
            panic!("the pass `{}` made a broken program: {}", self.name, problems.join("; "));
        }
    }
}
