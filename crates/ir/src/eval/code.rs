//! Register bytecode: the instructions that functions are compiled to, and the image that a machine runs.
//!
//! Input: none. Output: types. An operand is a number: a register, a constant (marked [`CONST`]), or a register that is
//! moved out of (marked [`KILL`]). Instructions with many operands name a list of their code.
//!
//! ```text
//! IR        y.2: []f64 = x.1 with [i.0] = 1.0        the last use of x.1
//! bytecode  Update { d: 2, a: 1 | KILL, at: [0], v: 0 | CONST }
//! ```

use pullback_base::{IdVec, Name, Span};
use pullback_prim::{Prim, Routine};

use super::tangent::Types;
use super::value::{Kind, Value};
use crate::program::{FuncId, Program, Role};
use crate::ty::Type;

/// A register of the running function.
pub(super) type Reg = u32;

/// A register to read, or a constant of the image; the marks are below.
pub(super) type Operand = u32;

/// The operand is a constant.
pub(super) const CONST: Operand = 1 << 31;

/// The value is moved out of the register: nothing reads it afterwards.
pub(super) const KILL: Operand = 1 << 30;

/// In a list of registers to write: nowhere.
pub(super) const NOWHERE: Reg = u32::MAX;

/// Where a list of operands or registers starts among the lists of its code: with its length.
pub(super) type ListId = u32;

/// A program as the machine runs it.
pub struct Image<'p> {
    pub(super) program: &'p Program,
    pub(super) types: Types<'p>,
    pub(super) codes: IdVec<FuncId, Code>,
    pub(super) tables: Tables,
}

/// What instructions refer to by number.
#[derive(Default)]
pub(super) struct Tables {
    pub consts: Vec<Value>,
    pub prims: Vec<Prim>,
    pub functions: Vec<Function>,
    pub types: Vec<Type>,
    pub strips: Vec<Strip>,
}

/// A loop of which many iterations run at once.
pub(super) struct Strip {
    pub index: Reg,
    pub count: Operand,
    pub is_down: bool,
    /// The first instruction of its body.
    pub body: u32,
    /// The one behind its last.
    pub end: u32,
    /// The registers that it reads and does not write.
    pub inputs: Vec<Reg>,
    /// Its states: numbers, each of which one instruction reads and writes.
    pub states: Vec<Reg>,
    /// What it adds to each state, if it does nothing but add up elements and products of two.
    pub terms: Option<Vec<Term>>,
}

/// What is added to a state: an element of an array, or a product of two.
#[derive(Debug)]
pub(super) struct Term {
    pub state: Reg,
    pub factor: Element,
    /// The other factor, and whether the product is 0 where the first is.
    pub other: Option<(Element, bool)>,
}

/// An element of an array.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub array: Operand,
    pub at: Vec<Operand>,
}

/// A primitive of one Real.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub prim: Prim,
    pub value: fn(f64) -> f64,
    /// By how much its weight exceeds one.
    pub surcharge: u64,
}

/// A function.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub name: Name,
    pub registers: u32,
    pub is_constant: bool,
    pub instrs: Vec<Instr>,
    /// The place of each instruction in the source.
    pub spans: Vec<Span>,
    pub lists: Vec<u32>,
    pub switches: Vec<Switch>,
}

impl Code {
    /// A list.
    #[inline(always)]
    pub fn list(&self, list: ListId) -> &[u32] {
        let first = list as usize + 1;
        &self.lists[first..first + self.lists[list as usize] as usize]
    }
}

/// Where to go on, by tag.
#[derive(Debug)]
pub(super) struct Switch {
    pub targets: Vec<u32>,
    pub default: u32,
}

/// An instruction. `d` is written; `a`, `b` … are read; `at`, `args`, `like` are lists of operands, `dests`
/// one of registers.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(super) enum Instr {
    Move { d: Reg, a: Operand },
    Drop { a: Reg },
    RealAdd { d: Reg, a: Operand, b: Operand },
    RealSub { d: Reg, a: Operand, b: Operand },
    RealMul { d: Reg, a: Operand, b: Operand },
    RealDiv { d: Reg, a: Operand, b: Operand },
    RealNeg { d: Reg, a: Operand },
    Real1 { d: Reg, a: Operand, function: u32 },
    RealLt { d: Reg, a: Operand, b: Operand },
    RealLe { d: Reg, a: Operand, b: Operand },
    RealGt { d: Reg, a: Operand, b: Operand },
    RealGe { d: Reg, a: Operand, b: Operand },
    RealEq { d: Reg, a: Operand, b: Operand },
    RealNe { d: Reg, a: Operand, b: Operand },
    IntAdd { d: Reg, a: Operand, b: Operand },
    IntSub { d: Reg, a: Operand, b: Operand },
    IntMul { d: Reg, a: Operand, b: Operand },
    IntDiv { d: Reg, a: Operand, b: Operand },
    IntRem { d: Reg, a: Operand, b: Operand },
    IntLt { d: Reg, a: Operand, b: Operand },
    IntLe { d: Reg, a: Operand, b: Operand },
    IntGt { d: Reg, a: Operand, b: Operand },
    IntGe { d: Reg, a: Operand, b: Operand },
    IntEq { d: Reg, a: Operand, b: Operand },
    IntNe { d: Reg, a: Operand, b: Operand },
    Not { d: Reg, a: Operand },
    ToReal { d: Reg, a: Operand },
    /// Any other primitive on scalars.
    Prim { d: Reg, prim: u32, args: ListId },
    Select { d: Reg, c: Operand, a: Operand, b: Operand },
    MulZero { d: Reg, a: Operand, b: Operand },
    Jump { to: u32 },
    JumpUnless { a: Operand, to: u32 },
    Switch { a: Operand, table: u32 },
    /// The fields of a data value.
    Fields { a: Operand, dests: ListId },
    Call { func: FuncId, args: ListId, dests: ListId },
    TailCall { func: FuncId, args: ListId },
    /// The value of a constant.
    Constant { func: FuncId, dests: ListId },
    Return { results: ListId },
    /// The results of the routine that does what the function does, of which the parameters lie in the first registers;
    /// or on to the text, if the routine declines.
    Routine { routine: Routine, dests: ListId, to: u32 },
    /// The first index below `n`, or to the end of the loop.
    ForUp { i: Reg, n: Operand, to: u32 },
    /// The last index below `n`, or to the end of the loop.
    ForDown { i: Reg, n: Operand, to: u32 },
    /// The next index, and back to the body.
    NextUp { i: Reg, n: Operand, to: u32 },
    NextDown { i: Reg, n: Operand, to: u32 },
    /// As many iterations of a loop as can run at once, and then the others one by one.
    ForStrip { strip: u32 },
    /// Back to the condition of a loop; `i` counts how often.
    Again { i: Reg, to: u32 },
    /// Begins an array of `n` elements with so many dimensions each.
    Build { kind: Kind, rank: u8, n: Operand },
    /// Begins an array of unknown size.
    Grow { kind: Kind, rank: u8 },
    /// Adds to an array that has been begun, 0 being the latest.
    Push { nth: u32, a: Operand },
    /// The array that was begun last.
    Built { d: Reg, is_reversed: bool },
    Array { d: Reg, kind: Kind, rank: u8, args: ListId },
    Index1 { d: Reg, a: Operand, i: Operand },
    Index2 { d: Reg, a: Operand, i: Operand, j: Operand },
    Index { d: Reg, a: Operand, at: ListId },
    Update { d: Reg, a: Operand, at: ListId, v: Operand },
    Slice { d: Reg, a: Operand, from: Operand, to: Operand },
    Concat { d: Reg, a: Operand, b: Operand },
    /// One String after the other.
    Join { d: Reg, a: Operand, b: Operand },
    Flatten { d: Reg, a: Operand },
    Dim { d: Reg, a: Operand, dimension: u8 },
    Sized { d: Reg, a: Operand, dimension: u8, n: Operand },
    CheckSize { a: Operand, dimension: u8, n: Operand, what: Operand },
    CheckEqual { a: Operand, n: Operand, what: Operand },
    CheckCount { n: Operand },
    Tell { a: Operand },
    Sum { d: Reg, a: Operand },
    Argsort { d: Reg, a: Operand },
    Shape { d: Reg, a: Operand, rank: u8 },
    Con { d: Reg, tag: u32, args: ListId },
    Zero { d: Reg, a: Operand, ty: u32 },
    Plus { d: Reg, a: Operand, b: Operand, ty: u32 },
    /// The fields of a tangent; `like` are those of the value, each followed by the number of the field's type.
    Unpack { a: Operand, tag: u32, zero: u32, like: ListId, dests: ListId },
    ToTangent { role: Role, d: Reg, a: Operand, b: Operand, ty: u32 },
    FromTangent { d: Reg, a: Operand, b: Operand, ty: u32 },
    NewAcc { d: Reg, a: Operand },
    AddAcc { a: Operand, at: ListId, v: Operand, ty: u32 },
    AtAcc { d: Reg, a: Operand, at: ListId },
    PartAcc { d: Reg, a: Operand, from: Operand, to: Operand },
    ReadAcc { d: Reg, a: Operand },
    Fail { prim: u32, a: Operand },
    /// A derivation that is still to be made: nothing may run it.
    Unresolved,
}
