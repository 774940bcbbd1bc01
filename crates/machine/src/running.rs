//! The running frame: the code that a machine is in, and where.

use super::frames::Frame;

/// The bytecode of a function.
pub trait Body {
    /// Its instructions.
    type Instr;

    /// All of them.
    fn instrs(&self) -> &[Self::Instr];
    /// How many registers it has.
    fn registers(&self) -> u32;
}

/// The running frame.
#[derive(Debug)]
pub struct Running<'i, C: Body> {
    /// The number of the code.
    pub id: u32,
    /// The code.
    pub code: &'i C,
    /// Its instructions.
    pub instrs: &'i [C::Instr],
    /// The next instruction.
    pub pc: usize,
    /// Where its registers start in the stack.
    pub base: usize,
}

impl<'i, C: Body> Running<'i, C> {
    /// A code from an instruction on.
    #[inline(always)]
    pub fn of(code: &'i C, id: u32, pc: usize, base: usize) -> Self {
        Self { id, code, instrs: code.instrs(), pc, base }
    }

    /// One past its last register.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.base + self.code.registers() as usize
    }

    /// The frame to go on with when the results of a call are there.
    #[inline(always)]
    pub fn frame<R>(&self, results: R) -> Frame<R> {
        Frame { code: self.id, pc: self.pc as u32, results, base: self.base }
    }
}
