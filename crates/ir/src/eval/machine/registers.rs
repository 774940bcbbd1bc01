//! Register access: the registers of the running function, and what moves values between them.
//!
//! Input: operands. Output: values, looked at or moved out. Invariants. A register that is moved out of holds
//! [`Value::Undef`]. An operand of another type than its instruction takes is a bug; but a value that nothing looks at
//! reads as 0, as code that cannot fail may have been moved to where it is one.

use pullback_base::bug;

use crate::eval::code::{CONST, Code, KILL, ListId, NOWHERE, Operand, Reg};
use crate::eval::lanes::Outside;
use crate::eval::value::{Acc, Array, Value};

/// The running frame.
pub(super) type Running<'i> = pullback_machine::Running<'i, Code>;

/// The registers of a function, the constants of the image, and the function's lists.
pub(super) struct Window<'r> {
    pub regs: &'r mut [Value],
    pub consts: &'r [Value],
    pub code: &'r Code,
}

#[cold]
#[inline(never)]
fn unlike(what: &str, value: &Value) -> ! {
    bug("ir", format_args!("{what}, not {value:?}"))
}

/// What is read of a value that nothing looks at: code that cannot fail may have been moved to where it is one,
/// and nothing looks at what it gives either.
#[cold]
#[inline(never)]
fn blank<T: Default>(what: &str, value: &Value) -> T {
    if let Value::Undef = value { T::default() } else { unlike(what, value) }
}

impl<'r> Window<'r> {
    /// An operand.
    #[inline(always)]
    pub fn get(&self, a: Operand) -> &Value {
        if a & CONST != 0 {
            &self.consts[(a & !CONST) as usize]
        } else {
            &self.regs[(a & !KILL) as usize]
        }
    }
    /// What strips of iterations see of it.
    pub fn outside(&self) -> Outside<'_> {
        Outside { regs: self.regs, consts: self.consts }
    }
    /// A Real operand.
    #[inline(always)]
    pub fn real(&self, a: Operand) -> f64 {
        let value = self.get(a);
        if let Value::Real(x) = value { *x } else { blank("a Real", value) }
    }
    /// An Int operand.
    #[inline(always)]
    pub fn int(&self, a: Operand) -> i64 {
        let value = self.get(a);
        if let Value::Int(n) = value { *n } else { blank("an Int", value) }
    }
    /// A Bool operand.
    #[inline(always)]
    pub fn flag(&self, a: Operand) -> bool {
        let value = self.get(a);
        if let Value::Bool(b) = value { *b } else { blank("a Bool", value) }
    }
    /// A String operand.
    pub fn text(&self, a: Operand) -> &str {
        let value = self.get(a);
        if let Value::Str(text) = value { text } else { unlike("a String", value) }
    }
    /// An array operand.
    #[inline(always)]
    pub fn array(&self, a: Operand) -> &Array {
        let value = self.get(a);
        if let Value::Array(array) = value { array } else { unlike("an array", value) }
    }
    /// An operand that is an accumulator.
    #[inline(always)]
    pub fn acc(&self, a: Operand) -> &Acc {
        let value = self.get(a);
        if let Value::Acc(acc) = value { acc } else { unlike("an accumulator", value) }
    }
    /// An operand, moved out if it is marked so.
    #[inline(always)]
    pub fn take(&mut self, a: Operand) -> Value {
        if a & KILL != 0 {
            std::mem::take(&mut self.regs[(a & !KILL) as usize])
        } else {
            self.get(a).clone()
        }
    }
    /// A list of operands.
    #[inline(always)]
    pub fn list(&self, list: ListId) -> &'r [u32] {
        let code: &'r Code = self.code;
        code.list(list)
    }

    /// Stores a value. Most registers hold a number or nothing, which is overwritten without a call.
    #[inline(always)]
    pub fn set(&mut self, d: Reg, value: Value) {
        put(&mut self.regs[d as usize], value);
    }
    #[inline(always)]
    pub fn set_real(&mut self, d: Reg, x: f64) {
        let slot = &mut self.regs[d as usize];
        if let Value::Real(old) = slot { *old = x } else { put(slot, Value::Real(x)) }
    }
    #[inline(always)]
    pub fn set_int(&mut self, d: Reg, n: i64) {
        let slot = &mut self.regs[d as usize];
        if let Value::Int(old) = slot { *old = n } else { put(slot, Value::Int(n)) }
    }

    /// Moves or copies an operand to a register. A number is copied as a number: a value written in two
    /// parts and read as a whole right after makes the processor wait.
    #[inline(always)]
    pub fn transfer(&mut self, d: Reg, a: Operand) {
        let value = self.get(a);
        if let Value::Real(x) = *value {
            self.set_real(d, x);
        } else if let Value::Int(n) = *value {
            self.set_int(d, n);
        } else {
            let value = self.take(a);
            self.set(d, value);
        }
    }

    /// Passes arguments to the registers of a callee.
    #[inline(always)]
    pub fn pass(&mut self, args: ListId, callee: &mut [Value]) {
        for (slot, a) in callee.iter_mut().zip(self.list(args)) {
            put(slot, self.take(*a));
        }
    }
    /// Passes arguments to where they wait for the registers of a callee.
    #[inline(never)]
    pub fn pass_aside(&mut self, args: ListId, aside: &mut Vec<Value>) {
        for a in self.list(args) {
            let value = self.take(*a);
            aside.push(value);
        }
    }
    /// Passes results to the registers of the caller.
    #[inline(always)]
    pub fn give(&mut self, results: ListId, caller: &mut Window<'_>, dests: ListId) {
        for (d, a) in caller.list(dests).iter().zip(self.list(results)) {
            let value = self.take(*a);
            caller.set(*d, value);
        }
    }
    /// The results of the bottom frame.
    #[inline(never)]
    pub fn taken(&mut self, results: ListId) -> Vec<Value> {
        self.list(results).iter().map(|a| self.take(*a)).collect()
    }
    /// Copies the values of a constant.
    #[inline(never)]
    pub fn constants(&mut self, values: &[Value], dests: ListId) {
        for (d, value) in self.list(dests).iter().zip(values) {
            self.set(*d, value.clone());
        }
    }

    /// Where to go on, by the tag of a data value.
    #[inline(always)]
    pub fn case(&self, a: Operand, table: u32) -> usize {
        let value = self.get(a);
        let tag = match value {
            Value::Tag(tag) => *tag,
            Value::Data(node) => node.tag(),
            Value::Undef
            | Value::Real(_)
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Array(_)
            | Value::Acc(_) => unlike("a data value", value),
        };
        let switch = &self.code.switches[table as usize];
        let target = switch.targets.get(tag as usize).copied();
        let target = target.filter(|to| *to != NOWHERE).unwrap_or(switch.default);
        if target == NOWHERE {
            unlike("a constructor with a case", value);
        }
        target as usize
    }
}

/// Stores a value. What holds nothing that is counted is overwritten without a call.
#[inline(always)]
fn put(slot: &mut Value, value: Value) {
    if slot.is_plain() {
        std::mem::forget(std::mem::replace(slot, value));
    } else {
        *slot = value;
    }
}
