//! What instructions do with registers, one small function each.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use crate::Fault;
use crate::code::{Image, KILL, Reg};
use crate::discrete::{self, position};
use crate::hooks::Ctx;
use crate::value::{Chain, Fields, Items, Value};
use pullback_base::Text;
use pullback_prim::{Class, Prim, RealFn};

/// Stores a value. Most registers hold a number or nothing, which is overwritten without a call.
#[inline(always)]
pub(super) fn put(slot: &mut Value, value: Value) {
    if slot.owns_nothing() {
        std::mem::forget(std::mem::replace(slot, value));
    } else {
        *slot = value;
    }
}

/// A constant operand. A number has nothing to free, which the compiler would look for.
#[inline(always)]
pub(super) fn constant(k: f64) -> ManuallyDrop<Value> {
    ManuallyDrop::new(Value::Real(k))
}

#[inline(always)]
pub(super) fn set_real(slot: &mut Value, x: f64) {
    if let Value::Real(old) = slot {
        *old = x;
    } else {
        put(slot, Value::Real(x));
    }
}

#[inline(always)]
pub(super) fn set_int(slot: &mut Value, n: i64) {
    if let Value::Int(old) = slot {
        *old = n;
    } else {
        put(slot, Value::Int(n));
    }
}

/// An Int register. Types are checked before, so anything else cannot be there.
#[inline(always)]
pub(super) fn int(value: &Value) -> i64 {
    if let Value::Int(n) = value { *n } else { 0 }
}

/// `array[i][j]` into `d`.
#[inline(always)]
pub(super) fn load2(regs: &mut [Value], d: u16, a: u16, i: u16, j: u16) -> Result<(), Fault> {
    let (i, j) = (int(&regs[i as usize]), int(&regs[j as usize]));
    let Value::Array(array) = &regs[a as usize] else {
        return Err(Fault::internal("an index of no array"));
    };
    let row = position(array, i)?;
    let Some(Value::Array(row)) = array.values().map(|rows| &rows[row]) else {
        return Err(Fault::internal("an index of no nested array"));
    };
    let column = position(row, j)?;
    if let Items::Real(reals) = row.items() {
        let x = reals[column];
        set_real(&mut regs[d as usize], x);
    } else {
        let value = row.at(column);
        put(&mut regs[d as usize], value);
    }
    Ok(())
}

#[inline(always)]
pub(super) fn tag_of(value: &Value) -> u32 {
    if let Value::Tag(tag) = value {
        *tag
    } else if let Value::Data(fields) = value {
        fields.tag()
    } else if let Value::IntOf(tag, _) | Value::RealOf(tag, _) = value {
        *tag
    } else if let Value::Chain(length, chain) = value {
        chain.tag(*length)
    } else {
        u32::MAX
    }
}

// A number is copied as a number: a value written in two parts and read back as a whole right after
// makes the processor wait.

/// Copies a value.
#[inline(always)]
fn copy(slot: &mut Value, value: &Value) {
    if let Value::Real(x) = value {
        set_real(slot, *x);
    } else if let Value::Int(n) = value {
        set_int(slot, *n);
    } else if let Value::IntOf(tag, n) = value {
        put(slot, Value::IntOf(*tag, *n));
    } else if let Value::RealOf(tag, x) = value {
        put(slot, Value::RealOf(*tag, *x));
    } else {
        put(slot, value.clone());
    }
}

/// Moves a value between registers; what is left behind is not to be read.
#[inline(always)]
fn relocate(regs: &mut [Value], from: usize, to: usize) {
    if let Value::Real(x) = regs[from] {
        set_real(&mut regs[to], x);
    } else if let Value::Int(n) = regs[from] {
        set_int(&mut regs[to], n);
    } else if let Value::IntOf(tag, n) = regs[from] {
        put(&mut regs[to], Value::IntOf(tag, n));
    } else if let Value::RealOf(tag, x) = regs[from] {
        put(&mut regs[to], Value::RealOf(tag, x));
    } else {
        let value = std::mem::take(&mut regs[from]);
        put(&mut regs[to], value);
    }
}

/// Moves at the last use, copies otherwise.
#[inline(always)]
pub(super) fn transfer(regs: &mut [Value], d: Reg, a: Reg) {
    let from = (a & !KILL) as usize;
    if a & KILL != 0 {
        relocate(regs, from, d as usize);
    } else if let Value::Real(x) = regs[from] {
        set_real(&mut regs[d as usize], x);
    } else if let Value::Int(n) = regs[from] {
        set_int(&mut regs[d as usize], n);
    } else if let Value::IntOf(tag, n) = regs[from] {
        put(&mut regs[d as usize], Value::IntOf(tag, n));
    } else if let Value::RealOf(tag, x) = regs[from] {
        put(&mut regs[d as usize], Value::RealOf(tag, x));
    } else {
        let value = regs[from].clone();
        put(&mut regs[d as usize], value);
    }
}

/// The value of an operand: moved out at its last use, copied otherwise.
#[inline(always)]
pub(super) fn take(regs: &mut [Value], a: Reg) -> Value {
    let slot = &mut regs[(a & !KILL) as usize];
    if let Value::Real(x) = slot {
        Value::Real(*x)
    } else if let Value::Int(n) = slot {
        Value::Int(*n)
    } else if a & KILL != 0 {
        std::mem::take(slot)
    } else {
        slot.clone()
    }
}

/// Puts a field of the structure in a register into `d`.
#[inline(always)]
pub(super) fn load_field(regs: &mut [Value], d: Reg, a: Reg, index: u32) {
    let (from, d) = ((a & !KILL) as usize, d as usize);
    if let Value::IntOf(_, n) = regs[from] {
        set_int(&mut regs[d], n);
    } else if let Value::RealOf(_, x) = regs[from] {
        set_real(&mut regs[d], x);
    } else {
        let value = field(regs, a, index);
        put(&mut regs[d], value);
    }
}

/// A field of the structure in a register; moved out if this is the last use of its only owner.
#[inline]
fn field(regs: &mut [Value], a: Reg, index: u32) -> Value {
    let slot = &mut regs[(a & !KILL) as usize];
    let (Value::Tuple(fields) | Value::Data(fields)) = slot else {
        return packed_field(slot, index);
    };
    if a & KILL == 0 {
        return fields.items()[index as usize].clone();
    }
    let value = match Rc::get_mut(fields) {
        Some(owned) => std::mem::take(&mut owned.items_mut()[index as usize]),
        None => fields.items()[index as usize].clone(),
    };
    *slot = Value::Unit;
    value
}

/// A field of a constructor that is stored packed.
#[inline]
fn packed_field(value: &Value, index: u32) -> Value {
    if let Value::Chain(length, chain) = value {
        Chain::field(chain, *length, index)
    } else {
        Value::Unit
    }
}

/// All fields of the structure in a register, into registers from the first on.
#[inline]
pub(super) fn spread_fields(regs: &mut [Value], first: Reg, a: Reg) {
    let value = take(regs, a);
    let slots = regs[first as usize..].iter_mut();
    if let Value::Tuple(mut fields) | Value::Data(mut fields) = value {
        if let Some(owned) = Rc::get_mut(&mut fields) {
            for (slot, field) in slots.zip(owned.items_mut()) {
                put(slot, std::mem::take(field));
            }
        } else {
            for (slot, field) in slots.zip(fields.items()) {
                copy(slot, field);
            }
        }
    } else if let Value::Chain(length, chain) = value {
        Chain::spread(chain, length, slots);
    }
}

/// Puts a constructor with one field, of a type that is stored packed, into `d`.
#[inline(always)]
pub(super) fn pack(regs: &mut [Value], d: Reg, tag: u32, a: Reg) {
    let (from, d) = ((a & !KILL) as usize, d as usize);
    if let Value::Int(n) = regs[from] {
        put(&mut regs[d], Value::IntOf(tag, n));
    } else if let Value::Real(x) = regs[from] {
        put(&mut regs[d], Value::RealOf(tag, x));
    } else {
        let fields = single(regs, tag, a);
        put(&mut regs[d], Value::Data(fields));
    }
}

#[inline(always)]
pub(super) fn clear(regs: &mut [Value]) {
    for slot in regs {
        put(slot, Value::Unit);
    }
}

/// A primitive of two arguments that has no instruction of its own.
#[inline]
pub(super) fn prim2(ctx: &mut Ctx, prim: Prim, x: &Value, y: &Value) -> Result<Value, Fault> {
    if let (Value::Int(m), Value::Int(n)) = (x, y) {
        return discrete::int2(prim, *m, *n);
    }
    if let Class::Smooth(smooth) = &prim.row().class {
        return match (smooth.value, x, y) {
            (RealFn::Real2(f), Value::Real(x), Value::Real(y)) => Ok(Value::Real(f(*x, *y))),
            (RealFn::RealInt(f), Value::Real(x), Value::Int(n)) => Ok(Value::Real(f(*x, *n))),
            _ => ctx.followed2(prim, x, y),
        };
    }
    if let (Value::Real(_), Value::Real(_)) = (x, y) {
        return discrete::compare(prim, x, y);
    }
    ctx.apply(prim, &[x.clone(), y.clone()])
}

/// A smooth primitive of one Real.
#[inline(always)]
pub(super) fn prim1(ctx: &mut Ctx, prim: Prim, x: &Value) -> Result<Value, Fault> {
    if let (Value::Real(x), Class::Smooth(smooth)) = (x, &prim.row().class)
        && let RealFn::Real1(f) = smooth.value
    {
        return Ok(Value::Real(f(*x)));
    }
    ctx.followed1(prim, x)
}

#[inline(always)]
pub(super) fn negated(ctx: &mut Ctx, x: &Value) -> Result<Value, Fault> {
    if let Value::Real(x) = x {
        return Ok(Value::Real(-x));
    }
    ctx.followed1(Prim::Neg, x)
}

/// Where a jump table leads.
#[inline(always)]
pub(super) fn case(table: &[u32], value: &Value) -> usize {
    table[(tag_of(value) as usize).min(table.len() - 1)] as usize
}

/// Counts `i` up; whether it is still below `n`.
#[inline(always)]
pub(super) fn count_up(regs: &mut [Value], i: Reg, n: Reg) -> bool {
    let next = int(&regs[i as usize]) + 1;
    set_int(&mut regs[i as usize], next);
    next < int(&regs[n as usize])
}

/// Fields from a run of registers, which are emptied.
#[inline]
pub(super) fn gathered(regs: &mut [Value], tag: u32, first: Reg, n: u32) -> Rc<Fields> {
    let items = regs[first as usize..(first + n) as usize].iter_mut().map(std::mem::take);
    Fields::collect(tag, n as usize, items)
}

#[inline]
pub(super) fn single(regs: &mut [Value], tag: u32, a: Reg) -> Rc<Fields> {
    Fields::collect(tag, 1, std::iter::once(take(regs, a)))
}

#[inline]
pub(super) fn pair(regs: &mut [Value], tag: u32, a: Reg, b: Reg) -> Rc<Fields> {
    let items = [take(regs, a), take(regs, b)];
    Fields::collect(tag, 2, items.into_iter())
}

/// Appends to an array under construction, which nobody else knows yet.
#[inline]
pub(super) fn push(regs: &mut [Value], d: Reg, v: Reg) {
    let number = if let Value::Real(x) = regs[(v & !KILL) as usize] { Some(x) } else { None };
    let value = if number.is_some() { Value::Unit } else { take(regs, v) };
    if let Value::Array(array) = &mut regs[d as usize]
        && let Some(array) = Rc::get_mut(array)
    {
        match number {
            Some(x) => array.push_real(x),
            None => array.push(value),
        }
    }
}

/// An error unless the rows of an array at a depth, if there are any, have the size `n`.
#[inline]
pub(super) fn check_size<'i>(
    array: &Value,
    depth: u8,
    n: &Value,
    what: impl FnOnce() -> &'i Text,
) -> Result<(), Fault> {
    let Value::Array(array) = array else {
        return Err(Fault::internal("a check of the size of no array"));
    };
    let Some(found) = array.present_dim(usize::from(depth)) else { return Ok(()) };
    let (found, needed) = (found as i64, int(n));
    if found == needed {
        return Ok(());
    }
    Err(Fault::Size { found, needed, what: what().to_string() })
}

#[inline]
pub(super) fn size(value: &Value) -> usize {
    if let Value::Array(array) = value { array.len() } else { 0 }
}

/// Puts an element of the array in a register into `d`; the array is let go of at its last use.
#[inline(always)]
pub(super) fn load(regs: &mut [Value], d: Reg, a: Reg, i: Reg) -> Result<(), Fault> {
    let index = int(&regs[i as usize]);
    let Value::Array(array) = &regs[(a & !KILL) as usize] else {
        return Err(Fault::internal("an index of no array"));
    };
    let value = match (array.items(), usize::try_from(index)) {
        (Items::Real(reals), Ok(at)) if at < reals.len() => {
            let x = reals[at];
            if a & KILL != 0 {
                regs[(a & !KILL) as usize] = Value::Unit;
            }
            set_real(&mut regs[d as usize], x);
            return Ok(());
        }
        (Items::Values(values), Ok(at)) if a & KILL == 0 && at < values.len() => {
            if let Value::RealOf(tag, x) = values[at] {
                put(&mut regs[d as usize], Value::RealOf(tag, x));
            } else {
                let value = values[at].clone();
                put(&mut regs[d as usize], value);
            }
            return Ok(());
        }
        (Items::Real(_) | Items::Int(_) | Items::Values(_) | Items::Absent(_), _) => {
            array.at(position(array, index)?)
        }
    };
    if a & KILL != 0 {
        regs[(a & !KILL) as usize] = Value::Unit;
    }
    put(&mut regs[d as usize], value);
    Ok(())
}

/// Indices and then a value from a run of registers.
pub(super) fn path(regs: &mut [Value], first: Reg, n: u32) -> (Vec<Value>, Value) {
    let run = &mut regs[first as usize..=(first + n) as usize];
    let (value, indices) = run.split_last_mut().expect("the value lies behind the indices");
    (indices.iter_mut().map(std::mem::take).collect(), std::mem::take(value))
}

/// What a closure captured.
#[inline]
pub(super) fn captured(value: &Value) -> Option<Rc<Fields>> {
    if let Value::Closure(_, captured) = value { captured.clone() } else { None }
}

/// Spreads what the running closure captured over registers.
#[inline]
pub(super) fn spread(regs: &mut [Value], first: Reg) {
    let (own, rest) = regs.split_at_mut(first as usize);
    if let Value::Closure(_, Some(captured)) = &own[0] {
        for (slot, value) in rest.iter_mut().zip(captured.items()) {
            copy(slot, value);
        }
    }
}

/// Moves the window of a tail call to the start of the frame and empties the rest.
#[inline]
pub(super) fn slide(regs: &mut [Value], first: Reg, n: u32) {
    for index in 0..=n as usize {
        relocate(regs, first as usize + index, index);
    }
    clear(&mut regs[n as usize + 1..]);
}

/// The code of a closure that takes exactly `n` arguments.
#[inline(always)]
pub(super) fn code_of(image: &Image, function: &Value, n: u32) -> Option<u32> {
    let Value::Closure(code, _) = function else { return None };
    (image.codes[*code as usize].arity == n).then_some(*code)
}

/// Leaves nothing in the frame but its result, in register 0.
#[inline(always)]
pub(super) fn give_back(regs: &mut [Value], a: Reg) {
    relocate(regs, a as usize, 0);
    clear(&mut regs[1..]);
}
