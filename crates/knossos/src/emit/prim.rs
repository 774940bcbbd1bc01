//! Calls of primitives.

use super::code::{Code, cat};
use super::emitter::Emitter;
use super::sums::rank_of;
use crate::tree::{Expr, Prim};
use crate::ty::Type;

impl Emitter<'_> {
    /// A primitive of its arguments, and the type of what it gives.
    pub fn prim(&mut self, prim: Prim, args: &[Expr], ty: &Type) -> Code {
        match (prim, args) {
            (Prim::Build, [size, function]) => {
                let Type::Tensor(rank, inner) = ty else { return Code::atom("()") };
                let size = self.expr(size);
                let function = self.lam(function, false, true);
                self.build(size, function, *rank, inner)
            }
            (Prim::SumBuild, [size, function]) => self.sum_build(size, function, ty),
            (Prim::Fold, [function, start, vector]) => self.fold(function, start, vector, ty),
            (Prim::Map, [function, tensor]) => self.map(function, tensor, ty),
            (Prim::Map2, [function, one, other]) => self.map2(function, one, other, ty),
            (Prim::Index, [at, tensor]) => {
                let rank = rank_of(&tensor.ty);
                let (at, tensor) = (self.expr(at), self.expr(tensor));
                self.element(rank, ty, tensor, at)
            }
            (Prim::Sum, [tensor]) => self.sum(tensor, ty),
            (Prim::ConstVec, [size, value]) => self.const_vec(size, value),
            (Prim::DeltaVec, [size, at, value]) => self.delta_vec(size, at, value),
            (Prim::Delta, [one, other, value]) => self.delta(one, other, value),
            (Prim::VecInit, items) => self.vec_init(items),
            (Prim::BuildFromSparse, args) => self.sparse(args, ty, false),
            (Prim::BuildFromSparseTupled, args) => self.sparse(args, ty, true),
            (Prim::Check, args) => self.check(args),
            (Prim::Print, values) => {
                let text = self.texts(values);
                let count = Code::atom(values.len().saturating_sub(1).to_string());
                self.call("ks_print", &[text, count])
            }
            (_, [only]) => self.unary(prim, only, ty),
            (_, [one, other]) => {
                let (left, right) = (self.expr(one), self.expr(other));
                self.binary(prim, left, right, &one.ty, &other.ty)
            }
            _ => Code::atom("()"),
        }
    }
    fn unary(&mut self, prim: Prim, only: &Expr, ty: &Type) -> Code {
        let value = self.expr(only);
        if let Prim::Get(at, count) = prim {
            if count == 1 {
                return value;
            }
            // The parentheses keep `.0.1` from being a number.
            let inner = if value.is_word() { value } else { cat![Atom; "(", value, ")"] };
            return cat![Atom; inner, format!(".{at}")];
        }
        if prim == Prim::Size {
            return self.size(rank_of(&only.ty), value);
        }
        if prim == Prim::Shape {
            return self.shape(&only.ty, value);
        }
        if prim == Prim::TsNeg && ty.has_float() {
            return cat![Open; "(-1.0) *. ", value.operand()];
        }
        if prim == Prim::Trace {
            let (bind, value) = self.named("v", value);
            let text = self.text(&only.ty, value.clone());
            let text = cat![Open; "\"Trace[\" ++ ", text.operand(), " ++ \"]\\n\""];
            let call = self.call("ks_trace", &[text, value]);
            return cat![Open; bind, call];
        }
        // What is left is the value itself.
        value
    }
    fn binary(&mut self, prim: Prim, left: Code, right: Code, one: &Type, other: &Type) -> Code {
        if prim == Prim::TsAdd {
            return self.moved(one, left, right);
        }
        if prim == Prim::TsDot {
            return self.product(one, left, right);
        }
        if prim == Prim::TsScale && !other.has_float() {
            return right;
        }
        let operator = if prim == Prim::Eq {
            " == "
        } else if prim == Prim::Ne {
            " != "
        } else if *other == Type::Float {
            " * "
        } else {
            " *. "
        };
        cat![Open; left.operand(), operator, right.operand()]
    }
}
