//! Strip mining (Wolfe 1996, §9.3): which loops run strips of iterations at once, each instruction for all iterations of a
//! strip before the next.
//!
//! Input: the code of a loop that counts. Output: a [`Strip`], if its iterations do not wait for each other.
//!
//! ```text
//! [ dot row x | x <- xs ]    for a strip of 256 of the xs: the products of the first elements, and of the second, …
//! ```
//!
//! Law: each iteration computes what it computes alone, in the same order, and what it hands on goes from one to the next
//! in their order. So all bits are the same. What can fail is no obstacle: a strip in which something fails is run
//! again, one iteration after the other.
//!
//! The states of the loop are numbers, and one instruction reads and writes each, such as the addition of a sum. What the
//! loop collects are numbers. Inside there are numbers, elements and parts of arrays from outside, branches, additions to
//! accumulators, and loops that collect nothing.

use pullback_prim::RealFn;

use super::emit::Emit;
use super::terms::terms;
use crate::eval::code::{CONST, Code, Instr, KILL, Operand, Reg, Strip, Tables};
use crate::program::{Loop, VarId};
use crate::ty::{Elem, Type};

impl Emit<'_, '_> {
    /// Lets a loop run in strips, if it can. It begins with the given instruction and ends with the last.
    pub fn strip(&mut self, start: usize, looped: &Loop, collected: &[VarId]) {
        let is_number = |var: &VarId| {
            let ty = self.program.vars[*var].ty;
            ty.rank == 1 && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool)
        };
        let adds_up =
            |state: &VarId| matches!(self.program.vars[*state].ty, Type::REAL | Type::INT);
        if !collected.iter().all(is_number) || !looped.states.iter().all(adds_up) {
            return;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "how a loop begins")]
        let (index, count, is_down) = match self.code.instrs[start] {
            Instr::ForUp { i, n, .. } => (i, n, false),
            Instr::ForDown { i, n, .. } => (i, n, true),
            other => pullback_base::bug("ir", format_args!("a loop that counts, not {other:?}")),
        };
        let states = looped.states.iter().map(|state| self.reg(*state)).collect();
        let (body, end) = (start + 1, self.code.instrs.len());
        let mut reader = Reader::new(index, states);
        if reader.reads(&self.code, self.tables, body..end - 1).is_none() {
            return;
        }
        let Reader { inputs, states, .. } = reader;
        let terms = terms(&self.code, body..end - 1, &states);
        let (body, end) = (body as u32, end as u32);
        self.code.instrs[start] = Instr::ForStrip { strip: self.tables.strips.len() as u32 };
        let strip = Strip { index, count, is_down, body, end, inputs, states, terms };
        self.tables.strips.push(strip);
    }
}

/// What the instructions of a body do with registers, as far as they have been read.
struct Reader {
    index: Reg,
    states: Vec<Reg>,
    /// Registers that have been read first.
    inputs: Vec<Reg>,
    /// Registers that have been written first: what is in them is of one iteration.
    own: Vec<Reg>,
    /// States whose instruction has come.
    met: Vec<Reg>,
    /// Where the loops and branches around the next instruction end.
    open_until: usize,
    /// Whether the loop has begun to collect, which it does at its end.
    is_ending: bool,
}

impl Reader {
    fn new(index: Reg, states: Vec<Reg>) -> Self {
        let (inputs, own, met) = (vec![], vec![index], vec![]);
        Self { index, states, inputs, own, met, open_until: 0, is_ending: false }
    }

    /// Reads a body; nothing if something in it cannot be done for many iterations at once.
    fn reads(&mut self, code: &Code, tables: &Tables, body: std::ops::Range<usize>) -> Option<()> {
        for pc in body.clone() {
            let instr = code.instrs[pc];
            let Access { reads, writes, opens } = access(instr, code, &tables.strips)?;
            if self.is_ending && !matches!(instr, Instr::Push { .. }) {
                return None;
            }
            if let Some(to) = opens {
                // What jumps out of the body, or ahead of what it has opened, is no loop or branch inside it.
                self.open_until = self.open_until.max(to as usize);
                if self.open_until > body.end {
                    return None;
                }
            }
            let is_inside = pc < self.open_until;
            let carried = writes.filter(|d| self.states.contains(d));
            if let Some(state) = carried {
                let times = reads.iter().filter(|a| **a == state).count();
                if is_inside || self.met.contains(&state) || times != 1 || !carries(instr, tables) {
                    return None;
                }
                self.met.push(state);
            }
            for a in reads.into_iter().filter(|a| *a & CONST == 0 && Some(*a) != carried) {
                self.read(a)?;
            }
            if let Instr::Push { .. } = instr {
                self.is_ending = true;
                if is_inside {
                    return None;
                }
            }
            if let Some(d) = writes.filter(|d| Some(*d) != carried) {
                if self.inputs.contains(&d) || d == self.index {
                    return None;
                }
                if !self.own.contains(&d) {
                    self.own.push(d);
                }
            }
        }
        (self.met.len() == self.states.len()).then_some(())
    }

    fn read(&mut self, a: Operand) -> Option<()> {
        let reg = a & !KILL;
        if self.states.contains(&reg) {
            return None;
        }
        if self.own.contains(&reg) || self.inputs.contains(&reg) {
            return Some(());
        }
        self.inputs.push(reg);
        // What is outside is there for the next iteration too.
        (a & KILL == 0).then_some(())
    }
}

/// Whether an instruction can hand a number from one iteration to the next: an operation on two Reals, or a sum or
/// difference of Ints.
fn carries(instr: Instr, tables: &Tables) -> bool {
    if let Instr::Prim { prim, .. } = instr {
        let smooth = tables.prims[prim as usize].row().smooth();
        return smooth.is_some_and(|smooth| matches!(smooth.value, RealFn::Real2(_)));
    }
    matches!(
        instr,
        Instr::IntAdd { .. }
            | Instr::IntSub { .. }
            | Instr::RealAdd { .. }
            | Instr::RealSub { .. }
            | Instr::RealMul { .. }
            | Instr::RealDiv { .. }
    )
}

/// What an instruction does with registers.
struct Access {
    reads: Vec<Operand>,
    writes: Option<Reg>,
    /// Where the loop or branch that it begins ends.
    opens: Option<u32>,
}

/// What an instruction reads and writes; nothing of one that works on one iteration alone.
#[expect(clippy::wildcard_enum_match_arm, reason = "instructions on numbers and their places")]
fn access(instr: Instr, code: &Code, strips: &[Strip]) -> Option<Access> {
    let (reads, writes, opens): (Vec<Operand>, Option<Reg>, Option<u32>) = match instr {
        Instr::Move { d, a }
        | Instr::RealNeg { d, a }
        | Instr::Real1 { d, a, .. }
        | Instr::Not { d, a }
        | Instr::ToReal { d, a }
        | Instr::Dim { d, a, .. }
        | Instr::Sum { d, a } => (vec![a], Some(d), None),
        Instr::RealAdd { d, a, b }
        | Instr::RealSub { d, a, b }
        | Instr::RealMul { d, a, b }
        | Instr::RealDiv { d, a, b }
        | Instr::MulZero { d, a, b }
        | Instr::RealLt { d, a, b }
        | Instr::RealLe { d, a, b }
        | Instr::RealGt { d, a, b }
        | Instr::RealGe { d, a, b }
        | Instr::RealEq { d, a, b }
        | Instr::RealNe { d, a, b }
        | Instr::IntAdd { d, a, b }
        | Instr::IntSub { d, a, b }
        | Instr::IntMul { d, a, b }
        | Instr::IntDiv { d, a, b }
        | Instr::IntRem { d, a, b }
        | Instr::IntLt { d, a, b }
        | Instr::IntLe { d, a, b }
        | Instr::IntGt { d, a, b }
        | Instr::IntGe { d, a, b }
        | Instr::IntEq { d, a, b }
        | Instr::IntNe { d, a, b } => (vec![a, b], Some(d), None),
        Instr::Index1 { d, a, i } => (vec![a, i], Some(d), None),
        Instr::Index2 { d, a, i, j } => (vec![a, i, j], Some(d), None),
        Instr::Index { d, a, at } => ([&[a], code.list(at)].concat(), Some(d), None),
        Instr::Select { d, c, a, b } => (vec![c, a, b], Some(d), None),
        Instr::Prim { d, args, .. } => (code.list(args).to_vec(), Some(d), None),
        Instr::Drop { a } | Instr::Push { a, .. } => (vec![a], None, None),
        Instr::CheckSize { a, n, .. } | Instr::CheckEqual { a, n, .. } => (vec![a, n], None, None),
        Instr::CheckCount { n } => (vec![n], None, None),
        Instr::AddAcc { a, at, v, .. } => ([&[a, v], code.list(at)].concat(), None, None),
        Instr::Jump { to } => (vec![], None, Some(to)),
        Instr::JumpUnless { a, to } => (vec![a], None, Some(to)),
        Instr::ForUp { i, n, to } | Instr::ForDown { i, n, to } => (vec![n], Some(i), Some(to)),
        Instr::ForStrip { strip } => {
            let Strip { index, count, end, .. } = strips[strip as usize];
            (vec![count], Some(index), Some(end))
        }
        Instr::NextUp { i, n, .. } | Instr::NextDown { i, n, .. } => (vec![i, n], None, None),
        _ => return None,
    };
    Some(Access { reads, writes, opens })
}
