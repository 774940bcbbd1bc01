//! Bytecode of primitives on scalars: frequent ones have an instruction of their own, and the others are looked up in
//! the table when they run.
//!
//! Input: a primitive and its operands. Output: an instruction. The choice changes the speed and nothing else: counts
//! are the same.

use pullback_prim::Prim;

use super::emit::{Dead, Emit};
use crate::eval::code::{Instr, Reg};
use crate::program::Atom;

impl Emit<'_, '_> {
    /// A primitive on scalars: by an instruction of its own if it is frequent.
    pub fn primitive(&mut self, d: Reg, prim: Prim, args: &[Atom], dead: &mut Dead<'_>) -> Instr {
        if let (Prim::StrJoin, [one, other]) = (prim, args) {
            let a = self.take(*one, &[*other], dead);
            return Instr::Join { d, a, b: self.look(*other) };
        }
        let instr = match *args {
            [a] => self.unary(d, prim, a),
            [a, b] => self.binary(d, prim, a, b),
            _ => None,
        };
        instr.unwrap_or_else(|| {
            let (prim, args) = (self.prim(prim), self.look_all(args));
            Instr::Prim { d, prim, args }
        })
    }

    fn unary(&mut self, d: Reg, prim: Prim, a: Atom) -> Option<Instr> {
        if prim == Prim::Neg {
            return Some(Instr::RealNeg { d, a: self.look(a) });
        }
        if let Some(function) = self.function(prim) {
            return Some(Instr::Real1 { d, a: self.look(a), function });
        }
        if prim == Prim::ToReal {
            return Some(Instr::ToReal { d, a: self.look(a) });
        }
        (prim == Prim::Not).then(|| Instr::Not { d, a: self.look(a) })
    }

    fn binary(&mut self, d: Reg, prim: Prim, a: Atom, b: Atom) -> Option<Instr> {
        let (a, b) = (self.look(a), self.look(b));
        #[expect(clippy::wildcard_enum_match_arm, reason = "the frequent ones")]
        Some(match prim {
            Prim::Add => Instr::RealAdd { d, a, b },
            Prim::Sub => Instr::RealSub { d, a, b },
            Prim::Mul => Instr::RealMul { d, a, b },
            Prim::Div => Instr::RealDiv { d, a, b },
            Prim::Lt => Instr::RealLt { d, a, b },
            Prim::Le => Instr::RealLe { d, a, b },
            Prim::Gt => Instr::RealGt { d, a, b },
            Prim::Ge => Instr::RealGe { d, a, b },
            Prim::Eq => Instr::RealEq { d, a, b },
            Prim::Ne => Instr::RealNe { d, a, b },
            Prim::IntAdd => Instr::IntAdd { d, a, b },
            Prim::IntSub => Instr::IntSub { d, a, b },
            Prim::IntMul => Instr::IntMul { d, a, b },
            Prim::IntDiv => Instr::IntDiv { d, a, b },
            Prim::IntRem => Instr::IntRem { d, a, b },
            Prim::IntLt => Instr::IntLt { d, a, b },
            Prim::IntLe => Instr::IntLe { d, a, b },
            Prim::IntGt => Instr::IntGt { d, a, b },
            Prim::IntGe => Instr::IntGe { d, a, b },
            Prim::IntEq => Instr::IntEq { d, a, b },
            Prim::IntNe => Instr::IntNe { d, a, b },
            _ => return None,
        })
    }
}
