//! Constructors, as they are or packed ([`pullback_lambda::Program::packed`]).

use pullback_lambda::{Expr, Program, Type, TypeKind};

use super::{Function, Reg};
use crate::code::Instr;

impl Function<'_, '_> {
    /// Emits code that makes the constructor with this tag of a sum type.
    pub(super) fn constructor(&mut self, tag: usize, fields: &[Expr], ty: &Type, d: Reg) {
        let Program { packed, states, .. } = self.shared.program;
        let TypeKind::Data(data) = ty.kind() else { return };
        let is_packed = packed.contains(data);
        let is_chain = states.contains(data) && fields.last().is_some_and(|last| last.ty == *ty);
        match (fields, u16::try_from(tag)) {
            ([], _) => self.emit(Instr::Tag { d, tag: tag as u32 }),
            ([only], Ok(tag)) if !is_chain => {
                let a = self.operand(only);
                self.emit(if is_packed {
                    Instr::Packed1 { d, tag, a }
                } else {
                    Instr::Con1 { d, tag, a }
                })
            }
            ([left, right], Ok(tag)) if !is_chain => {
                let a = self.operand(left);
                let b = self.operand(right);
                self.emit(if is_packed {
                    Instr::Packed2 { d, tag, a, b }
                } else {
                    Instr::Con2 { d, tag, a, b }
                })
            }
            _ => {
                let first = self.run(fields);
                let n =
                    u16::try_from(fields.len()).expect("fewer than 2^16 fields of a constructor");
                let tag = tag as u32;
                self.emit(if is_chain {
                    Instr::Cons { d, tag, first, n }
                } else {
                    Instr::Con { d, tag, first, n }
                })
            }
        };
    }
}
