//! The bytecode: what the compiler emits and the machine runs.
//!
//! A function's frame is a window of registers: register 0 holds the called function itself (it
//! carries what was captured), registers 1… its parameters. Arguments of a call are computed straight
//! into the window of the callee, which begins inside the caller's; the result comes back in the
//! window's register 0. An instruction is 16 bytes.

use std::collections::BTreeSet;
use std::rc::Rc;

use pullback_base::{FileId, Name, Span, Text};

use super::prims::{PrimId, Prims};
use pullback_lambda::AdOp;
use pullback_prim::Routine;

/// A register of the running frame. Operands that move values may carry [`KILL`].
pub type Reg = u32;
/// Marks the last use of a register: its value may be moved out.
pub const KILL: Reg = 1 << 31;

/// What a fresh array holds while it is still empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Reals.
    Real,
    /// Ints.
    Int,
    /// Anything else.
    Values,
}

const _: () = assert!(size_of::<Instr>() == 16);

/// One instruction. `d` is written, `a`, `b`, `i`, `v` are read; `first` starts a run of registers;
/// `to` is a jump target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "operands are named as the type's comment says")]
pub enum Instr {
    // Moves and constants.
    /// Copies, or moves.
    Move { d: Reg, a: Reg },
    /// `()`
    Unit { d: Reg },
    /// A Bool.
    Bool { d: Reg, value: bool },
    /// An Int.
    Int { d: Reg, n: i64 },
    /// A Real.
    Real { d: Reg, x: f64 },
    /// A String of the image.
    Str { d: Reg, index: u32 },
    /// A constructor without fields.
    Tag { d: Reg, tag: u32 },
    /// A function that captures nothing.
    Fun { d: Reg, code: u32 },
    /// A constant, evaluated when first asked for.
    Global { d: Reg, constant: u32 },

    // Real arithmetic; K: with a constant, R: the constant stands on the left.
    RealAdd { d: Reg, a: Reg, b: Reg },
    RealSub { d: Reg, a: Reg, b: Reg },
    RealMul { d: Reg, a: Reg, b: Reg },
    RealDiv { d: Reg, a: Reg, b: Reg },
    RealAddK { d: u16, a: u16, k: f64 },
    RealSubK { d: u16, a: u16, k: f64 },
    RealMulK { d: u16, a: u16, k: f64 },
    RealDivK { d: u16, a: u16, k: f64 },
    RealAddR { d: u16, a: u16, k: f64 },
    RealSubR { d: u16, a: u16, k: f64 },
    RealMulR { d: u16, a: u16, k: f64 },
    RealDivR { d: u16, a: u16, k: f64 },
    RealNeg { d: Reg, a: Reg },
    /// A smooth primitive of one Real.
    Real1 { prim: PrimId, d: Reg, a: Reg },

    // Int arithmetic, checked.
    IntAdd { d: Reg, a: Reg, b: Reg },
    IntSub { d: Reg, a: Reg, b: Reg },
    IntMul { d: Reg, a: Reg, b: Reg },
    IntDiv { d: Reg, a: Reg, b: Reg },
    IntRem { d: Reg, a: Reg, b: Reg },
    IntAddK { d: u16, a: u16, k: i64 },
    IntSubK { d: u16, a: u16, k: i64 },
    IntMulK { d: u16, a: u16, k: i64 },
    /// Int to Real.
    ToReal { d: Reg, a: Reg },

    // Any other primitive of scalars or arrays.
    Prim1 { prim: PrimId, d: Reg, a: Reg },
    Prim2 { prim: PrimId, d: Reg, a: Reg, b: Reg },
    PrimN { prim: PrimId, d: Reg, first: Reg, n: u8 },
    /// The result of the routine that does what the function does, of which the parameters lie in registers from the
    /// first on; or on to the text, if the routine declines.
    Routine { routine: Routine, n: u8, d: Reg, to: u32 },
    /// The size of absent rows at a depth.
    Sized { d: Reg, a: Reg, n: Reg, depth: u8 },
    /// An error unless the rows at a depth, if there are any, have the size `n`; the array stays.
    CheckSize { a: Reg, n: Reg, what: u32, depth: u8 },

    // Looks of a watch at the arguments of the next instruction; `left`: the constant comes first.
    Look1 { prim: PrimId, a: Reg },
    Look2 { prim: PrimId, a: Reg, b: Reg },
    LookK { prim: PrimId, left: bool, a: u16, k: f64 },

    // Jumps.
    Jump { to: u32 },
    /// Backward, at the end of a loop's body; `i` counts how often.
    Again { i: Reg, to: u32 },
    JumpIf { a: Reg, to: u32 },
    JumpUnless { a: Reg, to: u32 },
    JRealLt { a: Reg, b: Reg, to: u32 },
    JRealLe { a: Reg, b: Reg, to: u32 },
    JRealEq { a: Reg, b: Reg, to: u32 },
    JRealNotLt { a: Reg, b: Reg, to: u32 },
    JRealNotLe { a: Reg, b: Reg, to: u32 },
    JRealNe { a: Reg, b: Reg, to: u32 },
    JIntLt { a: Reg, b: Reg, to: u32 },
    JIntLe { a: Reg, b: Reg, to: u32 },
    JIntEq { a: Reg, b: Reg, to: u32 },
    JIntNe { a: Reg, b: Reg, to: u32 },
    JIntLtK { a: u16, to: u32, k: i64 },
    JIntLeK { a: u16, to: u32, k: i64 },
    JIntGtK { a: u16, to: u32, k: i64 },
    JIntGeK { a: u16, to: u32, k: i64 },
    JIntEqK { a: u16, to: u32, k: i64 },
    JIntNeK { a: u16, to: u32, k: i64 },
    JRealLtK { a: u16, to: u32, k: f64 },
    JRealLeK { a: u16, to: u32, k: f64 },
    JRealGtK { a: u16, to: u32, k: f64 },
    JRealGeK { a: u16, to: u32, k: f64 },
    JRealNotLtK { a: u16, to: u32, k: f64 },
    JRealNotLeK { a: u16, to: u32, k: f64 },
    JRealNotGtK { a: u16, to: u32, k: f64 },
    JRealNotGeK { a: u16, to: u32, k: f64 },
    /// Jumps unless the constructor is this one.
    JNotTag { a: Reg, tag: u32, to: u32 },
    /// Jumps by the constructor's tag through a table of the code.
    Switch { a: Reg, table: u32 },
    /// Jumps if `n` is not positive.
    JumpIfNone { n: Reg, to: u32 },
    /// Counts `i` up; jumps back while it is below `n`.
    ForNext { i: Reg, n: Reg, to: u32 },

    // Structures.
    Tuple { d: Reg, first: Reg, n: u32 },
    Pair { d: Reg, a: Reg, b: Reg },
    Con { d: Reg, tag: u32, first: Reg, n: u16 },
    Con1 { d: Reg, tag: u16, a: Reg },
    Con2 { d: Reg, tag: u16, a: Reg, b: Reg },
    /// As `Con1`, of a type that is stored packed.
    Packed1 { d: Reg, tag: u16, a: Reg },
    /// As `Con2`, of a type that is stored packed: a node.
    Packed2 { d: Reg, tag: u16, a: Reg, b: Reg },
    /// As `Con`, of a type of states: the last field is the chain that the others are added to.
    Cons { d: Reg, tag: u32, first: Reg, n: u16 },
    Field { d: Reg, a: Reg, index: u32 },
    /// All `n` fields, into registers from the first on.
    Fields { first: Reg, a: Reg, n: u32 },

    // Arrays.
    Array { d: Reg, packing: Packing, first: Reg, n: u32 },
    /// An empty array with room for `n`; a negative or unaffordable `n` is an error.
    BuildStart { d: Reg, packing: Packing, n: Reg },
    /// Appends to an array under construction.
    Push { d: Reg, v: Reg },
    Size { d: Reg, a: Reg },
    Index { d: Reg, a: Reg, i: Reg },
    /// An element of an element, without touching the inner array's count.
    Index2 { d: u16, a: u16, i: u16, j: u16 },
    /// Replaces an element of the array in `d`.
    Update { d: Reg, i: Reg, v: Reg },
    /// Replaces an element inside `n` nested arrays in `d`: indices in `first`…, then the value.
    UpdatePath { d: Reg, first: Reg, n: u32 },
    Sum { d: Reg, a: Reg },

    // Functions. A call's window starts at `first`.
    /// A closure over the registers from `first`.
    Closure { d: Reg, code: u32, first: Reg },
    /// Another function of the group that the closure in `a` belongs to.
    Sibling { d: Reg, code: u32, a: Reg },
    /// Spreads what register 0 captured over the registers from `first`.
    LoadCaptured { first: Reg },
    Call { code: u32, first: Reg },
    TailCall { code: u32, first: Reg },
    CallValue { first: Reg, n: u32 },
    TailCallValue { first: Reg, n: u32 },
    Return { a: Reg },
    /// A differentiation operator with its arguments from `first + 1`; the result goes to `first`.
    Ad { op: AdOp, first: Reg, n: u32 },
}

/// A compiled function.
#[derive(Debug)]
pub struct Code {
    /// What the user calls it.
    pub name: Name,
    /// How many parameters it takes.
    pub arity: u32,
    /// How many values it captures.
    pub captures: u32,
    /// How many registers its frame has.
    pub registers: u32,
    /// What it does.
    pub instrs: Vec<Instr>,
    /// Where each instruction comes from.
    pub spans: Vec<Span>,
    /// Jump tables, by tag.
    pub tables: Vec<Vec<u32>>,
}

/// Where a definition lives in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A function: its code.
    Function(u32),
    /// A constant: the code that computes it and the number of its slot.
    Constant {
        /// The code.
        code: u32,
        /// The slot.
        slot: u32,
    },
}

/// A compiled program.
#[derive(Debug, Default)]
pub struct Image {
    /// All code.
    pub codes: Vec<Code>,
    /// Where each definition lives, by its index.
    pub places: Vec<Place>,
    /// The code of each constant, by slot.
    pub constants: Vec<u32>,
    /// The primitives that instructions name.
    pub prims: Prims,
    /// All string literals.
    pub strings: Vec<Rc<Text>>,
    /// The files of the library: a call into it from outside leaves its frame.
    pub library: BTreeSet<FileId>,
    /// Where the names of definitions are written.
    pub definitions: BTreeSet<Span>,
}
