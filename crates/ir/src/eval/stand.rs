//! Progress by sampling: how far the outermost loop is, read off the frames when somebody asks, so that loops need not
//! tell it.
//!
//! Input: the frames of calls that have not returned, and the registers. Output: the iterations done of the outermost
//! loop, and how many there are if the loop has a count.

use pullback_base::{Counted, Stand};

use super::code::{CONST, Code, Instr, KILL, Operand, Reg};
use super::core::{CONSTANT, Core, Frame};
use super::value::Value;
use crate::program::FuncId;

/// How many calls that have not returned are searched for a loop, the outermost first.
const MOST_FRAMES: usize = 64;

/// How the outermost loop around an instruction counts.
enum Loop {
    /// Up to a count.
    Up(Reg, Operand),
    /// Down from it.
    Down(Reg, Operand),
    /// Until something holds.
    While(Reg),
}

impl Core<'_> {
    /// Reports how far the outermost loop is, if somebody asks. The next instruction of every frame is the one after
    /// that under way.
    #[cold]
    pub fn tell_stand(&self, stack: &[Value], running: Frame) {
        let Some(progress) = self.meter.limits.progress.as_ref().filter(|it| it.is_asked()) else {
            return;
        };
        let frames = self.frames.iter().copied().chain(std::iter::once(running));
        let mut of_code = frames.filter(|frame| frame.code < CONSTANT).take(MOST_FRAMES);
        progress.tell(of_code.find_map(|frame| self.stand_in(stack, frame)));
    }

    /// How far the outermost loop of a frame is.
    fn stand_in(&self, stack: &[Value], frame: Frame) -> Option<Stand> {
        let code = &self.image.codes[FuncId(frame.code)];
        let number = |operand: Operand| {
            let place = (operand & !(CONST | KILL)) as usize;
            let consts = &self.image.tables.consts;
            let is_const = operand & CONST != 0;
            let value = if is_const { consts.get(place) } else { stack.get(frame.base + place) };
            match value {
                Some(Value::Int(n)) => u64::try_from(*n).ok(),
                Some(_) | None => None,
            }
        };
        Some(match outermost(code, frame.pc.saturating_sub(1))? {
            Loop::Up(i, n) => {
                Stand { counted: Counted::Iterations, done: number(i)?, all: Some(number(n)?) }
            }
            Loop::Down(i, n) => {
                let all = number(n)?;
                let done = all.saturating_sub(1).saturating_sub(number(i)?);
                Stand { counted: Counted::Backward, done, all: Some(all) }
            }
            Loop::While(i) => Stand { counted: Counted::Iterations, done: number(i)?, all: None },
        })
    }
}

/// The outermost loop around an instruction. Loops lie inside each other or apart, so it is the one that ends last.
fn outermost(code: &Code, at: u32) -> Option<Loop> {
    code.instrs.get(at as usize..)?.iter().rev().find_map(|instr| {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the ends of loops among all instructions"
        )]
        match instr {
            Instr::NextUp { i, n, to } if *to <= at => Some(Loop::Up(*i, *n)),
            Instr::NextDown { i, to } if *to <= at => match code.instrs[*to as usize - 1] {
                Instr::ForDown { n, .. } => Some(Loop::Down(*i, n)),
                _ => None,
            },
            Instr::Again { i, to } if *to <= at => Some(Loop::While(*i)),
            _ => None,
        }
    })
}
