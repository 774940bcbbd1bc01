//! Progress by sampling: how far the outermost loop is, read off the frames when somebody asks, so that loops need not
//! tell it.
//!
//! Input: the frames of calls that have not returned, and the registers. Output: which instructions end loops, and which
//! registers count them; `pullback_machine` finds the outermost.

use pullback_base::Stand;
use pullback_machine::{Loop, outermost};

use super::code::{CONST, Instr, KILL, Operand};
use super::core::{Core, Frame};
use super::value::Value;
use crate::program::FuncId;

impl Core<'_> {
    /// Reports how far the outermost loop is, if somebody asks.
    #[cold]
    #[inline(never)]
    pub fn tell_stand(&self, stack: &[Value], running: Frame) {
        self.frames.tell_stand(&self.meter, running, |frame| self.stand_in(stack, frame));
    }

    /// How far the outermost loop of a frame is.
    fn stand_in(&self, stack: &[Value], frame: Frame) -> Option<Stand> {
        let instrs = &self.image.codes[FuncId(frame.code)].instrs;
        let outermost = outermost(instrs, frame.pc.saturating_sub(1), end)?;
        outermost.stand(|operand: Operand| {
            let place = (operand & !(CONST | KILL)) as usize;
            let consts = &self.image.tables.consts;
            let is_const = operand & CONST != 0;
            let value = if is_const { consts.get(place) } else { stack.get(frame.base + place) };
            u64::try_from(value?.as_int()?).ok()
        })
    }
}

/// The loop that an instruction ends, and where its body begins.
fn end(instr: &Instr) -> Option<(Loop, u32)> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the ends of loops among all instructions")]
    match *instr {
        Instr::NextUp { i, n, to } => Some((Loop::Up { i, n }, to)),
        Instr::NextDown { i, n, to } => Some((Loop::Down { i, n }, to)),
        Instr::Again { i, to } => Some((Loop::While { i }, to)),
        _ => None,
    }
}
