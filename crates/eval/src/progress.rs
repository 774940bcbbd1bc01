//! How far the outermost loop under way is: which instructions end loops, and which registers count them.

use pullback_base::Stand;
use pullback_machine::{Frame, Loop, outermost};

use super::code::{Instr, Reg};
use super::core::Core;
use super::value::Value;

impl Core<'_> {
    /// Tells the stand of the outermost loop, if somebody asks.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_stand(&self, stack: &[Value], running: Frame) {
        self.frames.tell_stand(&self.ctx.meter, running, |frame| self.stand_in(stack, frame));
    }

    /// The stand of the outermost loop of a frame.
    fn stand_in(&self, stack: &[Value], frame: Frame) -> Option<Stand> {
        let instrs = &self.image.codes[frame.code as usize].instrs;
        let outermost = outermost(instrs, frame.pc.saturating_sub(1), end)?;
        outermost.stand(|register: Reg| {
            let value = stack.get(frame.base + register as usize)?;
            u64::try_from(value.as_int()?).ok()
        })
    }
}

/// The loop that an instruction ends, and where its body begins.
fn end(instr: &Instr) -> Option<(Loop, u32)> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the ends of loops among all instructions")]
    match *instr {
        Instr::ForNext { i, n, to } => Some((Loop::Up { i, n }, to)),
        Instr::Again { i, to } => Some((Loop::While { i }, to)),
        _ => None,
    }
}
