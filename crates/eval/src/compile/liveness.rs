//! Marks the last use of every register, so that its value is moved there and not copied.
//!
//! Type: code to the same code with [`KILL`] on operands. Law: a marked register is written before it
//! is read again, on every path. A backward analysis over basic blocks, on sets of registers as bits.

use crate::code::{Code, Instr, KILL, Reg};
use crate::effects::Effect;

/// Beyond this many bits of block sets nothing is marked: values are copied, which is slower but right.
const LARGEST: usize = 1 << 28;

pub(super) fn mark_last_uses(code: &mut Code, arity: &dyn Fn(u32) -> (u32, u32)) {
    let starts = block_starts(code);
    let words = (code.registers as usize).div_ceil(64);
    if starts.len().saturating_mul(words) > LARGEST / 64 {
        return;
    }
    let mut block_of = vec![0; code.instrs.len() + 1];
    for (block, start) in starts.iter().enumerate() {
        block_of[*start] = block;
    }
    let successors: Vec<Vec<usize>> =
        (0..starts.len()).map(|block| successors(code, &starts, &block_of, block)).collect();
    let mut live_in = vec![vec![0u64; words]; starts.len()];
    let own = code.captures;
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..starts.len()).rev() {
            let mut live = live_out(&live_in, &successors[block], words);
            let end = starts.get(block + 1).copied().unwrap_or(code.instrs.len());
            for instr in code.instrs[starts[block]..end].iter_mut().rev() {
                step(instr, &mut live, arity, own, false);
            }
            if live != live_in[block] {
                live_in[block] = live;
                changed = true;
            }
        }
    }
    for block in 0..starts.len() {
        let mut live = live_out(&live_in, &successors[block], words);
        let end = starts.get(block + 1).copied().unwrap_or(code.instrs.len());
        for instr in code.instrs[starts[block]..end].iter_mut().rev() {
            step(instr, &mut live, arity, own, true);
        }
    }
}

/// Goes back over one instruction.
fn step(
    instr: &mut Instr,
    live: &mut [u64],
    arity: &dyn Fn(u32) -> (u32, u32),
    own: u32,
    mark: bool,
) {
    instr.effects(arity, own, &mut |effect| match effect {
        Effect::Write(reg) => live[reg as usize / 64] &= !bit(reg),
        Effect::Peek(reg) => live[reg as usize / 64] |= bit(reg),
        Effect::Run(first, count) => {
            for reg in first..first + count {
                live[reg as usize / 64] |= bit(reg);
            }
        }
        Effect::Read(operand) => {
            let reg = *operand & !KILL;
            if mark && live[reg as usize / 64] & bit(reg) == 0 {
                *operand |= KILL;
            }
            live[reg as usize / 64] |= bit(reg);
        }
    });
}

fn bit(reg: Reg) -> u64 {
    1 << (reg % 64)
}

fn live_out(live_in: &[Vec<u64>], successors: &[usize], words: usize) -> Vec<u64> {
    let mut live = vec![0; words];
    for successor in successors {
        for (word, more) in live.iter_mut().zip(&live_in[*successor]) {
            *word |= more;
        }
    }
    live
}

fn block_starts(code: &mut Code) -> Vec<usize> {
    let mut starts = vec![0];
    let len = code.instrs.len();
    for (index, instr) in code.instrs.iter_mut().enumerate() {
        let leaves = instr.leaves();
        let target = instr.target_mut().map(|to| *to as usize);
        starts.extend(target);
        if leaves || target.is_some() {
            starts.push(index + 1);
        }
    }
    starts.extend(code.tables.iter().flatten().map(|to| *to as usize));
    starts.retain(|start| *start < len);
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn successors(code: &mut Code, starts: &[usize], block_of: &[usize], block: usize) -> Vec<usize> {
    let end = starts.get(block + 1).copied().unwrap_or(code.instrs.len());
    let Some(last) = code.instrs.get_mut(end - 1) else { return vec![] };
    let mut targets: Vec<usize> = vec![];
    if let Instr::Switch { table, .. } = last {
        targets.extend(code.tables[*table as usize].iter().map(|to| *to as usize));
    }
    if !last.leaves() {
        targets.push(end);
    }
    targets.extend(last.target_mut().map(|to| *to as usize));
    targets.retain(|target| *target < code.instrs.len());
    targets.into_iter().map(|target| block_of[target]).collect()
}
