//! Bytecode of statements without blocks: one instruction each, and drops of what nothing needs afterwards.
//!
//! Input: a statement, and the variables that die in it. Output: instructions. Invariant: a variable that dies is moved
//! out if the instruction keeps its value, and dropped if the instruction only looked at it, unless a result has
//! overwritten its register.

use pullback_base::bug;

use super::blocks::Exit;
use super::emit::{Dead, Emit};
use crate::eval::code::{Instr, Reg};
use crate::eval::tangent::zero_tag;
use crate::eval::value::Kind;
use crate::program::{Atom, Op, Stmt, VarId};
use crate::scope::Scope;
use crate::ty::Elem;

impl Emit<'_, '_> {
    /// A statement. `dying` are the variables that nothing needs after it.
    pub fn stmt(&mut self, stmt: &Stmt, inner: &[Scope], dying: &[VarId]) {
        let (unused, dying): (Vec<VarId>, Vec<VarId>) =
            dying.iter().partition(|var| stmt.vars.contains(var));
        if let Op::Loop(looped) = &stmt.op {
            let mut dead = Dead::new(&dying);
            self.repeat(looped, inner, &stmt.vars, &mut dead);
            self.bury(&dead, &stmt.vars);
        } else {
            let dests: Vec<Reg> = stmt.vars.iter().map(|var| self.bind(*var)).collect();
            #[expect(clippy::wildcard_enum_match_arm, reason = "those without blocks")]
            match &stmt.op {
                Op::If(cond, then, other) => {
                    self.branches(*cond, [then, other], inner, &dying, Exit::Into(&dests));
                }
                Op::Match(cases) => self.cases(cases, inner, &dying, Exit::Into(&dests)),
                _ => {
                    let mut dead = Dead::new(&dying);
                    self.step(stmt, &dests, &mut dead);
                    self.bury(&dead, &stmt.vars);
                }
            }
        }
        for var in unused {
            self.drop_value(var);
        }
    }

    /// Drops what died in a statement and was only looked at.
    fn bury(&mut self, dead: &Dead<'_>, vars: &[VarId]) {
        for var in dead.dying {
            let is_overwritten = vars.iter().any(|other| self.reg(*other) == self.reg(*var));
            if !dead.moved.contains(var) && !is_overwritten {
                self.drop_value(*var);
            }
        }
    }

    fn step(&mut self, stmt: &Stmt, dests: &[Reg], dead: &mut Dead<'_>) {
        match (&stmt.op, dests) {
            (Op::If(..) | Op::Match(_) | Op::Loop(_), _) => bug("ir", "a statement without blocks"),
            (Op::Jvp(..) | Op::Linearize(..) | Op::Apply(..), _) => {
                self.push(Instr::Unresolved);
            }
            (Op::Call(func, args), _) => self.call(*func, args, &stmt.vars, dead),
            (Op::Custom { rule, value_captured, args, .. }, _) => {
                let value = self.program.rules[*rule].value();
                self.call(
                    value,
                    &[value_captured.as_slice(), args.as_slice()].concat(),
                    &stmt.vars,
                    dead,
                );
            }
            (Op::Unpack { tangent, tag, like }, _) => {
                self.unpack(*tangent, *tag, like, &stmt.vars);
            }
            (Op::Fail(prim, text), _) => {
                let (prim, a) = (self.prim(*prim), self.look(*text));
                self.push(Instr::Fail { prim, a });
            }
            (Op::Tell(text), _) => {
                let a = self.look(*text);
                self.push(Instr::Tell { a });
            }
            (Op::CheckSize(array, dimension, n, what), _) => {
                let (dimension, is_array) = (*dimension, self.program.type_of(*array).is_array());
                let [a, n, what] = [*array, *n, *what].map(|atom| self.look(atom));
                self.push(if is_array {
                    Instr::CheckSize { a, dimension, n, what }
                } else {
                    Instr::CheckEqual { a, n, what }
                });
            }
            (Op::CheckCount(n), _) => {
                let n = self.look(*n);
                self.push(Instr::CheckCount { n });
            }
            (Op::AddAcc(acc, at, v), _) => {
                let ty = self.program.type_of(*v);
                let ty = self.ty(ty);
                let (a, at) = (self.look(*acc), self.look_all(at));
                let v = self.take(*v, &[], dead);
                self.push(Instr::AddAcc { a, at, v, ty });
            }
            (op, [d]) => {
                if let Some(instr) = self.scalar(op, *d, stmt, dead) {
                    self.push(instr);
                } else {
                    let instr = self.array(op, *d, stmt, dead);
                    let instr = instr.unwrap_or_else(|| self.tangent(op, *d, stmt, dead));
                    self.push(instr);
                }
            }
            (op, dests) => bug("ir", format_args!("one result of {op:?}, not {}", dests.len())),
        }
    }

    /// The instruction of a copy, a primitive or a constructor. None for any other operation.
    fn scalar(&mut self, op: &Op, d: Reg, stmt: &Stmt, dead: &mut Dead<'_>) -> Option<Instr> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others follow")]
        Some(match op {
            Op::Copy(a) | Op::Stop(a) => Instr::Move { d, a: self.take(*a, &[], dead) },
            Op::Undef => {
                let ty = self.program.vars[stmt.vars[0]].ty;
                Instr::Move { d, a: self.undef(ty) }
            }
            Op::Prim(prim, args) => self.primitive(d, *prim, args, dead),
            Op::Select(c, a, b) => {
                let [c, a, b] = [*c, *a, *b].map(|atom| self.look(atom));
                Instr::Select { d, c, a, b }
            }
            Op::MulZero(a, b) => {
                let [a, b] = [*a, *b].map(|atom| self.look(atom));
                Instr::MulZero { d, a, b }
            }
            Op::Con(tag, fields) => Instr::Con { d, tag: *tag, args: self.take_all(fields, dead) },
            _ => return None,
        })
    }

    /// The instruction of an operation on arrays. None for any other operation.
    fn array(&mut self, op: &Op, d: Reg, stmt: &Stmt, dead: &mut Dead<'_>) -> Option<Instr> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others follow")]
        Some(match op {
            Op::Array(elements) => {
                let ty = self.program.vars[stmt.vars[0]].ty;
                let args = self.take_all(elements, dead);
                Instr::Array { d, kind: Kind::of(ty.elem), rank: ty.rank - 1, args }
            }
            Op::Index(array, at) => match (self.look(*array), at.as_slice()) {
                (a, [i]) => Instr::Index1 { d, a, i: self.look(*i) },
                (a, [i, j]) => {
                    let [i, j] = [*i, *j].map(|atom| self.look(atom));
                    Instr::Index2 { d, a, i, j }
                }
                (a, at) => Instr::Index { d, a, at: self.look_all(at) },
            },
            Op::Update(array, at, value) => {
                let a = self.take(*array, &[*value], dead);
                let (at, v) = (self.look_all(at), self.take(*value, &[], dead));
                Instr::Update { d, a, at, v }
            }
            Op::Slice(array, from, to) => {
                let [a, from, to] = [*array, *from, *to].map(|atom| self.look(atom));
                Instr::Slice { d, a, from, to }
            }
            Op::Concat(one, other) => {
                let a = self.take(*one, &[*other], dead);
                Instr::Concat { d, a, b: self.look(*other) }
            }
            Op::Flatten(array) => Instr::Flatten { d, a: self.look(*array) },
            Op::Dim(array, dimension) => {
                Instr::Dim { d, a: self.look(*array), dimension: *dimension }
            }
            Op::Sized(array, dimension, n) => {
                let a = self.take(*array, &[], dead);
                Instr::Sized { d, a, dimension: *dimension, n: self.look(*n) }
            }
            Op::Sum(array) => Instr::Sum { d, a: self.look(*array) },
            Op::Argsort(array) => Instr::Argsort { d, a: self.look(*array) },
            Op::Shape(array, rank) => Instr::Shape { d, a: self.look(*array), rank: *rank },
            _ => return None,
        })
    }

    /// The instruction of an operation on tangents or accumulators.
    fn tangent(&mut self, op: &Op, d: Reg, stmt: &Stmt, dead: &mut Dead<'_>) -> Instr {
        let ty = self.program.vars[stmt.vars[0]].ty;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others came before")]
        match op {
            Op::Zero(value) => Instr::Zero { d, a: self.look(*value), ty: self.ty(ty) },
            Op::Plus(one, other) => {
                let a = self.take(*one, &[*other], dead);
                let b = self.take(*other, &[], dead);
                Instr::Plus { d, a, b, ty: self.ty(ty) }
            }
            Op::ToTangent(role, value, tangent) => {
                let ty = self.program.type_of(*value);
                let [a, b] = [*value, *tangent].map(|atom| self.look(atom));
                Instr::ToTangent { role: *role, d, a, b, ty: self.ty(ty) }
            }
            Op::FromTangent(value, tangent) => {
                let ty = self.program.type_of(*value);
                let [a, b] = [*value, *tangent].map(|atom| self.look(atom));
                Instr::FromTangent { d, a, b, ty: self.ty(ty) }
            }
            Op::NewAcc(init) => Instr::NewAcc { d, a: self.take(*init, &[], dead) },
            Op::AtAcc(acc, at) => Instr::AtAcc { d, a: self.look(*acc), at: self.look_all(at) },
            Op::PartAcc(acc, from, to) => {
                let [a, from, to] = [*acc, *from, *to].map(|atom| self.look(atom));
                Instr::PartAcc { d, a, from, to }
            }
            Op::ReadAcc(acc) => Instr::ReadAcc { d, a: self.look(*acc) },
            other => bug("ir", format_args!("an operation with one result, not {other:?}")),
        }
    }

    fn unpack(&mut self, tangent: Atom, tag: u32, like: &[Atom], vars: &[VarId]) {
        let Elem::Data(data) = self.program.type_of(tangent).elem else {
            bug("ir", "a tangent of data to unpack")
        };
        let mut pairs = vec![];
        for (like, var) in like.iter().zip(vars) {
            let ty = self.program.vars[*var].ty;
            pairs.extend([self.look(*like), self.ty(ty)]);
        }
        let like = self.list(&pairs);
        let dests: Vec<Reg> = vars.iter().map(|var| self.reg(*var)).collect();
        let (a, dests) = (self.look(tangent), self.list(&dests));
        let zero = zero_tag(&self.program.datas[data]);
        self.push(Instr::Unpack { a, tag, zero, like, dests });
    }
}
