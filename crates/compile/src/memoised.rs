//! Memoised compilation: a program whose native code was made before runs no pass after lowering.
//!
//! ```text
//! lowered program --hash--> memo, empty         --opt, ad, opt--> code, and where its native code is to be kept
//! lowered program --hash--> memo of native code                   native code, and the outside of its program
//! ```
//!
//! Input: a program of the calculus, the definitions that are called from outside, a plan that makes code, and which
//! native code is wanted. Output: [`Memoised`]. Law: as [`Memo`] says. Where no native code is wanted, or a pass is left
//! out or watched, the code is whole.

use pullback_base::{Diagnostic, bug};
use pullback_codegen::{Fp, Level, Loaded, Memo};
use pullback_lambda::{DefId, Program};
use pullback_lower::Lowered;

use crate::path::{Plan, lowered, resolve};

/// The native code that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// For which machines it is.
    pub level: Level,
    /// What its numbers may differ in.
    pub fp: Fp,
    /// Whether it is made of what the roots reach alone, so that types and functions have other numbers.
    pub is_trimmed: bool,
}

/// Code, or the native code that was made of it before.
pub struct Memoised {
    /// The code; only its outside, where there is native code.
    pub lowered: Lowered,
    /// The native code, and how many statements it was made of.
    pub native: Option<(Loaded, usize)>,
    /// Where native code of this program is to be kept.
    pub memo: Option<Memo>,
}

/// The code of definitions by a plan, or the native code that was made of it before.
pub fn memoised(
    source: &Program,
    roots: &[DefId],
    plan: &mut Plan<'_>,
    wanted: Option<Wanted>,
) -> Result<Memoised, Box<Diagnostic>> {
    let Some(mut lowered) = lowered(source, roots, plan)? else {
        bug("compile", "a plan for code")
    };
    let memo = wanted.filter(|_| plan.is_usual()).and_then(|Wanted { level, fp, is_trimmed }| {
        let settings = (plan.max_tape, plan.most, plan.text_alone, is_trimmed);
        Memo::of(&lowered.program, &lowered.roots, settings, (level, fp))
    });
    if let Some(found) = memo.as_ref().and_then(Memo::find) {
        (lowered.program, lowered.roots) = (found.outside, found.roots);
        return Ok(Memoised { lowered, native: Some((found.loaded, found.size)), memo });
    }
    let code = std::mem::take(&mut lowered.program);
    lowered.program = resolve(code, &mut lowered.roots, plan)?;
    Ok(Memoised { lowered, native: None, memo })
}
