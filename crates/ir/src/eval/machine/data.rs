//! Instructions on data values, tangents and accumulators: what the machine does for each.
//!
//! Input: operands in registers. Output: a value, or a fault. The fields of a data value that nothing else sees are
//! moved out of it. The work on tangents is [`super::super::tangent`]'s.

use std::rc::Rc;

use pullback_base::bug;
use pullback_prim::Fault;

use super::registers::Window;
use crate::eval::code::{KILL, ListId, NOWHERE, Operand};
use crate::eval::core::Core;
use crate::eval::tangent;
use crate::eval::value::{Acc, Value};
use crate::program::Role;

impl Window<'_> {
    /// A data value.
    #[inline]
    pub fn con(&mut self, tag: u32, args: ListId) -> Value {
        let args = self.list(args);
        Value::con(tag, args.len(), args.iter().map(|a| self.take(*a)))
    }

    /// The fields of a data value, moved out if nothing else sees it.
    #[inline]
    pub fn fields(&mut self, a: Operand, dests: ListId) {
        let dests = self.list(dests);
        let used = || dests.iter().enumerate().filter(|(_, d)| **d != NOWHERE);
        let mut value = self.take(a);
        let Value::Data(node) = &mut value else {
            bug("ir", format_args!("a data value with fields, not {value:?}"))
        };
        // Two owners are left if the operand was only looked at.
        if a & KILL != 0
            && let Some(node) = Rc::get_mut(node)
        {
            let fields = node.fields_mut();
            used().for_each(|(at, d)| self.set(*d, std::mem::take(&mut fields[at])));
        } else {
            let fields = node.fields();
            used().for_each(|(at, d)| self.set(*d, fields[at].clone()));
        }
    }

    /// The zero tangent of a value.
    #[inline(never)]
    pub fn zero(&self, core: &mut Core<'_>, a: Operand, ty: u32) -> Result<Value, Fault> {
        let ty = core.image.tables.types[ty as usize];
        tangent::zero(self.get(a), ty, &core.image.types, &core.meter)
    }

    /// The sum of two tangents.
    #[inline(never)]
    pub fn plus(
        &mut self,
        core: &mut Core<'_>,
        a: Operand,
        b: Operand,
        ty: u32,
    ) -> Result<Value, Fault> {
        let ty = core.image.tables.types[ty as usize];
        let (one, other) = (self.take(a), self.take(b));
        tangent::plus(one, other, ty, &core.image.types, &mut core.meter)
    }

    /// The fields of a tangent of a data value.
    #[inline(never)]
    pub fn unpack(
        &mut self,
        core: &mut Core<'_>,
        a: Operand,
        [tag, zero]: [u32; 2],
        like: ListId,
        dests: ListId,
    ) -> Result<(), Fault> {
        let (like, dests) = (self.list(like), self.list(dests));
        let value = self.get(a).clone();
        let Some((found, fields)) = value.as_data() else {
            bug("ir", format_args!("a tangent of data, not {value:?}"))
        };
        if found == tag && fields.len() == dests.len() {
            for (d, field) in dests.iter().zip(fields) {
                self.set(*d, field.clone());
            }
        } else if found == zero {
            for (d, pair) in dests.iter().zip(like.chunks_exact(2)) {
                let field = self.zero(core, pair[0], pair[1])?;
                self.set(*d, field);
            }
        } else {
            bug("ir", format_args!("a tangent of constructor {tag}, not {found}"));
        }
        Ok(())
    }

    /// The IR's tangent of a value, from what a program made.
    #[inline(never)]
    pub fn taken_in(
        &self,
        core: &mut Core<'_>,
        role: Role,
        [a, b]: [Operand; 2],
        ty: u32,
    ) -> Result<Value, Fault> {
        let ty = core.image.tables.types[ty as usize];
        let (value, tangent) = (self.get(a).clone(), self.get(b).clone());
        tangent::to_tangent(role, value, tangent, ty, &core.image.types, &mut core.meter)
    }

    /// What a program sees of the tangent of a value.
    #[inline(never)]
    pub fn given_out(
        &self,
        core: &mut Core<'_>,
        a: Operand,
        b: Operand,
        ty: u32,
    ) -> Result<Value, Fault> {
        let ty = core.image.tables.types[ty as usize];
        let (value, tangent) = (self.get(a).clone(), self.get(b).clone());
        tangent::from_tangent(value, tangent, ty, &core.image.types, &mut core.meter)
    }

    /// A new accumulator.
    #[inline(never)]
    pub fn new_acc(&mut self, core: &mut Core<'_>, a: Operand) -> Result<Value, Fault> {
        let init = self.take(a);
        Ok(Value::Acc(Rc::new(Acc::start(init, &mut core.meter)?)))
    }

    /// Adds to an accumulator.
    #[inline]
    pub fn add_acc(
        &mut self,
        core: &mut Core<'_>,
        a: Operand,
        at: ListId,
        v: Operand,
        ty: u32,
    ) -> Result<(), Fault> {
        self.gather(core, at);
        let value = self.take(v);
        let ty = core.image.tables.types[ty as usize];
        self.acc(a).add(&core.indices, value, |items, at, value| {
            tangent::add_into(items, at, value, ty, &core.image.types, &mut core.meter)
        })
    }

    /// The part of an accumulator at a place.
    #[inline(never)]
    pub fn at_acc(&self, core: &mut Core<'_>, a: Operand, at: ListId) -> Result<Value, Fault> {
        self.gather(core, at);
        Ok(Value::Acc(Rc::new(self.acc(a).at(&core.indices)?)))
    }

    /// A range of an accumulator.
    #[inline(never)]
    pub fn part_acc(&self, a: Operand, from: Operand, to: Operand) -> Result<Value, Fault> {
        let (from, to) = (self.int(from), self.int(to));
        Ok(Value::Acc(Rc::new(self.acc(a).range(from, to)?)))
    }

    /// The value that has been accumulated; it ends the accumulator.
    #[inline(never)]
    pub fn read_acc(&self, a: Operand) -> Value {
        self.acc(a).read()
    }
}
