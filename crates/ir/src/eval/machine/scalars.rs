//! Instructions on scalars that have none of their own: primitives by their row in the table.
//!
//! Input: a primitive and operands in registers. Output: its value, or the fault that its row names. Each counts one
//! operation, and what its weight exceeds one by.

use std::rc::Rc;

use pullback_base::{Text, bug};
use pullback_machine::surcharge;
use pullback_prim::{Failure, Fault, Prim, RealFn, Scalar, ScalarFault};

use super::registers::Window;
use crate::eval::code::{ListId, Operand};
use crate::eval::core::Core;
use crate::eval::value::Value;

impl Window<'_> {
    /// A primitive of one Real.
    #[inline(always)]
    pub fn function(&self, core: &mut Core<'_>, a: Operand, function: u32) -> f64 {
        let function = &core.image.tables.functions[function as usize];
        core.meter.counts.operations += 1;
        core.meter.counts.surcharge += function.surcharge;
        (function.value)(self.real(a))
    }

    /// The product of a (co)tangent, which may be absent, with a number.
    #[inline(always)]
    pub fn strong_product(&self, a: Operand, b: Operand) -> f64 {
        let tangent = self.real(a);
        if tangent == 0.0 { 0.0 } else { tangent * self.real(b) }
    }

    /// Any other primitive.
    #[inline(never)]
    pub fn primitive(&self, core: &mut Core<'_>, prim: u32, args: ListId) -> Result<Value, Fault> {
        let prim = core.image.tables.prims[prim as usize];
        let row = prim.row();
        core.meter.counts.operations += 1;
        core.meter.counts.surcharge += surcharge(prim);
        let args = self.list(args);
        if let Some(smooth) = row.smooth() {
            return Ok(Value::Real(match (smooth.value, args) {
                (RealFn::Real1(f), [a]) => f(self.real(*a)),
                (RealFn::Real2(f), [a, b]) => f(self.real(*a), self.real(*b)),
                (RealFn::RealInt(f), [a, b]) => f(self.real(*a), self.int(*b)),
                (RealFn::IntReal(f), [a, b]) => f(self.int(*a), self.real(*b)),
                (
                    RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_),
                    args,
                ) => bug("ir", format_args!("other than {} arguments of {prim:?}", args.len())),
            }));
        }
        if let [a] = args
            && let Value::Str(text) = self.get(*a)
        {
            // Quotation marks, and a sign before each of them.
            core.meter.reserve_elements(text.len(), 2)?;
        }
        let scalar_of = |a: &Operand| {
            let value = self.get(*a);
            scalar(value).unwrap_or_else(|| bug("ir", format_args!("a scalar, not {value:?}")))
        };
        let scalars: Vec<Scalar> = args.iter().map(scalar_of).collect();
        match prim.eval_scalar(&scalars) {
            Ok(Scalar::Real(x)) => Ok(Value::Real(x)),
            Ok(Scalar::Int(n)) => Ok(Value::Int(n)),
            Ok(Scalar::Bool(b)) => Ok(Value::Bool(b)),
            Ok(Scalar::Str(text)) => Ok(Value::str(&text)),
            Err(ScalarFault::Fails(failure)) => Err(self.fault(prim, failure, args)),
            Err(ScalarFault::NotScalar) => {
                bug("ir", format_args!("a primitive on scalars, not {prim:?} on {scalars:?}"))
            }
        }
    }

    /// One String and then the other: in place if nobody else sees the first, which has room for twice as much then.
    #[inline(never)]
    pub fn join(&mut self, core: &mut Core<'_>, a: Operand, b: Operand) -> Result<Value, Fault> {
        core.meter.counts.operations += 1;
        core.meter.counts.surcharge += surcharge(Prim::StrJoin);
        let one = self.take(a);
        let other = self.text(b);
        let Value::Str(mut one) = one else { bug("ir", format_args!("a String, not {one:?}")) };
        let needed = one.len() + other.len();
        let Some(text) = Rc::get_mut(&mut one) else {
            core.meter.reserve_elements(needed, 1)?;
            return Ok(Value::Str(Rc::new(Text::new(&[&one, other]))));
        };
        let mut room = text.room();
        if needed > room {
            room = needed.max(2 * room);
            if core.meter.reserve_elements(room, 1).is_err() {
                room = needed;
                core.meter.reserve_elements(room, 1)?;
            }
        }
        text.push(other, room);
        Ok(Value::Str(one))
    }

    fn fault(&self, prim: Prim, failure: Failure, args: &[Operand]) -> Fault {
        match (failure, args) {
            (Failure::NotAnInt, [a]) => Fault::NoInt { number: self.real(*a) },
            (
                Failure::Overflow
                | Failure::DivisionByZero
                | Failure::NegativeExponent
                | Failure::NotAnInt
                | Failure::OutOfRange
                | Failure::SizeMismatch
                | Failure::Always,
                args,
            ) => {
                let ints: Vec<i64> = args.iter().map(|a| self.int(*a)).collect();
                Fault::of_ints(prim, &ints)
            }
        }
    }
}

/// The scalar that a value is.
pub(super) fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::Real(x) => Some(Scalar::Real(*x)),
        Value::Int(n) => Some(Scalar::Int(*n)),
        Value::Bool(b) => Some(Scalar::Bool(*b)),
        Value::Str(text) => Some(Scalar::Str((***text).into())),
        Value::Undef | Value::Tag(_) | Value::Data(_) | Value::Array(_) | Value::Acc(_) => None,
    }
}
