//! Code of one function that is yet to be compiled, by any thread.
//!
//! Input: a program without requests, a root of it, and where its native code is to be found again. Output: a [`Draft`],
//! and compiled a [`Callable`].

use std::sync::Arc;

use pullback_analysis::facts::Facts;
use pullback_base::Instant;
use pullback_ir::{FuncId, Program};

use crate::callable::{Callable, Signature};
use crate::compiler::Failure;
use crate::emit::{Code, Fp, Unit, emit_here};
use crate::level::Level;
use crate::load::{Library, Loaded};
use crate::memo::{Memo, Outside};

/// Code of one function that is yet to be compiled.
pub struct Draft {
    code: Code,
    level: Level,
    signature: Signature,
    threads: usize,
    /// Where it is kept once it is compiled, and what is kept beside it.
    memo: Option<(Memo, Outside)>,
}

impl std::fmt::Debug for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draft").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Draft {
    /// The code of a root. It is kept in the memo once it is compiled.
    pub fn new(
        program: &Program,
        root: FuncId,
        facts: &Facts,
        (level, fp, threads): (Level, Fp, usize),
        memo: Option<Memo>,
    ) -> Result<Self, Failure> {
        let roots = [root];
        let registers = level.registers();
        let unit = Unit { fp, registers, ..Unit::of(program, &roots, facts) };
        let code = emit_here(&[unit]).map_err(Failure::Unsupported)?;
        let signature = Signature::of(program, root);
        let memo = memo.map(|memo| (memo, Outside::of(program, &roots)));
        Ok(Self { code, level, signature, threads, memo })
    }

    /// Whether it has been compiled before, and what came of it is kept.
    pub fn is_kept(&self) -> bool {
        Library::is_kept(&self.code, self.level)
    }

    /// The same, compiled in the time until then if there is a limit.
    pub fn compile(self, until: Option<Instant>) -> Result<Arc<Callable>, Failure> {
        let Self { code, level, signature, threads, memo } = self;
        let loaded = Loaded::new(code, level, until)?;
        if let Some((memo, outside)) = memo {
            memo.keep(&loaded, outside);
        }
        Ok(Callable::with(loaded, signature, threads))
    }
}
