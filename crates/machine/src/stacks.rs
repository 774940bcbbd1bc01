//! Stacks of a machine, which grow in the account of memory and no further than half of what it allows.
//!
//! Calls of a program are kept here instead of on the native stack, so that a recursion without end is an error that names
//! a function.

use super::meter::Meter;

/// How many frames there may be whatever the limit.
const FEWEST_FRAMES: usize = 64;
/// How many registers there are from the first one on, if the limit allows.
pub const FEWEST_REGISTERS: usize = 1024;

/// There is no room for a stack to grow.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// Puts something on top, which takes so many bytes with all that it holds.
#[inline(always)]
pub fn push<T>(stack: &mut Vec<T>, item: T, bytes: usize, meter: &mut Meter) -> Result<(), Full> {
    if stack.len() == stack.capacity() {
        grow(stack, bytes, meter)?;
    }
    stack.push(item);
    Ok(())
}

/// Makes room for more, of so many bytes each.
#[cold]
pub(super) fn grow<T>(stack: &mut Vec<T>, bytes: usize, meter: &mut Meter) -> Result<(), Full> {
    let held = stack.capacity();
    let affordable = (meter.affordable(held * bytes) / bytes).max(FEWEST_FRAMES);
    if held >= affordable {
        return Err(Full);
    }
    let wanted = (held * 2).clamp(FEWEST_FRAMES, affordable);
    meter.resized(held * bytes, wanted * bytes);
    stack.reserve_exact(wanted - held);
    Ok(())
}

/// Makes a stack of registers longer, at least `len`; so many are always affordable.
pub(super) fn lengthen<V: Clone + Default>(
    registers: &mut Vec<V>,
    len: usize,
    always: usize,
    meter: &mut Meter,
) -> Result<(), Full> {
    let affordable = (meter.affordable(size_of_val(&**registers)) / size_of::<V>()).max(always);
    if len > affordable {
        return Err(Full);
    }
    let wanted = (registers.len() * 2).max(len).max(FEWEST_REGISTERS).min(affordable);
    resize(registers, wanted, meter);
    Ok(())
}

/// Makes a stack of registers this long, which the account of memory knows before.
pub fn resize<V: Clone + Default>(registers: &mut Vec<V>, len: usize, meter: &mut Meter) {
    meter.resized(size_of_val(&**registers), len * size_of::<V>());
    registers.truncate(len);
    registers.shrink_to(len);
    registers.reserve_exact(len - registers.len());
    registers.resize(len, V::default());
}

#[cfg(test)]
mod tests {
    use pullback_base::{Limits, memory};

    use super::*;

    fn meter(max_memory: usize) -> Meter {
        Meter::new(Limits { max_memory, ..Limits::default() })
    }

    /// How many items of so many bytes find room.
    fn depth(bytes: usize, meter: &mut Meter) -> usize {
        let mut stack = vec![];
        while push(&mut stack, 0u8, bytes, meter).is_ok() {}
        stack.len()
    }

    #[test]
    fn a_stack_takes_half_of_the_memory() {
        assert_eq!(depth(16, &mut meter(1 << 20)), 1 << 15);
        assert_eq!(depth(64, &mut meter(1 << 20)), 1 << 13);
    }

    #[test]
    fn the_fewest_frames_are_there_whatever_the_limit() {
        assert_eq!(depth(16, &mut meter(0)), FEWEST_FRAMES);
    }

    #[test]
    fn two_stacks_share_the_room() {
        let mut meter = meter(1 << 20);
        let mut registers: Vec<u64> = vec![];
        lengthen(&mut registers, 1 << 15, 0, &mut meter).expect("half of the room");
        assert_eq!(depth(16, &mut meter), 1 << 14);
    }

    #[test]
    fn registers_are_the_default_and_in_the_account() {
        let before = memory::live();
        let mut meter = meter(1 << 20);
        let mut registers: Vec<u64> = vec![];
        lengthen(&mut registers, 3, 0, &mut meter).expect("room");
        assert_eq!((registers.len(), registers[2]), (FEWEST_REGISTERS, 0));
        assert_eq!(memory::live() - before, 8 * FEWEST_REGISTERS);
        assert_eq!(lengthen(&mut registers, 1 << 17, 0, &mut meter), Err(Full));
        assert_eq!(lengthen(&mut registers, 1 << 17, 1 << 17, &mut meter), Ok(()));
        resize(&mut registers, 0, &mut meter);
        assert_eq!(memory::live(), before);
    }
}
