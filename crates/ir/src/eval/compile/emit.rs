//! State of bytecode generation for one function: registers, constants, instructions.
//!
//! Input: a program and the tables that all functions share. Output: the [`Code`] so far. Invariants. A register is
//! either a variable's or unused. Equal constants, types and primitives have one number. A jump ahead is made to land
//! exactly once.

use pullback_base::Span;
use pullback_machine::surcharge;
use pullback_prim::{Prim, RealFn};
use rustc_hash::FxHashMap;

use crate::eval::code::{CONST, Code, Function, Instr, KILL, ListId, Operand, Reg, Tables};
use crate::eval::value::Value;
use crate::program::{Atom, Program, StrId, VarId};
use crate::ty::{Elem, Type};

/// The identity of a constant: Reals by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Undef,
    Real(u64),
    Int(i64),
    Bool(bool),
    Str(StrId),
    EmptyStr,
}

/// The numbers of what stands in the tables.
#[derive(Default)]
pub(super) struct Interned {
    consts: FxHashMap<Key, u32>,
    types: FxHashMap<Type, u32>,
    prims: FxHashMap<Prim, u32>,
}

/// The code of a function while it is being made.
pub(super) struct Emit<'c, 'p> {
    pub program: &'p Program,
    pub tables: &'c mut Tables,
    pub interned: &'c mut Interned,
    pub code: Code,
    pub regs: FxHashMap<VarId, Reg>,
    /// Registers that hold nothing.
    pub unused: Vec<Reg>,
    /// The place in the source of the statement that is being compiled.
    pub span: Span,
}

/// Which variables die in a statement, and which of them have been moved out.
pub(super) struct Dead<'d> {
    pub dying: &'d [VarId],
    pub moved: Vec<VarId>,
}

impl<'d> Dead<'d> {
    pub fn new(dying: &'d [VarId]) -> Self {
        Self { dying, moved: vec![] }
    }
}

impl Emit<'_, '_> {
    /// Appends an instruction and gives its number.
    pub fn push(&mut self, instr: Instr) -> usize {
        self.code.instrs.push(instr);
        self.code.spans.push(self.span);
        self.code.instrs.len() - 1
    }

    /// The number of the next instruction.
    pub fn here(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    /// Makes an instruction jump here.
    pub fn land(&mut self, jump: usize) {
        let here = self.here();
        #[expect(clippy::wildcard_enum_match_arm, reason = "the instructions that jump ahead")]
        match &mut self.code.instrs[jump] {
            Instr::Jump { to }
            | Instr::JumpUnless { to, .. }
            | Instr::ForUp { to, .. }
            | Instr::ForDown { to, .. }
            | Instr::Routine { to, .. } => *to = here,
            other => pullback_base::bug("ir", format_args!("a jump, not {other:?}")),
        }
    }

    /// A register that holds nothing.
    pub fn fresh(&mut self) -> Reg {
        self.unused.pop().unwrap_or_else(|| {
            self.code.registers += 1;
            self.code.registers - 1
        })
    }

    /// The register of a variable.
    pub fn reg(&self, var: VarId) -> Reg {
        match self.regs.get(&var) {
            Some(reg) => *reg,
            None => pullback_base::bug("ir", format_args!("{var:?} to be bound before it is used")),
        }
    }

    /// Gives a variable a register, unless it has one.
    pub fn bind(&mut self, var: VarId) -> Reg {
        if let Some(reg) = self.regs.get(&var) {
            return *reg;
        }
        let reg = self.fresh();
        self.regs.insert(var, reg);
        reg
    }

    /// The variable is dead: others may have its register.
    pub fn release(&mut self, var: VarId) {
        if let Some(reg) = self.regs.remove(&var) {
            self.unused.push(reg);
        }
    }

    /// Whether values of the variable are counted.
    pub fn is_counted(&self, var: VarId) -> bool {
        let ty = self.program.vars[var].ty;
        ty.is_acc || ty.is_array() || matches!(ty.elem, Elem::Str | Elem::Data(_))
    }

    /// Drops what a variable holds, if that is counted.
    pub fn drop_value(&mut self, var: VarId) {
        if self.is_counted(var) {
            let a = self.reg(var);
            self.push(Instr::Drop { a });
        }
    }

    /// An operand that is only looked at.
    pub fn look(&mut self, atom: Atom) -> Operand {
        let (key, value) = match atom {
            Atom::Var(var) => return self.reg(var),
            Atom::Real(x) => (Key::Real(x.to_bits()), Value::Real(x)),
            Atom::Int(n) => (Key::Int(n), Value::Int(n)),
            Atom::Bool(b) => (Key::Bool(b), Value::Bool(b)),
            Atom::Str(text) => (Key::Str(text), Value::str(&self.program.strings[text])),
        };
        self.constant(key, value)
    }

    /// An operand that is moved out if its variable dies here and no later operand reads it.
    pub fn take(&mut self, atom: Atom, later: &[Atom], dead: &mut Dead<'_>) -> Operand {
        let operand = self.look(atom);
        match atom {
            Atom::Var(var)
                if dead.dying.contains(&var)
                    && self.is_counted(var)
                    && !later.contains(&Atom::Var(var)) =>
            {
                dead.moved.push(var);
                operand | KILL
            }
            Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => operand,
        }
    }

    /// As [`Emit::take`], for several.
    pub fn take_all(&mut self, atoms: &[Atom], dead: &mut Dead<'_>) -> ListId {
        let operands: Vec<Operand> = atoms
            .iter()
            .enumerate()
            .map(|(at, atom)| self.take(*atom, &atoms[at + 1..], dead))
            .collect();
        self.list(&operands)
    }

    /// Operands that are only looked at.
    pub fn look_all(&mut self, atoms: &[Atom]) -> ListId {
        let operands: Vec<Operand> = atoms.iter().map(|atom| self.look(*atom)).collect();
        self.list(&operands)
    }

    /// A list of operands or registers.
    pub fn list(&mut self, items: &[u32]) -> ListId {
        let list = self.code.lists.len() as ListId;
        self.code.lists.push(items.len() as u32);
        self.code.lists.extend(items);
        list
    }

    fn constant(&mut self, key: Key, value: Value) -> Operand {
        let consts = &mut self.tables.consts;
        CONST
            | *self.interned.consts.entry(key).or_insert_with(|| {
                consts.push(value);
                consts.len() as u32 - 1
            })
    }

    /// A value of a type that nothing looks at.
    pub fn undef(&mut self, ty: Type) -> Operand {
        if ty.is_array() || ty.is_acc {
            return self.constant(Key::Undef, Value::Undef);
        }
        match ty.elem {
            Elem::Real => self.look(Atom::Real(0.0)),
            Elem::Int => self.look(Atom::Int(0)),
            Elem::Bool => self.look(Atom::Bool(false)),
            Elem::Str => self.constant(Key::EmptyStr, Value::str("")),
            Elem::Unit | Elem::Data(_) => self.constant(Key::Undef, Value::Undef),
        }
    }

    /// The number of a type.
    pub fn ty(&mut self, ty: Type) -> u32 {
        let types = &mut self.tables.types;
        *self.interned.types.entry(ty).or_insert_with(|| {
            types.push(ty);
            types.len() as u32 - 1
        })
    }

    /// The number of a primitive.
    pub fn prim(&mut self, prim: Prim) -> u32 {
        let prims = &mut self.tables.prims;
        *self.interned.prims.entry(prim).or_insert_with(|| {
            prims.push(prim);
            prims.len() as u32 - 1
        })
    }

    /// The number of a primitive of one Real, if it is one.
    pub fn function(&mut self, prim: Prim) -> Option<u32> {
        let row = prim.row();
        let RealFn::Real1(value) = row.smooth()?.value else { return None };
        let functions = &mut self.tables.functions;
        let known = functions.iter().position(|function| function.prim == prim);
        Some(known.unwrap_or_else(|| {
            functions.push(Function { prim, value, surcharge: surcharge(prim) });
            functions.len() - 1
        }) as u32)
    }
}
