//! How far the outermost loop under way is: read off the frames when somebody asks, so that loops need not tell it.
//!
//! Input: the frames of calls under way, and the registers. Output: the iterations done of the outermost loop, and how
//! many there are if the loop has a count.

use pullback_base::{Counted, Stand};

use super::code::{Code, Instr, Reg};
use super::core::{CONSTANT, Core, Frame};
use super::value::Value;

/// How many calls under way are searched for a loop.
const MOST_FRAMES: usize = 64;

impl Core<'_> {
    /// Tells the stand of the outermost loop, if somebody asks. The next instruction of every frame is the one after
    /// that under way.
    #[cold]
    pub(super) fn tell_stand(&self, stack: &[Value], running: Frame) {
        let Some(progress) = self.ctx.options.progress.as_ref().filter(|it| it.is_asked()) else {
            return;
        };
        let frames = self.frames.iter().copied().chain(std::iter::once(running));
        let mut of_code = frames.filter(|frame| frame.code < CONSTANT).take(MOST_FRAMES);
        let stand = of_code.find_map(|frame| self.stand_in(stack, frame));
        progress.tell(stand);
    }

    /// The stand of the outermost loop of a frame.
    fn stand_in(&self, stack: &[Value], frame: Frame) -> Option<Stand> {
        let code = &self.image.codes[frame.code as usize];
        let (i, n) = outermost(code, frame.pc.saturating_sub(1))?;
        let number = |register: Reg| match stack.get(frame.base + register as usize) {
            Some(Value::Int(n)) => u64::try_from(*n).ok(),
            Some(_) | None => None,
        };
        let all = match n {
            Some(n) => Some(number(n)?),
            None => None,
        };
        Some(Stand { counted: Counted::Iterations, done: number(i)?, all })
    }
}

/// The registers that count the iterations of the outermost loop around an instruction, and that hold how many there
/// are. Loops lie inside each other or apart, so it is the one that ends last.
fn outermost(code: &Code, at: u32) -> Option<(Reg, Option<Reg>)> {
    code.instrs.get(at as usize..)?.iter().rev().find_map(|instr| {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the ends of loops among all instructions"
        )]
        match instr {
            Instr::ForNext { i, n, to } if *to <= at => Some((*i, Some(*n))),
            Instr::Again { i, to } if *to <= at => Some((*i, None)),
            _ => None,
        }
    })
}
