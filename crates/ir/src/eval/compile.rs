//! Bytecode generation with register allocation by liveness: from functions of the IR to bytecode.
//!
//! Input: a program. Output: an [`Image`] with the code of each function.
//!
//! Invariants. Every variable has a register while it lives, and others may have the register afterwards. A block's
//! code leaves nothing that is counted in a register whose variable is dead: the last use moves the value out, or an
//! instruction drops it.

mod blocks;
mod control;
mod emit;
mod ops;
mod prims;
mod strips;
mod terms;

use pullback_base::IdVec;

use super::code::{Image, Tables};
use super::tangent::Types;
use crate::program::Program;
use emit::{Emit, Interned};

impl<'p> Image<'p> {
    /// The bytecode of a program.
    pub fn new(program: &'p Program) -> Self {
        let mut tables = Tables::default();
        let mut interned = Interned::default();
        let codes: IdVec<_, _> = program
            .funcs
            .iter()
            .map(|func| Emit::code(program, func, &mut tables, &mut interned))
            .collect();
        Self { program, types: Types::new(program), codes, tables }
    }
}
